/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.queues.SequencedQueue;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReturnCode;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * A completion queue. Polling takes no lock against the control path: closed QPs are recognised by {@link Purge}s, QPs
 * that the driver flushes stand in a copied-on-write array, and the QP of a CQE is found in a {@link HandleTable}.
 *
 * <p>Nothing in a CQE is believed: the QP must exist and complete into this CQ, and the request must be outstanding.
 * What fails that test is dropped and counted.
 */
final class PvrdmaCq extends PvrdmaObject implements CompletionQueue {
    private static final Purge[] NO_PURGES = {};
    private static final PvrdmaQp[] NO_QPS = {};
    private static final VarHandle CONSUMED;
    private static final VarHandle PURGES;
    private static final VarHandle POLLING;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            CONSUMED = lookup.findVarHandle(PvrdmaCq.class, "consumed", long.class);
            PURGES = lookup.findVarHandle(PvrdmaCq.class, "purges", Purge[].class);
            POLLING = lookup.findVarHandle(PvrdmaCq.class, "polling", boolean.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final int handle;
    final CqEvent event;
    private final PvrdmaChannel channel;
    private final io.rdma4j.queues.CompletionQueue ring;
    private final UnsafeBuffer cqes;
    private final HandleTable<PvrdmaQp> qps;
    private final RingMemory memory;
    private final CqReservations reservations;
    private final CqeCompletion completion = new CqeCompletion();
    /** Stands for the CQE of a completion that the driver makes. */
    private final UnsafeBuffer flushed = new UnsafeBuffer(ByteBuffer.allocateDirect(Cqe.LENGTH));
    /** A CQE whose place in the ring was given back before the handler saw it. */
    private final UnsafeBuffer copy = new UnsafeBuffer(ByteBuffer.allocateDirect(Cqe.LENGTH));
    private final int pokeInterval;
    private final int armBits;
    /** OK while completions are handed over, else the code that refuses. */
    private volatile int gate;

    private int pokeIn;
    private boolean polling;
    /** CQEs that the poller has looked at and not given back, with the one at hand. */
    private int held;
    /** How many may be held: entries that no QP reserved. Below that a request posted anew may find no room. */
    private volatile int slack;
    /** CQEs given back since the beginning; their index in the ring is the low bits. */
    private long consumed;
    private volatile long dropped;
    private volatile Purge[] purges = NO_PURGES;
    /** QPs whose outstanding requests the driver completes, because the device does not. */
    private volatile PvrdmaQp[] flushing = NO_QPS;

    PvrdmaCq(final PvrdmaContext context, final int handle, final io.rdma4j.queues.CompletionQueue ring,
        final RingMemory memory, final PvrdmaChannel channel) {
        super(context);
        this.channel = channel;
        this.event = new CqEvent(this, channel == null ? null : channel.events, context.completionEvents);
        this.handle = handle;
        this.ring = ring;
        this.cqes = ring.buffer();
        this.qps = context.qps;
        this.memory = memory;
        this.reservations = new CqReservations(ring.count());
        this.slack = ring.count();
        this.pokeInterval = context.traits.pokeInterval;
        this.armBits = context.traits.armBits;
        this.pokeIn = 1;
    }

    @Override
    public RdmaContext context() {
        return context;
    }

    @Override
    public CompletionChannel channel() {
        return channel;
    }

    @Override
    public int capacity() {
        return ring.count();
    }

    @Override
    public long dropped() {
        return dropped;
    }

    @Override
    public int poll(final CompletionHandler handler, final int limit) {
        final int refusal = gate;
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        if (handler == null || limit < 1 || polling) {
            return ReturnCode.INVALID_REQUEST;
        }
        // As WorkQueue.beginPost: the memory of the ring stays the ring's until this ends.
        POLLING.setOpaque(this, true);
        VarHandle.acquireFence();
        try {
            if (gate != ReturnCode.OK) {
                return gate;
            }
            if (purges != NO_PURGES) {
                forgetPastPurges();
            }
            final int handed = harvest(handler, limit);
            return handed == 0 ? lookAgain(handler, limit) : handed;
        } finally {
            POLLING.setRelease(this, false);
        }
    }

    /**
     * Hands over what is there. Does not return 0 while there is more behind dropped CQEs: nobody would be told of
     * it.
     */
    private int harvest(final CompletionHandler handler, final int limit) {
        while (true) {
            final int ready = ring.available(limit);
            if (ready <= 0) {
                return ready == 0 ? 0 : corruptIndex();
            }
            final int handed = deliver(handler, Math.min(ready, limit));
            // Where the queue was closed meanwhile nothing is given back, and the same CQEs would come again.
            if (handed != 0 || gate != ReturnCode.OK) {
                return handed;
            }
        }
    }

    private int deliver(final CompletionHandler handler, final int count) {
        int handed = 0;
        try {
            for (int left = count; left > 0 && gate == ReturnCode.OK; left--) {
                handed += deliver(handler);
            }
        } finally {
            giveBack(held);
        }
        return handed;
    }

    private void giveBack(final int count) {
        if (gate == ReturnCode.OK) {
            ring.consume(count);
            CONSUMED.setRelease(this, consumed + count);
        }
        held -= count;
    }

    /** Looks at the next CQE, and finds out what it is before {@link #makeRoom}: until then no purge is forgotten. */
    private int deliver(final CompletionHandler handler) {
        final int cqe = ring.cqeOffset(held);
        final long position = consumed + held++;
        final int qpHandle = (int) Cqe.qp(cqes, cqe) & Uar.HANDLE_MASK;
        final int opcode = Cqe.opcode(cqes, cqe);
        final boolean receive = Opcodes.isReceive(opcode);
        if (purges != NO_PURGES && isPurged(qpHandle, position, receive)) {
            return 0;
        }
        final PvrdmaQp qp = qps.get(qpHandle);
        if (qp == null || this != (receive ? qp.receiveCq : qp.sendCq)) {
            // It may have been closed between the two looks.
            return isPurged(qpHandle, position, receive) ? 0 : drop();
        }
        final SequencedQueue queue = receive ? qp.receives.queue : qp.sends.queue;
        final long wrId = Cqe.wrId(cqes, cqe);
        return queue == null ? deliverShared(handler, cqe, qp, opcode, wrId)
            : deliver(handler, cqe, qp, queue, opcode, wrId);
    }

    private int deliver(final CompletionHandler handler, final int cqe, final PvrdmaQp qp, final SequencedQueue queue,
        final int opcode, final long seq) {
        if (!queue.isOutstanding(seq)) {
            return drop();
        }
        final boolean receive = queue == qp.receives.queue;
        final long wrId = queue.userWrId(seq);
        final int room = queue.length(seq);
        final int bytes = receive ? Cqe.byteLen(cqes, cqe) : room;
        final int status = receive ? judge(Cqe.status(cqes, cqe), opcode, bytes, room) : Cqe.status(cqes, cqe);
        final boolean silent = !receive && qp.hidesUnsignaled
            && (queue.flags(seq) & SendFlags.PVRDMA_SEND_SIGNALED) == 0;
        final boolean copied = makeRoom(cqe);
        // Before the handler runs, so that it can post into the slot.
        if (status == WcStatus.PVRDMA_WC_SUCCESS) {
            queue.retireThrough(seq);
            if (silent) {
                return 0;
            }
        } else {
            retireFailed(qp, queue, seq);
            qp.failed(receive);
        }
        handler.onCompletion(completion.wrap(copied ? copy : cqes, copied ? 0 : cqe, qp, wrId)
            .outcome(opcode, status, bytes));
        return 1;
    }

    /** Where a request that the device cannot even start completes at once, the older ones are still to come. */
    private static void retireFailed(final PvrdmaQp qp, final SequencedQueue queue, final long seq) {
        if (qp.hidesUnsignaled) {
            queue.retireOne(seq);
        } else {
            queue.retireThrough(seq);
        }
    }

    private int deliverShared(
        final CompletionHandler handler, final int cqe, final PvrdmaQp qp, final int opcode, final long wrId) {
        final int told = Cqe.status(cqes, cqe);
        final int bytes = Cqe.byteLen(cqes, cqe);
        final boolean copied = makeRoom(cqe);
        if (!qp.srq.queue.completed()) {
            return drop();
        }
        final int status = judge(told, opcode, bytes, qp.srq.queue.largest());
        if (status != WcStatus.PVRDMA_WC_SUCCESS) {
            qp.failed(true);
        }
        handler.onCompletion(completion.wrap(copied ? copy : cqes, copied ? 0 : cqe, qp, wrId)
            .outcome(opcode, status, bytes));
        return 1;
    }

    /**
     * The status of a receive. One that claims more bytes than it had room for did not succeed, whatever the device
     * says: an application would read behind its buffer. A write with immediate data has its length from elsewhere.
     */
    private static int judge(final int status, final int opcode, final int bytes, final int room) {
        return status == WcStatus.PVRDMA_WC_SUCCESS && Integer.compareUnsigned(bytes, room) > 0
            && opcode != WcOpcode.PVRDMA_WC_RECV_RDMA_WITH_IMM ? WcStatus.PVRDMA_WC_LOC_LEN_ERR : status;
    }

    /**
     * Called before the place of a request in its queue becomes free: what is posted into it may complete before the
     * handler is done, and needs an entry. Where all entries are spoken for, that of the CQE at hand is given back too.
     *
     * @return whether the CQE is in the copy from now on.
     */
    private boolean makeRoom(final int cqe) {
        return (held > slack || purges != NO_PURGES) && giveBackEarly(cqe);
    }

    private boolean giveBackEarly(final int cqe) {
        // What closed QPs left in the queue takes room that no QP reserved.
        if (slack > 0 && purges == NO_PURGES) {
            giveBack(held - 1);
            return false;
        }
        copy.putBytes(0, cqes, cqe, Cqe.LENGTH);
        giveBack(held);
        return true;
    }

    private int drop() {
        dropped = dropped + 1;
        return 0;
    }

    private int corruptIndex() {
        return context.corruptIndex(ring);
    }

    /** The queue looks empty: the device may have more, and after the device comes what the driver completes itself. */
    private int lookAgain(final CompletionHandler handler, final int limit) {
        final boolean flush = flushing != NO_QPS;
        if (--pokeIn > 0 && !flush || gate != ReturnCode.OK) {
            return 0;
        }
        pokeIn = pokeInterval;
        ring.poke();
        final int handed = harvest(handler, limit);
        return handed == 0 && flush ? flush(handler, limit) : handed;
    }

    private int flush(final CompletionHandler handler, final int limit) {
        int handed = 0;
        for (final PvrdmaQp qp : flushing) {
            if (qp.sendCq == this) {
                handed += flush(handler, limit - handed, qp, qp.sends.queue, WcOpcode.PVRDMA_WC_SEND);
            }
            if (qp.receiveCq == this && qp.receives.queue != null) {
                handed += flush(handler, limit - handed, qp, qp.receives.queue, WcOpcode.PVRDMA_WC_RECV);
            }
        }
        return handed;
    }

    private int flush(final CompletionHandler handler, final int limit, final PvrdmaQp qp, final SequencedQueue queue,
        final int opcode) {
        int handed = 0;
        while (handed < limit && !qp.isClosed()) {
            final long seq = queue.oldestOutstanding();
            if (seq < 0) {
                break;
            }
            final long wrId = queue.userWrId(seq);
            queue.retireThrough(seq);
            handed++;
            handler.onCompletion(completion.wrap(flushed, 0, qp, wrId)
                .outcome(opcode, WcStatus.PVRDMA_WC_WR_FLUSH_ERR, 0));
        }
        return handed;
    }

    private boolean isPurged(final int qpHandle, final long position, final boolean receive) {
        final Purge purge = find(purges, qpHandle, position);
        if (purge == null) {
            return false;
        }
        // The receive that is free afterwards may be posted and complete before the batch is over.
        giveBack(held);
        purge.skip(position, receive);
        return true;
    }

    /** Poller: allocates nothing. Single ones are forgotten when the next one is added. */
    private void forgetPastPurges() {
        final Purge[] all = purges;
        for (final Purge purge : all) {
            if (!purge.isPast(consumed)) {
                return;
            }
        }
        PURGES.compareAndSet(this, all, NO_PURGES);
    }

    /**
     * From now on no completion of this QP is handed over that the device has written already. There are never more
     * purges than CQEs to poll, as each is the first that covers one of them.
     */
    void purge(final PvrdmaQp qp) {
        final Purge purge = new Purge(qp, tailPosition());
        Purge[] all;
        Purge[] next;
        do {
            all = purges;
            final long position = (long) CONSUMED.getAcquire(this);
            final Purge[] left = Arrays.stream(all).filter(p -> !p.isPast(position)).toArray(Purge[]::new);
            if (isNeeded(purge, left, position)) {
                next = Arrays.copyOf(left, left.length + 1);
                next[left.length] = purge;
            } else {
                next = left.length == 0 ? NO_PURGES : left;
            }
        } while (!PURGES.compareAndSet(this, all, next));
    }

    /** Whether the purge covers something that is to be polled and that no other covers. */
    private boolean isNeeded(final Purge purge, final Purge[] others, final long from) {
        for (long position = from; !purge.isPast(position); position++) {
            final int qpHandle = qpHandleAt(position);
            if (purge.covers(qpHandle, position) && find(others, qpHandle, position) == null) {
                return true;
            }
        }
        return false;
    }

    private int qpHandleAt(final long position) {
        return (int) Cqe.qp(cqes, cqeAt(position)) & Uar.HANDLE_MASK;
    }

    private int cqeAt(final long position) {
        return RingMemory.ELEMENTS_OFFSET + ((int) position & ring.count() - 1) * Cqe.LENGTH;
    }

    private static Purge find(final Purge[] purges, final int qpHandle, final long position) {
        for (final Purge purge : purges) {
            if (purge.covers(qpHandle, position)) {
                return purge;
            }
        }
        return null;
    }

    /**
     * Where the device writes next. The poller may go on meanwhile; as the device is never more than a ring ahead of
     * it, the low bits tell the place if the poller went on less than a ring.
     */
    private long tailPosition() {
        long before;
        int tail;
        do {
            before = (long) CONSUMED.getAcquire(this);
            tail = cqes.getIntAcquire(RingState.RX_OFFSET + RingState.PROD_TAIL_OFFSET);
        } while ((long) CONSUMED.getAcquire(this) - before >= ring.count());
        return before + (tail - (int) before & 2 * ring.count() - 1);
    }

    /** Adds a QP whose requests the driver completes, and tells who waits. */
    synchronized void startFlush(final PvrdmaQp qp) {
        if (Arrays.asList(flushing).contains(qp)) {
            return;
        }
        final PvrdmaQp[] more = Arrays.copyOf(flushing, flushing.length + 1);
        more[flushing.length] = qp;
        flushing = more;
        wake();
    }

    synchronized void stopFlush(final PvrdmaQp qp) {
        final PvrdmaQp[] left = Arrays.stream(flushing).filter(other -> other != qp).toArray(PvrdmaQp[]::new);
        flushing = left.length == 0 ? NO_QPS : left;
    }

    @Override
    public int requestNotify(final boolean solicitedOnly) {
        final int refusal = gate;
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        event.arm();
        if (armBits != 0) {
            ring.armWord(armBits);
        } else if (solicitedOnly) {
            ring.armSolicited();
        } else {
            ring.arm();
        }
        context.awaitDoorbells();
        return ReturnCode.OK;
    }

    @Override
    public boolean awaitEvent(final Duration timeout) {
        Errors.notNull(timeout, "await completion event", context, "timeout");
        return context.completionEvents.await(event, timeout) != null;
    }

    /** Something completes that only polling finds. The caller has made it visible before. */
    void wake() {
        // The load must not overtake the caller's stores: who arms looks for them afterwards.
        VarHandle.fullFence();
        if (event.isArmed()) {
            context.completionEvents.raise(event);
        }
    }

    /** Asks the device to complete what it has. For any thread. */
    void poke() {
        if (gate == ReturnCode.OK) {
            ring.poke();
        }
    }

    /** Adds a QP that completes here. */
    synchronized void attach(final CqUse use, final String operation) {
        requireOpen(operation);
        final String objection = reservations.add(use, staleCqes());
        if (objection != null) {
            throw RdmaException.of(operation)
                .device(context.address())
                .object(this)
                .detail(objection)
                .errno(RdmaException.EINVAL)
                .hint("create a larger CQ, poll it, or promise with QpOptions.reserveCq(false) not to overflow it")
                .build();
        }
        slack = reservations.slack();
    }

    synchronized void detach(final CqUse use) {
        reservations.remove(use);
        slack = reservations.slack();
    }

    /** Completions of closed QPs that still take room; a poller at work makes the count smaller, never larger. */
    private int staleCqes() {
        int stale = 0;
        final Purge[] all = purges;
        final long end = all.length == 0 ? 0 : tailPosition();
        for (long position = (long) CONSUMED.getAcquire(this); position < end; position++) {
            stale += find(all, qpHandleAt(position), position) == null ? 0 : 1;
        }
        return stale;
    }

    @Override
    synchronized void leave() {
        if (!reservations.isEmpty()) {
            throw Errors.error(RdmaException.EBUSY, "close CQ", context, "%s: %s", this, reservations);
        }
        gate = ReturnCode.CLOSED;
        super.leave();
    }

    /** The device failed: nothing is handed over from now on. */
    void fail() {
        gate = ReturnCode.DEVICE_FAILED;
    }

    @Override
    void destroy() {
        context.completionEvents.end(event);
        new Cleanup()
            .run(() -> context.whileWorking(() -> {
                // Some devices still hold completions back, and would write them into memory that is gone.
                ring.poke();
                context.device.commands().destroyCq(handle);
            }))
            .run(this::giveBackShared)
            .runIfGood(() -> memory.close(this::isPolled))
            .run(() -> context.cqs.remove(handle, this))
            .run(() -> context.forget(this))
            .run(this::leaveChannel)
            .throwIfFailed();
    }

    /** Acquire, meets the release at the end of {@link #poll}. */
    private boolean isPolled() {
        return (boolean) POLLING.getAcquire(this);
    }

    private void leaveChannel() {
        if (channel != null) {
            channel.detach(this);
        }
    }

    /** Receives of shared queues that completed for closed QPs, and that nobody will poll any more. */
    private void giveBackShared() {
        final Purge[] all = purges;
        final long start = (long) CONSUMED.getAcquire(this);
        final long end = all.length == 0 ? start : Math.min(tailPosition(), start + ring.count());
        for (long position = start; position < end; position++) {
            final Purge purge = find(all, qpHandleAt(position), position);
            if (purge != null) {
                purge.skip(position, Opcodes.isReceive(Cqe.opcode(cqes, cqeAt(position))));
            }
        }
    }

    /** The memory that the device writes, for tests that play a faulty one. */
    UnsafeBuffer ringBuffer() {
        return cqes;
    }

    String dump() {
        return this + " " + ring + " consumed=" + CONSUMED.getAcquire(this) + " dropped=" + dropped
            + " slack=" + slack + " purges=" + purges.length + " flushing=" + Arrays.toString(flushing)
            + " " + channel + " " + event + " " + reservationsText();
    }

    private synchronized String reservationsText() {
        return reservations.toString();
    }

    @Override
    public String toString() {
        return "CQ " + handle;
    }
}
