/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress;

import io.rdma4j.queues.SharedReceiveQueue;
import io.rdma4j.queues.WqeConsumer;

/** A driver that posts consecutive numbers while a device takes them, each as often as the ring allows. */
final class Laps {
    private static final int TRIES = 12;

    private final SharedReceiveQueue queue;
    private final WqeConsumer consumer;
    private int posted;
    private int consumed;

    Laps(final int count) {
        final Rings rings = new Rings();
        queue = rings.sharedReceiveQueue(count);
        consumer = rings.receiveConsumer(count);
    }

    void post() {
        for (int i = 0; i < TRIES; i++) {
            if (Rings.post(queue, posted + 1)) {
                posted++;
            }
        }
    }

    /** False if something else came than the next number. */
    boolean consume() {
        boolean right = true;
        for (int i = 0; i < TRIES; i++) {
            final int found = consumer.peek();
            if (found == WqeConsumer.HAS_DATA) {
                right &= Rings.readReceive(consumer) == ++consumed;
                consumer.advance();
                right &= queue.completed();
            }
            right &= found != WqeConsumer.CORRUPT;
        }
        return right;
    }

    boolean isEverythingConsumed() {
        return consumed == posted && queue.outstanding() == 0;
    }
}
