/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.benchmarks.harness.Duet;
import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.harness.Verdict;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Round trips between two threads through the emulated device take a small multiple of what a cache line takes that the
 * two write in turns. How far apart the two processors are may change at any time, where this is a guest; so each
 * ratio is of neighbours in time, and the median of several counts. Each thread keeps to a processor: on a busy machine
 * both may be put on one otherwise, where each waits until the other's time is over.
 */
@Timeout(180)
class RoundTripRatioTest {
    /**
     * About twice what was measured: 1.8 to 2.8 times the cache line, by how far apart the machine has the processors
     * just then.
     */
    private static final double WRITE_BOUND = 6;
    /** Twice 3.5, which does not depend on that. */
    private static final double LEAN_SEND_BOUND = 7;
    /** Twice 4.3 to 4.6. */
    private static final double SEND_BOUND = 9;
    /** Nanoseconds that no cache line takes from one processor to another: the threads ran by turns. */
    private static final double SCHEDULER = 10_000;
    private static final int TURNS = 5;
    private static final int BATCH = 32;
    private static final long TURN = TimeUnit.MILLISECONDS.toNanos(30);
    private static final long MAX_TURN = TimeUnit.SECONDS.toNanos(1);
    private static final long WARM_UP = TimeUnit.MILLISECONDS.toNanos(250);
    /** Round trips after which all is compiled that takes part. */
    private static final int COMPILED = 50_000;
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private final Patience patience = new Patience();
    private RdmaContext context;

    @BeforeEach
    void open() {
        assumeTrue(Runtime.getRuntime().availableProcessors() >= 2,
            "two threads take turns here, and there is one processor: what is measured would be the scheduler");
        context = RdmaDevices.open("emulated:ratio");
    }

    @AfterEach
    void close() {
        patience.exhaust();
        if (context != null) {
            context.close();
        }
    }

    /** An exchange, and how many messages went through it. */
    private static final class Line {
        private final Exchange exchange;
        private long next;
        private volatile long last = -1;

        Line(final Exchange exchange) {
            this.exchange = exchange;
        }

        void pong(final long from) {
            long n = from;
            do {
                exchange.pong(n);
            } while (n++ != last);
        }

        /**
         * Least nanoseconds of a round trip, in the mean over a few, within a time; within more if both threads did not
         * run at once till then, or too seldom.
         */
        double ping(final long duration, final int atLeast) {
            final long start = System.nanoTime();
            double least = Double.MAX_VALUE;
            long began = start;
            final long first = next;
            while (began - start < (least < SCHEDULER && next - first >= atLeast ? duration : MAX_TURN)) {
                for (int i = 0; i < BATCH; i++) {
                    exchange.ping(next++);
                }
                final long now = System.nanoTime();
                least = Math.min(least, (double) (now - began) / BATCH);
                began = now;
            }
            last = next; // The server sees it with the message.
            exchange.ping(next++);
            return least;
        }
    }

    private double run(final Line line, final long duration, final int atLeast) throws Exception {
        final long from = line.next;
        final double[] least = new double[1];
        try {
            Duet.play(patience,
                new Duet.Part(() -> Processors.stayOn(0), () -> least[0] = line.ping(duration, atLeast)),
                new Duet.Part(() -> Processors.stayOn(1), () -> line.pong(from)), DEADLINE);
            return least[0];
        } catch (final IOException e) {
            throw new AssertionError("message " + line.next + " of " + line.exchange.getClass() + " got no answer", e);
        }
    }

    private void within(
        final String what, final double bound, final BiFunction<RdmaContext, Patience, Exchange> kind)
        throws Exception {
        final Line floor = new Line(new CacheLineExchange(patience));
        final Line line = new Line(kind.apply(context, patience));
        run(floor, WARM_UP / 4, COMPILED);
        for (int i = 0; i < 2; i++) {
            run(line, WARM_UP, COMPILED); // On a busy machine the compiler gets its turn a little later.
        }
        Verdict.within(what, "a cache line that two threads write in turns", bound, round -> {
            final List<Verdict.Measured> turns = new ArrayList<>();
            double before = run(floor, TURN, BATCH);
            for (int turn = 0; turn < TURNS; turn++) {
                final double nanos = run(line, TURN, BATCH);
                final double after = run(floor, TURN, BATCH);
                if (Math.max(before, after) < SCHEDULER) {
                    turns.add(Verdict.Measured.of(nanos, (before + after) / 2));
                }
                before = after;
            }
            turns.sort(Comparator.comparingDouble(Verdict.Measured::ratio));
            return turns.isEmpty() ? null : turns.get(turns.size() / 2);
        });
    }

    @Test
    void anRdmaWriteIsSeenSoon() throws Exception {
        within("RDMA WRITE there and back", WRITE_BOUND, WriteExchange::new);
    }

    @Test
    void aSendIsReceivedSoon() throws Exception {
        within("RC SEND there and back", SEND_BOUND, SendExchange::new);
    }

    @Test
    void aLeanSendIsReceivedSoon() throws Exception {
        within("RC SEND there and back, with what can wait done later", LEAN_SEND_BOUND, LeanSendExchange::new);
    }
}
