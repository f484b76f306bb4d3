/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.fabric.cm.PeerId;
import io.rdma4j.fabric.region.LocalDescriptor;

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
    /** When it was posted. */
    long sequence;

    // Of a tagged one.
    boolean tagged;
    long tag;
    long ignore;
    /** Takes one message that was there when it was posted, and no other. */
    boolean once;
    /** Keeps nothing of it. */
    boolean discards;
    int bucket;
    /** Of those whose tags hash alike. */
    Receive chainOlder;
    Receive chainNewer;
    /** What came with the message. */
    long messageTag;

    // Of one whose buffer takes several messages.
    /** Room that it has to have left; 0 for all that take one message. */
    int least;
    private int used;
    /** Receives that fill a part of it. */
    int parts;
    /** It takes no more messages, and is over with the last part. */
    boolean isSpent;
    /** The application took it back meanwhile. */
    boolean isTakenBack;
    /** Of which one it fills a part; null for none. */
    Receive whole;

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
        least = 0;
        return this;
    }

    /** Its one buffer takes message after message, as long as it has so much room. */
    Receive takesMany(final int leastRoom) {
        least = leastRoom;
        used = 0;
        parts = 0;
        isSpent = false;
        isTakenBack = false;
        return this;
    }

    /** Fills the next bytes of another one, as far as these go. */
    Receive partOf(final Receive one, final int length) {
        whole = one;
        final int bytes = Math.min(length, one.lengths[0] - one.used);
        put(one, one.used, bytes);
        capacity = bytes;
        one.used += bytes;
        one.parts++;
        one.isSpent = one.lengths[0] - one.used < one.least;
        return this;
    }

    /** What it was to fill is free again, if nobody has got what is behind it. */
    void giveBackPart() {
        if (addresses[0] + lengths[0] == whole.addresses[0] + whole.used) {
            whole.used -= lengths[0];
        }
    }

    boolean hasRoom() {
        return !isTakenBack && lengths[0] - used >= least;
    }

    /** It is for tagged messages from now on, until {@link #untag}. */
    Receive tag(final long itsTag, final long itsIgnore) {
        tagged = true;
        tag = itsTag;
        ignore = itsIgnore;
        return this;
    }

    void untag() {
        tagged = false;
        tag = 0;
        messageTag = 0;
        once = false;
        discards = false;
    }

    OperationKind kind() {
        return tagged ? OperationKind.TAGGED_RECEIVE : OperationKind.RECEIVE;
    }

    void add(
        final long address, final int length, final int lkey, final CachedRegion lent,
        final LocalDescriptor region) {
        put(address, length, lkey, lent, region);
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

    /** Spreads peers; the same for one peer, see {@link #hash(PeerId)}. */
    int hash() {
        return hash(source.gidHigh(), source.gidLow(), source.qpn(), source.qkey());
    }

    static int hash(final PeerId peer) {
        return hash(peer.gidHigh(), peer.gidLow(), peer.qpn(), peer.qkey());
    }

    private static int hash(final long gidHigh, final long gidLow, final int qpn, final int qkey) {
        return Long.hashCode(gidHigh * 31 + gidLow) * 31 + qpn * 31 + qkey | 1;
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

    void beginTagged(final int length, final boolean carriesData, final int itsData, final long itsTag) {
        begin(length, carriesData, itsData);
        messageTag = itsTag;
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
        taken += discards ? length : done;
    }

    /** 0 if all of the message is in it, else an errno. */
    int outcome() {
        return lost ? FiErrno.FI_EFAULT : overflow() > 0 ? FiErrno.FI_ETRUNC : 0;
    }

    long taken() {
        return taken;
    }

    long overflow() {
        return messageLength - taken;
    }

    @Override
    public String toString() {
        return (tagged ? "tagged " : "") + "receive of " + capacity + " bytes, context " + context
            + (directed ? ", directed" : "");
    }
}
