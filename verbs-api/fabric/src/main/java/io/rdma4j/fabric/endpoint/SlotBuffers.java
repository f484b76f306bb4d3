/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.completion.OpRing;
import io.rdma4j.fabric.region.LocalBuffers;
import io.rdma4j.verbs.SgeList;

/**
 * The buffers of operations by slot, as the device names them, to post an operation from and to post it again: the
 * first one in the ring, further ones here. For the thread that uses the endpoint.
 */
final class SlotBuffers {
    private static final int STRIDE = 2 * (LaneSizes.MOST_BUFFERS - 1);
    private static final long LOW = 0xffff_ffffL;

    private final OpRing ring;
    /** Address, then length and key. */
    private final long[] further;

    SlotBuffers(final OpRing ring, final int slots) {
        this.ring = ring;
        this.further = new long[slots * STRIDE];
    }

    void keep(final int slot, final long address, final int lkey) {
        ring.putLong(slot, OpRing.LOCAL, address);
        ring.putInt(slot, OpRing.LKEY, lkey);
        ring.putInt(slot, OpRing.FURTHER, 0);
    }

    /** After {@link #keep}. */
    void add(final int slot, final long address, final int length, final int lkey) {
        final int count = ring.getInt(slot, OpRing.FURTHER);
        final int at = slot * STRIDE + 2 * count;
        further[at] = address;
        further[at + 1] = (long) length << Integer.SIZE | lkey & LOW;
        ring.putInt(slot, OpRing.FURTHER, count + 1);
    }

    void keep(final int slot, final LocalBuffers buffers) {
        if (buffers.count() == 0) {
            return;
        }
        keep(slot, buffers.deviceAddress(0), buffers.lkey(0));
        for (int i = 1; i < buffers.count(); i++) {
            add(slot, buffers.deviceAddress(i), buffers.length(i), buffers.lkey(i));
        }
    }

    /** Names them to the device, with so many bytes together; none for 0. The list is empty before. */
    void addTo(final SgeList list, final int slot, final long length) {
        if (length == 0) {
            return;
        }
        final int others = ring.getInt(slot, OpRing.FURTHER);
        list.add(ring.getLong(slot, OpRing.LOCAL), first(slot, length, others), ring.getInt(slot, OpRing.LKEY));
        for (int at = slot * STRIDE; at < slot * STRIDE + 2 * others; at += 2) {
            list.add(further[at], (int) (further[at + 1] >>> Integer.SIZE), (int) further[at + 1]);
        }
    }

    /** Some of the bytes, which are {@code length} together. */
    void addTo(final SgeList list, final int slot, final long length, final long from, final int bytes) {
        final int others = ring.getInt(slot, OpRing.FURTHER);
        int left = bytes;
        long skip = from - first(slot, length, others);
        if (skip < 0) {
            final int size = (int) Math.min(left, -skip);
            list.add(ring.getLong(slot, OpRing.LOCAL) + from, size, ring.getInt(slot, OpRing.LKEY));
            left -= size;
            skip = 0;
        }
        for (int at = slot * STRIDE; left > 0; at += 2) {
            final int size = (int) (further[at + 1] >>> Integer.SIZE);
            if (skip < size) {
                final int part = (int) Math.min(left, size - skip);
                list.add(further[at] + skip, part, (int) further[at + 1]);
                left -= part;
                skip = 0;
            } else {
                skip -= size;
            }
        }
    }

    private int first(final int slot, final long length, final int others) {
        long first = length;
        for (int i = 0; i < others; i++) {
            first -= (int) (further[slot * STRIDE + 2 * i + 1] >>> Integer.SIZE);
        }
        return (int) first;
    }
}
