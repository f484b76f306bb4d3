/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Something that happened to an object or to the device. Who takes an event acknowledges it when done with it: until
 * then the object that it names is not closed under the hands of the thread that deals with the event. Thread-safe.
 *
 * <p>What that means for closing a {@link QueuePair}, {@link CompletionQueue} or {@link SharedReceiveQueue}:
 *
 * <ul>
 * <li>It waits until all events of the object that were taken are acknowledged, as long as a command to the device may
 * take. After that it is refused with EBUSY, with the event and the thread that took it in the message, and the object
 * is as before.</li>
 * <li>It is refused at once if the closing thread took the event itself: it would wait for itself.</li>
 * <li>Events of the object that nobody took yet are dropped with it, and counted.</li>
 * <li>Closing a {@link ProtectionDomain} waits in the same way for the events of all its objects, before it closes the
 * first of them. Closing the {@link RdmaContext}, or an object of a device that failed, waits for none.</li>
 * </ul>
 */
public final class AsyncEvent {
    private final AsyncEventType type;
    private final Object element;
    private final int number;
    private final Consumer<AsyncEvent> onAcknowledge;
    private final AtomicBoolean acknowledged = new AtomicBoolean();

    /**
     * An event that is to be acknowledged; for implementations of {@link RdmaContext}.
     *
     * @param type          what happened.
     * @param element       what it happened to, see {@link #element()}.
     * @param number        see {@link #number()}.
     * @param onAcknowledge called once, by the first {@link #acknowledge()}.
     * @throws NullPointerException if type, element or callback is null.
     */
    public AsyncEvent(
        final AsyncEventType type, final Object element, final int number, final Consumer<AsyncEvent> onAcknowledge) {
        this.type = Objects.requireNonNull(type, "type");
        this.element = Objects.requireNonNull(element, "element");
        this.number = number;
        this.onAcknowledge = Objects.requireNonNull(onAcknowledge, "onAcknowledge");
    }

    /**
     * What happened.
     *
     * @return never null.
     */
    public AsyncEventType type() {
        return type;
    }

    /**
     * What it happened to.
     *
     * @return the {@link QueuePair}, {@link CompletionQueue} or {@link SharedReceiveQueue}; the {@link RdmaContext} for
     *         ports, the device, and types that are not known. Never null.
     */
    public Object element() {
        return element;
    }

    /**
     * What the device calls the object.
     *
     * @return the handle of the object, or the number of the port; for {@link AsyncEventType#EVENTS_LOST} how many were
     *         lost.
     */
    public int number() {
        return number;
    }

    /** Says that the event has been dealt with. From any thread; harmless when called again. */
    public void acknowledge() {
        if (acknowledged.compareAndSet(false, true)) {
            onAcknowledge.accept(this);
        }
    }

    /**
     * Whether it was acknowledged.
     *
     * @return true after {@link #acknowledge()}.
     */
    public boolean isAcknowledged() {
        return acknowledged.get();
    }

    @Override
    public String toString() {
        return type + " of " + element + " (" + number + (isAcknowledged() ? ", acknowledged)" : ")");
    }
}
