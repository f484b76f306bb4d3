/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import io.rdma4j.base.Undo;
import io.rdma4j.fabric.cache.RegionRoom;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;

import org.agrona.concurrent.UnsafeBuffer;

/** Where headers of datagrams go, a cache line for each receive, and, behind them, what of datagrams does not fit. */
final class HeaderMemory implements AutoCloseable {
    /** Parts of each receive that are here. */
    static final int PARTS = 2;
    private static final int STRIDE = 64;

    private final PinnedMemory memory;
    private final MemoryRegion region;
    private final UnsafeBuffer buffer;
    private final int rest;

    private HeaderMemory(final PinnedMemory memory, final MemoryRegion region, final int rest) {
        this.memory = memory;
        this.region = region;
        this.buffer = memory.buffer();
        this.rest = rest;
    }

    static HeaderMemory allocate(final ProtectionDomain pd, final int slots, final int mtu) {
        final int rest = slots * STRIDE;
        final PinnedMemory memory = pd.context().allocate(rest + mtu);
        try (Undo undo = new Undo()) {
            undo.add(memory::close);
            final HeaderMemory headers =
                new HeaderMemory(memory, RegionRoom.register(pd, memory, AccessFlag.LOCAL_WRITE), rest);
            undo.forget();
            return headers;
        }
    }

    UnsafeBuffer buffer() {
        return buffer;
    }

    int offset(final int slot) {
        return slot * STRIDE;
    }

    /** Before a receive: what the next header leaves out shall not be taken for its own. */
    void clear(final int slot) {
        buffer.setMemory(offset(slot), RouteHeader.LENGTH, (byte) 0);
    }

    long address(final int slot) {
        return region.iova() + offset(slot);
    }

    /** For all receives: what is written here is for nobody. */
    long restAddress() {
        return region.iova() + rest;
    }

    int lkey() {
        return region.lkey();
    }

    @Override
    public void close() {
        try {
            region.close();
        } finally {
            memory.close();
        }
    }
}
