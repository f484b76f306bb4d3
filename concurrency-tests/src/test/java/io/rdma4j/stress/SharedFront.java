/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress;

import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedSendQueue;
import java.lang.reflect.Proxy;

/** A shared send queue before a QP that takes everything and notes what came; each request tells one number. */
final class SharedFront {
    private static final int MOST = 8;

    private final long[] seen = new long[MOST];
    private final SharedSendQueue queue;
    private int count;
    private boolean whole = true;

    SharedFront(final int capacity) {
        queue = new SharedSendQueue(qp(), capacity, (wrId, code) -> note(wrId, code == ReturnCode.CLOSED));
    }

    private QueuePair qp() {
        return (QueuePair) Proxy.newProxyInstance(QueuePair.class.getClassLoader(), new Class<?>[] {QueuePair.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "type" -> QpType.RC;
                case "maxSendSge" -> 1;
                case "maxSendWr" -> 2;
                case "postSend" -> post((SendRequest[]) arguments[0], (Integer) arguments[1]);
                default -> throw new AssertionError(method.toString());
            });
    }

    private int post(final SendRequest[] requests, final int number) {
        for (int i = 0; i < number; i++) {
            final SendRequest r = requests[i];
            note(r.wrId(), r.sges().size() == 1 && r.sges().address(0) == r.wrId() && r.sges().length(0) == r.wrId()
                && r.sges().lkey(0) == r.wrId());
        }
        return number;
    }

    private void note(final long number, final boolean right) {
        seen[count++] = number;
        whole &= right;
    }

    boolean offer(final int number) {
        return queue.offer(number, number, number, number) == ReturnCode.OK;
    }

    void close() {
        queue.close();
    }

    /** Whether nothing is left nor can come. */
    boolean drain() {
        return queue.drain(MOST) == ReturnCode.CLOSED;
    }

    /** Whether nothing is left nor can come. */
    boolean abandon() {
        return queue.abandon(MOST) == ReturnCode.CLOSED;
    }

    /** Drains, as often as there is something. */
    void drainAll() {
        while (queue.drain(MOST) > 0) {
            Thread.onSpinWait();
        }
    }

    int count() {
        return count;
    }

    /** How often a number came; a large number if something came that was never offered. */
    int times(final int number) {
        int times = whole ? 0 : 1_000;
        for (int i = 0; i < count; i++) {
            times += seen[i] == number ? 1 : 0;
        }
        return times;
    }

    /** Whether one number came before another one. */
    boolean inOrder(final int first, final int second) {
        return place(first) < place(second);
    }

    private int place(final int number) {
        for (int i = 0; i < count; i++) {
            if (seen[i] == number) {
                return i;
            }
        }
        return MOST;
    }
}
