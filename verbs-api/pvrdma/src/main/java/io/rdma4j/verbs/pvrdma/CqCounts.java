/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.queues.Padded;
import io.rdma4j.queues.SequencedQueue;
import io.rdma4j.verbs.live.CqKind;

import java.util.concurrent.atomic.AtomicLong;

import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a CQ counts for who looks at it from outside. The poller's alone, but for {@link #armed()}. Totals are kept here
 * and never read back from the memory that others can write. Stores are plain ones, those of a batch at its end, and
 * the release that ends a poll follows.
 */
final class CqCounts extends Padded {
    private static final int LAST_STATUS = CqKind.STATUSES - 1;

    /** Keeps it mapped: whoever counts late must find it. */
    private final UnsafeBuffer memory;
    private final long address;
    private final long[] failures = new long[CqKind.STATUSES];
    private final AtomicLong arms = new AtomicLong();
    private long polls;
    /** Polls that handed something over. */
    private long usefulPolls;
    private long successes;
    private long failed;
    private long sent;
    private long received;
    /** Completions, when they were shown last. */
    private long shown;
    /** There was something to look at since. */
    private boolean looked;

    CqCounts(final UnsafeBuffer memory) {
        this.memory = memory;
        address = memory.addressOffset();
    }

    private void show(final int place, final long total) {
        UnsafeApi.putLong(address + (long) place * Long.BYTES, total);
    }

    /** There is something to look at; before the first of a batch. */
    void looking() {
        looked = true;
    }

    /** A completion is handed over. */
    void succeeded() {
        successes++;
    }

    /** Before the request retires: sends that were to complete silently succeeded with the one behind them. */
    void bytes(final SequencedQueue queue, final long seq, final boolean receive, final int bytes) {
        if (receive) {
            received(bytes);
        } else {
            sent += queue.lengthThrough(seq);
        }
    }

    void received(final int bytes) {
        received += Integer.toUnsignedLong(bytes);
    }

    /** A completion is handed over. Of the status nothing is known: the device wrote it. */
    void failed(final int status) {
        final int known = status < 0 || status > LAST_STATUS ? LAST_STATUS : status;
        failed++;
        looked = true;
        show(CqKind.STATUS + known, ++failures[known]);
    }

    void dropped(final long total) {
        show(CqKind.DROPPED, total);
    }

    /** The end of a poll. */
    void polled() {
        final long total = ++polls;
        if (looked) {
            showCompletions();
        }
        show(CqKind.POLLS, total);
        show(CqKind.EMPTY_POLLS, total - usefulPolls);
    }

    private void showCompletions() {
        looked = false;
        final long completions = successes + failed;
        usefulPolls += completions == shown ? 0 : 1;
        shown = completions;
        show(CqKind.COMPLETIONS, completions);
        show(CqKind.STATUS, successes);
        show(CqKind.BYTES_SENT, sent);
        show(CqKind.BYTES_RECEIVED, received);
    }

    /** From any thread. Of those who arm at the same time, the last one to look leaves what is true. */
    void armed() {
        long total = arms.incrementAndGet();
        long stored;
        do {
            stored = total;
            // Volatile, so that what others added is looked for behind it.
            UnsafeApi.putLongVolatile(null, address + (long) CqKind.ARMS * Long.BYTES, stored);
            total = arms.get();
        } while (total != stored);
    }

    @Override
    public String toString() {
        return "polls=" + polls + " useful=" + usefulPolls + " successes=" + successes + " failed=" + failed
            + " sent=" + sent + " received=" + received + " arms=" + arms + " in " + memory;
    }
}
