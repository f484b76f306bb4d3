/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import java.util.Arrays;
import java.util.List;

/**
 * Entries in the order of their addresses, found without a lock: a list of pages of at most {@value #FULL}, each an
 * array that never changes. A change copies one page; only where a page is split or becomes empty, also the list.
 *
 * <p>No entry lies within another, nor do two have an end in common ({@link CacheEntries} sees to that): so their ends
 * are in the same order as their starts, and of all entries the last one that starts at or before an address reaches
 * farthest.
 * If that one does not cover a range, none does. If it does, and has not the right owner or rights, one before it may.
 *
 * <p>Readers may see an index that is a moment old: what they miss there is looked for again with the lock held, and
 * what they find there may be retired, which they notice when they take it. Changes need the lock of
 * {@link CacheEntries}.
 */
final class EntryIndex {
    private static final int FULL = 128;

    private volatile Pages pages = new Pages(new long[] {0}, new Page[] {new Page(new long[0], new Entry[0])});

    /** Immutable; its arrays have the same length. */
    private static final class Page {
        final long[] starts;
        final Entry[] entries;

        Page(final long[] starts, final Entry[] entries) {
            this.starts = starts;
            this.entries = entries;
        }

        Page with(final int at, final Entry entry) {
            final int size = starts.length;
            final long[] newStarts = Arrays.copyOf(starts, size + 1);
            final Entry[] newEntries = Arrays.copyOf(entries, size + 1);
            System.arraycopy(starts, at, newStarts, at + 1, size - at);
            System.arraycopy(entries, at, newEntries, at + 1, size - at);
            newStarts[at] = entry.start;
            newEntries[at] = entry;
            return new Page(newStarts, newEntries);
        }

        Page without(final int at) {
            final int size = starts.length;
            final long[] newStarts = Arrays.copyOf(starts, size - 1);
            final Entry[] newEntries = Arrays.copyOf(entries, size - 1);
            System.arraycopy(starts, at + 1, newStarts, at, size - at - 1);
            System.arraycopy(entries, at + 1, newEntries, at, size - at - 1);
            return new Page(newStarts, newEntries);
        }

        Page part(final int from, final int to) {
            return new Page(Arrays.copyOfRange(starts, from, to), Arrays.copyOfRange(entries, from, to));
        }
    }

    /** A page holds what starts at its low or above, and below the low of the next; the first low is 0. */
    private static final class Pages {
        final long[] lows;
        /** Its elements are replaced: written with the lock held and followed by a volatile write. */
        final Page[] list;

        Pages(final long[] lows, final Page[] list) {
            this.lows = lows;
            this.list = list;
        }
    }

    /**
     * Takes one that covers a range and can be taken for an owner; null if there is none.
     *
     * @param check asked before one is taken that only the monitor keeps true.
     */
    Entry take(final long address, final long length, final int access, final Object root, final EntryCheck check) {
        final Pages now = pages;
        for (int i = last(now.lows, address); i >= 0; i--) {
            final Page page = now.list[i];
            for (int at = last(page.starts, address); at >= 0; at--) {
                final Entry entry = page.entries[at];
                if (length > entry.end - address) {
                    return null;
                }
                if (entry.allows(access) && entry.takeFor(root, check)) {
                    return entry;
                }
            }
        }
        return null;
    }

    /** Where the last number is that is not above a key; -1 if all are. Without branches that cannot be foreseen. */
    private static int last(final long[] sorted, final long key) {
        int base = 0;
        int count = sorted.length;
        while (count > 1) {
            final int half = count >>> 1;
            base = sorted[base + half] <= key ? base + half : base;
            count -= half;
        }
        return count == 0 || sorted[base] > key ? -1 : base;
    }

    /** Adds one whose start no other has. */
    void add(final Entry entry) {
        final Pages now = pages;
        final int i = last(now.lows, entry.start);
        final Page page = now.list[i].with(last(now.list[i].starts, entry.start) + 1, entry);
        if (page.starts.length <= FULL) {
            replace(now, i, page);
            return;
        }
        final int half = page.starts.length / 2;
        final long[] lows = Arrays.copyOf(now.lows, now.lows.length + 1);
        final Page[] list = Arrays.copyOf(now.list, now.list.length + 1);
        System.arraycopy(now.lows, i + 1, lows, i + 2, now.lows.length - i - 1);
        System.arraycopy(now.list, i + 1, list, i + 2, now.list.length - i - 1);
        lows[i + 1] = page.starts[half];
        list[i] = page.part(0, half);
        list[i + 1] = page.part(half, page.starts.length);
        pages = new Pages(lows, list);
    }

    /** The write of the list makes the element visible; a page's own arrays are final fields. */
    private void replace(final Pages now, final int i, final Page page) {
        now.list[i] = page;
        pages = now;
    }

    /** Removes it; false if it is not here. */
    boolean remove(final Entry entry) {
        final Pages now = pages;
        final int i = last(now.lows, entry.start);
        final int at = last(now.list[i].starts, entry.start);
        if (at < 0 || now.list[i].entries[at] != entry) {
            return false;
        }
        final Page page = now.list[i].without(at);
        if (page.starts.length > 0 || i == 0) {
            replace(now, i, page);
            return true;
        }
        final long[] lows = Arrays.copyOf(now.lows, now.lows.length - 1);
        final Page[] list = Arrays.copyOf(now.list, now.list.length - 1);
        System.arraycopy(now.lows, i + 1, lows, i, lows.length - i);
        System.arraycopy(now.list, i + 1, list, i, list.length - i);
        pages = new Pages(lows, list);
        return true;
    }

    /** Collects what has a byte of a range, from the last to the first. */
    void overlapping(final Range range, final List<Entry> found) {
        final Pages now = pages;
        for (int i = last(now.lows, range.end() - 1); i >= 0; i--) {
            final Page page = now.list[i];
            for (int at = last(page.starts, range.end() - 1); at >= 0; at--) {
                if (page.entries[at].end <= range.start()) {
                    return;
                }
                found.add(page.entries[at]);
            }
        }
    }

    /** Collects all. */
    void all(final List<Entry> found) {
        for (final Page page : pages.list) {
            found.addAll(Arrays.asList(page.entries));
        }
    }
}
