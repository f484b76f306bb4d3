/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.verbs.Gid;

/** Where a peer is, for the data path: filled in and used again. Not thread-safe. */
public final class PeerAddress {
    private long gidHigh;
    private long gidLow;
    private long fiAddr;
    private int qpn;
    private int qkey;
    private int index;

    /** Of no peer yet. */
    public PeerAddress() {
        // Filled in by PeerTable.find.
    }

    /**
     * Fills it in; by stores.
     *
     * @param newGidHigh the GID's first half.
     * @param newGidLow  the GID's second half.
     * @param newQpn     queue pair number.
     * @param newQkey    queue key.
     * @param newIndex   the place in the vector.
     */
    public void set(
        final long newGidHigh, final long newGidLow, final int newQpn, final int newQkey, final int newIndex) {
        gidHigh = newGidHigh;
        gidLow = newGidLow;
        qpn = newQpn;
        qkey = newQkey;
        index = newIndex;
    }

    /**
     * Takes over all that another one says; by stores.
     *
     * @param other filled in.
     */
    public void set(final PeerAddress other) {
        set(other.gidHigh, other.gidLow, other.qpn, other.qkey, other.index);
        fiAddr = other.fiAddr;
    }

    void fiAddr(final long name) {
        fiAddr = name;
    }

    /**
     * The first eight bytes of the GID.
     *
     * @return the first byte is the most significant one.
     */
    public long gidHigh() {
        return gidHigh;
    }

    /**
     * The last eight bytes of the GID.
     *
     * @return the first byte is the most significant one.
     */
    public long gidLow() {
        return gidLow;
    }

    /**
     * The GID, as a new object.
     *
     * @return both halves.
     */
    public Gid gid() {
        return new Gid(gidHigh, gidLow);
    }

    /**
     * The queue pair number.
     *
     * @return 0 to 0xffffff.
     */
    public int qpn() {
        return qpn;
    }

    /**
     * The queue key.
     *
     * @return all 32 bits.
     */
    public int qkey() {
        return qkey;
    }

    /**
     * The place in the vector: dense and small, for arrays by peer. The same address keeps it as long as it is in the
     * vector; others can have it later.
     *
     * @return 0 or more.
     */
    public int index() {
        return index;
    }

    /**
     * The name by which it was found, without a receive context.
     *
     * @return a name in the vector.
     */
    public long fiAddr() {
        return fiAddr;
    }

    @Override
    public String toString() {
        return gid() + " qpn 0x" + Integer.toHexString(qpn) + ", place " + index;
    }
}
