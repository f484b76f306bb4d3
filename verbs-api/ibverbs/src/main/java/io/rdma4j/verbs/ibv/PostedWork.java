/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.SendOpcode;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The requests of one queue that were posted and have not completed, oldest first: what the application calls them, and
 * what their completions are judged by. The library gets their sequence numbers (docs/adr/0006). One thread posts, one
 * thread polls.
 */
final class PostedWork {
    private static final VarHandle POSTED;
    private static final VarHandle DONE;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            POSTED = lookup.findVarHandle(PostedWork.class, "posted", int.class);
            DONE = lookup.findVarHandle(PostedWork.class, "done", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int mask;
    private final long[] wrIds;
    private final int[] lengths;
    private final SendOpcode[] opcodes;
    private final long[] remoteAddresses;
    private final int[] rkeys;
    private int posted;
    private int done;
    /** What the poster knows of {@link #done}. */
    private int doneBefore;

    /**
     * Makes an empty queue.
     *
     * @param count a power of two.
     * @param sends whether requests have operations and targets.
     */
    PostedWork(final int count, final boolean sends) {
        mask = count - 1;
        wrIds = new long[count];
        lengths = new int[count];
        opcodes = sends ? new SendOpcode[count] : null;
        remoteAddresses = sends ? new long[count] : null;
        rkeys = sends ? new int[count] : null;
    }

    int count() {
        return mask + 1;
    }

    int slot(final int seq) {
        return seq & mask;
    }

    /** Poster: the sequence number of the request that comes after so many that are not published yet. */
    int next(final int claimed) {
        return posted + claimed;
    }

    /** Poster: whether one more can be claimed. */
    boolean hasRoom(final int claimed) {
        if (posted + claimed - doneBefore <= mask) {
            return true;
        }
        doneBefore = (int) DONE.getAcquire(this);
        return posted + claimed - doneBefore <= mask;
    }

    /** Poster: describes a request that is not published yet. */
    void describe(final int seq, final long wrId, final int length) {
        wrIds[seq & mask] = wrId;
        lengths[seq & mask] = length;
    }

    /** Poster: the same for a send. */
    void describe(final int seq, final SendOpcode opcode, final long remoteAddress, final int rkey) {
        opcodes[seq & mask] = opcode;
        remoteAddresses[seq & mask] = remoteAddress;
        rkeys[seq & mask] = rkey;
    }

    /** Poster: these may complete from now on. */
    void publish(final int count) {
        POSTED.setRelease(this, posted + count);
    }

    /** Poster: the last ones were refused. */
    void takeBack(final int count) {
        POSTED.setRelease(this, posted - count);
    }

    /** Poller: whether a request with this number can complete. */
    boolean isOutstanding(final int seq) {
        return seq - done >= 0 && seq - (int) POSTED.getAcquire(this) < 0;
    }

    long wrId(final int seq) {
        return wrIds[seq & mask];
    }

    int length(final int seq) {
        return lengths[seq & mask];
    }

    SendOpcode opcode(final int seq) {
        return opcodes[seq & mask];
    }

    long remoteAddress(final int seq) {
        return remoteAddresses[seq & mask];
    }

    int rkey(final int seq) {
        return rkeys[seq & mask];
    }

    /** Poller: this one and all before it are done. */
    void retire(final int seq) {
        DONE.setRelease(this, seq + 1);
    }

    /** Any thread: how many have not completed. */
    int outstanding() {
        return (int) POSTED.getAcquire(this) - (int) DONE.getAcquire(this);
    }

    /** Any thread: the number that the next request gets. */
    int end() {
        return (int) POSTED.getAcquire(this);
    }

    /** Any thread: whether all requests before that number are done. */
    boolean isDone(final int end) {
        return (int) DONE.getAcquire(this) - end >= 0;
    }

    /** Nobody posts or polls: forgets all. */
    void reset() {
        DONE.setRelease(this, posted);
        doneBefore = posted;
    }

    @Override
    public String toString() {
        return outstanding() + "/" + count() + " outstanding";
    }
}
