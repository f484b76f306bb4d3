/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.pvrdma.device.RegionPages;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Pages that a fast region was given, and their list in memory of the device's. Posters of registrations and who takes
 * the pages away meet at a state, without a lock:
 *
 * <pre>
 *   IDLE or POSTED --beginPost--&gt; BUSY --endPost--&gt; POSTED (or back)
 *   IDLE or POSTED --take-------&gt; BUSY -----------&gt; stays so, unless a registration has not completed
 * </pre>
 */
final class FastPages {
    private static final int IDLE = 0;
    private static final int POSTED = 1;
    private static final int BUSY = 2;

    private final PvrdmaContext context;
    private final RegionPages pages;
    private final MemoryOwners owners;
    private final boolean writable;
    private final AtomicInteger state = new AtomicInteger();
    /** Where the last registration was posted; for whom the pages are busy. */
    private SendPath path;
    private long sequence;

    private FastPages(
        final PvrdmaContext context, final RegionPages pages, final MemoryOwners owners, final boolean writable) {
        this.context = context;
        this.pages = pages;
        this.owners = owners;
        this.writable = writable;
    }

    /** Maps pages; they stay alive as long as the holder holds them. It has others until now, or null. */
    static FastPages map(
        final PvrdmaContext context, final String operation, final ListSource source, final long length,
        final Object holder, final FastPages previous) {
        final boolean writable = checkIfWritable(context, operation, source, length);
        final MemoryOwners owners = new MemoryOwners(context, operation, source.owners(), holder,
            previous == null ? null : previous.owners);
        RegionPages pages = null;
        try {
            pages = source.map(context.device, length);
        } finally {
            if (pages == null) {
                owners.abandon();
            }
        }
        return new FastPages(context, pages, owners, writable);
    }

    /** Which rights there will be is only known when the pages are registered. */
    private static boolean checkIfWritable(
        final PvrdmaContext context, final String operation, final ListSource source, final long length) {
        try {
            source.check(operation, context, length, true);
            return true;
        } catch (final RdmaException e) {
            source.check(operation, context, length, false);
            return false;
        }
    }

    long pdirDma() {
        return pages.pdirDma();
    }

    /** Where this process sees the first byte. */
    long address() {
        return pages.address();
    }

    int count() {
        return pages.pages();
    }

    int length() {
        return (int) pages.length();
    }

    /** Whether the first byte can have this address: pages stay pages, and the range does not wrap. */
    boolean fits(final long iova) {
        return (iova - pages.address() & Pdir.PAGE_SIZE - 1) == 0
            && Long.compareUnsigned(iova + pages.length() - 1, iova) >= 0;
    }

    /** Whether the memory can be given such rights. */
    boolean allows(final int access) {
        return writable || (access & AccessFlag.LOCAL_WRITE.bit()) == 0;
    }

    /**
     * Poster: false while somebody else posts, when the pages are let go of, and as long as a registration is in
     * another queue: of two queues nobody knows which one is done first.
     */
    boolean beginPost(final SendPath by) {
        if (!enter()) {
            return false;
        }
        if (path != null && path != by && !path.isDone(sequence)) {
            endPost();
            return false;
        }
        return true;
    }

    private boolean enter() {
        return state.compareAndSet(IDLE, BUSY) || state.compareAndSet(POSTED, BUSY);
    }

    /** Poster: the registration is the element with this number of its queue. */
    void postedAs(final SendPath by, final long number) {
        path = by;
        sequence = number;
    }

    void endPost() {
        state.set(path == null ? IDLE : POSTED);
    }

    /** Takes the pages away from posters; false while a registration is in a queue. */
    boolean take() {
        if (!enter()) {
            return false;
        }
        final boolean done = path == null || path.isDone(sequence);
        if (!done) {
            endPost();
        }
        return done;
    }

    /** Ends the device's access. The region is not registered, or the device gave it up. */
    void close() {
        new Cleanup().run(pages::close).run(() -> end(owners::letGo)).throwIfFailed();
    }

    /** The region never had them: nobody is told. */
    void abandon() {
        new Cleanup().run(pages::close).run(() -> end(owners::abandon)).throwIfFailed();
    }

    /** Only of memory that the device cannot reach any more. */
    private void end(final Runnable release) {
        if (pages.isMapped()) {
            context.keep(this);
        } else {
            release.run();
        }
    }
}
