/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/*
 * Fields that two threads write must not share a cache line, nor a pair of lines, which the prefetcher fetches
 * together. The JVM lays out the fields of a superclass before those of a subclass, hence one class for each group. But
 * it fills what a superclass leaves of a word with fields of a subclass, hence only whole words.
 */

/** What the posting thread writes. */
abstract class ProducerCursor extends Padded {
    static final VarHandle PUBLISHED = Cursors.find(MethodHandles.lookup(), "published");
    private static final VarHandle POSTING = Cursors.find(MethodHandles.lookup(), "posting");

    /** Sequence number of the next element: committed ones are below. */
    long posted;
    /** {@link #posted} may not reach this before the shared indices have been read again. */
    long limit;
    /** Elements below may find something in their slots that a plain SEND does not write; see {@link SendQueue}. */
    long dirtyBelow;
    /** Elements below, fewer, may find something that no write or read writes either. */
    long wideBelow;
    /** Doorbells rung. */
    long doorbells;
    /** Claims that found no free slot. */
    long full;
    /** Elements below were shown to the device. */
    private long published;
    /** 1 while the posting thread may touch the ring's memory, else 0. */
    @SuppressWarnings("unused") // By POSTING.
    private long posting;

    final long published() {
        return published;
    }

    /** Met by {@link #publishedAcquire()}: a poller that sees the number sees the identifiers below it too. */
    final void publishedRelease(final long seq) {
        PUBLISHED.setRelease(this, seq);
    }

    final long publishedAcquire() {
        return (long) PUBLISHED.getAcquire(this);
    }

    /**
     * Poster: says that it is about to look at whether it may post, and then to post. A plain store and a fence for the
     * compiler: the processor may still look first. {@link #isPosting()} tells what its caller has to do about that.
     */
    public final void beginPost() {
        POSTING.setOpaque(this, 1L);
        VarHandle.acquireFence();
    }

    /** Poster: says that it is done with the ring's memory. Release, meets the acquire in {@link #isPosting()}. */
    public final void endPost() {
        POSTING.setRelease(this, 0L);
    }

    /**
     * Whether a thread may be in the middle of a post, for who wants the ring's memory for something else. To be asked
     * some time after posting was forbidden: a processor keeps a store to itself for less than a microsecond, and none
     * over an interruption, so who found posting allowed is seen here then, however long it has been standing still.
     *
     * @return false if nobody touches the memory any more.
     */
    public final boolean isPosting() {
        return (long) POSTING.getAcquire(this) != 0;
    }
}

/** Keeps producer and poller apart. */
abstract class PaddingBeforePoller extends ProducerCursor {
    long p20;
    long p21;
    long p22;
    long p23;
    long p24;
    long p25;
    long p26;
    long p27;
    long p28;
    long p29;
    long p30;
    long p31;
    long p32;
    long p33;
    long p34;
}

/** What the polling thread writes. */
abstract class PollerCursor extends PaddingBeforePoller {
    private static final VarHandle RETIRED = Cursors.find(MethodHandles.lookup(), "retired");

    /** The poller's last look at {@code published}. */
    long publishedSeen;
    /** How many elements completed although one before them has not. */
    long ahead;
    /** Elements below are completed. */
    private long retired;

    final long retired() {
        return retired;
    }

    /** Met by {@link #retiredAcquire()}: the poller is done with an identifier before the producer replaces it. */
    final void retiredRelease(final long seq) {
        RETIRED.setRelease(this, seq);
    }

    final long retiredAcquire() {
        return (long) RETIRED.getAcquire(this);
    }

    /** For several pollers. */
    final boolean retire(final long from, final long to) {
        return RETIRED.compareAndSet(this, from, to);
    }
}

/** The padded cursors of a ring that the driver produces into. */
abstract class RingCursors extends PollerCursor {
    long p40;
    long p41;
    long p42;
    long p43;
    long p44;
    long p45;
    long p46;
    long p47;
    long p48;
    long p49;
    long p50;
    long p51;
    long p52;
    long p53;
    long p54;
}

/** Finds the fields above. */
final class Cursors {
    private Cursors() {
    }

    static VarHandle find(final MethodHandles.Lookup lookup, final String field) {
        try {
            return lookup.findVarHandle(lookup.lookupClass(), field, long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
