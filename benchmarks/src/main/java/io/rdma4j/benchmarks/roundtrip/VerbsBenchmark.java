/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The same through the public interface, on the emulated device, which does its part on the thread that rings.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class VerbsBenchmark {
    private RdmaContext context;
    private Endpoint client;
    private Endpoint server;
    private long next;

    /** For JMH. */
    public VerbsBenchmark() {
        // Set up below.
    }

    /** Opens a device and connects two queue pairs of it. */
    @Setup
    public void open() {
        final Patience patience = new Patience();
        context = RdmaDevices.open(RdmaDevices.DEFAULT_ADDRESS);
        client = new Endpoint(context, patience);
        server = new Endpoint(context, patience);
        QpConnector.connect(client.queuePair(), server.queuePair().localAddress());
        QpConnector.connect(server.queuePair(), client.queuePair().localAddress());
        server.fillReceiveQueue();
    }

    /** Closes the device. */
    @TearDown
    public void close() {
        context.close();
    }

    /**
     * A SEND of 64 bytes, its execution, both completions polled, and the receive posted again.
     *
     * @return completions of the sender
     */
    @Benchmark
    public int verbsSendReceive() {
        final long n = next++;
        client.send(n);
        server.await(n);
        return client.poll();
    }

    /**
     * A poll that finds nothing.
     *
     * @return 0
     */
    @Benchmark
    public int verbsPollEmpty() {
        return client.poll();
    }
}
