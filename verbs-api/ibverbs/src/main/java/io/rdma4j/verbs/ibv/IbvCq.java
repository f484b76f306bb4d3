/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Deadline;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.live.CqKind;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.MessageLength;
import io.rdma4j.verbs.spi.OneThread;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A completion queue: completions are fetched by the dozen, judged, and handed over one by one. */
final class IbvCq extends IbvObject implements CompletionQueue {
    static final String CREATE = "create CQ";
    private static final String RESIZE = "resize CQ";
    private static final String CLOSE = "close CQ";
    private static final int BATCH = 32;
    /** As long as a poller may be without a processor on a busy machine; one that has it makes way at once. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final VarHandle POLLING;

    static {
        try {
            POLLING = MethodHandles.lookup().findVarHandle(IbvCq.class, "polling", boolean.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final long pointer;
    private final IbvChannel channel;
    private final CompletionEvents events;
    private final CallGate gate = new CallGate(ReturnCode.OK);
    private final Users arming = new Users();
    /** Whether anybody may wait for an event of it. */
    private volatile boolean asked;
    /** Of who changes its size or its users, or sweeps. */
    private final Turn turn;
    private final CqRoom room;
    final int number;
    private final OneThread poller;
    private final CqTotals totals;
    /** What the library fetched, and behind it one place for a completion that must make room for more. */
    private final UnsafeBuffer block = Struct.allocate((BATCH + 1) * Abi.Wc.LENGTH);
    private final WcCompletion completion = new WcCompletion(block);
    private final long wcs = block.addressOffset();
    private volatile int capacity;
    private volatile long dropped;
    private volatile boolean polling;
    /** Who polls, or did so last. */
    private Thread polledBy;
    /** Whether a thread that does not poll looks for what is left by closed QPs. */
    private volatile boolean sweeping;
    // Of which queue the last completion was: mostly the next one is, too.
    private int lastQueue;
    private Owners.Entry<IbvQp> last = Owners.nobody();
    private PostedWork lastWork;
    /** Those in the block that were not handed over yet: of a poll with a smaller limit, or whose handler threw. */
    private int next;
    private int fetched;

    private IbvCq(final IbvContext context, final long pointer, final int capacity, final IbvChannel channel,
        final CompletionEvents events) {
        super(context);
        this.turn = new Turn(context, this);
        this.pointer = pointer;
        this.channel = channel;
        this.events = events;
        this.capacity = capacity;
        this.room = new CqRoom(capacity);
        this.number = context.nextNumber();
        this.totals = new CqTotals(context.live.add(CqKind.KIND, number));
        this.poller = OneThread.of("the poll of " + this);
    }

    static IbvCq create(final IbvContext context, final int cqe, final IbvChannel channel) {
        if (channel == null) {
            return createOn(context, cqe, null);
        }
        // The library is given the channel's address: it must not be closed meanwhile.
        return channel.makeWhileOpen(CREATE, () -> createOn(context, cqe, channel));
    }

    private static IbvCq createOn(final IbvContext context, final int cqe, final IbvChannel channel) {
        final String operation = CREATE;
        try (Undo undo = new Undo()) {
            final CompletionEvents events =
                channel == null ? CompletionEvents.create(context, operation) : channel.events;
            if (channel == null) {
                undo.add(events::close);
            }
            final long pointer = context.requireObject(
                context.library.createCq(context.pointer, cqe, 0, events.pointer, 0), operation, "ibv_create_cq");
            undo.add(() -> context.library.destroyCq(pointer));
            final int granted = UnsafeApi.getInt(pointer + Abi.Cq.CQE);
            if (granted < cqe) {
                throw Errors.error(RdmaException.EIO, operation, context, "the device gave %d entries when asked for "
                    + "%d", granted, cqe);
            }
            final IbvCq cq = new IbvCq(context, pointer, cqe, channel, events);
            if (channel != null) {
                channel.attach(cq, operation);
            }
            events.add(pointer, cq);
            context.events.add(pointer, cq);
            cq.publish(cq.totals.entry, cq::describe);
            undo.forget();
            return cq;
        }
    }

    private void describe(final LiveEntry entry) {
        entry.set(CqKind.CQE, capacity);
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
        return capacity;
    }

    @Override
    public void resize(final int cqe) {
        requireOpen(RESIZE);
        if (!context.supports(Feature.CQ_RESIZE)) {
            throw Errors.error(RdmaException.EOPNOTSUPP, RESIZE, context, "%s", context.whyNot(Feature.CQ_RESIZE));
        }
        Errors.inRange(cqe, 1, context.attributes().maxCqe(), RESIZE, context, "cqe");
        context.requireWorking(RESIZE);
        whileOpen(RESIZE, () -> turn.run(RESIZE, () -> resizeTo(IbvAttributes.roundUp(cqe))));
    }

    private void resizeTo(final int count) {
        final String objection = room.objection(count);
        if (objection != null) {
            throw Errors.invalid(RESIZE, context, "%s: %s", this, objection);
        }
        context.require(context.library.resizeCq(pointer, count), RESIZE, "ibv_resize_cq");
        capacity = count;
        room.capacity(count);
        changed();
    }

    @Override
    public int poll(final CompletionHandler handler, final int limit) {
        final int refusal = gate.code();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        if (handler == null || limit < 1 || (OneThread.CHECKED ? !poller.enter() : polling)) {
            return ReturnCode.INVALID_REQUEST;
        }
        beginPoll();
        try {
            return harvest(handler, limit);
        } finally {
            totals.polled();
            POLLING.setRelease(this, false);
            if (OneThread.CHECKED) {
                poller.leave();
            }
        }
    }

    private void beginPoll() {
        final Thread me = Thread.currentThread();
        // A reference is stored only if it is another one: it costs the collector's barrier.
        if (polledBy != me) {
            polledBy = me;
        }
        // As in CallGate: who sweeps either is seen here, or sees this when he has waited, and then who it is.
        POLLING.setRelease(this, true);
        VarHandle.acquireFence();
        if (sweeping) {
            letSweep();
        }
    }

    /** Not for long. To find nothing instead would be wrong for an application that goes to sleep then. */
    private void letSweep() {
        do {
            POLLING.setRelease(this, false);
            while (sweeping) {
                Thread.yield();
            }
            POLLING.setRelease(this, true);
            VarHandle.acquireFence();
        } while (sweeping);
    }

    /**
     * Fetches what is in the queue, unless another thread's poll takes long: what closed QPs left takes room no more,
     * what others have there is handed over by the next poll, or by the one whose handler this is called out of. Under
     * the turn.
     */
    private void sweep() {
        if (polling && polledBy == Thread.currentThread()) {
            // The handler may go on reading its completion, whose place is filled anew.
            completion.moved(wcs + (long) BATCH * Abi.Wc.LENGTH);
            sweepAlone();
            return;
        }
        sweeping = true;
        try {
            final long began = System.nanoTime();
            CallGate.settle();
            boolean isFree = !polling;
            while (!isFree && System.nanoTime() - began < PATIENCE_NANOS) {
                CallGate.settle();
                isFree = !polling;
            }
            // Not asked again: a poll that begins says for a moment that it does, before it sees this and waits.
            if (isFree) {
                sweepAlone();
            }
        } finally {
            sweeping = false;
        }
    }

    private void sweepAlone() {
        while (room.hasStale() && dropStale() && fetch(BATCH)) {
            // Once more, as long as all of it was of closed QPs.
        }
    }

    /** Forgets what is at hand of closed QPs; false if there is something for somebody. */
    private boolean dropStale() {
        while (next < fetched) {
            final long wire = UnsafeApi.getLong(wcs + (long) next * Abi.Wc.LENGTH + Abi.Wc.WR_ID);
            if (WireId.isShared(wire) || context.qps.get(WireId.owner(wire)) != null) {
                return false;
            }
            next++;
            drop();
        }
        return true;
    }

    private int harvest(final CompletionHandler handler, final int limit) {
        int handed = 0;
        while (handed < limit && (next < fetched || fetch(limit - handed))) {
            handed += deliver(handler);
        }
        return handed > 0 ? handed : Math.min(gate.code(), ReturnCode.OK);
    }

    /** Calls the library; false if it has nothing. */
    private boolean fetch(final int wanted) {
        if (gate.enter() != ReturnCode.OK) {
            return false;
        }
        final int stale = room.stale();
        final int count = Math.min(wanted, BATCH);
        final int found;
        try {
            found = context.calls.pollCq(pointer, count, wcs);
        } finally {
            gate.leave();
        }
        if (found < 0 || found > count) {
            context.fail(this + ": ibv_poll_cq answered " + found);
            return false;
        }
        if (stale > 0 && found < count) {
            room.gone(stale);
        }
        next = 0;
        fetched = found;
        return found > 0;
    }

    private int deliver(final CompletionHandler handler) {
        final long at = wcs + (long) next++ * Abi.Wc.LENGTH;
        final long wire = UnsafeApi.getLong(at + Abi.Wc.WR_ID);
        if (WireId.queue(wire) == lastQueue) {
            final IbvQp qp = last.value();
            if (qp != null) {
                return deliver(handler, at, wire, qp, lastWork);
            }
        }
        return WireId.isShared(wire) ? deliverShared(handler, at, wire) : deliverFirst(handler, at, wire);
    }

    /** Of another queue than the one before. */
    private int deliverFirst(final CompletionHandler handler, final long at, final long wire) {
        final Owners.Entry<IbvQp> entry = context.qps.entry(WireId.owner(wire));
        final IbvQp qp = entry == null ? null : entry.value();
        final boolean receive = WireId.isReceive(wire);
        if (qp == null || this != (receive ? qp.receiveCq : qp.sendCq)) {
            return drop();
        }
        final PostedWork work = receive ? qp.receives.work : qp.sends.work;
        if (work == null) {
            return drop();
        }
        last = entry;
        lastWork = work;
        lastQueue = WireId.queue(wire);
        return deliver(handler, at, wire, qp, work);
    }

    private int deliver(final CompletionHandler handler, final long at, final long wire, final IbvQp qp,
        final PostedWork work) {
        final int seq = WireId.sequence(wire);
        if (!work.isOutstanding(seq)) {
            return drop();
        }
        final long wrId = work.wrId(seq);
        final int room = work.length(seq);
        final WcStatus told = status(at);
        if (WireId.isReceive(wire)) {
            // Before the handler runs, so that it can post into the place.
            work.retire(seq);
            return received(handler, at, qp, wrId, told, room);
        }
        final WcOpcode opcode = work.completion(seq);
        if (told == WcStatus.SUCCESS) {
            totals.sent(work.lengthThrough(seq));
        } else {
            totals.failed(told);
            qp.failed(seq, told);
        }
        work.retire(seq);
        handler.onCompletion(completion.wrap(at, qp, wrId).outcome(opcode, told, room));
        return 1;
    }

    private static WcStatus status(final long at) {
        final int code = UnsafeApi.getInt(at + Abi.Wc.STATUS);
        return code == 0 ? WcStatus.SUCCESS : WcStatus.of(code);
    }

    private int received(final CompletionHandler handler, final long at, final IbvQp qp, final long wrId,
        final WcStatus told, final int room) {
        final int bytes = UnsafeApi.getInt(at + Abi.Wc.BYTE_LEN);
        final WcOpcode opcode = told == WcStatus.SUCCESS
            && UnsafeApi.getInt(at + Abi.Wc.OPCODE) == Opcodes.RECV_RDMA_WITH_IMM
            ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV;
        final boolean tooLong = told == WcStatus.SUCCESS && opcode == WcOpcode.RECV
            && !MessageLength.fits(bytes, room);
        final WcStatus status = tooLong ? WcStatus.LOC_LEN_ERR : told;
        if (status == WcStatus.SUCCESS) {
            totals.received(bytes);
        } else {
            totals.failed(status);
            qp.receiveFailed(wrId, room, status);
        }
        handler.onCompletion(completion.wrap(at, qp, wrId).outcome(opcode, status, bytes));
        return 1;
    }

    private int deliverShared(final CompletionHandler handler, final long at, final long wire) {
        final IbvSrq srq = context.srqs.get(WireId.owner(wire));
        final int place = WireId.sequence(wire);
        if (srq == null || !srq.isOutstanding(place)) {
            return drop();
        }
        final long wrId = srq.wrId(place);
        final int room = srq.length(place);
        srq.retire(place);
        final IbvQp qp = context.qpNumbers.get(UnsafeApi.getInt(at + Abi.Wc.QP_NUM));
        // In RESET it is of before: the receive was used up, and nobody hears of it.
        if (qp == null || qp.srq != srq || qp.receiveCq != this || qp.state() == QpState.RESET) {
            return drop();
        }
        return received(handler, at, qp, wrId, status(at), room);
    }

    private int drop() {
        dropped++;
        totals.dropped(dropped);
        return 0;
    }

    @Override
    public int requestNotify(final boolean solicitedOnly) {
        if (!arming.begin(this)) {
            return ReturnCode.CLOSED;
        }
        try {
            synchronized (arming) {
                final int refusal = gate.code();
                if (refusal != ReturnCode.OK) {
                    return refusal;
                }
                asked = true;
                final int errno = context.calls.reqNotifyCq(pointer, solicitedOnly ? 1 : 0);
                totals.armed();
                return errno == 0 ? ReturnCode.OK : context.doubtful(Math.abs(errno), this);
            }
        } finally {
            arming.end();
        }
    }

    @Override
    public boolean awaitEvent(final Duration timeout) {
        Errors.notNull(timeout, CompletionEvents.OPERATION, context, "timeout");
        requireOpen(CompletionEvents.OPERATION);
        return events.await(this, this, Deadline.nanos(timeout)) != null;
    }

    @Override
    public long dropped() {
        return dropped;
    }

    void attach(final CqUse use, final String operation) {
        turn.run(operation, () -> attachNow(use, operation));
    }

    private void attachNow(final CqUse use, final String operation) {
        requireOpen(operation);
        String objection = room.add(use);
        if (objection != null) {
            if (room.hasStale()) {
                sweep();
            }
            // In any case: a poll of another thread may have found meanwhile that there is room.
            objection = room.add(use);
        }
        if (objection != null) {
            throw RdmaException.of(operation).device(context.address()).object(this).detail("%s", objection)
                .errno(RdmaException.EINVAL)
                .hint("make the CQ larger, or promise with reserveCq(false) never to overflow it").build();
        }
    }

    /** A QP does not use it any more; so many of its completions may still be here. */
    void detach(final CqUse use, final int left) {
        room.remove(use, left);
    }

    /** A QP forgot its requests; so many completions of them may still be here. */
    void left(final int count) {
        room.left(count);
    }

    boolean isTight(final String operation) {
        return turn.get(operation, () -> {
            if (room.isTight()) {
                sweep();
            }
            return room.isTight();
        });
    }

    void fail() {
        gate.set(ReturnCode.DEVICE_FAILED);
        events.endWaits();
    }

    void endWaits() {
        events.endWaits();
    }

    @Override
    boolean hasEvents() {
        return true;
    }

    @Override
    void requireUnused() {
        if (!room.isEmpty()) {
            throw Errors.error(RdmaException.EBUSY, CLOSE, context, "%s is used by %s", this, room);
        }
    }

    @Override
    void leave() {
        turn.run(CLOSE, () -> {
            requireUnused();
            super.leave();
        });
        gate.set(ReturnCode.CLOSED);
    }

    @Override
    void awaitOthers() {
        gate.awaitEmpty(CLOSE, context, this, "polling it");
        arming.awaitNone(CLOSE, context, this);
        events.remove(pointer, asked);
        if (channel == null) {
            events.end(this);
        }
        context.events.remove(pointer, this);
    }

    /** What lies here of closed QPs with shared queues used their receives up: places that can be had again. */
    private void giveBackShared() {
        if (context.isFailed()) {
            return;
        }
        if (!polling) {
            giveBackShared(wcs, next, fetched);
        }
        final UnsafeBuffer left = Struct.allocate(BATCH * Abi.Wc.LENGTH);
        int found;
        do {
            found = context.calls.pollCq(pointer, BATCH, left.addressOffset());
            giveBackShared(left.addressOffset(), 0, Math.min(found, BATCH));
        } while (found == BATCH);
        Struct.keep(left);
    }

    private void giveBackShared(final long from, final int first, final int end) {
        for (int i = first; i < end; i++) {
            final long wire = UnsafeApi.getLong(from + (long) i * Abi.Wc.LENGTH + Abi.Wc.WR_ID);
            final IbvSrq srq = WireId.isShared(wire) ? context.srqs.get(WireId.owner(wire)) : null;
            if (srq != null && srq.isOutstanding(WireId.sequence(wire))) {
                srq.retire(WireId.sequence(wire));
            }
        }
    }

    @Override
    void destroy() {
        final Cleanup cleanup = new Cleanup().run(this::giveBackShared);
        cleanup.run(() -> context.destroyed(context.library.destroyCq(pointer), CLOSE, "ibv_destroy_cq"));
        if (channel == null) {
            cleanup.run(events::close);
        } else {
            channel.detach(this);
        }
        cleanup.run(() -> context.forget(this)).throwIfFailed();
    }

    String dump() {
        return this + " capacity=" + capacity + " dropped=" + dropped + " room: " + room + " " + totals;
    }

    @Override
    public String toString() {
        return "CQ " + number;
    }
}
