/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.rings;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Polling at the level of the rings. The device's part is not timed; each timed invocation polls a whole ring.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PollBenchmark {
    private static final int CQES = 512;
    private static final int BATCH = 16;

    private final FakeDevice device = new FakeDevice(CQES, CQES);

    /** For JMH. */
    public PollBenchmark() {
        // Fields are set above.
    }

    /** Lets the device complete as much as the completion queue holds. */
    @Setup(Level.Invocation)
    public void fill() {
        device.fill();
    }

    /**
     * One completion per poll.
     *
     * @return what the completions said
     */
    @Benchmark
    @OperationsPerInvocation(CQES)
    public long poll1() {
        long sum = 0;
        for (int i = 0; i < CQES; i++) {
            sum += device.poll(1);
        }
        return sum;
    }

    /**
     * Sixteen completions per poll.
     *
     * @return what the completions said
     */
    @Benchmark
    @OperationsPerInvocation(CQES / BATCH)
    public long poll16() {
        long sum = 0;
        for (int i = 0; i < CQES / BATCH; i++) {
            sum += device.poll(BATCH);
        }
        return sum;
    }
}
