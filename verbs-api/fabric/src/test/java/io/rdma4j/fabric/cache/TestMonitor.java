/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import io.rdma4j.fabric.MemoryMonitor;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A monitor that does what a test says. */
class TestMonitor implements MemoryMonitor {
    final List<Listener> listeners = new CopyOnWriteArrayList<>();
    final AtomicInteger subscriptions = new AtomicInteger();
    final AtomicInteger refusals = new AtomicInteger();
    volatile boolean watches = true;
    volatile boolean isQuiet = true;

    @Override
    public String name() {
        return "test";
    }

    @Override
    public void start(final Listener listener) {
        listeners.add(listener);
    }

    @Override
    public void stop(final Listener listener) {
        listeners.remove(listener);
    }

    @Override
    public boolean subscribe(final long address, final long length) {
        if (watches) {
            subscriptions.incrementAndGet();
        } else {
            refusals.incrementAndGet();
        }
        return watches;
    }

    @Override
    public void unsubscribe(final long address, final long length) {
        subscriptions.decrementAndGet();
    }

    @Override
    public boolean quiet() {
        return isQuiet;
    }

    void change(final long address, final long length) {
        listeners.forEach(listener -> listener.changed(address, length));
    }
}
