/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.driver.memory.Payloads;
import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.region.LocalDescriptor;

import org.agrona.MutableDirectBuffer;

/** The buffers of an operation that is under way, and what keeps their memory there meanwhile. */
abstract class Buffers {
    /** As the program names them. */
    final long[] addresses;
    final int[] lengths;
    final int[] lkeys;
    /** Where a thread copies from and to them. */
    private final long[] processAddresses;
    private final boolean[] kept;
    private final CachedRegion[] cached;
    private final LocalDescriptor[] regions;
    int count;
    /** Keeps memory from being collected that is named by its address. */
    Object owner;

    Buffers(final int iovLimit) {
        addresses = new long[iovLimit];
        lengths = new int[iovLimit];
        lkeys = new int[iovLimit];
        processAddresses = new long[iovLimit];
        kept = new boolean[iovLimit];
        cached = new CachedRegion[iovLimit];
        regions = new LocalDescriptor[iovLimit];
    }

    /** One more, with what the cache lent for it; or by a region of the application, which nothing holds then. */
    final void put(
        final long address, final int length, final int lkey, final CachedRegion lent,
        final LocalDescriptor region) {
        addresses[count] = address;
        lengths[count] = length;
        lkeys[count] = lkey;
        processAddresses[count] = address;
        kept[count] = false;
        if (lent != null || cached[count] != null) {
            cached[count] = lent;
        }
        if (length > 0 && region != null) {
            regions[count] = region;
        }
        count++;
    }

    /** A part of another one's only buffer, which keeps the memory there. */
    final void put(final Buffers whole, final int offset, final int length) {
        addresses[0] = whole.addresses[0] + offset;
        lengths[0] = length;
        lkeys[0] = whole.lkeys[0];
        processAddresses[0] = whole.processAddresses[0] + offset;
        kept[0] = whole.kept[0];
        regions[0] = whole.regions[0];
        count = 1;
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

    /** Where the last one is for who copies, and whether that may be done without the kernel. */
    final void lastIsAt(final long processAddress, final boolean isKept) {
        processAddresses[count - 1] = processAddress;
        kept[count - 1] = isKept;
    }

    /** Copies all of them; false if not all bytes are there. */
    final boolean copyTo(final MutableDirectBuffer to, final int offset) {
        int at = offset;
        for (int i = 0; i < count; i++) {
            if (!Payloads.read(processAddresses[i], kept[i], to, at, lengths[i])) {
                return false;
            }
            at += lengths[i];
        }
        return true;
    }

    /** Fills a part of one; false if it is not there. */
    final boolean fill(final int index, final int offset, final long from, final int bytes) {
        return Payloads.write(from, processAddresses[index] + offset, kept[index], bytes);
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
