/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.RdmaException;

import java.util.Set;

/**
 * Registered memory: pinned, translated for the device, named by keys (checklist 93-106). Thread-safe. What is said
 * here of pinning does not hold for regions with {@link AccessFlag#ON_DEMAND}.
 *
 * <p>When {@link #close()} has returned, the device does not reach the memory through this region any more, and the
 * region has let go of the buffer it was made from. Pages that other regions have, too, stay pinned until the last of
 * them is closed, in whatever order that happens.
 *
 * <p>What the accessors tell changes with {@link #reregister}. After the region was closed they go on telling what it
 * was last.
 */
public interface MemoryRegion extends AutoCloseable {
    /**
     * The domain.
     *
     * @return the domain that the region is registered in.
     */
    ProtectionDomain pd();

    /**
     * Where this process sees the first byte; of a dma-buf, which byte of that it is.
     *
     * @return a virtual address. The bytes behind it are those of the region, unless it was made of a
     *         {@link PageList}: then as far as its first page reaches.
     */
    long address();

    /**
     * How work requests name the first byte, those of peers, too; the others follow it without a gap.
     *
     * @return {@link #address()}, unless another one was asked for; 0 for a zero-based region. Unsigned.
     */
    long iova();

    /**
     * Size.
     *
     * @return bytes.
     */
    long length();

    /**
     * What the region allows besides local read.
     *
     * @return an unmodifiable set.
     */
    Set<AccessFlag> access();

    /**
     * The key for local use, in scatter/gather elements.
     *
     * @return 32 bits; any value is possible, also 0.
     */
    int lkey();

    /**
     * Whether there is a key for peers: only with a remote right (checklist 94).
     *
     * @return true if {@link #rkey()} can be called.
     */
    default boolean hasRkey() {
        final Set<AccessFlag> access = access();
        return access.contains(AccessFlag.REMOTE_READ) || access.contains(AccessFlag.REMOTE_WRITE)
            || access.contains(AccessFlag.REMOTE_ATOMIC);
    }

    /**
     * The key for peers.
     *
     * @return 32 bits.
     * @throws io.rdma4j.RdmaException EINVAL if the region was registered without remote rights.
     */
    int rkey();

    /**
     * Makes this a region of other memory, with another length, IOVA, domain or other rights; any of them, and what
     * the options do not set stays as it is. For this the device registers anew and then gives up the old
     * registration, so that for a moment it has two.
     *
     * <p>When this returns the old keys are dead, as if the region had been closed: work requests that name them fail,
     * and memory windows that were bound here are unbound. The new ones are those that {@link #lkey()} and
     * {@link #rkey()} tell now. Memory that the region does not have any more is released.
     *
     * <p>Meanwhile a post that binds a window to it may be refused (INVALID_REQUEST), as libibverbs has two addresses
     * for the two.
     *
     * <p>If the new registration fails the region is exactly as before, with the old keys. If the device then refuses
     * to end the old one, the region is closed: a key that might still work must not lead to memory. Some refuse while
     * windows are bound (EBUSY): then it is exactly as before, too.
     *
     * @param changes what shall be different.
     * @throws io.rdma4j.RdmaException as {@link ProtectionDomain#register(MrOptions)}; also EINVAL if nothing is to be
     *                                 changed, or for a domain of another context; ENOMEM if the device has no room for
     *                                 both registrations; EBADFD if the region or the new domain is closed.
     */
    void reregister(MrOptions changes);

    /**
     * Tells that other pages may lie behind some addresses of the region than when it was registered or refreshed last,
     * because they were mapped anew. When this returns, the device reaches the pages that are there now, by the same
     * keys and addresses; those that it reached before are not pinned for this region any more. So does every other
     * region that shares the mapping; one that has a mapping of its own for the same addresses does not.
     *
     * <p>Work in pieces of what was mapped at a time, which may be all of the region: refreshing a page of a
     * large region can cost as much as registering all of it. Where an IOMMU translates, there is a moment
     * in which the device reaches nothing of that piece: transfers that touch it then fail as access errors, and their
     * queue pairs go to the error state. The emulated device has no such gap.
     *
     * <p>If the new pages cannot be reached, because some are missing or must not be written, EFAULT names the first;
     * if they cannot be pinned, ENOMEM says why. Then the device reaches nothing of the pieces that were to be
     * refreshed: transfers fail, keys and addresses stay, and a later call can mend it. Closing works as ever.
     *
     * <p>A region with {@link AccessFlag#ON_DEMAND} needs no refresh. There this brings the pages in, and says EFAULT
     * with the first one that is missing; nothing else changes.
     *
     * @param address first byte, as this process sees it. Of a {@link PageList}, one that lies in pages of the list.
     * @param length  bytes, above 0; all of them are in the region.
     * @throws io.rdma4j.RdmaException EINVAL for a range that is empty, negative, wraps or is not all in the region;
     *                                 EFAULT and ENOMEM as said above; EOPNOTSUPP on devices without
     *                                 {@link Feature#REFRESH}; EBADFD if the region is closed.
     */
    void refresh(long address, long length);

    /**
     * Takes the device's access to a region with {@link AccessFlag#ON_DEMAND} away until {@link #resume}: transfers
     * fail as if no page were there, keys and addresses stay. When this returns no transfer to or from the memory is
     * under way. So it is for every region that shares the mapping.
     *
     * @throws io.rdma4j.RdmaException EOPNOTSUPP if the region is not {@code ON_DEMAND}, and on devices without
     *                                 {@link Feature#SUSPEND}; EBADFD if it is closed.
     */
    default void suspend() {
        throw RdmaException.of("suspend region").object(this).detail("it is not ON_DEMAND")
            .errno(RdmaException.EOPNOTSUPP).build();
    }

    /**
     * Ends {@link #suspend}. Harmless if the region is not suspended.
     *
     * @throws io.rdma4j.RdmaException EOPNOTSUPP if the region is not {@code ON_DEMAND}; EBADFD if it is closed.
     */
    default void resume() {
        throw RdmaException.of("resume region").object(this).detail("it is not ON_DEMAND")
            .errno(RdmaException.EOPNOTSUPP).build();
    }

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /** Deregisters: the keys are dead, the memory is unpinned. Harmless when called again. */
    @Override
    void close();
}
