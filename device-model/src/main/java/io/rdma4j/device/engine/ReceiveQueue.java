/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.SpinLock;
import io.rdma4j.device.link.Waiter;
import io.rdma4j.device.memory.DmaList;
import io.rdma4j.device.memory.PageTable;
import io.rdma4j.hw.layout.Words;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.queues.Padded;
import io.rdma4j.queues.WqeConsumer;

import org.agrona.concurrent.UnsafeBuffer;

import java.lang.invoke.VarHandle;

/**
 * Posted receives, of one QP or shared by several, and the senders that wait for one.
 *
 * <h2>How no sender is left waiting</h2>
 *
 * <p>A sender that finds no receive puts itself on the list, then looks again. A driver that posts stores the index,
 * then its doorbell looks at the list. Both have a full fence between store and load, so at least one of them sees the
 * other: the sender takes the receive, or the doorbell puts the sender on the agenda. The doorbell runs the sender
 * without a lock held, as the sender will take its own send queue's lock and then this one's.
 */
final class ReceiveQueue extends Padded {
    /** Of {@link #take}: there is a receive, and it can be used. */
    static final int TAKEN = 0;
    /** Of {@link #take}: there is none. */
    static final int EMPTY = 1;
    /** Of {@link #take}: there is one that breaks the rules; {@link #status} says how. */
    static final int BAD_WQE = 2;
    /** Of {@link #take}: the ring cannot be used. */
    static final int BROKEN = 3;

    private final EngineContext context;
    private final SpinLock lock = new SpinLock();
    private final WqeQueue queue;
    /** Of the queue, for the short way; null if there is none. */
    private final WqeConsumer ring;
    private final PageTable pages;
    private final int maxSge;
    private final SgeReader sges;
    private final DmaList list;
    private final TakenReceive taken = new TakenReceive();
    private final WaitingSenders waiting = new WaitingSenders();

    ReceiveQueue(EngineContext context, ProtectionDomain pd, WqeQueue queue, PageTable pages, int maxSge) {
        this.context = context;
        this.queue = queue;
        this.ring = queue.plain();
        this.pages = pages;
        this.maxSge = maxSge;
        this.sges = new SgeReader(context, pd);
        this.list = new DmaList(maxSge);
    }

    SpinLock lock() {
        return lock;
    }

    int count() {
        return queue.count();
    }

    int maxSge() {
        return maxSge;
    }

    /** How many pages the driver listed. */
    int pages() {
        return pages.pages();
    }

    /** Under the lock: how many receives are posted, or {@link RingIndex#CORRUPT}. */
    int available() {
        return pages.isCurrent() ? queue.available() : RingIndex.CORRUPT;
    }

    /**
     * Under the lock: reads the next receive; {@link #advance()} gives it back.
     *
     * @param sender to be resumed when there is a receive again; null if it does not wait.
     * @param filled whether a message is put into it. A write with immediate data only tells by it that it came: there
     *               the memory that it names counts for nothing.
     */
    int take(Waiter sender, boolean filled) {
        if (!pages.isCurrent()) {
            return BROKEN;
        }
        int found = queue.peek();
        if (found == RingIndex.NO_DATA && sender != null) {
            found = peekAgainAsWaiter(sender);
        }
        if (found <= RingIndex.NO_DATA) {
            return found == RingIndex.NO_DATA ? EMPTY : BROKEN;
        }
        return read(queue.page(), queue.offset(), filled);
    }

    /** Under the lock: where the next receive is in this process; 0 if there is none, or more has to be asked. */
    long peekPlain() {
        return ring != null && pages.isCurrent() && ring.peek() == RingIndex.HAS_DATA ? ring.address() : 0;
    }

    /**
     * Where a receive of one piece of memory puts a message. Each field is read once.
     *
     * @param wqe    from {@link #peekPlain}.
     * @param length of the message.
     * @return an address in this process; 0 if the receive is another one, or breaks the rules, or is too short.
     */
    long plainHost(long wqe, long length) {
        if (Words.getInt(wqe + RqWqe.NUM_SGE_OFFSET) != 1) {
            return 0;
        }
        final long sge = wqe + RqWqe.SGE_OFFSET;
        final long room = Words.getInt(sge + Sge.LENGTH_OFFSET) & 0xffff_ffffL;
        return length > room ? 0
            : sges.plainHost(Words.getLong(sge + Sge.ADDR_OFFSET), room, Words.getInt(sge + Sge.LKEY_OFFSET),
                AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE);
    }

    private int read(UnsafeBuffer page, int at, boolean filled) {
        taken.wrId = RqWqe.wrId(page, at);
        final int count = RqWqe.numSge(page, at);
        if (count < 0 || count > maxSge) {
            context.counters().record(Counter.BAD_WQES, "receive with %d SGEs, allowed are %d", count, maxSge);
            context.counters().increment(Counter.WOULD_HANG_QEMU);
            taken.status = WcStatus.PVRDMA_WC_LOC_QP_OP_ERR;
            return BAD_WQE;
        }
        final int status = filled
            ? sges.read(page, at + RqWqe.SGE_OFFSET, count, AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE, list)
            : WcStatus.PVRDMA_WC_SUCCESS;
        taken.status = status;
        return status == WcStatus.PVRDMA_WC_SUCCESS ? TAKEN : BAD_WQE;
    }

    /**
     * Under the lock: takes the next receive out of the queue, for a message whose packets come one after the other.
     *
     * @param held   gets it.
     * @param filled as {@link #take} has it.
     * @return as {@link #take}.
     */
    int hold(HeldReceive held, boolean filled) {
        if (!pages.isCurrent()) {
            return BROKEN;
        }
        final int found = queue.peek();
        if (found <= RingIndex.NO_DATA) {
            return found == RingIndex.NO_DATA ? EMPTY : BROKEN;
        }
        held.wqe.putBytes(0, queue.page(), queue.offset(), held.wqe.capacity());
        held.wrId = RqWqe.wrId(held.wqe, 0);
        queue.advance();
        return load(held, filled);
    }

    /** Under the lock: finds the memory of a receive that is held, as it is now; as {@link #take}. */
    int load(HeldReceive held) {
        return load(held, true);
    }

    private int load(HeldReceive held, boolean filled) {
        final int result = read(held.wqe, 0, filled);
        held.status = taken.status;
        return result;
    }

    private int peekAgainAsWaiter(Waiter sender) {
        waiting.add(sender);
        VarHandle.fullFence();
        final int found = queue.peek();
        if (found != RingIndex.NO_DATA) {
            waiting.remove(sender);
        }
        return found;
    }

    /** After a doorbell's fence: whether a sender waits. */
    boolean hasWaiting() {
        return waiting.areThere();
    }

    /** Puts all waiting senders on the agenda. The caller holds the lock or not, as said. */
    void resumeWaiting(boolean locked) {
        if (!locked) {
            lock.lock();
        }
        waiting.moveTo(context.agenda());
        if (!locked) {
            lock.unlock();
        }
    }

    /** Of the receive taken last. */
    long wrId() {
        return taken.wrId;
    }

    /** Of the receive taken last, if it broke the rules. */
    int status() {
        return taken.status;
    }

    /** Memory of the receive taken last. */
    DmaList list() {
        return list;
    }

    /** Under the lock: whether there is a receive, of which only {@link #wrId} is read. For flushing. */
    boolean takeToFlush() {
        if (!pages.isCurrent() || queue.peek() != RingIndex.HAS_DATA) {
            return false;
        }
        taken.wrId = RqWqe.wrId(queue.page(), queue.offset());
        return true;
    }

    void advance() {
        queue.advance();
    }

    /** As {@link #advance}, after {@link #peekPlain}. */
    void advancePlain() {
        ring.advance();
    }

    /** At a doorbell: takes receives out of the ring at once, where the device has a backlog. */
    void fetch() {
        if (queue.hasBacklog()) {
            lock.lock();
            if (pages.isCurrent()) {
                queue.fetch();
            }
            lock.unlock();
        }
    }

    /** Under the lock: forgets everything that is posted. */
    void reset() {
        queue.reset();
        resumeWaiting(true);
    }

    /** Under the lock: lets go of the ring, which cannot be used from now on. */
    void release() {
        pages.release();
        queue.release();
    }

    @Override
    public String toString() {
        return (pages.isCurrent() ? queue.toString() : "(unmapped)") + " waiting senders " + waiting.count();
    }
}
