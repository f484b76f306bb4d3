/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import java.util.Set;

/**
 * Registered memory: pinned, translated for the device, named by keys (checklist 93-106). Thread-safe.
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
     * Where this process sees the first byte.
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
    boolean hasRkey();

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
     * <p>If the new registration fails the region is exactly as before, with the old keys. If the device then refuses
     * to end the old one, the region is closed: a key that might still work must not lead to memory.
     *
     * @param changes what shall be different.
     * @throws io.rdma4j.RdmaException as {@link ProtectionDomain#register(MrOptions)}; also EINVAL if nothing is to be
     *                                 changed, or for a domain of another context; ENOMEM if the device has no room for
     *                                 both registrations; EBADFD if the region or the new domain is closed.
     */
    void reregister(MrOptions changes);

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
