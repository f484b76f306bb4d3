/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import io.rdma4j.hw.layout.Words;
import java.util.Arrays;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A work queue whose elements complete in order, which makes completions accountable although the device is not
 * trusted: the {@code wr_id} that the device sees and returns is the element's sequence number, while the application's
 * own identifier stays here. A completion for something that is not outstanding is recognised; elements that complete
 * silently are retired by the next one that does not; and what the device never completes can be found and completed
 * on its behalf. An element that completes ahead of older ones, as some devices let failed ones, is retired alone.
 *
 * <p>To poll: {@link #isOutstanding}, then {@link #userWrId}, {@link #flags} and {@link #length}, then
 * {@link #retireThrough} or {@link #retireOne}. To complete everything that is left:
 *
 * <pre>
 *   while ((seq = queue.oldestOutstanding()) &gt;= 0) {
 *       report(queue.userWrId(seq));
 *       queue.retireOne(seq);
 *   }
 * </pre>
 */
public abstract sealed class SequencedQueue extends WorkQueue permits SendQueue, ReceiveQueue {
    private static final long NEVER = -1;
    private static final int LINE = 64;

    private static final int NOTE_SHIFT = 4;
    private static final int DETAILS = Long.BYTES;

    /** Keeps the memory of the notes. */
    private final UnsafeBuffer noteMemory;
    /** Address of two words for each slot, in one cache line: the application's identifier, then length and flags. */
    private final long notes;
    /** Poller: which element of each slot completed ahead of older ones. Numbers do not recur, so none is cleared. */
    private final long[] doneAhead;

    SequencedQueue(final RingPlace place, final int stride, final int maxSge, final Doorbell doorbell,
        final int uarOffset, final int word, final QueueTotals totals) {
        super(place, stride, maxSge, doorbell, uarOffset, word, totals);
        noteMemory = new UnsafeBuffer(BufferUtil.allocateDirectAligned(place.count() << NOTE_SHIFT, LINE));
        notes = noteMemory.addressOffset();
        doneAhead = new long[place.count()];
        Arrays.fill(doneAhead, NEVER);
    }

    /** Poster: keeps what the claimed element is to the application. */
    final void remember(final long seq, final long userWrId, final int userFlags, final int length) {
        final long note = note(seq);
        UnsafeApi.putLong(note, userWrId);
        UnsafeApi.putLong(note + DETAILS, Words.pair(userFlags, length));
    }

    /** Inside of the memory for any number. */
    private long note(final long seq) {
        return notes + ((seq & slotMask()) << NOTE_SHIFT);
    }

    /**
     * Poller: tells a genuine completion from a stale or forged one.
     *
     * @param seq the {@code wr_id} of the completion
     * @return whether this element was published and has not completed
     */
    public final boolean isOutstanding(final long seq) {
        return seq >= retired() && isPublished(seq) && (ahead == 0 || !isEarly(seq));
    }

    /**
     * As {@link #publishedAcquire()}, but without calling it: newer JVMs do not inline what is called now and then, and
     * around a call all that a loop holds in registers goes to memory.
     */
    private boolean isPublished(final long seq) {
        return seq < publishedSeen || seq < (publishedSeen = (long) PUBLISHED.getAcquire(this));
    }

    private boolean isEarly(final long seq) {
        return doneAhead[(int) seq & (doneAhead.length - 1)] == seq;
    }

    /**
     * Poller: the application's identifier of an outstanding element.
     *
     * @param seq an outstanding one; for any other the answer means nothing
     * @return what was given to {@code claim}
     */
    public final long userWrId(final long seq) {
        return UnsafeApi.getLong(note(seq));
    }

    /**
     * Poller: the application's flags of an outstanding element.
     *
     * @param seq an outstanding one; for any other the answer means nothing
     * @return what was given to {@code claim}
     */
    public final int flags(final long seq) {
        return (int) UnsafeApi.getLong(note(seq) + DETAILS);
    }

    /**
     * Poller: for how many bytes an outstanding element has room.
     *
     * @param seq an outstanding one; for any other the answer means nothing
     * @return what was given to {@code claim}
     */
    public final int length(final long seq) {
        return (int) (UnsafeApi.getLong(note(seq) + DETAILS) >>> Integer.SIZE);
    }

    /**
     * Poller: for how many bytes an outstanding element has room, and those before it that it retires.
     *
     * @param seq an outstanding one; for any other the answer means nothing
     * @return the sum of their {@link #length}
     */
    public final long lengthThrough(final long seq) {
        long sum = length(seq);
        for (long before = retired(); before < seq; before++) {
            sum += ahead == 0 || !isEarly(before) ? length(before) : 0;
        }
        return sum;
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
        retireOutstanding(seq);
        return true;
    }

    /**
     * Poller: as {@link #retireThrough}, of an element that was asked for in the meantime.
     *
     * @param seq one of which {@link #isOutstanding} was true, and nothing was retired since; with any other the
     *            account is wrong afterwards
     */
    public final void retireOutstanding(final long seq) {
        retireBelow(ahead == 0 ? seq + 1 : passDone(seq));
    }

    /** Where the oldest outstanding element is once everything up to this one is over. */
    private long passDone(final long last) {
        for (long seq = retired(); seq <= last; seq++) {
            ahead -= isEarly(seq) ? 1 : 0;
        }
        long next = last + 1;
        while (ahead > 0 && isEarly(next)) {
            ahead--;
            next++;
        }
        return next;
    }

    /**
     * Poller: completes an element alone. Its slot can be claimed again when all before it have completed too.
     *
     * @param seq which
     * @return false if it is not outstanding, in which case nothing changed
     */
    public final boolean retireOne(final long seq) {
        if (!isOutstanding(seq)) {
            return false;
        }
        if (seq == retired()) {
            retireBelow(passDone(seq));
        } else {
            doneAhead[(int) seq & (doneAhead.length - 1)] = seq;
            ahead++;
        }
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
