/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.region.LocalMemory;

/**
 * Where the device finds the buffers of a {@link Message}; those without bytes are left out. The answer is there until
 * the next question. For the thread that uses the endpoint.
 */
final class LocalBuffers {
    private final LocalMemory local;
    private final long[] addresses;
    private final int[] lengths;
    private final int[] lkeys;
    private final CachedRegion[] cached;
    private int count;
    private long total;

    LocalBuffers(final LocalMemory local, final int limit) {
        this.local = local;
        addresses = new long[limit];
        lengths = new int[limit];
        lkeys = new int[limit];
        cached = new CachedRegion[limit];
    }

    /** Looks all of them up: 0, or a negated errno, and nothing is kept then. */
    int find(final Message message, final MrAccess right, final int access) {
        count = 0;
        total = message.total();
        for (int i = 0; i < message.count(); i++) {
            final int refusal =
                local.find(message.address(i), message.length(i), message.desc(i), null, right, access);
            if (refusal != 0) {
                letGo();
                return refusal;
            }
            if (message.length(i) > 0) {
                add(message.length(i));
            }
        }
        return 0;
    }

    private void add(final int length) {
        addresses[count] = local.deviceAddress();
        lengths[count] = length;
        lkeys[count] = local.lkey();
        cached[count] = local.cached();
        count++;
    }

    /** Gives back what the cache lent: nothing was posted. */
    void letGo() {
        for (int i = 0; i < count; i++) {
            final CachedRegion region = cached[i];
            cached[i] = null;
            if (region != null) {
                region.release();
            }
        }
        count = 0;
    }

    /** How many have bytes. */
    int count() {
        return count;
    }

    int total() {
        return (int) total;
    }

    long deviceAddress(final int index) {
        return addresses[index];
    }

    int length(final int index) {
        return lengths[index];
    }

    int lkey(final int index) {
        return lkeys[index];
    }

    /** What the cache lent for one, to be released when the operation is over; null for none. */
    CachedRegion takeCached(final int index) {
        if (index >= count) {
            return null;
        }
        final CachedRegion region = cached[index];
        cached[index] = null;
        return region;
    }
}
