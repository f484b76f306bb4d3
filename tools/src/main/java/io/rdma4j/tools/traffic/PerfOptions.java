/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.verbs.Mtu;

import java.time.Duration;
import java.util.List;

/**
 * What a run is asked to do. Immutable.
 *
 * @param test      what is measured.
 * @param load      how much.
 * @param queues    through which queues.
 * @param oneThread whether one thread plays both ends, where both are in this process.
 * @param timeout   longest wait without any progress, and for the other process.
 */
public record PerfOptions(PerfTest test, Load load, Queues queues, boolean oneThread, Duration timeout) {
    /** READs and atomics of a QP that are under way at most, whatever the device can. */
    public static final int MOST_OUTS = 128;

    /**
     * How much.
     *
     * @param sizes      bytes of a message, one after the other; not empty.
     * @param iterations round trips, or messages of each QP, with each size; without meaning if there is a duration.
     * @param duration   how long with each size; null for a number of iterations.
     * @param warmup     iterations before each size, which are not counted; null for as many as fit into a time.
     * @param samples    whether each time of a latency test is kept, besides the histogram.
     * @param swaps      whether the atomic is compare-and-swap; else fetch-and-add.
     */
    public record Load(
        List<Integer> sizes, long iterations, Duration duration, Long warmup, boolean samples, boolean swaps) {
        private static final Duration FIRST_WARMUP = Duration.ofMillis(500);
        private static final Duration LATER_WARMUP = Duration.ofMillis(50);

        Span measured() {
            return duration == null ? Span.of(iterations) : Span.of(duration);
        }

        Span warmup(final boolean first) {
            return warmup == null ? Span.of(first ? FIRST_WARMUP : LATER_WARMUP) : Span.of(warmup);
        }

        int largest() {
            return sizes.stream().mapToInt(Integer::intValue).max().orElse(0);
        }
    }

    /**
     * Through which queues.
     *
     * @param qps      queue pairs.
     * @param cqMod    every so many messages of a QP one makes a completion; at most txDepth.
     * @param txDepth  messages of a QP that may be under way.
     * @param rxDepth  receives of a QP.
     * @param postList messages that are posted at a time; at most txDepth.
     * @param inline   messages up to so many bytes are copied when they are posted.
     * @param mtu      path MTU; null for the port's.
     * @param outs     READs and atomics of a QP under way; 0 for as many as the device can.
     */
    public record Queues(
        int qps, int cqMod, int txDepth, int rxDepth, int postList, int inline, Mtu mtu, int outs) {
    }

    /** What is done to messages. */
    Operation operation() {
        return load.swaps() && test.operation().isAtomic() ? Operation.CAS : test.operation();
    }

    /** What both sides have to agree on, as they would write it. */
    String game() {
        final boolean several = load.sizes().size() > 1;
        return test.option() + (several ? " -a up to " + load.largest() : " -s " + load.largest())
            + " -q " + queues.qps();
    }
}
