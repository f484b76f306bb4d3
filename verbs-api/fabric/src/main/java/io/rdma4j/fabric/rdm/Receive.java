/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.fabric.cm.PeerId;


/** A receive of the application. One of a fixed number for each receive context. */
final class Receive extends Buffers {
    final Matcher home;
    long capacity;
    long context;
    /** Whether it is for one peer only. */
    boolean directed;
    int life;
    private final PeerAddress source = new PeerAddress();
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
        super(iovLimit);
        this.home = home;
    }

    Receive clear(final long itsContext) {
        context = itsContext;
        count = 0;
        capacity = 0;
        directed = false;
        return this;
    }

    void add(
        final long address, final int length, final int lkey, final CachedRegion lent, final MemoryRegion desc) {
        put(address, length, lkey, lent, desc);
        capacity += length;
    }

    /** For this peer only; copied. With the life of its name, see {@link io.rdma4j.fabric.av.PeerTable#lifeOf}. */
    void from(final PeerAddress peer, final int itsLife) {
        directed = true;
        source.set(peer);
        life = itsLife;
    }

    /** What the vector calls the peer. */
    long from() {
        return source.fiAddr();
    }

    boolean takes(final PeerId peer) {
        return !directed || peer.is(source);
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
                if (!fill(part, partOffset, from + done, bytes)) {
                    lost = true;
                    break;
                }
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

    @Override
    public String toString() {
        return "receive of " + capacity + " bytes, context " + context + (directed ? ", directed" : "");
    }
}
