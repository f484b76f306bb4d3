/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.rings;

import io.rdma4j.benchmarks.harness.ChildProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One operation of the rings in turns with the same of the C program, in a process that does nothing else. Both sides
 * take the median of many samples of a fraction of a millisecond, so that who is interrupted now and then does not
 * notice.
 */
final class RingTurns {
    /** Begin the lines that it prints. */
    static final String JAVA = "java ";
    static final String C = "c ";
    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final int TURNS = 3;
    private static final int SAMPLES = 51;
    private static final String SAMPLE_MILLIS = "0.2";
    private static final int POSTS = 12_800;
    private static final int BATCH = 16;
    private static final int COMPLETIONS = 512;
    private static final int FILLS = 20;

    private static long sum;

    private RingTurns() {
    }

    /** Nanoseconds of a sample's operations, per operation. */
    private interface Sample {
        double nanos();
    }

    /**
     * Prints nanoseconds in Java and in C for each turn.
     *
     * @param args path of the C program, its name for the operation, milliseconds to warm up
     * @throws Exception if the C program fails
     */
    public static void main(final String[] args) throws Exception {
        final Sample sample = sample(args[1]);
        final long warm = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[2]));
        while (System.nanoTime() - warm < 0) {
            sample.nanos();
        }
        for (int turn = 0; turn < TURNS; turn++) {
            System.out.println(C + c(args[0], args[1]));
            System.out.println(JAVA + median(sample));
        }
        System.err.println("checksum " + sum);
    }

    private static double median(final Sample sample) {
        final double[] samples = new double[SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
            samples[i] = sample.nanos();
        }
        Arrays.sort(samples);
        return samples[SAMPLES / 2];
    }

    /** The second figure of the line: without locks. */
    private static double c(final String program, final String operation) throws IOException, InterruptedException {
        final List<String> lines = ChildProcess.run(
            List.of(program, SAMPLE_MILLIS, Integer.toString(SAMPLES)), DEADLINE);
        return lines.stream().map(line -> line.split(" ")).filter(words -> words[0].equals(operation))
            .mapToDouble(words -> Double.parseDouble(words[2])).findFirst()
            .orElseThrow(() -> new IOException("no line " + operation + ": " + lines));
    }

    private static Sample sample(final String operation) {
        return switch (operation) {
            case "postSend" -> postSend(new PostBenchmark());
            case "postSend16" -> postSend16(new PostBenchmark());
            case "postReceive" -> postReceive(new PostBenchmark());
            case "postDevicePoll" -> postDevicePoll(new PostBenchmark());
            case "poll1" -> poll1(new PollBenchmark());
            case "poll16" -> poll16(new PollBenchmark());
            default -> throw new IllegalArgumentException(operation);
        };
    }

    private static Sample postSend(final PostBenchmark bench) {
        return () -> {
            final long began = System.nanoTime();
            for (int i = 0; i < POSTS; i++) {
                bench.postSend();
            }
            return (double) (System.nanoTime() - began) / POSTS;
        };
    }

    private static Sample postSend16(final PostBenchmark bench) {
        return () -> {
            final long began = System.nanoTime();
            for (int i = 0; i < POSTS / BATCH; i++) {
                bench.postSend16();
            }
            return (double) (System.nanoTime() - began) * BATCH / POSTS;
        };
    }

    private static Sample postReceive(final PostBenchmark bench) {
        return () -> {
            final long began = System.nanoTime();
            for (int i = 0; i < POSTS; i++) {
                bench.postReceive();
            }
            return (double) (System.nanoTime() - began) / POSTS;
        };
    }

    private static Sample postDevicePoll(final PostBenchmark bench) {
        return () -> {
            long found = 0;
            final long began = System.nanoTime();
            for (int i = 0; i < POSTS; i++) {
                found += bench.postDevicePoll();
            }
            final long nanos = System.nanoTime() - began;
            sum += found;
            return (double) nanos / POSTS;
        };
    }

    /** The completions are made before the clock starts. */
    private static Sample poll1(final PollBenchmark bench) {
        return () -> {
            long nanos = 0;
            for (int fill = 0; fill < FILLS; fill++) {
                bench.fill();
                final long began = System.nanoTime();
                sum += bench.poll1();
                nanos += System.nanoTime() - began;
            }
            return (double) nanos / (FILLS * COMPLETIONS);
        };
    }

    private static Sample poll16(final PollBenchmark bench) {
        return () -> {
            long nanos = 0;
            for (int fill = 0; fill < FILLS; fill++) {
                bench.fill();
                final long began = System.nanoTime();
                sum += bench.poll16();
                nanos += System.nanoTime() - began;
            }
            return (double) nanos * BATCH / (FILLS * COMPLETIONS);
        };
    }
}
