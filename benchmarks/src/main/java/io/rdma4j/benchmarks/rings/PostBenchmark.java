/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.rings;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Posting at the level of the rings. When a ring is full its device consumes all at once, also in the C program.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PostBenchmark {
    private static final int BATCH = 16;

    private final FakeDevice device = new FakeDevice(FakeDevice.SEND_COUNT, FakeDevice.SEND_COUNT);

    /** For JMH. */
    public PostBenchmark() {
        // Fields are set above.
    }

    /** One SEND of 64 bytes with one entry, and its doorbell. */
    @Benchmark
    public void postSend() {
        device.postSend();
    }

    /** Sixteen of them with one doorbell. */
    @Benchmark
    public void postSend16() {
        device.postSends(BATCH);
    }

    /** One receive with one entry, and its doorbell. */
    @Benchmark
    public void postReceive() {
        device.postReceive();
    }

    /**
     * A send, its execution by the device, and the poll that finds its completion.
     *
     * @return what the completions said
     */
    @Benchmark
    public long postDevicePoll() {
        device.postSend();
        device.execute();
        return device.poll(1);
    }
}
