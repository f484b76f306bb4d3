/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.region.LocalDescriptor;

import org.agrona.UnsafeApi;

/** A receive of the application. One of a fixed number for each receive context. */
final class Receive {
    final Matcher home;
    final long[] addresses;
    final int[] lengths;
    private final CachedRegion[] cached;
    private final LocalDescriptor[] regions;
    private final int[] keys;
    int count;
    long capacity;
    long context;
    /** Whether it is for one peer only. */
    boolean directed;
    long gidHigh;
    long gidLow;
    int qpn;
    /** Keeps memory from being collected that is named by its address. */
    Object owner;
    Receive older;
    Receive newer;

    // Of the message that is being received.
    int messageLength;
    int data;
    boolean hasData;
    private long taken;
    private boolean lost;
    private int part;
    private int partOffset;

    Receive(final Matcher home, final int iovLimit) {
        this.home = home;
        this.addresses = new long[iovLimit];
        this.lengths = new int[iovLimit];
        this.cached = new CachedRegion[iovLimit];
        this.regions = new LocalDescriptor[iovLimit];
        this.keys = new int[iovLimit];
    }

    Receive clear(final long itsContext) {
        context = itsContext;
        count = 0;
        capacity = 0;
        directed = false;
        return this;
    }

    void add(final long address, final int length, final CachedRegion region) {
        addresses[count] = address;
        lengths[count] = length;
        if (region != null || cached[count] != null) {
            cached[count] = region;
        }
        count++;
        capacity += length;
    }

    void from(final long high, final long low, final int number) {
        directed = true;
        gidHigh = high;
        gidLow = low;
        qpn = number;
    }

    boolean takes(final PeerId peer) {
        return !directed || peer.is(gidHigh, gidLow, qpn);
    }

    void begin(final int length, final boolean carriesData, final int itsData) {
        messageLength = length;
        hasData = carriesData;
        data = itsData;
        taken = 0;
        lost = false;
        part = 0;
        partOffset = 0;
    }

    /** Copies the next piece; what does not fit is left out. */
    void take(final long from, final int length) {
        if (lost || !isUsable()) {
            lost = true;
            return;
        }
        int done = 0;
        while (done < length && part < count) {
            final int room = lengths[part] - partOffset;
            final int bytes = Math.min(room, length - done);
            if (bytes > 0) {
                UnsafeApi.copyMemory(from + done, addresses[part] + partOffset, bytes);
                done += bytes;
                partOffset += bytes;
            }
            if (partOffset == lengths[part]) {
                part++;
                partOffset = 0;
            }
        }
        taken += done;
    }

    /** There was no more memory for it. */
    boolean isLost() {
        return lost;
    }

    long taken() {
        return taken;
    }

    long overflow() {
        return messageLength - taken;
    }

    /** By which region the last buffer was given, if not by the cache: nothing holds that region. */
    void by(final MemoryRegion desc, final int lkey) {
        final int last = count - 1;
        if (lengths[last] > 0 && cached[last] == null && desc instanceof LocalDescriptor) {
            regions[last] = (LocalDescriptor) desc;
            keys[last] = lkey;
        }
    }

    /** What the device would check: no region was closed, and possibly its memory given back, meanwhile. */
    boolean isUsable() {
        for (int i = 0; i < count; i++) {
            final LocalDescriptor region = regions[i];
            if (region != null && !(region.isUsable() && region.lkey() == keys[i])) {
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
        return "receive of " + capacity + " bytes, context " + context + (directed ? ", directed" : "");
    }
}
