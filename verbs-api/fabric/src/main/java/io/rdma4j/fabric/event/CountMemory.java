/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What sources counted since they were bound. They are in memory that may be given back once they ended: who ends them
 * waits for those who read meanwhile. Changed under the counter's lock; read by any thread without one.
 */
final class CountMemory {
    private static final Sources NONE = new Sources(new CountSource[0], new long[0], 0);
    private static final long LONGEST_READ_NS = 1_000_000_000;

    private final AtomicInteger readers = new AtomicInteger();
    private volatile Sources sources = NONE;

    /**
     * Sources, what each had counted when it was bound, and what others had counted that ended. Each one goes on where
     * the one before it was, so that who reads or sets meanwhile need not know which it was.
     */
    private record Sources(CountSource[] list, long[] before, long ended) {
        long sum() {
            long sum = ended;
            for (int i = 0; i < list.length; i++) {
                sum += list[i].count() - before[i];
            }
            return sum;
        }

        Sources with(final CountSource source) {
            final CountSource[] more = Arrays.copyOf(list, list.length + 1);
            final long[] moreBefore = Arrays.copyOf(before, before.length + 1);
            more[list.length] = source;
            moreBefore[list.length] = source.count();
            return new Sources(more, moreBefore, ended);
        }
    }

    void add(final CountSource source) {
        sources = sources.with(source);
    }

    /** What was counted stays. */
    void end() {
        final Sources last = sources;
        sources = new Sources(NONE.list, NONE.before, last.sum());
    }

    /** Who reads comes in, then loads the sources; who ends them takes them away, then looks who is in. */
    void awaitReaders() {
        final long start = System.nanoTime();
        while (readers.get() > 0 && System.nanoTime() - start < LONGEST_READ_NS) {
            Thread.onSpinWait();
        }
    }

    boolean isEmpty() {
        return sources.list.length == 0;
    }

    long sum() {
        final Sources now = sources;
        if (now.list.length == 0) {
            return now.ended;
        }
        readers.incrementAndGet();
        try {
            return sources.sum();
        } finally {
            readers.decrementAndGet();
        }
    }
}
