/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.link;

import io.rdma4j.device.common.Padded;

import java.util.Arrays;

/**
 * Work that was found while locks were held and needs other locks: a sender to be resumed, the send queue of a QP whose
 * receive side failed. Whoever found it calls {@link #drain()} when it holds no lock any more. Because work is queued
 * and not called, a chain of QPs that fail one after the other needs no deep stack.
 *
 * <p>A ring that grows, so that waiting again and again allocates nothing. Its monitor is a leaf: no lock is taken
 * under it.
 */
public final class Agenda extends Padded {
    private Runnable[] ring = new Runnable[16];
    private int first;
    private volatile int size;

    /** An empty agenda. */
    public Agenda() {
        // The fields say it all.
    }

    /**
     * Adds work.
     *
     * @param task run by some thread that holds no lock of a device.
     */
    public synchronized void add(Runnable task) {
        if (size == ring.length) {
            grow();
        }
        ring[first + size & ring.length - 1] = task;
        size++;
    }

    private void grow() {
        final Runnable[] bigger = Arrays.copyOf(ring, 2 * ring.length);
        for (int i = 0; i < size; i++) {
            bigger[i] = ring[first + i & ring.length - 1];
        }
        Arrays.fill(bigger, size, bigger.length, null);
        ring = bigger;
        first = 0;
    }

    /** Does what there is to do; the caller holds no lock of a device. One load if there is nothing. */
    public void drain() {
        while (size > 0) {
            final Runnable task = take();
            if (task == null) {
                return;
            }
            task.run();
        }
    }

    private synchronized Runnable take() {
        if (size == 0) {
            return null;
        }
        final Runnable task = ring[first];
        ring[first] = null;
        first = first + 1 & ring.length - 1;
        size--;
        return task;
    }
}
