/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Raw keys of peers that were mapped (checklist 37, 38). A mapped key is made of a mark, a count that goes up with each
 * mapping, and the place:
 *
 * <pre>
 *  63            48 47                           16 15             0
 *  +---------------+-------------------------------+---------------+
 *  |    0xfffe     |             count             |     place     |
 *  +---------------+-------------------------------+---------------+
 * </pre>
 *
 * <p>so that finding one is an access to an array, and a key that was unmapped finds nothing. Applications cannot ask
 * for keys with that mark. Thread-safe; {@link #find} neither locks nor allocates.
 */
public final class MappedKeys {
    /** Most keys that are mapped at one time. */
    public static final int LIMIT = 1 << 16;

    private static final int MARK = 0xfffe;
    private static final int MARK_SHIFT = 48;
    private static final int COUNT_SHIFT = 16;
    private static final int PLACE_MASK = LIMIT - 1;

    private volatile AtomicReferenceArray<Mapped> places = new AtomicReferenceArray<>(16);
    private int size;
    private int hint;
    private int count;

    /** A place in use. */
    private record Mapped(long key, DirectoryEntry entry) {
    }

    MappedKeys() {
    }

    /**
     * Whether a key looks like a mapped one. Such keys are never the application's own.
     *
     * @param key any key.
     * @return true if it does.
     */
    public static boolean isMapped(final long key) {
        return key >>> MARK_SHIFT == MARK;
    }

    /**
     * What a mapped key means.
     *
     * @param key any key.
     * @return null if it is not mapped.
     */
    public DirectoryEntry find(final long key) {
        final AtomicReferenceArray<Mapped> now = places;
        final int place = (int) key & PLACE_MASK;
        // Volatile, as map and unmap store it: whoever got the key from another thread sees the entry, too.
        final Mapped mapped = place < now.length() ? now.get(place) : null;
        return mapped != null && mapped.key == key ? mapped.entry : null;
    }

    synchronized long map(final DirectoryEntry entry) {
        if (size == places.length()) {
            grow();
        }
        while (places.get(hint) != null) {
            hint = hint + 1 & places.length() - 1;
        }
        final long key = (long) MARK << MARK_SHIFT | Integer.toUnsignedLong(++count) << COUNT_SHIFT | hint;
        places.set(hint, new Mapped(key, entry));
        size++;
        return key;
    }

    private void grow() {
        if (size == LIMIT) {
            throw FabricException.of("map raw key").detail("%d keys are mapped, the limit", size)
                .errno(FiErrno.FI_ENOMEM).hint("unmap keys that are not needed any more").build();
        }
        final AtomicReferenceArray<Mapped> larger = new AtomicReferenceArray<>(2 * size);
        for (int i = 0; i < size; i++) {
            larger.set(i, places.get(i));
        }
        places = larger;
        hint = size;
    }

    synchronized void unmap(final long key) {
        if (find(key) == null) {
            throw FabricException.of("unmap key").detail("0x%x is not mapped", key).errno(FiErrno.FI_EINVAL)
                .hint("only keys of Domain.mapRaw are, once each").build();
        }
        places.set((int) key & PLACE_MASK, null);
        size--;
    }

    synchronized int size() {
        return size;
    }
}
