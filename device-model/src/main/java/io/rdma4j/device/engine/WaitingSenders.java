/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.link.Agenda;
import io.rdma4j.device.link.Waiter;
import io.rdma4j.queues.Padded;

import java.util.Arrays;

/** Senders that wait for a receive, in their order. Under its queue's lock, but for {@link #areThere()}. */
final class WaitingSenders extends Padded {
    private Waiter[] waiting = new Waiter[2];
    private int count;
    private volatile boolean areThere;

    /** A sender waits from now on; once, however often it says so. */
    void add(Waiter sender) {
        sender.begin();
        for (int i = 0; i < count; i++) {
            if (waiting[i] == sender) {
                return;
            }
        }
        if (count == waiting.length) {
            dropThoseThatWaitNoMore();
        }
        if (count == waiting.length) {
            waiting = Arrays.copyOf(waiting, 2 * count);
        }
        waiting[count++] = sender;
        areThere = true;
    }

    /** Those whose wait ended otherwise stay until there is no room, or one leaves; the others keep their order. */
    private void dropThoseThatWaitNoMore() {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (waiting[i].isWaiting()) {
                waiting[kept++] = waiting[i];
            }
        }
        Arrays.fill(waiting, kept, count, null);
        count = kept;
    }

    /** A sender that was added waits no more. */
    void remove(Waiter sender) {
        sender.end();
        dropThoseThatWaitNoMore();
        areThere = count > 0;
    }

    /** Without the lock, after a doorbell's fence: whether there may be one. */
    boolean areThere() {
        return areThere;
    }

    int count() {
        return count;
    }

    /** All of them are to look again. */
    void moveTo(Agenda agenda) {
        for (int i = 0; i < count; i++) {
            agenda.add(waiting[i]);
            waiting[i] = null;
        }
        count = 0;
        areThere = false;
    }
}
