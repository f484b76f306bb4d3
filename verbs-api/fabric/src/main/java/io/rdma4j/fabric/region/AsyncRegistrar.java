/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.base.DaemonThreads;
import io.rdma4j.base.Undo;
import io.rdma4j.base.Uninterrupted;
import io.rdma4j.fabric.event.FabricEventQueue;

import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Registers asynchronously: a daemon thread of a domain, which ends when it has had nothing to do for a while. */
final class AsyncRegistrar {
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final FabricEventQueue queue;
    private final ThreadPoolExecutor worker;

    AsyncRegistrar(final FabricEventQueue queue) {
        this(queue, DaemonThreads.pool("rdma4j-registrar-" + NUMBERS.incrementAndGet(), 1, 1));
    }

    AsyncRegistrar(final FabricEventQueue queue, final ThreadPoolExecutor worker) {
        this.queue = queue;
        this.worker = worker;
    }

    void submit(final PendingRegion region) {
        final Registration registration = new Registration(region, queue);
        region.setPending(registration);
        try (Undo undo = new Undo()) {
            // There may be no thread for it.
            undo.add(registration::abandon);
            worker.execute(registration);
            undo.forget();
        }
    }

    /** All was closed before, so that nothing is under way but the end of the last registration. */
    void close() {
        worker.shutdown();
        Uninterrupted.await(DEADLINE_NANOS, left -> worker.awaitTermination(left, TimeUnit.NANOSECONDS));
        queue.unbind();
    }
}
