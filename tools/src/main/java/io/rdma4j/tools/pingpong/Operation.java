/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;

import java.util.Locale;
import java.util.function.Function;

/**
 * What is played. With SEND and WRITE both ends take turns; READ and the atomics are for one end alone, whose peer only
 * lends its memory.
 */
public enum Operation {
    /** A message to and fro. */
    SEND("SEND", "ping-pong", null, null, true, SendTurn::new, SendTurn::new),
    /** Each end writes into the other's memory and looks at its own until something came. */
    WRITE("RDMA WRITE", "RDMA WRITE ping-pong", Feature.RDMA_WRITE, AccessFlag.REMOTE_WRITE, true, WriteTurn::new,
        WriteTurn::new),
    /** One end reads the other's memory. */
    READ("RDMA READ", "RDMA READ", Feature.RDMA_READ, AccessFlag.REMOTE_READ, false, ReadTurn::new,
        LentMemory::toBeRead),
    /** One end compares a word of the other's memory and swaps it. */
    CAS("compare-and-swap", "compare-and-swap", Feature.ATOMICS, AccessFlag.REMOTE_ATOMIC, false,
        AtomicTurn::compareAndSwap, LentMemory::ofOneWord),
    /** One end adds to a word of the other's memory. */
    FAA("fetch-and-add", "fetch-and-add", Feature.ATOMICS, AccessFlag.REMOTE_ATOMIC, false,
        AtomicTurn::fetchAndAdd, LentMemory::ofOneWord);

    private final String title;
    private final String game;
    private final Feature feature;
    private final AccessFlag right;
    private final boolean mutual;
    private final Function<Endpoint, Turn> beginning;
    private final Function<Endpoint, Turn> answering;

    Operation(final String title, final String game, final Feature feature, final AccessFlag right,
        final boolean mutual, final Function<Endpoint, Turn> beginning,
        final Function<Endpoint, Turn> answering) {
        this.title = title;
        this.game = game;
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
     * @throws RdmaException EOPNOTSUPP with the device's reason.
     */
    public void requireOn(final RdmaContext context) {
        if (feature != null && !context.supports(feature)) {
            throw RdmaException.of("ping-pong")
                .device(context.address())
                .detail("no %s: %s", title, context.whyNot(feature))
                .errno(RdmaException.EOPNOTSUPP)
                .hint("take another device, or --op send; rdma4j devinfo -v tells what a device has")
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

    Turn turn(final Endpoint end) {
        return (end.repliesOnly() ? answering : beginning).apply(end);
    }
}
