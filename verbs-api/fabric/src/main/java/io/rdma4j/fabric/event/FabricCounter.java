/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import io.rdma4j.base.Deadline;
import io.rdma4j.driver.wait.WaitFd;
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
 * A counter: what was added to it, and what its sources counted since they were bound. Who adds wakes up who waits for
 * that. Sources tell nobody, as the device counts in memory: who waits for a counter with sources looks again and
 * again, after pauses that grow to a millisecond.
 */
public final class FabricCounter implements Counter {
    private static final String OPEN = "open counter";
    private static final long FIRST_PAUSE_NS = 1_000;
    private static final long LONGEST_PAUSE_NS = 1_000_000;
    private static final int SPINS = 100;
    private static final CountWaiter[] NOBODY = {};

    private final Domain domain;
    private final WaitObject waitObject;
    private final Consumer<FabricCounter> onClose;
    private final AtomicLong own = new AtomicLong();
    private final AtomicLong errors = new AtomicLong();
    /** Null without a descriptor. */
    private final CountAlarm alarm;
    private final CountMemory counted = new CountMemory();
    private volatile CountWaiter[] waiters = NOBODY;
    private volatile boolean closed;
    private int holders;

    /**
     * Makes a counter at 0 that is waited for as the provider likes.
     *
     * @param domain  what it belongs to.
     * @param onClose told once when it is closed.
     */
    public FabricCounter(final Domain domain, final Consumer<FabricCounter> onClose) {
        this(domain, WaitObject.UNSPEC, onClose);
    }

    /**
     * Makes a counter at 0.
     *
     * @param domain     what it belongs to.
     * @param waitObject how threads wait for it.
     * @param onClose    told once when it is closed.
     * @throws FabricException FI_EINVAL for null, FI_ENOSYS for MUTEX_COND, FI_EMFILE.
     */
    public FabricCounter(final Domain domain, final WaitObject waitObject, final Consumer<FabricCounter> onClose) {
        this.domain = domain;
        this.waitObject = WaitObjects.checked(OPEN, waitObject);
        this.onClose = onClose;
        final WaitFd fd = WaitFds.openFor(OPEN, waitObject);
        alarm = fd == null ? null : new CountAlarm(fd, this::read, errors::get, () -> !counted.isEmpty());
    }

    /**
     * Counts from now on what a source counts.
     *
     * @param source never taken out again.
     * @throws FabricException FI_EBADFD if closed.
     */
    public synchronized void count(final CountSource source) {
        requireOpen("bind counter");
        counted.add(source);
        // They slept, or watch the descriptor, until somebody would tell them.
        tellAll();
        if (alarm != null) {
            alarm.changed();
        }
    }

    private void requireOpen(final String operation) {
        if (closed) {
            throw FabricException.of(operation).detail("%s", this).errno(FiErrno.FI_EBADFD).build();
        }
    }

    synchronized void hold(final String operation) {
        requireOpen(operation);
        holders++;
    }

    synchronized void release() {
        holders--;
    }

    /** Part of the data path. */
    void countSuccess() {
        own.getAndIncrement();
        changed();
    }

    /** Part of the data path. */
    void countFailure() {
        errors.getAndIncrement();
        changed();
    }

    private void changed() {
        final CountWaiter[] waiting = waiters;
        if (waiting.length > 0) {
            tell(waiting);
        }
        if (alarm != null) {
            alarm.changed();
        }
    }

    /** Only whom it is of use to: a thread that waits for the millionth is not woken up by each. */
    private void tell(final CountWaiter[] waiting) {
        for (final CountWaiter waiter : waiting) {
            if (!waiter.isTold() && look(waiter) != -FiErrno.FI_EAGAIN) {
                waiter.tell();
            }
        }
    }

    private void tellAll() {
        for (final CountWaiter waiter : waiters) {
            waiter.tell();
        }
    }

    @Override
    public Domain domain() {
        return domain;
    }

    @Override
    public long read() {
        return own.get() + counted.sum();
    }

    @Override
    public long readError() {
        return errors.get();
    }

    @Override
    public void add(final long value) {
        requireOpen("add to counter");
        own.addAndGet(value);
        changed();
    }

    @Override
    public void addError(final long value) {
        requireOpen("add to counter");
        errors.addAndGet(value);
        changed();
    }

    @Override
    public void set(final long value) {
        requireOpen("set counter");
        own.set(value - counted.sum());
        changed();
    }

    @Override
    public void setError(final long value) {
        requireOpen("set counter");
        errors.set(value);
        changed();
    }

    @Override
    public int await(final long threshold, final Duration timeout) {
        if (timeout == null) {
            throw FabricException.of("wait for counter").detail("timeout is null").errno(FiErrno.FI_EINVAL).build();
        }
        if (waitObject == WaitObject.NONE) {
            return -FiErrno.FI_ENOSYS;
        }
        final long start = System.nanoTime();
        final long limit = Deadline.nanos(timeout);
        final CountWaiter waiter = new CountWaiter(threshold, errors.get());
        for (int turn = 0; turn < SPINS || waitObject == WaitObject.YIELD; turn++) {
            final int result = look(waiter);
            if (result != -FiErrno.FI_EAGAIN) {
                return result;
            }
            if (isOver(start, limit)) {
                return -FiErrno.FI_ETIMEDOUT;
            }
            pauseShortly();
        }
        return sleep(waiter, start, limit);
    }

    private void pauseShortly() {
        if (waitObject == WaitObject.YIELD) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    private static boolean isOver(final long start, final long limit) {
        return System.nanoTime() - start >= limit || Thread.currentThread().isInterrupted();
    }

    int look(final CountWaiter waiter) {
        if (closed) {
            return -FiErrno.FI_EBADFD;
        }
        if (Long.compareUnsigned(read(), waiter.threshold()) >= 0) {
            return 0;
        }
        return errors.get() == waiter.errorsBefore() ? -FiErrno.FI_EAGAIN : -FiErrno.FI_EAVAIL;
    }

    private int sleep(final CountWaiter waiter, final long start, final long limit) {
        join(waiter);
        try {
            long pause = FIRST_PAUSE_NS;
            while (true) {
                waiter.looks();
                final int result = look(waiter);
                if (result != -FiErrno.FI_EAGAIN) {
                    return result;
                }
                if (isOver(start, limit)) {
                    return -FiErrno.FI_ETIMEDOUT;
                }
                final long rest = limit - (System.nanoTime() - start);
                LockSupport.parkNanos(this, counted.isEmpty() ? rest : Math.min(rest, pause));
                pause = Math.min(2 * pause, LONGEST_PAUSE_NS);
            }
        } finally {
            leave(waiter);
        }
    }

    /** Who sleeps, or is about to. Not to be changed. */
    CountWaiter[] sleepers() {
        return waiters;
    }

    synchronized void join(final CountWaiter waiter) {
        final CountWaiter[] more = Arrays.copyOf(waiters, waiters.length + 1);
        more[waiters.length] = waiter;
        waiters = more;
    }

    private synchronized void leave(final CountWaiter waiter) {
        final CountWaiter[] rest = Arrays.stream(waiters).filter(each -> each != waiter).toArray(CountWaiter[]::new);
        waiters = rest.length == 0 ? NOBODY : rest;
    }

    @Override
    public int tryWait() {
        if (alarm == null) {
            return -FiErrno.FI_ENOSYS;
        }
        final boolean same = alarm.arm();
        return closed ? -FiErrno.FI_EBADFD : same ? 0 : -FiErrno.FI_EAGAIN;
    }

    @Override
    public int fd() {
        return alarm == null ? -1 : alarm.fd();
    }

    @Override
    public WaitObject waitObject() {
        return waitObject;
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
            if (holders > 0) {
                throw FabricException.of("close counter").detail("it counts %d kinds of events of endpoints", holders)
                    .errno(FiErrno.FI_EBUSY).hint("close these endpoints first").build();
            }
            // What was counted stays to be read; the sources may end now.
            counted.end();
            closed = true;
            tellAll();
        }
        counted.awaitReaders();
        if (alarm != null) {
            alarm.close();
        }
        onClose.accept(this);
    }

    @Override
    public String toString() {
        return "counter at " + Long.toUnsignedString(read()) + (closed ? ", closed" : "");
    }
}
