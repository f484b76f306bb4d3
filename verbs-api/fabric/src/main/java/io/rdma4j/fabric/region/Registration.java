/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.base.Uninterrupted;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.event.FabricEventQueue;
import io.rdma4j.fabric.event.RegionEvent;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** An asynchronous registration: it is begun once or cancelled once, and leaves exactly one event; or is abandoned. */
final class Registration implements Runnable {
    private static final long DEADLINE_S = 60;

    private final PendingRegion region;
    private final FabricEventQueue queue;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final CountDownLatch done = new CountDownLatch(1);
    /** Who registers the region just now. */
    private volatile Thread worker;

    Registration(final PendingRegion region, final FabricEventQueue queue) {
        this.region = region;
        this.queue = queue;
    }

    @Override
    public void run() {
        if (!begun.compareAndSet(false, true)) {
            return;
        }
        RegionEvent event = null;
        worker = Thread.currentThread();
        try {
            region.activate();
            event = RegionEvent.done(region);
        } catch (final FabricException e) {
            event = RegionEvent.failed(region, e);
        } finally {
            worker = null;
            end(event == null ? other() : event);
        }
    }

    private RegionEvent other() {
        return RegionEvent.failed(region, Refusals.of(FiErrno.FI_EOTHER, Refusals.REGISTER,
            "unexpected failure, see the log of the thread %s", Thread.currentThread().getName()).build());
    }

    private void end(final RegionEvent event) {
        try {
            queue.write(event);
        } finally {
            done.countDown();
        }
    }

    /** Nobody could be found to begin it, and the caller gets no region: no event, either. */
    void abandon() {
        if (begun.compareAndSet(false, true)) {
            region.cancel();
        }
    }

    /** Whether this thread registers the region just now. */
    boolean isOwn() {
        return worker == Thread.currentThread();
    }

    /** When this returns nothing works on the region any more. */
    void cancelOrAwait() {
        if (begun.compareAndSet(false, true)) {
            region.cancel();
            end(RegionEvent.failed(region, Refusals.of(FiErrno.FI_ECANCELED, Refusals.REGISTER,
                "%s was closed before its turn came", region).build()));
        } else {
            await();
        }
    }

    private void await() {
        final long nanos = TimeUnit.SECONDS.toNanos(DEADLINE_S);
        if (!Uninterrupted.await(nanos, left -> done.await(left, TimeUnit.NANOSECONDS))) {
            throw Refusals.of(FiErrno.FI_EBUSY, "close region", "%s is still being registered after %d s", region,
                DEADLINE_S).build();
        }
    }
}
