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

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            CONSUMED = lookup.findVarHandle(PvrdmaCq.class, "consumed", long.class);
            PURGES = lookup.findVarHandle(PvrdmaCq.class, "purges", Purge[].class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final int handle;
    private final io.rdma4j.queues.CompletionQueue ring;
    private final UnsafeBuffer cqes;
    private final HandleTable<PvrdmaQp> qps;
    private final RingMemory memory;
    private final CqReservations reservations;
    private final CqeCompletion completion = new CqeCompletion();
    private final UnsafeBuffer flushed = new UnsafeBuffer(ByteBuffer.allocateDirect(Cqe.LENGTH));
    private final int pokeInterval;
    private final int armBits;
    /** OK while completions are handed over, else the code that refuses. */
    private volatile int gate;

    private int pokeIn;
    private boolean polling;
    /** CQEs given back since the beginning; their index in the ring is the low bits. */
    private long consumed;
    private volatile long dropped;
    private volatile Purge[] purges = NO_PURGES;
    /** QPs whose outstanding requests the driver completes, because the device does not. */
    private volatile PvrdmaQp[] flushing = NO_QPS;
    private volatile boolean armed;
    private volatile boolean event;

    PvrdmaCq(final PvrdmaContext context, final int handle, final io.rdma4j.queues.CompletionQueue ring,
        final RingMemory memory) {
        super(context);
        this.handle = handle;
        this.ring = ring;
        this.cqes = ring.buffer();
        this.qps = context.qps;
        this.memory = memory;
        this.reservations = new CqReservations(ring.count());
        this.pokeInterval = context.traits.pokeInterval;
        this.armBits = context.traits.armBits;
        this.pokeIn = 1;
        Cqe.status(flushed, 0, WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
    }

    @Override
    public RdmaContext context() {
        return context;
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
        polling = true;
        try {
            final int handed = harvest(handler, limit);
            return handed == 0 ? lookAgain(handler, limit) : handed;
        } finally {
            polling = false;
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
        int seen = 0;
        int handed = 0;
        try {
            while (seen < count) {
                final int cqe = ring.cqeOffset(seen);
                seen++;
                handed += deliver(handler, cqe, consumed + seen - 1);
            }
        } finally {
            giveBack(seen);
        }
        return handed;
    }

    private void giveBack(final int count) {
        if (gate == ReturnCode.OK) {
            ring.consume(count);
            CONSUMED.setRelease(this, consumed + count);
        }
    }

    private int deliver(final CompletionHandler handler, final int cqe, final long position) {
        final int qpHandle = (int) Cqe.qp(cqes, cqe) & Uar.HANDLE_MASK;
        final boolean receive = Opcodes.isReceive(Cqe.opcode(cqes, cqe));
        if (purges != NO_PURGES && isPurged(qpHandle, position, receive)) {
            return 0;
        }
        final PvrdmaQp qp = qps.get(qpHandle);
        if (qp == null || this != (receive ? qp.receiveCq : qp.sendCq)) {
            return drop();
        }
        final SequencedQueue queue = receive ? qp.receives.queue : qp.sends.queue;
        final long seq = Cqe.wrId(cqes, cqe);
        if (queue == null) {
            return deliverShared(handler, cqe, qp, seq);
        }
        if (!queue.isOutstanding(seq)) {
            return drop();
        }
        final long wrId = queue.userWrId(seq);
        if (Cqe.status(cqes, cqe) != WcStatus.PVRDMA_WC_SUCCESS) {
            qp.failed(receive);
        } else if (qp.hidesUnsignaled && !receive && (queue.flags(seq) & SendFlags.PVRDMA_SEND_SIGNALED) == 0) {
            queue.retireThrough(seq);
            return 0;
        }
        // Before the handler runs, so that it can post into the slot.
        queue.retireThrough(seq);
        handler.onCompletion(completion.wrap(cqes, cqe, qp, wrId));
        return 1;
    }

    private int deliverShared(final CompletionHandler handler, final int cqe, final PvrdmaQp qp, final long wrId) {
        if (!qp.srq.queue.completed()) {
            return drop();
        }
        if (Cqe.status(cqes, cqe) != WcStatus.PVRDMA_WC_SUCCESS) {
            qp.failed(true);
        }
        handler.onCompletion(completion.wrap(cqes, cqe, qp, wrId));
        return 1;
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
        forgetPastPurges();
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
        Cqe.opcode(flushed, 0, opcode);
        while (handed < limit && !qp.isClosed()) {
            final long seq = queue.oldestOutstanding();
            if (seq < 0) {
                break;
            }
            final long wrId = queue.userWrId(seq);
            queue.retireThrough(seq);
            handed++;
            handler.onCompletion(completion.wrap(flushed, 0, qp, wrId));
        }
        return handed;
    }

    private boolean isPurged(final int qpHandle, final long position, final boolean receive) {
        for (final Purge purge : purges) {
            if (purge.covers(qpHandle, position)) {
                purge.skip(receive);
                return true;
            }
        }
        return false;
    }

    private void forgetPastPurges() {
        final Purge[] all = purges;
        if (all != NO_PURGES) {
            final long position = consumed;
            final Purge[] left = Arrays.stream(all).filter(p -> !p.isPast(position)).toArray(Purge[]::new);
            PURGES.compareAndSet(this, all, left.length == 0 ? NO_PURGES : left);
        }
    }

    /** From now on no completion of this QP is handed over that the device has written already. */
    void purge(final PvrdmaQp qp) {
        final Purge purge = new Purge(qp, tailPosition());
        Purge[] all;
        Purge[] more;
        do {
            all = purges;
            more = Arrays.copyOf(all, all.length + 1);
            more[all.length] = purge;
        } while (!PURGES.compareAndSet(this, all, more));
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
        context.completionEvents.signal(this);
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
        armed = true;
        if (armBits != 0) {
            ring.armWord(armBits);
        } else if (solicitedOnly) {
            ring.armSolicited();
        } else {
            ring.arm();
        }
        return ReturnCode.OK;
    }

    @Override
    public boolean awaitEvent(final Duration timeout) {
        Errors.notNull(timeout, "await completion event", context, "timeout");
        return context.completionEvents.await(this, timeout);
    }

    boolean isArmed() {
        return armed;
    }

    /** An interrupt named this queue. */
    void notified() {
        armed = false;
        event = true;
    }

    /** Takes the event if there is one; guarded by who calls it. */
    boolean takeEvent() {
        final boolean taken = event;
        event = false;
        return taken;
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
    }

    synchronized void detach(final CqUse use) {
        reservations.remove(use);
    }

    /** Completions of closed QPs that still take room; a poller at work makes the count smaller, never larger. */
    private int staleCqes() {
        int stale = 0;
        final Purge[] all = purges;
        final long end = all.length == 0 ? 0 : tailPosition();
        for (long position = (long) CONSUMED.getAcquire(this); position < end; position++) {
            final int cqe = RingMemory.ELEMENTS_OFFSET + ((int) position & ring.count() - 1) * Cqe.LENGTH;
            for (final Purge purge : all) {
                if (purge.covers((int) Cqe.qp(cqes, cqe) & Uar.HANDLE_MASK, position)) {
                    stale++;
                    break;
                }
            }
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
        context.completionEvents.signal(this);
        new Cleanup()
            .run(() -> context.whileWorking(() -> {
                // Some devices still hold completions back, and would write them into memory that is gone.
                ring.poke();
                context.device.commands().destroyCq(handle);
            }))
            .runIfGood(memory::close)
            .run(() -> context.cqs.remove(handle, this))
            .run(() -> context.forget(this))
            .throwIfFailed();
    }

    /** The memory that the device writes, for tests that play a faulty one. */
    UnsafeBuffer ringBuffer() {
        return cqes;
    }

    String dump() {
        return this + " " + ring + " consumed=" + CONSUMED.getAcquire(this) + " dropped=" + dropped
            + " purges=" + purges.length + " flushing=" + Arrays.toString(flushing) + " armed=" + armed
            + " event=" + event + " " + reservationsText();
    }

    private synchronized String reservationsText() {
        return reservations.toString();
    }

    @Override
    public String toString() {
        return "CQ " + handle;
    }
}
