/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.common;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.live.LivePublisher;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLongArray;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Counts surprising events and keeps the last of them in words. Thread-safe. Nothing here is touched by a send that
 * goes well.
 */
public final class Counters {
    private static final int REMEMBERED = 64;

    private final AtomicLongArray values = new AtomicLongArray(Counter.values().length);
    private final Deque<String> log = new ArrayDeque<>();
    /** How often the last one came; what comes again and again takes nobody's place. */
    private int times;
    private volatile AtomicCounter[] published = {};
    private volatile LivePublisher publisher;

    /** Counters that are all 0. */
    public Counters() {
        // Nothing to set: an array of zeros is the beginning.
    }

    /**
     * Counts one event.
     *
     * @param counter which.
     */
    public void increment(Counter counter) {
        values.incrementAndGet(counter.ordinal());
        final AtomicCounter[] seen = published;
        if (seen.length > 0) {
            seen[counter.ordinal()].increment();
        }
    }

    /**
     * From now on others see what is counted.
     *
     * @param live where.
     */
    public void publish(LivePublisher live) {
        final Counter[] all = Counter.values();
        final AtomicCounter[] made = new AtomicCounter[all.length];
        for (Counter counter : all) {
            made[counter.ordinal()] = live.counter("device: " + counter.label());
            made[counter.ordinal()].set(get(counter));
        }
        published = made;
        publisher = live;
    }

    /**
     * Counts one event and remembers it in words. For events that a driver's error causes.
     *
     * @param counter which.
     * @param format  a {@link String#format} pattern.
     * @param args    its arguments.
     */
    public void record(Counter counter, String format, Object... args) {
        increment(counter);
        remember(counter + ": " + String.format(Locale.ROOT, format, args));
    }

    private void remember(String text) {
        synchronized (log) {
            if (text.equals(log.peekLast())) {
                times++;
                return;
            }
            if (times > 1) {
                log.addLast(withTimes(log.removeLast()));
            }
            if (log.size() == REMEMBERED) {
                log.removeFirst();
            }
            log.addLast(text);
            times = 1;
        }
    }

    private String withTimes(String text) {
        return text + ", " + times + " times";
    }

    /**
     * Counts one event, and tells the driver's log of distinct errors what it was.
     *
     * @param counter which.
     * @param error   what happened, and what to do.
     */
    public void record(Counter counter, RdmaException error) {
        increment(counter);
        remember(counter + ": " + error.getMessage());
        final LivePublisher live = publisher;
        if (live != null) {
            live.error(error);
        }
    }

    /**
     * {@return how often it happened}
     *
     * @param counter which
     */
    public long get(Counter counter) {
        return values.get(counter.ordinal());
    }

    /**
     * {@return the last events in words, oldest first; what came again at once is one of them, with how often it came}
     */
    public List<String> recent() {
        synchronized (log) {
            final List<String> lines = new ArrayList<>(log);
            if (times > 1) {
                lines.set(lines.size() - 1, withTimes(log.peekLast()));
            }
            return lines;
        }
    }

    /**
     * Prints the counters that are not 0 and the last events.
     */
    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder("counters\n");
        for (Counter counter : Counter.values()) {
            if (get(counter) != 0) {
                text.append(String.format(Locale.ROOT, "  %-48s %d%n", counter.label(), get(counter)));
            }
        }
        recent().forEach(line -> text.append("  ").append(line).append('\n'));
        return text.toString();
    }
}
