/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.calls;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/**
 * Posting and polling through libibverbs' table of functions, by the public interface, on a stub of the library, so
 * that what is left is the call and what is done around it. The same as in {@code benchmarks/c/calls.c}.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class VerbsCallBenchmark {
    private static final int DEPTH = VerbsCallQueue.DEPTH;
    private static final int BATCH = VerbsCallQueue.BATCH;

    /** For JMH. */
    public VerbsCallBenchmark() {
        // Has nothing.
    }

    /**
     * An RDMA WRITE of one element.
     *
     * @param queue an empty one
     */
    @Benchmark
    @OperationsPerInvocation(DEPTH)
    public void post(final VerbsCallQueue.Empty queue) {
        for (int i = 0; i < DEPTH; i++) {
            queue.post();
        }
    }

    /**
     * Sixteen of them by one call.
     *
     * @param queue an empty one
     */
    @Benchmark
    @OperationsPerInvocation(DEPTH / BATCH)
    public void post16(final VerbsCallQueue.Empty queue) {
        for (int i = 0; i < DEPTH / BATCH; i++) {
            queue.postBatch();
        }
    }

    /**
     * One completion per poll.
     *
     * @param queue a full one
     * @return what the completions said
     */
    @Benchmark
    @OperationsPerInvocation(DEPTH)
    public long poll1(final VerbsCallQueue.Full queue) {
        long said = 0;
        for (int i = 0; i < DEPTH; i++) {
            said = queue.poll(1, 1);
        }
        return said;
    }

    /**
     * Sixteen completions per poll.
     *
     * @param queue a full one
     * @return what the completions said
     */
    @Benchmark
    @OperationsPerInvocation(DEPTH / BATCH)
    public long poll16(final VerbsCallQueue.Full queue) {
        long said = 0;
        for (int i = 0; i < DEPTH / BATCH; i++) {
            said = queue.poll(BATCH, BATCH);
        }
        return said;
    }

    /**
     * A poll that finds nothing.
     *
     * @param queue any
     * @return what completions said before
     */
    @Benchmark
    public long pollEmpty(final VerbsCallQueue queue) {
        return queue.poll(BATCH, 0);
    }
}
