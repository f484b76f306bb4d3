/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.memory.PageTable;
import io.rdma4j.device.memory.Revocation;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.Pdir;

/**
 * What a key names. An ordinary region never changes but for its end; a {@link FastRegion} and a {@link MemoryWindow}
 * are given their memory by work requests, and have a {@link Revocation}: note the {@link #lease()}, read the rest, and
 * enter the lease when it comes to copying.
 */
class MemoryRegion {
    /** The part of a key that whoever fills a fast region or binds a window may choose. */
    static final int CHOSEN = 0xff;

    private final int handle;
    private final ProtectionDomain pd;
    private final Revocation revocation;
    private final boolean plain;
    private int lkey;
    private int rkey;
    private long start;
    private long length;
    private long offset;
    private int access;
    private PageTable pages;
    private volatile boolean live = true;

    /** An ordinary region. */
    MemoryRegion(MrKeys keys, ProtectionDomain pd, long start, long length, int access, PageTable pages) {
        this(keys, pd, null, !pages.mayFault());
        show(start, length, pages.pages() == 0 ? 0 : start & Pdir.PAGE_SIZE - 1, access, pages);
    }

    /** One that gets its memory by work requests. */
    MemoryRegion(MrKeys keys, ProtectionDomain pd, Revocation revocation) {
        this(keys, pd, revocation, false);
    }

    private MemoryRegion(MrKeys keys, ProtectionDomain pd, Revocation revocation, boolean plain) {
        this.handle = keys.handle();
        this.lkey = keys.lkey();
        this.rkey = keys.rkey();
        this.pd = pd;
        this.revocation = revocation;
        this.plain = plain;
    }

    /**
     * Says what there is to be seen.
     *
     * @param first  address of the first byte, unless access has ZERO_BASED.
     * @param bytes  how many.
     * @param from   where the first byte is, as the page table counts.
     * @param rights access flags.
     * @param table  its pages.
     */
    final void show(long first, long bytes, long from, int rights, PageTable table) {
        start = (rights & AccessFlags.PVRDMA_ZERO_BASED) != 0 ? 0 : first;
        length = bytes;
        offset = from;
        access = rights;
        pages = table;
    }

    /** Sets the part of the keys that may be chosen. */
    final void choose(int key) {
        lkey = lkey & ~CHOSEN | key & CHOSEN;
        rkey = rkey & ~CHOSEN | key & CHOSEN;
    }

    final int handle() {
        return handle;
    }

    final int lkey() {
        return lkey;
    }

    final int rkey() {
        return rkey;
    }

    final ProtectionDomain pd() {
        return pd;
    }

    final PageTable pages() {
        return pages;
    }

    /** After its grace period: lets go of a table that is its own. What that had of {@link TableRoom}. */
    long release() {
        return revocation == null ? pages.release() : 0;
    }

    /** Null if only a command can end it. */
    final Revocation revocation() {
        return revocation;
    }

    /** Whether its memory stays as long as it lives, and is there: nothing is to be told to {@link DmaList#guard}. */
    final boolean isPlain() {
        return plain;
    }

    final int lease() {
        return revocation == null ? 0 : revocation.lease();
    }

    /** Whether it exists; what a work request took from it may be gone nevertheless. */
    final boolean isLive() {
        return live;
    }

    /** Whether memory can be reached by it, with a lease noted before. */
    final boolean isUsable(int lease) {
        return live && (revocation == null || Revocation.isLive(lease));
    }

    /** Whether a queue pair of the right protection domain may use it as the target of a peer. */
    boolean admits(QueuePair qp) {
        return true;
    }

    final void end() {
        live = false;
        if (revocation != null) {
            revocation.end();
        }
    }

    final boolean allows(int rights) {
        return (access & rights) == rights;
    }

    /** Address of the first byte, as work requests name it. */
    final long start() {
        return start;
    }

    final long length() {
        return length;
    }

    final int access() {
        return access;
    }

    /** Whether all bytes are inside; no sum is formed that could wrap around. */
    final boolean covers(long address, long bytes) {
        final long from = address - start;
        return Long.compareUnsigned(bytes, length) <= 0 && Long.compareUnsigned(from, length - bytes) <= 0;
    }

    /** Where the first byte is, if this is a plain region over one piece of host memory; else 0. */
    final long host() {
        final long base = plain ? pages.contiguous() : 0;
        return base == 0 ? 0 : base + offset;
    }

    /** Where an address is, as the page table counts. */
    final long offset(long address) {
        return offset + (address - start);
    }

    @Override
    public String toString() {
        return String.format("mr 0x%x lkey 0x%x rkey 0x%x pd 0x%x start 0x%x length 0x%x access %s, %s%s", handle, lkey,
            rkey, pd.handle(), start, length, AccessFlags.NAMES.of(access), pages,
            revocation == null ? "" : ", " + revocation);
    }
}
