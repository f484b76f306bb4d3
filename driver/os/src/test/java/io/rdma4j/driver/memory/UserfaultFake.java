/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.memory.AddressRangeMap.Range;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A userfaultfd that does as a test says. Thread-safe. */
final class UserfaultFake implements UserfaultKernel {
    final List<Range> registered = new ArrayList<>();
    final List<Range> unregistered = new ArrayList<>();
    private final Deque<long[]> events = new ArrayDeque<>();
    private RuntimeException failure;
    private boolean changing;
    private Runnable whenAsked;
    private boolean stopped;
    private int reads;
    private boolean closed;
    private int answer;

    /** From now on, to every registration. */
    synchronized void answer(final int errno) {
        answer = errno;
    }

    synchronized void happens(final int event, final long first, final long second, final long third) {
        events.add(new long[] {event, first, second, third});
        notifyAll();
    }

    synchronized void fail(final RuntimeException e) {
        failure = e;
        notifyAll();
    }

    synchronized void changing(final boolean is) {
        changing = is;
    }

    /** What happens just before the kernel is asked next whether it is changing something. */
    synchronized void whenAsked(final Runnable happening) {
        whenAsked = happening;
    }

    synchronized boolean closed() {
        return closed;
    }

    synchronized int reads() {
        return reads;
    }

    @Override
    public synchronized boolean await(final long nanos) {
        try {
            while (events.isEmpty() && failure == null && !stopped) {
                wait(nanos / 1_000_000);
            }
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return !stopped;
    }

    @Override
    public synchronized void read(final UserfaultEvents into) {
        if (failure != null) {
            throw failure;
        }
        reads++;
        for (final long[] event : events) {
            into.put((int) event[0], event[1], event[2], event[3]);
        }
        events.clear();
    }

    @Override
    public synchronized int register(final long from, final long to) {
        if (closed) {
            throw RdmaException.of("fake").errno(RdmaException.EBADFD).build();
        }
        registered.add(new Range(from, to));
        return answer;
    }

    @Override
    public synchronized int unregister(final long from, final long to) {
        if (closed) {
            throw RdmaException.of("fake").errno(RdmaException.EBADFD).build();
        }
        unregistered.add(new Range(from, to));
        return 0;
    }

    /** As the kernel: a change is one until it was read. */
    @Override
    public synchronized boolean changing() {
        if (closed) {
            throw RdmaException.of("fake").errno(RdmaException.EBADFD).build();
        }
        final Runnable first = whenAsked;
        whenAsked = null;
        if (first != null) {
            first.run();
        }
        return changing || !events.isEmpty();
    }

    @Override
    public synchronized void stop() {
        stopped = true;
        notifyAll();
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
