/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.base.Cleanup;
import io.rdma4j.device.common.CommandError;
import io.rdma4j.device.link.Link;
import io.rdma4j.device.link.Port;

import java.util.concurrent.atomic.AtomicReferenceArray;

/** The device's addresses. Changed by commands, read by sends. */
public final class GidTable {
    private final AtomicReferenceArray<GidEntry> entries;
    private final Link link;
    private final Port port;
    private final boolean likeQemu;

    GidTable(int size, Link link, Port port, boolean likeQemu) {
        this.entries = new AtomicReferenceArray<>(size);
        this.link = link;
        this.port = port;
        this.likeQemu = likeQemu;
    }

    /** The entry, null if there is none or the index is out of range. */
    GidEntry entry(int index) {
        return index >= 0 && index < entries.length() ? entries.get(index) : null;
    }

    /**
     * Binds a GID to an index.
     *
     * @param index where.
     * @param entry what.
     */
    public void bind(int index, GidEntry entry) {
        requireIndex(index);
        if ((entry.high() | entry.low()) == 0 || entry.high() >>> 56 == 0xff || entry.type() != 1
            && entry.type() != 2) {
            throw CommandError.invalid("gid %s: must be unicast, not 0, and of one type", entry);
        }
        final GidEntry before = entries.get(index);
        if (before != null && likeQemu) {
            return;
        }
        if (!link.bind(port, entry.high(), entry.low())) {
            throw new CommandError(CommandError.EBUSY, "gid " + entry + " belongs to another device");
        }
        entries.set(index, entry);
        if (before != null) {
            leaveLink(before);
        }
        link.reroute();
        link.changed();
        link.agenda().drain();
    }

    /**
     * Takes a GID from an index.
     *
     * @param index where.
     * @param high  first half, as bound.
     * @param low   second half.
     */
    public void unbind(int index, long high, long low) {
        requireIndex(index);
        final GidEntry entry = entries.get(index);
        if (entry == null || entry.high() != high || entry.low() != low) {
            throw CommandError.invalid("gid index %d holds %s", index, entry);
        }
        if (low != 0 || !likeQemu) {
            entries.set(index, null);
            leaveLink(entry);
            link.reroute();
        }
    }

    private void requireIndex(int index) {
        if (index < 0 || index >= entries.length()) {
            throw CommandError.invalid("gid index %d, the table has %d entries", index, entries.length());
        }
    }

    /** A GID may stand in the table more than once, with different types. */
    private void leaveLink(GidEntry left) {
        for (int i = 0; i < entries.length(); i++) {
            final GidEntry entry = entries.get(i);
            if (entry != null && entry.high() == left.high() && entry.low() == left.low()) {
                return;
            }
        }
        link.unbind(port, left.high(), left.low());
    }

    /** Takes all GIDs away. */
    public void clear() {
        final Cleanup cleanup = new Cleanup();
        for (int i = 0; i < entries.length(); i++) {
            final GidEntry entry = entries.getAndSet(i, null);
            if (entry != null) {
                cleanup.run(() -> leaveLink(entry));
                link.reroute();
            }
        }
        cleanup.throwIfFailed();
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < entries.length(); i++) {
            if (entries.get(i) != null) {
                text.append("  gid ").append(i).append(' ').append(entries.get(i)).append('\n');
            }
        }
        return text.toString();
    }
}
