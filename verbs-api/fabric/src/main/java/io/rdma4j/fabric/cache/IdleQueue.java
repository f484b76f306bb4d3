/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Entries in the order in which they became idle (checklist 59), so that hits and releases need not keep a list: a heap
 * by the time at which an entry became idle as far as known when it was listed. That time can only have become later,
 * so an entry on top whose time is still true is the one that is idle longest.
 *
 * <p>An entry on top that is in use is parked outside of the heap; its last release brings it back, over a stack
 * without a lock. So each use is looked at once, however often room is needed. All but {@link #returned} needs the
 * lock of {@link CacheEntries}.
 */
final class IdleQueue {
    private final AtomicReference<Entry> back = new AtomicReference<>();
    private Entry[] heap = new Entry[16];
    private int size;

    void add(final Entry entry) {
        takeBack();
        push(entry);
    }

    private void push(final Entry entry) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        entry.listedSince = entry.idleSince();
        place(entry, size++);
        up(entry.heapIndex);
    }

    private void place(final Entry entry, final int index) {
        heap[index] = entry;
        entry.heapIndex = index;
    }

    private void up(final int from) {
        final Entry entry = heap[from];
        int i = from;
        while (i > 0 && heap[(i - 1) / 2].listedSince > entry.listedSince) {
            place(heap[(i - 1) / 2], i);
            i = (i - 1) / 2;
        }
        place(entry, i);
    }

    private void down(final int from) {
        final Entry entry = heap[from];
        int i = from;
        while (2 * i + 1 < size) {
            int child = 2 * i + 1;
            if (child + 1 < size && heap[child + 1].listedSince < heap[child].listedSince) {
                child++;
            }
            if (heap[child].listedSince >= entry.listedSince) {
                break;
            }
            place(heap[child], i);
            i = child;
        }
        place(entry, i);
    }

    /** Forgets one, wherever it is. */
    void remove(final Entry entry) {
        final int i = entry.heapIndex;
        if (i < 0) {
            // It is in use, or on its way back: takeBack leaves out what is retired.
            return;
        }
        entry.heapIndex = -1;
        final Entry last = heap[--size];
        heap[size] = null;
        if (last != entry) {
            place(last, i);
            up(i);
            down(last.heapIndex);
        }
    }

    /** Retires the one that is idle longest; the caller closes it. Null if all are in use. */
    Entry evictOldest() {
        takeBack();
        while (size > 0) {
            final Entry top = heap[0];
            final long since = top.idleSince();
            if (since > top.listedSince) {
                top.listedSince = since;
                down(0);
            } else if (top.evict()) {
                remove(top);
                return top;
            } else {
                park(top);
            }
        }
        return null;
    }

    private void park(final Entry used) {
        remove(used);
        used.park();
        // Meets Entry.release(): either it sees that this is parked, or this sees that it is idle.
        if (used.isIdle() && used.unpark()) {
            push(used);
        }
    }

    /** One that was parked is idle. Without a lock. */
    void returned(final Entry entry) {
        Entry top = back.get();
        entry.nextReturned = top;
        while (!back.compareAndSet(top, entry)) {
            top = back.get();
            entry.nextReturned = top;
        }
    }

    private void takeBack() {
        Entry entry = back.getAndSet(null);
        while (entry != null) {
            final Entry next = entry.nextReturned;
            entry.nextReturned = null;
            if (!entry.isRetired()) {
                push(entry);
            }
            entry = next;
        }
    }
}
