/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

/**
 * A work queue whose elements complete in order, which makes completions accountable although the device is not
 * trusted: the {@code wr_id} that the device sees and returns is the element's sequence number, while the application's
 * own identifier stays here. A completion for something that is not outstanding is recognised; elements that complete
 * silently are retired by the next one that does not; and what the device never completes can be found and completed
 * on its behalf.
 *
 * <p>To poll: {@link #isOutstanding}, then {@link #userWrId} and {@link #flags}, then {@link #retireThrough}. To
 * complete everything that is left:
 *
 * <pre>
 *   while ((seq = queue.oldestOutstanding()) &gt;= 0) {
 *       report(queue.userWrId(seq));
 *       queue.retireThrough(seq);
 *   }
 * </pre>
 */
public abstract sealed class SequencedQueue extends WorkQueue permits SendQueue, ReceiveQueue {
    private final long[] userWrIds;
    private final int[] flags;

    SequencedQueue(final RingPlace place, final int stride, final int maxSge, final Doorbell doorbell,
        final int uarOffset, final int word) {
        super(place, stride, maxSge, doorbell, uarOffset, word);
        userWrIds = new long[place.count()];
        flags = new int[place.count()];
    }

    /** Poster: keeps what the claimed element is to the application. Masks by length spare the JVM its range check. */
    final void remember(final long seq, final long userWrId, final int userFlags) {
        userWrIds[(int) seq & (userWrIds.length - 1)] = userWrId;
        flags[(int) seq & (flags.length - 1)] = userFlags;
    }

    /**
     * Poller: tells a genuine completion from a stale or forged one.
     *
     * @param seq the {@code wr_id} of the completion
     * @return whether this element was published and has not completed
     */
    public final boolean isOutstanding(final long seq) {
        return seq >= retired() && (seq < publishedSeen || seq < lookAtPublished());
    }

    private long lookAtPublished() {
        publishedSeen = publishedAcquire();
        return publishedSeen;
    }

    /**
     * Poller: the application's identifier of an outstanding element.
     *
     * @param seq an outstanding one; for any other the answer means nothing
     * @return what was given to {@code claim}
     */
    public final long userWrId(final long seq) {
        return userWrIds[(int) seq & (userWrIds.length - 1)];
    }

    /**
     * Poller: the application's flags of an outstanding element.
     *
     * @param seq an outstanding one; for any other the answer means nothing
     * @return what was given to {@code claim}
     */
    public final int flags(final long seq) {
        return flags[(int) seq & (flags.length - 1)];
    }

    /**
     * Poller: completes an element and all before it; their slots can be claimed again.
     *
     * @param seq the last one
     * @return false if it is not outstanding, in which case nothing changed
     */
    public final boolean retireThrough(final long seq) {
        if (!isOutstanding(seq)) {
            return false;
        }
        retiredRelease(seq + 1);
        return true;
    }

    /**
     * {@return for the poller: the number of the oldest element that has not completed, or -1 if there is none}
     */
    public final long oldestOutstanding() {
        final long seq = retired();
        return isOutstanding(seq) ? seq : -1;
    }
}
