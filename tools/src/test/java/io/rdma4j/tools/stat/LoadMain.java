/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import org.HdrHistogram.Histogram;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A process that works, on one thread, and times each message: for each line that it is sent it plays a round, and
 * answers with a line of numbers. Ends with its input.
 */
public final class LoadMain {
    static final int MESSAGES = 1_000_000;
    static final String ADDRESS = "emulated:load";
    private static final int BYTES = 64;

    private final MemoryRegion region;
    private final long memory;
    private final QueuePair a;
    private final QueuePair b;
    private final CompletionQueue cq;
    private long completed;

    private LoadMain(
        final PinnedMemory memory, final MemoryRegion region, final CompletionQueue cq, final QueuePair a,
        final QueuePair b) {
        this.memory = memory.address();
        this.region = region;
        this.cq = cq;
        this.a = a;
        this.b = b;
    }

    /**
     * Starts.
     *
     * @param args none.
     * @throws IOException if nobody listens.
     */
    public static void main(final String[] args) throws IOException {
        try (RdmaContext context = RdmaDevices.open(ADDRESS);
            ProtectionDomain pd = context.allocatePd();
            PinnedMemory memory = context.allocate(2 * BYTES);
            MemoryRegion region = pd.register(memory, AccessFlag.LOCAL_WRITE);
            CompletionQueue cq = context.createCq(512);
            QueuePair a = pd.createQp(new QpOptions().cq(cq));
            QueuePair b = pd.createQp(new QpOptions().cq(cq))) {
            QpConnector.connect(a, b.localAddress());
            QpConnector.connect(b, a.localAddress());
            new LoadMain(memory, region, cq, a, b).serve(
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)), System.out);
        }
    }

    private void serve(final BufferedReader in, final PrintStream out) throws IOException {
        out.println("ready");
        out.flush();
        while (in.readLine() != null) {
            final long waitsBefore = waits();
            final Histogram nanos = play();
            out.printf("%d %d %d %d %d%n", nanos.getValueAtPercentile(50), nanos.getValueAtPercentile(99),
                nanos.getValueAtPercentile(99.9), completed, waits() - waitsBefore);
            out.flush();
        }
    }

    /** How often this thread gave the processor away because it had to wait, see proc_pid_status(5). */
    private static long waits() throws IOException {
        for (final String line : Files.readAllLines(Path.of("/proc/thread-self/status"))) {
            if (line.startsWith("voluntary_ctxt_switches:")) {
                return Long.parseLong(line.substring(line.indexOf('\t') + 1).strip());
            }
        }
        throw new IOException("no voluntary_ctxt_switches in /proc/thread-self/status");
    }

    private Histogram play() {
        final Histogram nanos = new Histogram(3);
        for (int i = 0; i < MESSAGES; i++) {
            final long start = System.nanoTime();
            exchange(a, b);
            nanos.recordValue(System.nanoTime() - start);
        }
        return nanos;
    }

    private void exchange(final QueuePair from, final QueuePair to) {
        require(to.postReceive(1, memory + BYTES, BYTES, region.lkey()));
        require(from.postSend(2, memory, BYTES, region.lkey()));
        for (int done = 0; done < 2;) {
            done += cq.poll(completion -> require(completion.status().ordinal()), 2);
        }
        completed += 2;
    }

    private static void require(final int code) {
        if (code != 0) {
            throw new IllegalStateException("code " + code);
        }
    }
}
