/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.util.Set;

/**
 * What endpoints and domains can do: the caps of fi_getinfo, with the bits of rdma/fabric.h. Some are here to be
 * refused by name.
 */
public enum Capability {
    /** Messages. */
    MSG(1L << 1),
    /** Remote memory access. */
    RMA(1L << 2),
    /** Tagged messages. */
    TAGGED(1L << 3),
    /** Atomics on remote memory. */
    ATOMIC(1L << 4),
    /** Multicast. */
    MULTICAST(1L << 5),
    /** Collective operations. */
    COLLECTIVE(1L << 6),
    /** May start RMA reads and fetching atomics; with {@link #RMA} or {@link #ATOMIC}. */
    READ(1L << 8),
    /** May start RMA writes and atomics that fetch nothing; likewise. */
    WRITE(1L << 9),
    /** May receive; with {@link #MSG} or {@link #TAGGED}. */
    RECV(1L << 10),
    /** May send; likewise. */
    SEND(1L << 11),
    /** May be the target of RMA reads; without it peers have {@link MrAccess#REMOTE_READ} nowhere. */
    REMOTE_READ(1L << 12),
    /** May be the target of RMA writes and atomics; without it {@link MrAccess#REMOTE_WRITE} nowhere. */
    REMOTE_WRITE(1L << 13),
    /**
     * One buffer takes several messages, one behind the other, see {@link Endpoint#receiveMessage}: with {@link
     * OpFlags#MULTI_RECV}. Messages of connected endpoints go in pieces then, as with {@link #TAGGED}.
     */
    MULTI_RECV(1L << 16),
    /** Operations can wait for counters, see {@link OpFlags#TRIGGER}. */
    TRIGGER(1L << 20),
    /** Operations can wait for all that were started before them, see {@link OpFlags#FENCE}. */
    FENCE(1L << 21),
    /** Receives tell what the application calls the peer; see {@link AvInsert#userIds}. */
    AV_USER_ID(1L << 41),
    /** Memory of accelerators, and dma-bufs. */
    HMEM(1L << 47),
    /** Persistent memory can be the target of RMA. */
    RMA_PMEM(1L << 49),
    /** Peers on this machine. */
    LOCAL_COMM(1L << 51),
    /** Peers on other machines. */
    REMOTE_COMM(1L << 52),
    /** Address vectors that several processes use. */
    SHARED_AV(1L << 53),
    /** Remote accesses to regions can be counted. */
    RMA_EVENT(1L << 56),
    /** Receives tell the peer. */
    SOURCE(1L << 57),
    /** Messages to one receive context of a peer. */
    NAMED_RX_CTX(1L << 58),
    /** Receives from one peer. */
    DIRECTED_RECV(1L << 59);

    private final long bit;

    Capability(final long bit) {
        this.bit = bit;
    }

    /**
     * The value in libfabric's headers.
     *
     * @return a bit.
     */
    public long bit() {
        return bit;
    }

    /**
     * The bits of several.
     *
     * @param set some of them.
     * @return their bits, or-ed.
     * @throws FabricException FI_EINVAL for null.
     */
    public static long bits(final Set<Capability> set) {
        return Flags.encode(set, Capability::bit);
    }

    /**
     * Takes bits apart.
     *
     * @param bits bits as libfabric has them.
     * @return a new set.
     * @throws FabricException FI_EBADFLAGS for a bit that is none of these.
     */
    public static Set<Capability> of(final long bits) {
        return Flags.decode(Capability.class, Capability::bit, bits);
    }
}
