/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import java.util.concurrent.locks.Condition;

/** What threads wait for events of, by means of {@link CompletionEvents}, whose lock guards all of it. */
abstract class EventSource<T> {
    final PvrdmaObject owner;
    /** Signaled when a waiting thread has to look again. */
    final Condition changed;

    EventSource(final PvrdmaObject owner, final CompletionEvents events) {
        this.owner = owner;
        this.changed = events.newCondition();
    }

    /** Takes the next event; null if there is none. */
    abstract T take();

    /** Takes the request to end a wait without an event. */
    boolean takeWakeUp() {
        return false;
    }

    /** Forgets its events: it is closed. */
    abstract void clear();
}
