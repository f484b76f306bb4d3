/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.driver.pci.InterruptVector;
import io.rdma4j.driver.pci.Interrupts;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Vectors that a test or the fake device fires. */
final class FakeVectors implements Interrupts {
    private final List<String> log;
    private final List<Vector> vectors = new ArrayList<>();
    int available = 3;
    int granted = 3;
    RuntimeException refusal;
    boolean enabled;
    /** Waits for an interrupt that had not come. */
    final AtomicInteger waits = new AtomicInteger();

    FakeVectors(final List<String> log) {
        this.log = log;
    }

    @Override
    public int available() {
        return available;
    }

    @Override
    public int enable(final int count) {
        if (refusal != null) {
            throw refusal;
        }
        log.add("enable " + count + " vectors");
        enabled = true;
        for (int i = 0; i < Math.min(count, granted); i++) {
            vectors.add(new Vector(i));
        }
        return vectors.size();
    }

    @Override
    public InterruptVector vector(final int index) {
        return vectors.get(index);
    }

    @Override
    public void disable() {
        log.add("disable vectors");
        enabled = false;
        vectors.forEach(Vector::stop);
    }

    void fire(final int index) {
        if (enabled && index < vectors.size()) {
            vectors.get(index).fire();
        }
    }

    private final class Vector implements InterruptVector {
        private final int index;
        private long pending;
        private long fired;
        private boolean stopped;

        Vector(final int index) {
            this.index = index;
        }

        synchronized void fire() {
            pending++;
            fired++;
            notifyAll();
        }

        synchronized void stop() {
            stopped = true;
            notifyAll();
        }

        @Override
        public int index() {
            return index;
        }

        @Override
        public synchronized long poll() {
            final long taken = pending;
            pending = 0;
            return taken;
        }

        @Override
        public synchronized long await(final long timeoutNanos) {
            final long deadline = System.nanoTime() + timeoutNanos;
            long left = timeoutNanos;
            if (pending == 0) {
                waits.incrementAndGet();
            }
            while (pending == 0 && !stopped && left > 0) {
                try {
                    wait(left / 1_000_000, (int) (left % 1_000_000));
                } catch (final InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return poll();
                }
                left = deadline - System.nanoTime();
            }
            return poll();
        }

        @Override
        public synchronized long fired() {
            return fired;
        }

        @Override
        public String toString() {
            return "vector " + index + " fired " + fired;
        }
    }
}
