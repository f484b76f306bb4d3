/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import io.rdma4j.verbs.PinnedMemory;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.TreeMap;

/** Which memory belongs to which owner, as said by those who know; owners are held weakly. Thread-safe. */
public final class Adoptions {
    private final TreeMap<Long, Adopted> byStart = new TreeMap<>();
    private final ReferenceQueue<Object> gone = new ReferenceQueue<>();

    private static final class Adopted extends WeakReference<Object> {
        final Range range;

        Adopted(final Object owner, final Range range, final ReferenceQueue<Object> gone) {
            super(owner, gone);
            this.range = range;
        }
    }

    /** Of a domain or a cache: nothing is known yet. */
    public Adoptions() {
    }

    /**
     * Pinned memory is its own.
     *
     * @param memory as long as it is open.
     */
    public void add(final PinnedMemory memory) {
        add(new Range(memory.address(), memory.address() + memory.length()), memory);
    }

    /** The last word counts: what was said before of memory that overlaps is not true any more. */
    synchronized void add(final Range range, final Object owner) {
        forgetGone();
        forget(range);
        byStart.put(range.start(), new Adopted(owner, range, gone));
    }

    private void forgetGone() {
        for (Adopted dead = (Adopted) gone.poll(); dead != null; dead = (Adopted) gone.poll()) {
            byStart.remove(dead.range.start(), dead);
        }
    }

    synchronized void forget(final Range range) {
        Map.Entry<Long, Adopted> last = byStart.lowerEntry(range.end());
        while (last != null && last.getValue().range.end() > range.start()) {
            byStart.remove(last.getKey());
            last = byStart.lowerEntry(range.end());
        }
    }

    /** Who owns all of a range; null if nobody is known, or does not exist any more, or is closed. */
    synchronized Object ownerOf(final Range range) {
        final Map.Entry<Long, Adopted> last = byStart.floorEntry(range.start());
        final Object owner = last == null || last.getValue().range.end() < range.end() ? null : last.getValue().get();
        return owner instanceof PinnedMemory && ((PinnedMemory) owner).isClosed() ? null : owner;
    }
}
