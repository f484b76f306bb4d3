/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** Two threads that work against each other; both are given up if one fails or takes too long. */
final class Duet {
    private static final long DEADLINE_SECONDS = 180;
    private static final int PARTS = 2;

    private final Exchange.Patience patience;
    private final AtomicInteger missing = new AtomicInteger(PARTS);
    private volatile long began;

    private Duet(final Exchange.Patience patience) {
        this.patience = patience;
    }

    /** Returns how many nanoseconds it took, from when both were there until both were through. */
    static long play(final Exchange.Patience patience, final Runnable one, final Runnable other)
        throws IOException, InterruptedException {
        final Duet duet = new Duet(patience);
        final CompletableFuture<Long> first = duet.start("client", one);
        final CompletableFuture<Long> second = duet.start("server", other);
        return Math.max(duet.await(first), duet.await(second)) - duet.began;
    }

    private CompletableFuture<Long> start(final String name, final Runnable work) {
        final CompletableFuture<Long> ended = new CompletableFuture<>();
        final Thread thread = new Thread(() -> {
            try {
                meet();
                work.run();
                ended.complete(System.nanoTime());
            } catch (final RuntimeException | Error e) {
                patience.exhaust();
                ended.completeExceptionally(e);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        return ended;
    }

    /** Both write the time: the later one is that of who came last, but for the moment in between. */
    private void meet() {
        began = System.nanoTime();
        missing.decrementAndGet();
        while (missing.get() > 0) {
            Thread.onSpinWait();
            patience.check();
        }
    }

    private long await(final CompletableFuture<Long> part) throws IOException, InterruptedException {
        try {
            return part.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        } catch (final TimeoutException | ExecutionException e) {
            patience.exhaust();
            throw new IOException("measuring failed", e);
        }
    }
}
