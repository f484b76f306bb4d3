/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.WcOpcode;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The requests of one queue that were posted and have not completed, oldest first: what the application calls them, and
 * what their completions are judged by. The library gets their sequence numbers (docs/adr/0006). One thread posts, one
 * thread polls.
 */
final class PostedWork {
    private static final VarHandle POSTED;
    private static final VarHandle DONE;
    private static final VarHandle ALL_POSTED;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            POSTED = lookup.findVarHandle(PostedWork.class, "posted", int.class);
            DONE = lookup.findVarHandle(PostedWork.class, "done", int.class);
            ALL_POSTED = lookup.findVarHandle(PostedWork.class, "allPosted", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Where the numbers of each queue begin, far from those of all others (the golden section of 2 to the power of 32):
     * lives of owners repeat, and what is left of a queue with the same one is not taken for one of these then.
     */
    private static final AtomicInteger BEGINNINGS = new AtomicInteger();
    private static final int FAR = 0x9e37_79b9;
    private static final SendOpcode[] OPCODES = SendOpcode.values();
    // One after the other, so that one line moves; outside of the heap, so that nothing checks an index twice.
    private static final int WR_ID = 0;
    private static final int REMOTE_ADDRESS = 8;
    private static final int LENGTH = 16;
    private static final int RKEY = 20;
    private static final int OPCODE = 24;
    private static final int STRIDE = 32;

    private final int mask;
    /** Holds the memory. */
    private final UnsafeBuffer block;
    private final long memory;
    private int posted;
    private int done;
    /** What the poster knows of {@link #done}. */
    private int doneBefore;
    /** Where others see how many were posted and completed: holds the memory. */
    @SuppressWarnings("unused") // Holds it.
    private final UnsafeBuffer counters;
    private final long postedShown;
    private final long doneShown;
    private long allPosted;
    private long allDone;

    /**
     * Makes an empty queue.
     *
     * @param count        a power of two.
     * @param counters     what others see of the queue.
     * @param postedAt     place of the number of requests posted.
     * @param doneAt       place of the number of those completed.
     */
    PostedWork(final int count, final UnsafeBuffer counters, final int postedAt, final int doneAt) {
        this.counters = counters;
        postedShown = counters.addressOffset() + (long) postedAt * Long.BYTES;
        doneShown = counters.addressOffset() + (long) doneAt * Long.BYTES;
        mask = count - 1;
        block = Struct.allocate(Math.multiplyExact(count, STRIDE));
        memory = block.addressOffset();
        posted = BEGINNINGS.getAndAdd(FAR);
        done = posted;
        doneBefore = posted;
    }

    private long at(final int seq) {
        return memory + (long) (seq & mask) * STRIDE;
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
        final long at = at(seq);
        UnsafeApi.putLong(at + WR_ID, wrId);
        UnsafeApi.putInt(at + LENGTH, length);
    }

    /** Poster: the same for a send. */
    void describe(final int seq, final SendOpcode opcode, final long remoteAddress, final int rkey) {
        final long at = at(seq);
        UnsafeApi.putInt(at + OPCODE, opcode.ordinal());
        UnsafeApi.putLong(at + REMOTE_ADDRESS, remoteAddress);
        UnsafeApi.putInt(at + RKEY, rkey);
    }

    /** Poster: these may complete from now on. */
    void publish(final int count) {
        POSTED.setRelease(this, posted + count);
        show(count);
    }

    private void show(final int more) {
        final long all = allPosted + more;
        ALL_POSTED.setRelease(this, all);
        UnsafeApi.putLong(postedShown, all);
    }

    /** Poster: the last ones were refused. */
    void takeBack(final int count) {
        POSTED.setRelease(this, posted - count);
        show(-count);
    }

    /** Poller: whether a request with this number can complete. */
    boolean isOutstanding(final int seq) {
        return seq - done >= 0 && seq - (int) POSTED.getAcquire(this) < 0;
    }

    long wrId(final int seq) {
        return UnsafeApi.getLong(at(seq) + WR_ID);
    }

    int length(final int seq) {
        return UnsafeApi.getInt(at(seq) + LENGTH);
    }

    SendOpcode opcode(final int seq) {
        return OPCODES[UnsafeApi.getInt(at(seq) + OPCODE)];
    }

    /** What completes when this one does. */
    WcOpcode completion(final int seq) {
        return Opcodes.completion(UnsafeApi.getInt(at(seq) + OPCODE));
    }

    long remoteAddress(final int seq) {
        return UnsafeApi.getLong(at(seq) + REMOTE_ADDRESS);
    }

    int rkey(final int seq) {
        return UnsafeApi.getInt(at(seq) + RKEY);
    }

    /** Poller: this one and all before it are done. */
    void retire(final int seq) {
        allDone += seq + 1 - done;
        UnsafeApi.putLong(doneShown, allDone);
        DONE.setRelease(this, seq + 1);
    }

    /** Poller: bytes of this one and of all before it that are not done; unsigned lengths. */
    long lengthThrough(final int seq) {
        long sum = length(seq) & 0xffff_ffffL;
        for (int before = done; before != seq; before++) {
            sum += length(before) & 0xffff_ffffL;
        }
        return sum;
    }

    /** Any thread: how many were posted, ever. */
    long allPosted() {
        return (long) ALL_POSTED.getAcquire(this);
    }

    /** Poller: how many were posted before one that is outstanding; sequence numbers come again, this does not. */
    long countBefore(final int seq) {
        return allDone + (seq - done);
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
        allDone = allPosted;
        UnsafeApi.putLong(doneShown, allDone);
        DONE.setRelease(this, posted);
        doneBefore = posted;
    }

    @Override
    public String toString() {
        return outstanding() + "/" + count() + " outstanding";
    }
}
