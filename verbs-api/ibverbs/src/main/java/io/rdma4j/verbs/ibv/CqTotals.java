/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.live.CqKind;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a CQ counts for who looks at it from another process. The poller's alone, but for {@link #armed()}. Totals are
 * kept here, and never read back from memory that others can write; they are shown at the end of a poll.
 */
final class CqTotals {
    final LiveEntry entry;
    /** Holds the memory. */
    private final UnsafeBuffer memory;
    private final long address;
    private final long[] failures = new long[CqKind.STATUSES];
    private long polls;
    private long empty;
    private long successes;
    private long failed;
    /** Completions, when they were shown last. */
    private long shown;
    private long sent;
    private long received;
    private long arms;

    CqTotals(final LiveEntry entry) {
        this.entry = entry;
        memory = entry.counters();
        address = memory.addressOffset();
    }

    private void show(final int place, final long total) {
        UnsafeApi.putLong(address + (long) place * Long.BYTES, total);
    }

    /** A send succeeded, and those before it that were to complete silently. */
    void sent(final long bytes) {
        successes++;
        sent += bytes;
    }

    /** A receive succeeded; its length is unsigned. */
    void received(final int bytes) {
        successes++;
        received += bytes & 0xffff_ffffL;
    }

    void failed(final WcStatus status) {
        final int place = Math.min(status.ordinal(), CqKind.STATUSES - 1);
        failed++;
        show(CqKind.STATUS + place, ++failures[place]);
    }

    void dropped(final long total) {
        show(CqKind.DROPPED, total);
    }

    /** The end of a poll. */
    void polled() {
        final long completions = successes + failed;
        show(CqKind.POLLS, ++polls);
        if (completions == shown) {
            show(CqKind.EMPTY_POLLS, ++empty);
            return;
        }
        shown = completions;
        show(CqKind.COMPLETIONS, completions);
        show(CqKind.STATUS, successes);
        show(CqKind.BYTES_SENT, sent);
        show(CqKind.BYTES_RECEIVED, received);
    }

    /** Under the lock of whoever arms. */
    void armed() {
        show(CqKind.ARMS, ++arms);
    }

    @Override
    public String toString() {
        return "polls=" + polls + " empty=" + empty + " successes=" + successes + " failed=" + failed + " sent=" + sent
            + " received=" + received + " arms=" + arms + " in " + memory;
    }
}
