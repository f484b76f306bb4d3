/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.region.LocalDescriptor;

/** An operation of the application that is under way: a message that is being sent, or RMA. One of a fixed number. */
final class SendOp {
    final int index;
    private final CachedRegion[] cached;
    private final LocalDescriptor[] regions;
    final long[] addresses;
    final long[] deviceAddresses;
    final int[] lkeys;
    final int[] lengths;
    OperationKind kind;
    long context;
    /** Success is reported. */
    boolean reported;
    /** Keeps memory from being collected that is named by its address. */
    Object owner;
    Channel channel;
    int count;
    int total;
    int flagsAndIndex;
    int data;
    SendOp nextFree;
    boolean free;

    /** All pieces are with the device. */
    boolean cut;
    int underWay;
    private int part;
    private int partOffset;
    private int done;

    SendOp(final int index, final int iovLimit) {
        this.index = index;
        this.cached = new CachedRegion[iovLimit];
        this.regions = new LocalDescriptor[iovLimit];
        this.addresses = new long[iovLimit];
        this.deviceAddresses = new long[iovLimit];
        this.lkeys = new int[iovLimit];
        this.lengths = new int[iovLimit];
    }

    SendOp clear(final OperationKind what, final long itsContext, final boolean reportSuccess) {
        if (kind != what) {
            kind = what;
        }
        context = itsContext;
        reported = reportSuccess;
        count = 0;
        total = 0;
        cut = false;
        underWay = 0;
        part = 0;
        partOffset = 0;
        done = 0;
        data = 0;
        flagsAndIndex = 0;
        return this;
    }

    void add(
        final long address, final int length, final long deviceAddress, final int lkey, final CachedRegion region) {
        addresses[count] = address;
        lengths[count] = length;
        deviceAddresses[count] = deviceAddress;
        lkeys[count] = lkey;
        if (region != null || cached[count] != null) {
            cached[count] = region;
        }
        count++;
        total += length;
    }

    /** Bytes of the next piece: of one buffer only. 0 for an empty message, which is one piece. */
    int nextPiece(final int most) {
        while (part < count && partOffset == lengths[part]) {
            part++;
            partOffset = 0;
        }
        return part == count ? 0 : Math.min(most, lengths[part] - partOffset);
    }

    long deviceAddress() {
        return part == count ? 0 : deviceAddresses[part] + partOffset;
    }

    int lkey() {
        return part == count ? 0 : lkeys[part];
    }

    boolean isFirst() {
        return done == 0;
    }

    boolean isLast(final int length) {
        return done + length == total;
    }

    void advance(final int length) {
        partOffset += length;
        done += length;
    }

    /** By which region the last buffer was given, if not by the cache: nothing holds that region. */
    void by(final MemoryRegion desc) {
        final int last = count - 1;
        if (lengths[last] > 0 && cached[last] == null && desc instanceof LocalDescriptor) {
            regions[last] = (LocalDescriptor) desc;
        }
    }

    /** What the device would check: no region was closed, and possibly its memory given back, meanwhile. */
    boolean isUsable() {
        for (int i = 0; i < count; i++) {
            final LocalDescriptor region = regions[i];
            if (region != null && !(region.isUsable() && region.lkey() == lkeys[i])) {
                return false;
            }
        }
        return true;
    }

    /** The memory is the application's again. */
    void letGo() {
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

    @Override
    public String toString() {
        return kind + " of " + total + " bytes, " + done + " posted, " + underWay + " pieces under way, context "
            + context;
    }
}
