/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.base.Cleanup;
import io.rdma4j.fabric.cache.RegionRoom;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Registered memory for channels, which all need the same. Several share a region, more the more there are: a device
 * has not so many. For the thread that uses the endpoint.
 */
final class SlotPool implements AutoCloseable {
    private static final int MOST_AREAS = 64;
    /** Of a chunk with more than one area: devices give out no more than 2 GiB at once. */
    private static final long MOST_BYTES = 64 << 20;

    /** Memory of several areas. */
    private record Chunk(PinnedMemory memory, MemoryRegion region) {
        void close() {
            try {
                region.close();
            } finally {
                memory.close();
            }
        }
    }

    private final EndpointHost host;
    private final Realm realm;
    private final int slots;
    private final int stride;
    private final List<Chunk> chunks = new ArrayList<>();
    private final Deque<SlotArea> free = new ArrayDeque<>();
    private int areas;

    SlotPool(final EndpointHost host, final Realm realm, final int slots, final int bytes) {
        this.host = host;
        this.realm = realm;
        this.slots = slots;
        this.stride = Header.LENGTH + bytes;
    }

    /** Memory for the slots of one channel, or for all pieces of an endpoint. */
    SlotArea claim() {
        if (free.isEmpty()) {
            grow();
        }
        return free.pop();
    }

    private void grow() {
        final long each = BitUtil.align((long) slots * stride, BitUtil.CACHE_LINE_LENGTH);
        final int count = (int) Math.max(1, Math.min(Math.min(MOST_AREAS, areas), MOST_BYTES / each));
        final PinnedMemory memory = host.context().allocate(each * count);
        MemoryRegion region = null;
        try {
            region = RegionRoom.register(realm.pd(), memory, AccessFlag.LOCAL_WRITE);
        } finally {
            if (region == null) {
                memory.close();
            }
        }
        chunks.add(new Chunk(memory, region));
        areas += count;
        for (int i = count - 1; i >= 0; i--) {
            // Such a buffer keeps the memory: messages may wait in it after the endpoint has closed.
            final UnsafeBuffer buffer = memory.buffer((int) (i * each), slots * stride);
            free.push(new SlotArea(buffer, region.iova() + i * each, region.lkey(), stride));
        }
    }

    void giveBack(final SlotArea area) {
        free.push(area);
    }

    /** Bytes that are registered. */
    long size() {
        return chunks.stream().mapToLong(chunk -> chunk.memory().length()).sum();
    }

    @Override
    public void close() {
        free.clear();
        try {
            Cleanup.all(chunks, Chunk::close);
        } finally {
            // What the device keeps of them is the device's: its end takes it.
            chunks.clear();
        }
    }
}
