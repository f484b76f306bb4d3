/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.verbs.Gid;

/**
 * Which endpoint a peer is, and where datagrams for it go. Two of them are the same peer if all of it is the same: a
 * device drops a datagram with a foreign queue key, so another key is another endpoint, or none.
 *
 * @param gidHigh first half of the GID.
 * @param gidLow  second half.
 * @param qpn     its datagram queue pair.
 * @param qkey    the queue key of that.
 */
public record PeerId(long gidHigh, long gidLow, int qpn, int qkey) {
    /**
     * Who has a port.
     *
     * @param port open.
     * @return its address.
     */
    public static PeerId of(final UdEnd port) {
        final Gid gid = port.gid();
        return new PeerId(gid.high(), gid.low(), port.qpn(), port.qkey());
    }

    /**
     * Whom an address vector tells of.
     *
     * @param address filled in.
     * @return a copy.
     */
    public static PeerId of(final PeerAddress address) {
        return new PeerId(address.gidHigh(), address.gidLow(), address.qpn(), address.qkey());
    }

    /**
     * Whether it is the one that a vector tells of. Does not allocate.
     *
     * @param address filled in.
     * @return true if all of it is the same.
     */
    public boolean is(final PeerAddress address) {
        return qpn == address.qpn() && qkey == address.qkey() && gidLow == address.gidLow()
            && gidHigh == address.gidHigh();
    }

    /**
     * Whether both name one queue pair: with different queue keys at most one of them is there.
     *
     * @param other another one.
     * @return true if GID and queue pair number are the same.
     */
    public boolean isAt(final PeerId other) {
        return qpn == other.qpn && gidLow == other.gidLow && gidHigh == other.gidHigh;
    }

    /**
     * The GID, as a new object.
     *
     * @return both halves.
     */
    public Gid gid() {
        return new Gid(gidHigh, gidLow);
    }

    /** Whether a datagram that the device says came from there can be of this address. */
    boolean fits(final long high, final long low, final int fromQpn) {
        return qpn == fromQpn && ((high | low) == 0 || high == gidHigh && low == gidLow);
    }

    /** Of two that dial each other the smaller one goes on. */
    boolean isSmaller(final PeerId other) {
        if (gidHigh != other.gidHigh) {
            return Long.compareUnsigned(gidHigh, other.gidHigh) < 0;
        }
        if (gidLow != other.gidLow) {
            return Long.compareUnsigned(gidLow, other.gidLow) < 0;
        }
        return qpn < other.qpn;
    }

    /** For messages; the queue key is not told, as who has it can send. */
    @Override
    public String toString() {
        return gid() + " qpn " + qpn;
    }
}
