/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.Domain;

import java.net.InetSocketAddress;

/**
 * An address vector as endpoints see it; every vector of this package is one. Thread-safe: what looks up takes no lock,
 * allocates nothing, and may run while addresses are inserted and removed.
 */
public interface PeerTable {
    /**
     * Where a peer is.
     *
     * @param fiAddr its name, without a receive context ({@link io.rdma4j.fabric.FiAddr#peer}).
     * @param into   filled in; what it says after false is anything.
     * @return false if it is not in the vector: removed, out of range, or FI_ADDR_UNSPEC.
     */
    boolean find(long fiAddr, PeerAddress into);

    /**
     * What completions report as source.
     *
     * @param gidHigh first half of the sender's GID.
     * @param gidLow  second half of the sender's GID.
     * @param qpn     the sender's queue pair number.
     * @return the user identifier if it has one, else the name; {@link io.rdma4j.fabric.FiAddr#NOTAVAIL} if it is not
     *         in the vector.
     */
    long source(long gidHigh, long gidLow, int qpn);

    /**
     * What completions report as source, where the sender's queue key is known.
     *
     * @param gidHigh first half of the sender's GID.
     * @param gidLow  second half of the sender's GID.
     * @param qpn     the sender's queue pair number.
     * @param qkey    the sender's queue key.
     * @return as {@link #source(long, long, int)}; an address with another queue key is another peer's.
     */
    long source(long gidHigh, long gidLow, int qpn, int qkey);

    /**
     * What a peer is called, also if it has a user identifier.
     *
     * @param gidHigh first half of the GID.
     * @param gidLow  second half of the GID.
     * @param qpn     queue pair number.
     * @return the name; {@link io.rdma4j.fabric.FiAddr#NOTAVAIL} if it is not in the vector.
     */
    long nameOf(long gidHigh, long gidLow, int qpn);

    /**
     * The peer seems to have moved: where an address came from the name service, it is asked again, by another thread.
     * {@link #find} tells the new place once it is known.
     *
     * @param fiAddr its name, without a receive context.
     * @return whether it is being asked; false where there is nobody to ask, or no thread that could.
     */
    boolean resolveAgain(long fiAddr);

    /**
     * A peer that is not in the vector says at which socket it is found: it may have been somewhere else before. Its
     * address, or where there is none those with its port, are asked for again. Looks at all addresses.
     *
     * @param told by the peer; only the name service is believed.
     * @return names that are being asked for, without a receive context; possibly none.
     */
    long[] resolveAgain(InetSocketAddress told);

    /**
     * Whether the name service is being asked.
     *
     * @param fiAddr a name, without a receive context.
     * @return true from {@link #resolveAgain} on until {@link #find} tells what it said.
     */
    boolean isResolving(long fiAddr);

    /**
     * Tells an address that has moved from one that was inserted in place of it.
     *
     * @param fiAddr a name, without a receive context.
     * @return a number that another address by this name has not; 0 if there is none.
     */
    int lifeOf(long fiAddr);

    /**
     * How often addresses have moved, for those who keep where they were.
     *
     * @return a count, that goes up after {@link #find} tells the new place.
     */
    int moves();

    /**
     * Bits of addresses that name a receive context.
     *
     * @return as the vector was opened with.
     */
    int rxCtxBits();

    /**
     * The domain.
     *
     * @return that of the vector.
     */
    Domain domain();

    /**
     * An endpoint uses it from now on: it cannot be closed.
     *
     * @param endpoint the endpoint.
     * @throws io.rdma4j.fabric.FabricException FI_EBADFD if the vector is closed.
     */
    void use(Object endpoint);

    /**
     * An endpoint was closed.
     *
     * @param endpoint the endpoint; harmless if it does not use the vector.
     */
    void unuse(Object endpoint);
}
