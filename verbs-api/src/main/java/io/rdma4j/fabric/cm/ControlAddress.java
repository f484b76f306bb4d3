/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.verbs.Gid;

/**
 * Where datagrams of the handshakes go.
 *
 * @param gidHigh first half of the GID.
 * @param gidLow  second half.
 * @param qpn     queue pair there.
 * @param qkey    its queue key.
 */
record ControlAddress(long gidHigh, long gidLow, int qpn, int qkey) {
    static ControlAddress of(final UdEnd port) {
        final Gid gid = port.gid();
        return new ControlAddress(gid.high(), gid.low(), port.qpn(), port.qkey());
    }

    Gid gid() {
        return new Gid(gidHigh, gidLow);
    }

    /** Whether a datagram that the device says came from there can be of this address. */
    boolean fits(final long high, final long low, final int fromQpn) {
        return qpn == fromQpn && ((high | low) == 0 || high == gidHigh && low == gidLow);
    }

    /** Of two that dial each other the smaller one goes on. */
    boolean isSmaller(final ControlAddress other) {
        if (gidHigh != other.gidHigh) {
            return Long.compareUnsigned(gidHigh, other.gidHigh) < 0;
        }
        if (gidLow != other.gidLow) {
            return Long.compareUnsigned(gidLow, other.gidLow) < 0;
        }
        return qpn < other.qpn;
    }

    @Override
    public String toString() {
        return gid() + " qpn " + qpn;
    }
}
