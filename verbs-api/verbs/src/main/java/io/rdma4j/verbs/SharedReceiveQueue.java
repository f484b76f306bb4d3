/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/**
 * Receives that several QPs take from. Posting is for one thread at a time, which {@link QueuePair} tells how to check;
 * everything else is thread-safe.
 */
public interface SharedReceiveQueue extends AutoCloseable {
    /**
     * The domain.
     *
     * @return the domain that the queue was created in.
     */
    ProtectionDomain pd();

    /**
     * Size.
     *
     * @return work requests; a power of two, at least what was asked for.
     */
    int maxWr();

    /**
     * Elements that a receive may have.
     *
     * @return scatter/gather elements.
     */
    int maxSge();

    /**
     * Asks for one {@link AsyncEventType#SRQ_LIMIT_REACHED} event when fewer receives than this are left, at once if
     * there are fewer already. Not so with Linux' SoftRoCE ({@code ibv:rxe0}), which counts when it takes a receive:
     * there the event comes with the next message.
     *
     * @param limit work requests, from 1 to {@link #maxWr()}.
     * @throws io.rdma4j.RdmaException EINVAL if the limit is out of range, EBADFD if the queue is closed or the device
     *                                 failed, the device's own error number if it refuses.
     */
    void armLimit(int limit);

    /**
     * The limit that is armed, as the device tells.
     *
     * @return work requests; 0 if none is armed, also after the event.
     */
    int queryLimit();

    /**
     * Posts a receive.
     *
     * @param request where to put a message; copied.
     * @return {@link ReturnCode#OK} or a negative code; then nothing was posted.
     */
    int postReceive(ReceiveRequest request);

    /**
     * Posts a receive with one element, the short way.
     *
     * @param wrId    comes back in the completion.
     * @param address first byte.
     * @param length  bytes.
     * @param lkey    key of the region that holds them; it must allow local write.
     * @return {@link ReturnCode#OK} or a negative code.
     */
    int postReceive(long wrId, long address, int length, int lkey);

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Destroys the queue; receives that are left are dropped. Harmless when called again.
     *
     * @throws io.rdma4j.RdmaException EBUSY while QPs use it, naming them, and while events of it are not acknowledged,
     *                                 see {@link AsyncEvent}.
     */
    @Override
    void close();
}
