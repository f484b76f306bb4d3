/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.tail;

import io.rdma4j.benchmarks.harness.Duet;
import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.roundtrip.Exchange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** One kind of round trip, each of which is timed, for some time; and which of them took long, and when. */
final class TailExchange {
    /** What takes longer is kept one by one. */
    static final long SLOW_NANOS = 10_000;
    private static final int MOST_SLOW = 1 << 20;
    private static final long HIGHEST = TimeUnit.SECONDS.toNanos(100);
    private static final int DIGITS = 3;
    private static final Path STATUS = Path.of("/proc/thread-self/status");

    private final Exchange exchange;
    private final Patience patience;
    private final Histogram histogram = new Histogram(HIGHEST, DIGITS);
    private final long[] ends = new long[MOST_SLOW];
    private final long[] durations = new long[MOST_SLOW];
    private int slow;
    private long forced;
    private long waited;
    private long nanos;
    private long next;
    private volatile long last;

    TailExchange(final Exchange exchange, final Patience patience) {
        this.exchange = exchange;
        this.patience = patience;
    }

    /** Goes to and fro on two threads for some time. */
    void run(final long forNanos, final boolean record) throws IOException, InterruptedException {
        final long from = next;
        last = Long.MAX_VALUE;
        Duet.play(patience, () -> ping(forNanos, record), () -> pong(from, record));
    }

    private void pong(final long from, final boolean record) {
        final long[] before = switches();
        for (long n = from; n <= last; n++) {
            exchange.pong(n);
        }
        count(record, before);
    }

    private void ping(final long forNanos, final boolean record) {
        final long[] switches = switches();
        // The first one waits until the other thread has started.
        exchange.ping(next++);
        final long began = System.nanoTime();
        long before = began;
        while (before - began < forNanos) {
            exchange.ping(next++);
            final long after = System.nanoTime();
            if (record) {
                record(after, after - before);
            }
            before = after;
        }
        // Visible to the other thread before it sees the message, so that it waits for no other.
        last = next;
        exchange.ping(next++);
        if (record) {
            nanos += before - began;
        }
        count(record, switches);
    }

    private void record(final long end, final long duration) {
        histogram.recordValue(Math.min(HIGHEST, duration));
        if (duration > SLOW_NANOS && slow < MOST_SLOW) {
            ends[slow] = end;
            durations[slow] = duration;
            slow++;
        }
    }

    /** How often the thread gave up its processor, because it waited for something; and how often it was made to. */
    private static long[] switches() {
        try {
            return Files.readAllLines(STATUS).stream().filter(line -> line.contains("voluntary_ctxt_switches"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).toArray();
        } catch (final IOException e) {
            throw new IllegalStateException("cannot read " + STATUS, e);
        }
    }

    private synchronized void count(final boolean record, final long[] before) {
        if (record) {
            final long[] now = switches();
            waited += now[0] - before[0];
            forced += now[1] - before[1];
        }
    }

    /** For the process that reads it. */
    void report(final String name, final List<String> lines) {
        final ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        final int length = histogram.encodeIntoCompressedByteBuffer(bytes);
        final byte[] encoded = new byte[length];
        bytes.flip().get(encoded);
        lines.add("exchange " + name + " " + nanos + " " + forced + " " + waited + " "
            + Base64.getEncoder().encodeToString(encoded));
        for (int i = 0; i < slow; i++) {
            lines.add("slow " + name + " " + ends[i] + " " + durations[i]);
        }
    }

    /** What {@link #report} encoded. */
    static Histogram histogram(final String text) throws IOException {
        try {
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(text)), HIGHEST);
        } catch (final DataFormatException e) {
            throw new IOException("not a histogram: " + text, e);
        }
    }
}
