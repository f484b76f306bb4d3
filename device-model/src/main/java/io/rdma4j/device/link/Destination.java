/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.link;

/**
 * A queue pair as its peer sees it: found once, then asked for each message. Here is the short way of messages in which
 * nothing is special: one piece of memory at either end, nothing that fails. What is special is for
 * {@link Port#deliver}: whoever is refused here asks there.
 */
public interface Destination {
    /**
     * {@return whether the queue pair is destroyed: then whoever holds this looks for another one}
     */
    boolean isOver();

    /**
     * Carries out an RDMA WRITE, on the calling thread, which holds the lock of the send queue that it comes from.
     *
     * @param message with {@link Message#host} and the remote memory.
     * @return false if that is not so simple; then nothing was done.
     */
    boolean tryWrite(Message message);

    /**
     * Carries out a SEND, likewise.
     *
     * @param message with {@link Message#host}.
     * @return false if that is not so simple; then nothing was done that the peer may rely on.
     */
    boolean trySend(Message message);

    /**
     * Carries out one of several short SENDs in a row, of which the peer sees the completions at the end. The row holds
     * the peer's locks until then; so its sender takes no lock meanwhile, and ends it by {@link #endRow} if there is
     * no last one after all.
     *
     * @param message with {@link Message#host}, and short.
     * @param last    whether it ends the row.
     * @return false as {@link #trySend}; then the row is ended.
     */
    boolean trySendInRow(Message message, boolean last);

    /**
     * Ends a row, if it is not.
     *
     * @param message the one that each send of the row was told by.
     */
    void endRow(Message message);
}
