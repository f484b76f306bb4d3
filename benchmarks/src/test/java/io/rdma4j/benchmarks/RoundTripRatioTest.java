/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
@Timeout(120)
class RoundTripRatioTest {
    /** 2 is aimed at. */
    private static final double WRITE_BOUND = 6;
    /** 2 to 3, what two rings without a device take, is aimed at for the lean one. */
    private static final double LEAN_SEND_BOUND = 9;
    private static final double SEND_BOUND = 12;
    /** Nanoseconds that no cache line takes from one processor to another: the threads ran by turns. */
    private static final double SCHEDULER = 10_000;
    private static final int TURNS = 5;
    private static final int BATCH = 32;
    private static final long TURN = TimeUnit.MILLISECONDS.toNanos(30);
    private static final long MAX_TURN = TimeUnit.SECONDS.toNanos(2);
    private static final long WARM_UP = TimeUnit.MILLISECONDS.toNanos(500);
    /** Round trips after which all is compiled that takes part. */
    private static final int COMPILED = 50_000;
    private static final long DEADLINE_SECONDS = 20;

    private final Exchange.Patience patience = new Exchange.Patience();
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        final Thread thread = new Thread(work, "ping-pong");
        thread.setDaemon(true);
        return thread;
    });
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
        threads.shutdownNow();
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
        final Future<?> server = threads.submit(() -> {
            Processors.stayOn(1);
            line.pong(from);
        });
        final Future<Double> client = threads.submit(() -> {
            Processors.stayOn(0);
            return line.ping(duration, atLeast);
        });
        try {
            final double least = client.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
            server.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
            return least;
        } catch (final TimeoutException e) {
            patience.exhaust();
            throw new AssertionError("no answer to message " + line.next + " of " + line.exchange.getClass()
                + " within " + DEADLINE_SECONDS + " s", e);
        }
    }

    private void within(
        final String what, final double bound, final BiFunction<RdmaContext, Exchange.Patience, Exchange> kind)
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
