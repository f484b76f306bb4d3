/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import java.time.Duration;

/**
 * A completion queue. Polling is for one thread at a time; everything else is thread-safe.
 */
public interface CompletionQueue extends AutoCloseable {
    /**
     * The device.
     *
     * @return the context that created the queue.
     */
    RdmaContext context();

    /**
     * Where its events can be waited for together with those of other queues.
     *
     * @return the channel that it was created with; null if it has none.
     */
    CompletionChannel channel();

    /**
     * Size.
     *
     * @return entries; a power of two, at least what was asked for, at creation or by the last {@link #resize}.
     */
    int capacity();

    /**
     * Changes the size. Completions that are in the queue stay there, in their order; an event that was asked for is
     * still asked for, though it may come early. Another thread may poll meanwhile: it finds the queue empty until this
     * returns, and this waits until it comes out of {@link #poll}. So not from a handler of this queue.
     *
     * @param cqe least number of entries, from 1 to {@link DeviceAttributes#maxCqe()}.
     * @throws io.rdma4j.RdmaException EOPNOTSUPP with {@link RdmaContext#whyNot} of {@link Feature#CQ_RESIZE}; EINVAL
     *                                 if cqe is out of range, or below what QPs reserved or what is in the queue, with
     *                                 both numbers; EBUSY if the polling thread does not come out of {@link #poll} as
     *                                 long as a command may take; ENOMEM if memory is exhausted; EBADFD if the queue is
     *                                 closed. The queue is as before then.
     */
    void resize(int cqe);

    /**
     * Hands completions to a handler, oldest first. The handler can post again what completed. Entries are given back
     * to the device once per call, after the handler saw them, also if it throws; sooner where the QPs that use the
     * queue may need them meanwhile, so a queue with more entries than they reserve is faster. Allocates nothing.
     *
     * @param handler called on this thread once per completion; must not close the queue, and must not keep the
     *                {@link Completion}.
     * @param limit   most completions to hand over, at least 1.
     * @return how many were handed over, 0 if there were none; {@link ReturnCode#CLOSED},
     *         {@link ReturnCode#DEVICE_FAILED}, or {@link ReturnCode#INVALID_REQUEST} without a handler, for a limit
     *         below 1, and when called from a handler of this queue.
     */
    int poll(CompletionHandler handler, int limit);

    /**
     * Asks for one event when the next completion arrives. Poll once more afterwards, for what came before.
     *
     * @param solicitedOnly only for completions that the sender marked as solicited, or that are errors.
     * @return {@link ReturnCode#OK} or a negative code.
     */
    int requestNotify(boolean solicitedOnly);

    /**
     * Waits for the event that was asked for and takes it. The event may be spurious: poll, and ask again. Where the
     * device has no interrupts the driver looks for the event now and then. A queue with a channel can be waited for
     * here too; who comes first has the event.
     *
     * @param timeout longest wait.
     * @return true if an event came; false if the time passed, the thread was interrupted or
     *         {@link CompletionChannel#wakeUp()} was called.
     * @throws io.rdma4j.RdmaException EBADFD if the queue or its device is closed or the device failed, be it before
     *                                 or, at once, while waiting; EINVAL for a null timeout.
     */
    boolean awaitEvent(Duration timeout);

    /**
     * Completions that named a QP that is not there (closed meanwhile, or made up by the device); they were dropped.
     *
     * @return a count that only grows.
     */
    long dropped();

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Destroys the queue. Harmless when called again.
     *
     * @throws io.rdma4j.RdmaException EBUSY while QPs use it, naming them, and while events of it are not acknowledged,
     *                                 see {@link AsyncEvent}.
     */
    @Override
    void close();
}
