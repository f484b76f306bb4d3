/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import java.util.ArrayList;
import java.util.List;

/**
 * Send queues that wait until some time. There is no thread of the device: whoever rings a doorbell or waits for an
 * interrupt looks whether a time has come. Looking costs one load when nobody waits.
 */
final class Timers {
    private final List<Requester> waiting = new ArrayList<>();
    private volatile int count;

    void add(Requester requester) {
        synchronized (waiting) {
            if (!waiting.contains(requester)) {
                waiting.add(requester);
                count = waiting.size();
            }
        }
    }

    /**
     * Runs the send queues whose time has come. The caller holds no lock.
     *
     * @return nanoseconds until the next, {@link Long#MAX_VALUE} if there is none.
     */
    long service() {
        return count == 0 ? Long.MAX_VALUE : serviceDue();
    }

    private long serviceDue() {
        final List<Requester> due = new ArrayList<>();
        final long now = System.nanoTime();
        long next = Long.MAX_VALUE;
        synchronized (waiting) {
            for (int i = waiting.size() - 1; i >= 0; i--) {
                final long left = waiting.get(i).deadline() - now;
                if (left <= 0) {
                    due.add(waiting.remove(i));
                } else {
                    next = Math.min(next, left);
                }
            }
            count = waiting.size();
        }
        due.forEach(Requester::run);
        return next;
    }

    void clear() {
        synchronized (waiting) {
            waiting.clear();
            count = 0;
        }
    }
}
