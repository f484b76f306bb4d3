/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.memory.PageTable;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.Pdir;

/** Registered memory. Immutable but for its end. */
final class MemoryRegion {
    private final int handle;
    private final int lkey;
    private final int rkey;
    private final ProtectionDomain pd;
    private final long start;
    private final long length;
    private final long offset;
    private final int access;
    private final PageTable pages;
    private volatile boolean live = true;

    MemoryRegion(MrKeys keys, ProtectionDomain pd, long start, long length, int access, PageTable pages) {
        this.handle = keys.handle();
        this.lkey = keys.lkey();
        this.rkey = keys.rkey();
        this.pd = pd;
        this.access = access;
        this.pages = pages;
        this.length = length;
        this.start = (access & AccessFlags.PVRDMA_ZERO_BASED) != 0 ? 0 : start;
        this.offset = pages.pages() == 0 ? 0 : start & Pdir.PAGE_SIZE - 1;
    }

    int handle() {
        return handle;
    }

    int lkey() {
        return lkey;
    }

    int rkey() {
        return rkey;
    }

    ProtectionDomain pd() {
        return pd;
    }

    PageTable pages() {
        return pages;
    }

    boolean isLive() {
        return live;
    }

    void end() {
        live = false;
    }

    boolean allows(int rights) {
        return (access & rights) == rights;
    }

    /** Whether all bytes are inside; no sum is formed that could wrap around. */
    boolean covers(long address, long bytes) {
        final long from = address - start;
        return Long.compareUnsigned(bytes, length) <= 0 && Long.compareUnsigned(from, length - bytes) <= 0;
    }

    /** Where an address is, as the page table counts. */
    long offset(long address) {
        return offset + (address - start);
    }

    @Override
    public String toString() {
        return String.format("mr 0x%x lkey 0x%x rkey 0x%x pd 0x%x start 0x%x length 0x%x access %s, %s", handle, lkey,
            rkey,
            pd.handle(), start, length, AccessFlags.name(access), pages);
    }
}
