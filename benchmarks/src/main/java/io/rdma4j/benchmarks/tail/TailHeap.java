/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.tail;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A busy heap: a thread that allocates lists of small objects, in bursts, so much per second. Most of them are garbage
 * at once; some take the place of another one in a live set, so they outlive collections of the young, and die old.
 */
final class TailHeap implements Runnable {
    static final int LIVE_MEGABYTES = 256;
    static final int MEGABYTES_PER_SECOND = 800;
    static final int BURSTS_PER_SECOND = 100;
    /** Of every so many lists one is kept. */
    static final int KEPT = 16;

    private static final long DEADLINE_MILLIS = 10_000;
    private static final int MEGABYTE = 1 << 20;
    /** A node with header and reference has 16 to 24 bytes; with its payload's header it is 128. */
    private static final int PAYLOAD = 88;
    private static final int NODE = 128;
    private static final int LIST = 64;
    private static final int LISTS = LIVE_MEGABYTES * (MEGABYTE / NODE / LIST);
    private static final int LISTS_PER_BURST = MEGABYTES_PER_SECOND * (MEGABYTE / NODE / LIST) / BURSTS_PER_SECOND;

    private final Node[] live = new Node[LISTS];
    private final Random random = new Random(5);
    private volatile boolean stopped;
    @SuppressWarnings("unused") // So that nodes are made at all.
    private volatile Node dropped;
    private Thread thread;
    private long lists;
    private long nanos;
    private long processorNanos;

    private TailHeap() {
        for (int i = 0; i < LISTS; i++) {
            live[i] = list();
        }
    }

    /** Builds the live set and starts the thread. */
    static TailHeap start() {
        final TailHeap heap = new TailHeap();
        heap.thread = new Thread(heap, "busy heap");
        heap.thread.setDaemon(true);
        heap.thread.start();
        return heap;
    }

    /** Returns when the thread has ended, and all that it counted can be read. */
    void stop() throws IOException, InterruptedException {
        stopped = true;
        thread.join(DEADLINE_MILLIS);
        if (thread.isAlive()) {
            throw new IOException("the busy heap did not end within " + DEADLINE_MILLIS + " ms");
        }
    }

    private static Node list() {
        Node first = null;
        for (int i = 0; i < LIST; i++) {
            first = new Node(first);
        }
        return first;
    }

    @Override
    public void run() {
        final long began = System.nanoTime();
        final long pause = TimeUnit.SECONDS.toNanos(1) / BURSTS_PER_SECOND;
        for (long burst = 1; !stopped; burst++) {
            allocate();
            nanos = System.nanoTime() - began;
            processorNanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            // A burst that comes late does not make the next one late.
            LockSupport.parkNanos(burst * pause - nanos);
        }
    }

    private void allocate() {
        for (int i = 0; i < LISTS_PER_BURST; i++) {
            final Node list = list();
            lists++;
            if (i % KEPT == 0) {
                live[random.nextInt(LISTS)] = list;
            } else {
                dropped = list;
            }
        }
    }

    /** What it came to, after the end. */
    long megabytesPerSecond() {
        return Math.round((double) lists * LIST * NODE / MEGABYTE / nanos * TimeUnit.SECONDS.toNanos(1));
    }

    /** Of one processor. */
    long percentOfProcessor() {
        return 100 * processorNanos / Math.max(1, nanos);
    }

    @SuppressWarnings("unused") // What it has is for the collector to walk over.
    private static final class Node {
        private final Node next;
        private final byte[] payload = new byte[PAYLOAD];

        Node(final Node next) {
            this.next = next;
        }
    }
}
