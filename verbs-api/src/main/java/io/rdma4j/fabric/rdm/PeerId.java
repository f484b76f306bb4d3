/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

/**
 * Which endpoint a peer is: several on a node have the same GID.
 *
 * @param gidHigh first half of its GID.
 * @param gidLow  second half.
 * @param qpn     of the queue pair that its address names.
 */
record PeerId(long gidHigh, long gidLow, int qpn) {
    boolean is(final long high, final long low, final int number) {
        return qpn == number && gidLow == low && gidHigh == high;
    }

    @Override
    public String toString() {
        return String.format("%016x%016x/%d", gidHigh, gidLow, qpn);
    }
}
