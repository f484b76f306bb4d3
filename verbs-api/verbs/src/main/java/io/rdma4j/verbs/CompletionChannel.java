/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import java.time.Duration;

/**
 * Where a thread waits for completions of several queues of one device. Made by {@link RdmaContext#createChannel()};
 * queues join it when they are created, with {@link RdmaContext#createCq(int, CompletionChannel)}. Thread-safe.
 *
 * <p>How not to miss a completion: ask for an event of each queue with {@link CompletionQueue#requestNotify}, poll each
 * once more for what came before, then wait here. Of the queue that {@link #await} returns, ask for the next event
 * first, and poll it empty afterwards. {@link CompletionWaiter#blocking} does that.
 *
 * <p>Each request brings at most one event. Events come in the order in which the queues had them; several events of
 * a queue that nobody took meanwhile are one. An event is acknowledged by taking it: unlike in C there is nothing to
 * count and to give back before a queue can be closed. The events of a queue that is closed go with it; if one was
 * asked for, a wait here ends without an event: one under way, else the next that finds no event. Polling tells which
 * queue it was. An event can be spurious, as its completion may have been polled before it was taken.
 *
 * <p>Several threads may wait on one channel; each event goes to one of them. Several channels of a device do not
 * delay each other, although devices have a single interrupt for completions: whichever of the threads hears it tells
 * those whom it concerns.
 */
public interface CompletionChannel extends AutoCloseable {
    /**
     * The device.
     *
     * @return the context that created the channel.
     */
    RdmaContext context();

    /**
     * Waits for the next event and takes it.
     *
     * @param timeout longest wait; zero or less only looks.
     * @return a queue that has an event; null if the time passed, the thread was interrupted (which it still is then),
     *         {@link #wakeUp()} was called or a queue of it was closed.
     * @throws io.rdma4j.RdmaException EBADFD if the channel or its device is closed or the device failed, be it before
     *                                 or, at once, while waiting; EINVAL for a null timeout.
     */
    CompletionQueue await(Duration timeout);

    /**
     * Ends one wait without an event, here or in {@link CompletionQueue#awaitEvent} of a queue of this channel: one
     * under way, else the next that finds no event. For threads that wait for work from elsewhere too. Several calls
     * before that are one. A thread that listens to the device itself hears of it within 20 ms.
     */
    void wakeUp();

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Closes the channel. Harmless when called again.
     *
     * @throws io.rdma4j.RdmaException EBUSY while queues use it, naming them.
     */
    @Override
    void close();
}
