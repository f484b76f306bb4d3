/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.region.LocalMemory;

/**
 * The buffers of one operation, as the device finds them: empty ones left out. The answer stands until the next
 * question. For the thread that uses the endpoint.
 */
final class LocalBuffers {
    private final LocalMemory local;
    private final MrAccess right;
    private final int access;
    private final long[] addresses;
    private final int[] lengths;
    private final int[] lkeys;
    private final CachedRegion[] cached;
    private int count;

    LocalBuffers(final LocalMemory local, final int limit, final MrAccess right, final int access) {
        this.local = local;
        this.right = right;
        this.access = access;
        addresses = new long[limit];
        lengths = new int[limit];
        lkeys = new int[limit];
        cached = new CachedRegion[limit];
    }

    int limit() {
        return addresses.length;
    }

    /** Finds one buffer; 0 or a negated errno. */
    int find(final long address, final int length, final MemoryRegion desc, final Object owner) {
        count = 0;
        return add(address, length, desc, owner);
    }

    /** Finds all of a message, or keeps none; 0 or a negated errno. */
    int find(final Message message) {
        count = 0;
        if (message.count() > limit()) {
            return -FiErrno.FI_EINVAL;
        }
        for (int i = 0; i < message.count(); i++) {
            final int refusal = add(message.address(i), message.length(i), message.desc(i), null);
            if (refusal != 0) {
                letGo();
                return refusal;
            }
        }
        return 0;
    }

    private int add(final long address, final int length, final MemoryRegion desc, final Object owner) {
        final int refusal = local.find(address, length, desc, owner, right, access);
        if (refusal == 0 && length > 0) {
            addresses[count] = local.deviceAddress();
            lengths[count] = length;
            lkeys[count] = local.lkey();
            cached[count++] = local.cached();
        }
        return refusal;
    }

    /** Nothing was posted. */
    void letGo() {
        for (int i = 0; i < count; i++) {
            if (cached[i] != null) {
                cached[i].release();
                cached[i] = null;
            }
        }
        count = 0;
    }

    int count() {
        return count;
    }

    long address(final int index) {
        return addresses[index];
    }

    int length(final int index) {
        return lengths[index];
    }

    int lkey(final int index) {
        return lkeys[index];
    }

    /** Hands over what is to be released when the operation is over; null for none. */
    CachedRegion take(final int index) {
        final CachedRegion region = index < count ? cached[index] : null;
        if (region != null) {
            cached[index] = null;
        }
        return region;
    }
}
