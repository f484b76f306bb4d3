/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import java.util.BitSet;
import java.util.function.IntPredicate;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Whose addresses are in a shared vector: of a process that ended without closing it they are removed by who changes it
 * next; of one that closed it they stay, and are nobody's. How many each owner has is counted, so that nobody searches
 * for addresses that are not there. Used with the lock.
 */
final class SharedOwners {
    private final UnsafeBuffer bytes;
    private final SharedEntries entries;

    SharedOwners(final SharedMemory memory) {
        bytes = memory.front;
        entries = new SharedEntries(memory, SharedEntries.ANY_KIND);
    }

    private static int at(final int owner) {
        return SharedLayout.OWNERS_OFFSET + owner * Integer.BYTES;
    }

    /** Addresses of an owner. */
    int count(final int owner) {
        return bytes.getInt(at(owner));
    }

    void add(final int owner, final int more) {
        bytes.putInt(at(owner), bytes.getInt(at(owner)) + more);
    }

    /** Before they are counted anew. */
    void clear() {
        bytes.setMemory(SharedLayout.OWNERS_OFFSET, SharedLayout.OWNERS * Integer.BYTES, (byte) 0);
    }

    /** Owners with addresses that are not there any more. */
    BitSet gone(final IntPredicate isGone) {
        final BitSet gone = new BitSet();
        for (int owner = 1; owner < SharedLayout.OWNERS; owner++) {
            if (count(owner) != 0 && isGone.test(owner)) {
                gone.set(owner);
            }
        }
        return gone;
    }

    /** Its addresses stay. If this process is killed on the way, those that are its own yet go. */
    void leave(final int owner) {
        for (int place = 0; place < entries.places() && count(owner) != 0; place++) {
            if (!entries.isFree(place) && entries.owner(place) == owner) {
                entries.disown(place);
                add(owner, -1);
                add(0, 1);
            }
        }
        forget(owner);
    }

    /** It has no addresses: another process may be this owner from now on. */
    void forget(final int owner) {
        bytes.putInt(at(owner), 0);
    }
}
