/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;

/**
 * Ranges about which madvise spoke a moment ago. The kernel tells of MADV_DONTNEED, MADV_FREE and MADV_REMOVE and lets
 * the caller go on, and only then drops the pages; what somebody pinned in between would be the old pages, and nothing
 * would be told again. A program that uses memory which it is just giving up is wrong; but a cache may look at more
 * than the program meant, so nothing is watched there until the caller must be through. Not thread-safe.
 */
final class MappingSettling {
    static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int MOST = 256;

    private final ArrayDeque<Emptied> recent = new ArrayDeque<>();

    private record Emptied(long from, long to, long nanos) {
    }

    void emptied(final long from, final long to, final long nanos) {
        forget(nanos);
        if (recent.size() < MOST) {
            recent.add(new Emptied(from, to, nanos));
            return;
        }
        // One range in place of all: it is longer than it need be, which costs some caching and nothing else.
        long least = from;
        long most = to;
        for (final Emptied emptied : recent) {
            least = Math.min(least, emptied.from);
            most = Math.max(most, emptied.to);
        }
        recent.clear();
        recent.add(new Emptied(least, most, nanos));
    }

    boolean settling(final long from, final long to, final long now) {
        forget(now);
        for (final Emptied emptied : recent) {
            if (emptied.from < to && from < emptied.to) {
                return true;
            }
        }
        return false;
    }

    private void forget(final long now) {
        final Iterator<Emptied> oldest = recent.iterator();
        while (oldest.hasNext() && now - oldest.next().nanos > SETTLE_NANOS) {
            oldest.remove();
        }
    }
}
