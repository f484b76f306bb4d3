/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.region.DirectoryLayout;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Looks one key up in the peer's directory, by RDMA READs of some entries each. What the directory says is not
 * believed: the number of entries that are read, and of second readings, is bounded.
 */
final class KeyLookup implements AutoCloseable {
    /** Where the former values of event cells go, which nobody wants to know. */
    static final int CELL_OFFSET = 512;

    private static final int MOST_ENTRIES = 4;
    /** Longer searches are not to be expected of a table that is half empty. */
    private static final int MOST_PROBES = 1 << 16;
    private static final int MOST_SECOND_READINGS = 256;
    private static final int SCRATCH_LENGTH = 4096;

    private final QueuePair qp;
    private final PinnedMemory scratch;
    private final MemoryRegion region;
    private final UnsafeBuffer buffer;
    private final SendRequest request = new SendRequest().opcode(SendOpcode.RDMA_READ);
    private PeerName peer;
    private boolean isBusy;
    private boolean hasArrived;
    private long key;
    private int index;
    private int entries;
    private int probesLeft;
    private int readingsLeft;

    /** With room behind its own for copies of what is written. */
    KeyLookup(final QueuePair qp, final Realm realm, final int copies) {
        this.qp = qp;
        this.scratch = realm.pd().context().allocate(SCRATCH_LENGTH + copies);
        try {
            this.region = realm.pd().register(scratch, AccessFlag.LOCAL_WRITE);
        } catch (final RuntimeException e) {
            scratch.close();
            throw e;
        }
        this.buffer = scratch.buffer();
    }

    void connect(final PeerName to, final long wrId) {
        peer = to;
        request.wrId(wrId);
    }

    UnsafeBuffer buffer() {
        return buffer;
    }

    int injectOffset() {
        return SCRATCH_LENGTH;
    }

    long scratchIova() {
        return region.iova();
    }

    int scratchLkey() {
        return region.lkey();
    }

    boolean isBusy() {
        return isBusy;
    }

    /** Begins; {@link ReturnCode#OK} or a code. */
    int start(final long wanted) {
        key = wanted;
        index = DirectoryLayout.slotOf(wanted, peer.capacity());
        probesLeft = Math.min(peer.capacity(), MOST_PROBES);
        readingsLeft = MOST_SECOND_READINGS;
        isBusy = true;
        final int code = post();
        isBusy = code == ReturnCode.OK;
        return code;
    }

    /** Asks again for what was asked for last, after the lane came up again. */
    int post() {
        hasArrived = false;
        entries = Math.min(MOST_ENTRIES, peer.capacity() - index);
        final long first = peer.directory() + (long) index * DirectoryLayout.ENTRY_LENGTH;
        return qp.postSend(request.sge(region.iova(), entries * DirectoryLayout.ENTRY_LENGTH, region.lkey())
            .remote(first, peer.rkey()));
    }

    /** The answer is there. */
    void arrived() {
        hasArrived = isBusy;
    }

    /** Looks at the answer, if there is one, and asks for more if need be. */
    int step(final KeyCache cache) {
        if (!hasArrived) {
            return ReturnCode.OK;
        }
        hasArrived = false;
        for (int i = 0; i < entries; i++) {
            final int offset = i * DirectoryLayout.ENTRY_LENGTH;
            if (!DirectoryLayout.isIntact(buffer, offset, peer.nonce())) {
                return readAgain(i, cache);
            }
            final int state = DirectoryLayout.state(buffer, offset);
            if (state == DirectoryLayout.FREE) {
                return finish(cache, KeyCache.MISSING);
            }
            if (isWanted(offset, state)) {
                isBusy = false;
                cache.put(buffer, offset);
                return ReturnCode.OK;
            }
        }
        advance(entries);
        return probesLeft <= 0 ? finish(cache, KeyCache.MISSING) : post();
    }

    private boolean isWanted(final int offset, final int state) {
        return (state == DirectoryLayout.LIVE || state == DirectoryLayout.DISABLED)
            && DirectoryLayout.key(buffer, offset) == key;
    }

    private int readAgain(final int from, final KeyCache cache) {
        if (--readingsLeft < 0) {
            return finish(cache, KeyCache.UNREADABLE);
        }
        advance(from);
        return post();
    }

    private void advance(final int by) {
        index = index + by & peer.capacity() - 1;
        probesLeft -= by;
    }

    /** Ends without an entry. */
    int finish(final KeyCache cache, final int state) {
        isBusy = false;
        hasArrived = false;
        cache.putState(key, state);
        return ReturnCode.OK;
    }

    @Override
    public void close() {
        region.close();
        scratch.close();
    }
}
