/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * Keeps regions registered that may be wanted again (checklist 53-59), for local use: its regions have no keys for
 * peers. Thread-safe.
 *
 * <p>A region is found again if it covers the memory, allows what is asked for, and is of the same owner. Memory with
 * an owner is kept registered only as long as somebody else holds the owner: the cache does not keep it from being
 * collected, unless a region of it is in use. Memory without an owner is kept registered where the cache's
 * {@link MemoryMonitor} watches it, or its owner is known ({@link #adopt}). Of a file that is mapped, and of shared
 * memory that can be opened, neither owner nor monitor learns that it was truncated or got a hole.
 *
 * <p>What nobody stands for is registered on demand ({@link io.rdma4j.verbs.AccessFlag#ON_DEMAND}) and kept where the
 * device can do that: it looks behind the addresses at each access, and an operation completes with a protection error
 * where nothing is mapped any more. On other devices each acquisition registers it anew: slow, but never stale.
 *
 * <p>What is in use when the memory changes is found no more, and is deregistered at its last release.
 */
public interface RegistrationCache {
    /**
     * Finds a region that covers the memory with sufficient rights, or registers one. A hit allocates nothing and
     * takes no lock.
     *
     * @param address first byte, above 0.
     * @param length  bytes, above 0.
     * @param access  what local use needs: {@link io.rdma4j.verbs.AccessFlag#LOCAL_WRITE} for receives and results; 0
     *                for reading only.
     * @return the region, in use until {@link CachedRegion#release()}.
     * @throws FabricException as {@link Domain#register(MrAttributes)}; FI_EINVAL also for other rights: there is no
     *                         key for peers.
     */
    CachedRegion acquire(long address, long length, int access);

    /**
     * As {@link #acquire(long, long, int)} for memory that belongs to an object: a hit needs the same owner, so that
     * memory that was freed and is used again by another owner is never taken for the old one. Slices and duplicates of
     * a direct buffer have the owner of that buffer.
     * A direct buffer that native code or an arena made owns nothing: it is treated as none (name the arena instead).
     *
     * <p>The owner stands for the memory: one that frees it, or gets other memory at the same addresses, while somebody
     * goes on naming it, must call {@link #invalidate} before. Pinned memory that is closed need not.
     *
     * @param address first byte, above 0.
     * @param length  bytes, above 0.
     * @param owner   what keeps the memory, such as a direct buffer; null for none.
     * @param access  as there.
     * @return the region, in use until {@link CachedRegion#release()}.
     * @throws FabricException as {@link #acquire(long, long, int)}; FI_EFAULT also for a buffer that is read-only, or
     *                         is over such a one, and shall be written.
     */
    CachedRegion acquire(long address, long length, Object owner, int access);

    /**
     * Says who owns memory, so that acquisitions without an owner of this memory are treated as the owner's as long as
     * it exists; of pinned memory, as long as it is open, and those that name another owner, too: buffers over it are
     * the same memory. For those who only pass addresses on. The owner must not free the memory while it exists,
     * without {@link #invalidate} before. Other caches of the domain learn nothing of it; memory of {@link
     * Domain#allocate} is known to each without it.
     *
     * @param address first byte, above 0.
     * @param length  bytes, above 0.
     * @param owner   what keeps the memory; held weakly.
     * @throws FabricException FI_EINVAL for a range that is empty or wraps around, or without an owner.
     */
    void adopt(long address, long length, Object owner);

    /**
     * To be called before memory is freed, unmapped or mapped anew, where the monitor does not see it: every entry that
     * has a byte of it is dropped. Those in use stay registered until their last release.
     *
     * @param address first byte, above 0.
     * @param length  bytes, above 0.
     * @throws FabricException FI_EINVAL for a range that is empty or wraps around.
     */
    void invalidate(long address, long length);

    /** Deregisters what is not in use. */
    void flush();

    /**
     * Whether anything is kept at all.
     *
     * @return false if the count is limited to 0, or the monitor is {@code disabled}.
     */
    boolean isEnabled();

    /**
     * What it did, and what it has. Reads counters, without a lock.
     *
     * @return as of now; counts that change meanwhile need not fit each other.
     */
    CacheStatistics statistics();
}
