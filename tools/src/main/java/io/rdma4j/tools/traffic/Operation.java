/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.SendOpcode;

import java.util.Locale;
import java.util.function.Function;

/**
 * What is played. With SEND and WRITE both ends take turns; READ and the atomics are for one end alone, whose peer only
 * lends its memory.
 */
public enum Operation {
    /** A message to and fro. */
    SEND("SEND", "ping-pong", SendOpcode.SEND, null, null, true, SendTurn::new, SendTurn::new),
    /** Each end writes into the other's memory and looks at its own until something came. */
    WRITE("RDMA WRITE", "RDMA WRITE ping-pong", SendOpcode.RDMA_WRITE, Feature.RDMA_WRITE, AccessFlag.REMOTE_WRITE,
        true, WriteTurn::new, WriteTurn::new),
    /** One end reads the other's memory. */
    READ("RDMA READ", "RDMA READ", SendOpcode.RDMA_READ, Feature.RDMA_READ, AccessFlag.REMOTE_READ,
        false, ReadTurn::new, LendingTurn::toBeRead),
    /** One end compares a word of the other's memory and swaps it. */
    CAS("compare-and-swap", "compare-and-swap", SendOpcode.ATOMIC_CMP_AND_SWP, Feature.ATOMICS,
        AccessFlag.REMOTE_ATOMIC, false, AtomicTurn::compareAndSwap, LendingTurn::ofOneWord),
    /** One end adds to a word of the other's memory. */
    FAA("fetch-and-add", "fetch-and-add", SendOpcode.ATOMIC_FETCH_AND_ADD, Feature.ATOMICS,
        AccessFlag.REMOTE_ATOMIC, false, AtomicTurn::fetchAndAdd, LendingTurn::ofOneWord);

    private final String title;
    private final String game;
    private final SendOpcode opcode;
    private final Feature feature;
    private final AccessFlag right;
    private final boolean mutual;
    private final Function<PingPongEnd, QpTurn> beginning;
    private final Function<PingPongEnd, QpTurn> answering;

    Operation(final String title, final String game, final SendOpcode opcode, final Feature feature,
        final AccessFlag right, final boolean mutual, final Function<PingPongEnd, QpTurn> beginning,
        final Function<PingPongEnd, QpTurn> answering) {
        this.title = title;
        this.game = game;
        this.opcode = opcode;
        this.feature = feature;
        this.right = right;
        this.mutual = mutual;
        this.beginning = beginning;
        this.answering = answering;
    }

    /**
     * How people call it.
     *
     * @return a word or two.
     */
    public String title() {
        return title;
    }

    /**
     * What playing it over and over is called.
     *
     * @return a few words.
     */
    public String game() {
        return game;
    }

    /**
     * How the command line calls it.
     *
     * @return a word in lower case.
     */
    public String option() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Whether both ends take turns, so that a round trip is two transfers.
     *
     * @return false if one end does everything.
     */
    public boolean isMutual() {
        return mutual;
    }

    SendOpcode opcode() {
        return opcode;
    }

    int transfersPerRoundTrip() {
        return mutual ? 2 : 1;
    }

    /**
     * Whether it works on 64 bits and on nothing else.
     *
     * @return true for the atomics.
     */
    public boolean isAtomic() {
        return feature == Feature.ATOMICS;
    }

    /**
     * Whether the end that waits has a completion to wait for.
     *
     * @return false if it has to look at its memory.
     */
    public boolean wakesItsPeer() {
        return this != WRITE;
    }

    /**
     * Refuses a device that does not have it.
     *
     * @param context a device.
     * @param program who asks.
     * @param name    what the program calls it.
     * @param instead what else the program can do.
     * @throws RdmaException EOPNOTSUPP with the device's reason.
     */
    void requireOn(
        final RdmaContext context, final String program, final String name, final String instead) {
        if (feature != null && !context.supports(feature)) {
            throw RdmaException.of(program)
                .device(context.address())
                .detail("no %s: %s", name, context.whyNot(feature))
                .errno(RdmaException.EOPNOTSUPP)
                .hint("take another device, or " + instead + "; rdma4j devinfo -v tells what a device has")
                .build();
        }
    }

    /**
     * What speaks against a size.
     *
     * @param size bytes of a message, from 0.
     * @return half a sentence; null for nothing.
     */
    public String objectionTo(final int size) {
        if (isAtomic() && size != Long.BYTES) {
            return "atomics work on 8 bytes, not on " + size;
        }
        if (this == WRITE && size < Long.BYTES) {
            return "by its last 8 bytes the peer sees that a WRITE came, so it has at least as many, not " + size;
        }
        return null;
    }

    /** What a peer may do with the memory that is for it; nothing if the peer does not reach there. */
    AccessFlag[] rights() {
        return right == null ? new AccessFlag[0] : new AccessFlag[] {right};
    }

    QpTurn turn(final PingPongEnd end) {
        return (end.repliesOnly() ? answering : beginning).apply(end);
    }
}
