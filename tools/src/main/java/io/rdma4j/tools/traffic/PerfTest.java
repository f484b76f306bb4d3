/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import java.util.Locale;

/** A test, by the name that perftest gives it. Its numbers are perftest's defaults. */
public enum PerfTest {
    /** Messages to and fro. */
    SEND_LAT(Operation.SEND, true, "Send Latency Test"),
    /** Messages one way. */
    SEND_BW(Operation.SEND, false, "Send BW Test"),
    /** WRITEs into each other's memory, which is polled. */
    WRITE_LAT(Operation.WRITE, true, "RDMA_Write Latency Test"),
    /** WRITEs one way. */
    WRITE_BW(Operation.WRITE, false, "RDMA_Write BW Test"),
    /** READs, one after the other. */
    READ_LAT(Operation.READ, true, "RDMA_Read Latency Test"),
    /** READs, many at a time. */
    READ_BW(Operation.READ, false, "RDMA_Read BW Test"),
    /** Atomics, one after the other. */
    ATOMIC_LAT(Operation.FAA, true, "Atomic Latency Test"),
    /** Small messages one way, in lists, few of which make a completion. */
    MSG_RATE(Operation.SEND, false, "Send Message Rate Test");

    private static final int LATENCY_BYTES = 2;
    private static final int BANDWIDTH_BYTES = 65536;
    private static final int RATE_BYTES = 8;
    private static final int ITERATIONS = 1000;
    private static final int WRITE_BW_ITERATIONS = 5000;
    private static final int RATE_ITERATIONS = 1_000_000;
    private static final int BANDWIDTH_DEPTH = 128;
    private static final int RATE_DEPTH = 256;
    private static final int RECEIVE_DEPTH = 512;
    private static final int CQ_MOD = 100;
    private static final int RATE_CQ_MOD = 64;
    private static final int RATE_LIST = 16;

    private final Operation operation;
    private final boolean latency;
    private final String title;

    PerfTest(final Operation operation, final boolean latency, final String title) {
        this.operation = operation;
        this.latency = latency;
        this.title = title;
    }

    /**
     * How the command line calls it.
     *
     * @return its name in lower case.
     */
    public String option() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * What it does.
     *
     * @return the operation; fetch-and-add may also be compare-and-swap.
     */
    public Operation operation() {
        return operation;
    }

    /**
     * Whether each operation waits for the one before.
     *
     * @return false if as many as fit are under way.
     */
    public boolean isLatency() {
        return latency;
    }

    /**
     * What people call it.
     *
     * @return a few words.
     */
    public String title() {
        return title;
    }

    /**
     * What a time of a latency test is.
     *
     * @return half a round trip, or a whole operation; of a bandwidth test null.
     */
    public String timeIs() {
        return !latency ? null : !operation.isMutual() ? "a whole operation" : "half a round trip";
    }

    /**
     * By how much a round trip is divided to get what is reported.
     *
     * @return 2 if half a round trip is.
     */
    public int divisor() {
        return latency ? operation.transfersPerRoundTrip() : 1;
    }

    /**
     * Size if none is given.
     *
     * @return bytes of a message.
     */
    public int defaultBytes() {
        if (operation.isAtomic()) {
            return Long.BYTES;
        }
        return this == MSG_RATE ? RATE_BYTES : latency ? LATENCY_BYTES : BANDWIDTH_BYTES;
    }

    /**
     * Iterations if none are given.
     *
     * @return round trips, or messages of each QP.
     */
    public int defaultIterations() {
        return this == MSG_RATE ? RATE_ITERATIONS : this == WRITE_BW ? WRITE_BW_ITERATIONS : ITERATIONS;
    }

    /**
     * Depth of the send queue if none is given.
     *
     * @return messages of a QP that may be under way.
     */
    public int defaultTxDepth() {
        return this == MSG_RATE ? RATE_DEPTH : latency ? 1 : BANDWIDTH_DEPTH;
    }

    /**
     * Depth of the receive queue if none is given.
     *
     * @return receives of a QP.
     */
    public int defaultRxDepth() {
        return RECEIVE_DEPTH;
    }

    /**
     * Selective signaling if none is given.
     *
     * @return every so many messages one makes a completion.
     */
    public int defaultCqMod() {
        return latency ? 1 : this == MSG_RATE ? RATE_CQ_MOD : CQ_MOD;
    }

    /**
     * Length of lists if none is given.
     *
     * @return messages posted at a time.
     */
    public int defaultPostList() {
        return this == MSG_RATE ? RATE_LIST : 1;
    }
}
