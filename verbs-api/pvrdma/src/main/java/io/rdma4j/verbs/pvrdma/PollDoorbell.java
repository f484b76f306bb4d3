/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.queues.CompletionQueue;

import java.util.concurrent.TimeUnit;

/** The doorbell that asks a device for what it holds back, of one CQ. Some devices must not be asked at any time. */
final class PollDoorbell {
    private static final long LONGEST_INTERRUPT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PvrdmaCq cq;
    private volatile long tailWhenArmed;

    PollDoorbell(final PvrdmaCq cq) {
        this.cq = cq;
    }

    private Traits traits() {
        return cq.context.traits;
    }

    /** A device that cannot be asked while one of its CQs is armed completes without being asked. */
    void ring(final CompletionQueue queue) {
        if (!traits().pollDeadlocks || cq.context.noCqIsArmed()) {
            queue.poke();
        }
    }

    /** What completes from now on interrupts. */
    void beforeArming() {
        if (traits().destroyQpRaces) {
            tailWhenArmed = cq.tailPosition();
        }
    }

    /**
     * Returns when the device is done with what it has completed. Such a device writes an entry, interrupts, and only
     * then lets go of the request: its interrupt has come, and it has answered when asked for more. What completes from
     * now on may still harm it.
     */
    void settle() {
        if (traits().destroyQpRaces) {
            if (cq.event.isArmed() && cq.tailPosition() != tailWhenArmed) {
                cq.context.completionEvents.awaitInterrupt(cq.event, System.nanoTime() + LONGEST_INTERRUPT_NANOS);
            }
            cq.poke();
        }
    }
}
