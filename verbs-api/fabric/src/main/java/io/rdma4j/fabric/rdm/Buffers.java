/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.region.LocalDescriptor;

/** The buffers of an operation that is under way, and what keeps their memory there meanwhile. */
abstract class Buffers {
    final long[] addresses;
    final int[] lengths;
    final int[] lkeys;
    private final CachedRegion[] cached;
    private final LocalDescriptor[] regions;
    int count;
    /** Keeps memory from being collected that is named by its address. */
    Object owner;

    Buffers(final int iovLimit) {
        addresses = new long[iovLimit];
        lengths = new int[iovLimit];
        lkeys = new int[iovLimit];
        cached = new CachedRegion[iovLimit];
        regions = new LocalDescriptor[iovLimit];
    }

    /** One more, with what the cache lent for it; or by a region of the application, which nothing holds then. */
    final void put(
        final long address, final int length, final int lkey, final CachedRegion lent, final MemoryRegion desc) {
        addresses[count] = address;
        lengths[count] = length;
        lkeys[count] = lkey;
        if (lent != null || cached[count] != null) {
            cached[count] = lent;
        }
        if (length > 0 && lent == null && desc instanceof LocalDescriptor) {
            regions[count] = (LocalDescriptor) desc;
        }
        count++;
    }

    /** What the device would check: no region was closed, and possibly its memory given back, meanwhile. */
    final boolean isUsable() {
        for (int i = 0; i < count; i++) {
            final LocalDescriptor region = regions[i];
            if (region != null && !(region.isUsable() && region.lkey(addresses[i], lengths[i]) == lkeys[i])) {
                return false;
            }
        }
        return true;
    }

    /** The memory is the application's again. */
    final void letGo() {
        for (int i = 0; i < count; i++) {
            final CachedRegion region = cached[i];
            if (region != null) {
                cached[i] = null;
                region.release();
            }
            if (regions[i] != null) {
                regions[i] = null;
            }
        }
        if (owner != null) {
            owner = null;
        }
    }
}
