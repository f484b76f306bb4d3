/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What makes progress when an event queue is read. One thread at a time does it; others go on without waiting for it.
 * A wake-up that comes meanwhile is not lost: who made progress looks for it after it let go.
 */
final class EventSources {
    private static final EventSource[] NONE = {};
    /** A source that wakes the queue each time must not keep a reader for ever. */
    private static final int ROUNDS = 8;

    private final AtomicBoolean busy = new AtomicBoolean();
    private volatile EventSource[] list = NONE;
    private volatile long wakes;
    private volatile long done;
    private volatile long turns;

    synchronized void add(final EventSource source) {
        final EventSource[] more = Arrays.copyOf(list, list.length + 1);
        more[list.length] = source;
        list = more;
    }

    /** False if it was not there. */
    synchronized boolean remove(final EventSource source) {
        final EventSource[] rest = Arrays.stream(list).filter(each -> each != source).toArray(EventSource[]::new);
        final boolean found = rest.length < list.length;
        list = rest.length == 0 ? NONE : rest;
        return found;
    }

    boolean isEmpty() {
        return list.length == 0;
    }

    /** There is something to do. */
    synchronized void wake() {
        wakes++;
    }

    /** How often it was woken up. */
    long wakes() {
        return wakes;
    }

    /** How often progress was made. */
    long turns() {
        return turns;
    }

    /** Whether it was woken up since the last progress began. */
    boolean isAwake() {
        return wakes != done;
    }

    /** False if another thread is at it, or if there is more to do than is good at once. */
    boolean progress() {
        if (list.length == 0 && !isAwake()) {
            return true;
        }
        for (int round = 0; round < ROUNDS; round++) {
            if (!busy.compareAndSet(false, true)) {
                return false;
            }
            try {
                progressAll();
            } finally {
                busy.set(false);
            }
            if (!isAwake()) {
                return true;
            }
        }
        return false;
    }

    /** One that throws does not keep the others from their progress. */
    private void progressAll() {
        final long seen = wakes;
        RuntimeException failure = null;
        for (final EventSource source : list) {
            try {
                source.progress();
            } catch (final RuntimeException e) {
                failure = failure == null ? e : failure;
            }
        }
        done = seen;
        turns = turns + 1;
        if (failure != null) {
            throw failure;
        }
    }

    long idleNanos() {
        long least = Long.MAX_VALUE;
        for (final EventSource source : list) {
            least = Math.min(least, source.idleNanos());
        }
        return Math.max(0, least);
    }
}
