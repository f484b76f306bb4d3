/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import io.rdma4j.fabric.region.LocalBuffers;
import io.rdma4j.verbs.ReceiveRequest;

/** The application's buffers of receives, by slot: to tell how much fits, and to post them again. */
final class PostedReceives {
    private final int limit;
    private final long[] capacities;
    private final int[] counts;
    private final long[] addresses;
    private final int[] lengths;
    private final int[] lkeys;

    PostedReceives(final int slots, final int limit) {
        this.limit = limit;
        capacities = new long[slots];
        counts = new int[slots];
        addresses = new long[slots * limit];
        lengths = new int[slots * limit];
        lkeys = new int[slots * limit];
    }

    void keep(final int slot, final LocalBuffers buffers) {
        counts[slot] = buffers.count();
        long capacity = 0;
        for (int i = 0; i < buffers.count(); i++) {
            final int at = slot * limit + i;
            addresses[at] = buffers.deviceAddress(i);
            lengths[at] = buffers.length(i);
            lkeys[at] = buffers.lkey(i);
            capacity += buffers.length(i);
        }
        capacities[slot] = capacity;
    }

    void addTo(final ReceiveRequest request, final int slot) {
        for (int at = slot * limit; at < slot * limit + counts[slot]; at++) {
            request.addSge(addresses[at], lengths[at], lkeys[at]);
        }
    }

    /** Bytes that fit. */
    long capacity(final int slot) {
        return capacities[slot];
    }
}
