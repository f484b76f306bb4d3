/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.WaitObject;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A counter: what was added to it, and what its sources counted since they were bound. The device counts in memory and
 * tells nobody, so that who waits looks again and again, after pauses that grow to a millisecond.
 */
public final class FabricCounter implements Counter {
    private static final long FIRST_PAUSE_NS = 1_000;
    private static final long LONGEST_PAUSE_NS = 1_000_000;
    private static final int SPINS = 100;
    private static final long[] NOTHING = {};

    private final Domain domain;
    private final Consumer<FabricCounter> onClose;
    private final AtomicLong own = new AtomicLong();
    private final AtomicLong errors = new AtomicLong();
    private volatile Sources sources = new Sources(new CountSource[0], NOTHING, 0);
    private volatile boolean closed;

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

        Sources end() {
            return new Sources(new CountSource[0], NOTHING, sum());
        }
    }

    /**
     * Makes a counter at 0.
     *
     * @param domain  what it belongs to.
     * @param onClose told once when it is closed.
     */
    public FabricCounter(final Domain domain, final Consumer<FabricCounter> onClose) {
        this.domain = domain;
        this.onClose = onClose;
    }

    /**
     * Counts from now on what a source counts.
     *
     * @param source never taken out again.
     * @throws FabricException FI_EBADFD if closed.
     */
    public synchronized void count(final CountSource source) {
        requireOpen("bind counter");
        sources = sources.with(source);
    }

    private void requireOpen(final String operation) {
        if (closed) {
            throw FabricException.of(operation).detail("%s", this).errno(FiErrno.FI_EBADFD).build();
        }
    }

    @Override
    public Domain domain() {
        return domain;
    }

    @Override
    public long read() {
        return own.get() + sources.sum();
    }

    @Override
    public long readError() {
        return errors.get();
    }

    @Override
    public void add(final long value) {
        requireOpen("add to counter");
        own.addAndGet(value);
    }

    @Override
    public void addError(final long value) {
        requireOpen("add to counter");
        errors.addAndGet(value);
    }

    @Override
    public void set(final long value) {
        requireOpen("set counter");
        own.set(value - sources.sum());
    }

    @Override
    public int fd() {
        return -1;
    }

    @Override
    public WaitObject waitObject() {
        return WaitObject.UNSPEC;
    }

    @Override
    public int await(final long threshold, final Duration timeout) {
        if (timeout == null) {
            throw FabricException.of("wait for counter").detail("timeout is null").errno(FiErrno.FI_EINVAL).build();
        }
        final long errorsBefore = errors.get();
        final long start = System.nanoTime();
        final long limit = nanos(timeout);
        long pause = FIRST_PAUSE_NS;
        for (int turn = 0; ; turn++) {
            final int result = look(threshold, errorsBefore);
            if (result != -FiErrno.FI_EAGAIN) {
                return result;
            }
            if (System.nanoTime() - start >= limit || Thread.currentThread().isInterrupted()) {
                return -FiErrno.FI_ETIMEDOUT;
            }
            if (turn < SPINS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(pause);
                pause = Math.min(2 * pause, LONGEST_PAUSE_NS);
            }
        }
    }

    private int look(final long threshold, final long errorsBefore) {
        if (closed) {
            return -FiErrno.FI_EBADFD;
        }
        if (Long.compareUnsigned(read(), threshold) >= 0) {
            return 0;
        }
        return errors.get() == errorsBefore ? -FiErrno.FI_EAGAIN : -FiErrno.FI_EAVAIL;
    }

    /** What is longer than 292 years lasts as long as that. */
    private static long nanos(final Duration timeout) {
        try {
            return timeout.toNanos();
        } catch (final ArithmeticException e) {
            return timeout.isNegative() ? 0 : Long.MAX_VALUE;
        }
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            // What was counted stays to be read; the sources may end now.
            sources = sources.end();
            closed = true;
        }
        onClose.accept(this);
    }

    @Override
    public String toString() {
        return "counter at " + Long.toUnsignedString(read()) + (closed ? ", closed" : "");
    }
}
