/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.jfr.Flight;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.live.Publication;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.CqeWords;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.queues.SequencedQueue;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.live.CqKind;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.OneThread;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * A completion queue. Polling takes no lock against the control path: closed QPs are recognised by {@link Purge}s, QPs
 * that the driver flushes stand in a copied-on-write array, and the QP of a CQE is found in a {@link HandleTable}.
 *
 * <p>Nothing in a CQE is believed: the QP must exist and complete into this CQ, and the request must be outstanding.
 * What fails that test is dropped and counted.
 */
final class PvrdmaCq extends PollerFields implements CompletionQueue {
    private static final String RESIZE = "resize CQ";
    /** Of the gate: completions wait while the ring is replaced. Unlike the codes that refuse it is not negative. */
    private static final int HELD_UP = 1;
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final VarHandle GATE;

    static {
        try {
            GATE = MethodHandles.lookup().findVarHandle(PvrdmaCq.class, "gate", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final int handle;
    final CqEvent event;
    private final PvrdmaChannel channel;
    /** Replaced while nobody polls, by a thread that then opens the {@link #gate}. Others than the poller lock. */
    private volatile CqRing cqRing;
    /** Those of {@link #cqRing}. */
    private io.rdma4j.queues.CompletionQueue ring;
    private UnsafeBuffer cqes;
    private long cqesAddress;
    private final HandleTable.Memo<PvrdmaQp> qps;
    private final CqReservations reservations;
    private final CqeCompletion completion =
        new CqeCompletion(context.traits.tellsImmData, context.traits.tellsInvalidation);
    /** A CQE whose place in the ring was given back before the handler saw it. */
    private final UnsafeBuffer copy = new UnsafeBuffer(ByteBuffer.allocateDirect(Cqe.LENGTH));
    private final int pokeInterval;
    private final int armBits;
    /** OK while completions are handed over, HELD_UP, or else the code that refuses. */
    private volatile int gate;

    private final OneThread poller;
    /** How many may be held: entries that no QP reserved. Below that a request posted anew may find no room. */
    private volatile int slack;
    private volatile long dropped;
    private final PollDoorbell pollDoorbell = new PollDoorbell(this);
    private final Purges purges = new Purges();
    private final DriverFlush flushes = new DriverFlush(this, completion);
    final CqCounts counts;
    final Publication publication;

    PvrdmaCq(final PvrdmaContext context, final int handle, final CqRing cqRing, final PvrdmaChannel channel) {
        super(context);
        this.channel = channel;
        this.event = new CqEvent(this, channel == null ? null : channel.events, context.completionEvents);
        this.handle = handle;
        this.cqRing = cqRing;
        this.ring = cqRing.queue;
        this.cqes = cqRing.cqes;
        this.cqesAddress = cqes.addressOffset();
        this.qps = new HandleTable.Memo<>(context.qps);
        this.reservations = new CqReservations(cqRing.count());
        this.slack = ring.count();
        this.pokeInterval = context.traits.pokeInterval;
        this.pokeIn = pokeInterval;
        this.armBits = context.traits.armBits;
        this.poller = OneThread.of("the poll of " + this);
        final LiveEntry entry = context.device.live().add(CqKind.KIND, handle);
        this.counts = new CqCounts(entry.counters());
        this.publication = new Publication(entry, shown -> CqDescription.write(shown, this.cqRing));
        publication.changed();
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
        return cqRing.count();
    }

    @Override
    public void resize(final int cqe) {
        requireOpen(RESIZE);
        if (!context.supports(Feature.CQ_RESIZE)) {
            throw Errors.error(RdmaException.EOPNOTSUPP, RESIZE, context, "%s", context.whyNot(Feature.CQ_RESIZE));
        }
        Errors.inRange(cqe, 1, context.attributes().maxCqe(), RESIZE, context, "cqe");
        context.requireWorking(RESIZE);
        whileOpen(RESIZE, () -> resizeTo(RingGeometry.powerOfTwo(cqe)));
    }

    private void resizeTo(final int count) {
        if (count == capacity()) {
            return;
        }
        try (Undo undo = new Undo()) {
            final RingMemory memory = RingMemory.allocate(context, RingGeometry.cqPages(count));
            undo.add(() -> {
                // One that lost the answer may write there.
                if (!context.isFailed()) {
                    memory.close();
                }
            });
            final RingMemory old = withoutPoller(() -> replace(memory, count));
            undo.forget();
            old.close();
        }
    }

    private <T> T withoutPoller(final Supplier<T> action) {
        GATE.compareAndSet(this, ReturnCode.OK, HELD_UP);
        try {
            awaitPoller(RESIZE, () -> false);
            return action.get();
        } finally {
            GATE.compareAndSet(this, HELD_UP, ReturnCode.OK);
            // Who polled in vain meanwhile, and asked for an event, gets one.
            wake();
        }
    }

    /**
     * Waits until nobody polls, and asks first when each poller that saw what was there before can be seen polling. Or
     * until something else is so.
     */
    private void awaitPoller(final String operation, final BooleanSupplier enough) {
        final long start = System.nanoTime();
        long waited = 0;
        while (!enough.getAsBoolean() && (waited <= ClosedRings.REST_NANOS || isPolled())) {
            if (waited > context.device.responseTimeoutNanos() + ClosedRings.REST_NANOS) {
                throw CqVerdicts.pollerStays(this, operation, TimeUnit.NANOSECONDS.toMillis(waited));
            }
            LockSupport.parkNanos(PAUSE_NANOS);
            context.requireOpen(operation);
            context.requireWorking(operation);
            waited = System.nanoTime() - start;
        }
    }

    /** Gives back the memory of the old ring, which the device and all threads have left. */
    private synchronized RingMemory replace(final RingMemory memory, final int count) {
        final CqRing old = cqRing;
        final long start = consumed();
        final long end = tailPosition();
        final String objection =
            reservations.objection(count, purges.count(old, start, end), (int) (end - start));
        if (objection != null) {
            throw Errors.invalid(RESIZE, context, "%s: %s", this, objection);
        }
        final CqRing next = CqRing.of(context, handle, memory, count, start);
        final int granted = context.device.commands().resizeCqRing(handle, memory.pdirDma(), count, memory.pages());
        if (granted != count) {
            // It has left the old ring already, and would wrap elsewhere in the new one.
            context.device.fail("RESIZE_CQ_RING answered " + granted + " entries when asked for " + count);
            throw Errors.error(RdmaException.EIO, RESIZE, context, "%s: %d entries granted, not %d", this, granted,
                count);
        }
        cqRing = next;
        ring = next.queue;
        cqes = next.cqes;
        cqesAddress = cqes.addressOffset();
        publication.changed();
        reservations.capacity(count);
        slack = reservations.slack();
        return old.memory;
    }

    @Override
    public long dropped() {
        return dropped;
    }

    @Override
    public int poll(final CompletionHandler handler, final int limit) {
        if (gate != ReturnCode.OK) {
            return refusal();
        }
        if (handler == null || limit < 1 || (OneThread.CHECKED ? !poller.enter() : polling != 0)) {
            return ReturnCode.INVALID_REQUEST;
        }
        completion.polledBy(Thread.currentThread());
        // As WorkQueue.beginPost: the memory of the ring stays the ring's until this ends. Meets isPolledByMe.
        POLLING.setRelease(this, 1L);
        VarHandle.acquireFence();
        try {
            if (gate != ReturnCode.OK) {
                return refusal();
            }
            if (!purges.isEmpty()) {
                purges.forgetPast(consumed);
            }
            final int handed = harvest(handler, limit);
            return handed == 0 ? lookAgain(handler, limit) : handed;
        } finally {
            counts.polled();
            POLLING.setRelease(this, 0L);
            if (OneThread.CHECKED) {
                poller.leave();
            }
        }
    }

    /** What to answer where the gate is not open: a queue whose ring is being replaced looks empty. */
    private int refusal() {
        return Math.min(gate, ReturnCode.OK);
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
        counts.looking();
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
        if (gate >= ReturnCode.OK) {
            ring.consume(count);
            CONSUMED.setRelease(this, consumed + count);
        }
        held -= count;
    }

    /**
     * Looks at the next CQE, and finds out what it is before {@link #giveBackEarly}: until then no purge is forgotten.
     * What other threads change is looked at first; behind each such look the JVM loads all fields anew.
     */
    private int deliver(final CompletionHandler handler) {
        final int cqe = ring.cqeOffset(held);
        final long at = cqesAddress + cqe;
        final long position = consumed + held++;
        final int qpHandle = CqeWords.qp(at) & Uar.HANDLE_MASK;
        final int opcode = CqeWords.opcode(at);
        final boolean receive = Opcodes.isReceive(opcode);
        // Who closes a QP adds the purge first, then takes the QP out of the table, then gives its room back. Looked at
        // the other way round: who sees the handle unused or used again, or the room, sees the purge as well.
        final PvrdmaQp qp = qps.get(qpHandle);
        final int room = slack;
        final boolean purging = !purges.isEmpty();
        if (purging && isPurged(qpHandle, position, receive)) {
            return 0;
        }
        if (qp == null || this != (receive ? qp.receiveCq : qp.sendCq)) {
            return drop();
        }
        final boolean crowded = purging || held > room;
        final SequencedQueue queue = receive ? qp.receiveQueue : qp.sendQueue;
        return queue == null ? deliverShared(handler, cqe, qp, opcode, crowded, position)
            : deliver(handler, cqe, qp, queue, opcode, crowded);
    }

    private int deliver(final CompletionHandler handler, final int cqe, final PvrdmaQp qp, final SequencedQueue queue,
        final int opcode, final boolean crowded) {
        final long at = cqesAddress + cqe;
        final long seq = CqeWords.wrId(at);
        if (!queue.isOutstanding(seq)) {
            return drop();
        }
        final boolean receive = Opcodes.isReceive(opcode);
        final long wrId = queue.userWrId(seq);
        final int room = queue.length(seq);
        final int bytes = receive ? CqeWords.byteLen(at) : room;
        final int told = CqeWords.status(at);
        final int status = receive ? CqVerdicts.judge(told, opcode, bytes, room) : told;
        final boolean silent = !receive && qp.hidesUnsignaled
            && (queue.flags(seq) & SendFlags.PVRDMA_SEND_SIGNALED) == 0;
        final boolean copied = crowded && giveBackEarly(cqe);
        // Before the handler runs, so that it can post into the slot.
        if (status == WcStatus.PVRDMA_WC_SUCCESS) {
            counts.bytes(queue, seq, receive, bytes);
            queue.retireOutstanding(seq);
            if (silent) {
                return 0;
            }
            counts.succeeded();
        } else {
            CqVerdicts.retireFailed(qp, queue, seq, status, receive);
            qp.failed(receive, status, seq);
            counts.failed(status);
        }
        handler.onCompletion(completion.wrap(copied ? copy : cqes, copied ? 0 : cqe, qp, wrId)
            .outcome(opcode, status, bytes));
        return 1;
    }

    private int deliverShared(final CompletionHandler handler, final int cqe, final PvrdmaQp qp, final int opcode,
        final boolean crowded, final long position) {
        // Before anything is given back: what is, who closes the CQ does not see any more.
        if (!takeShared(position)) {
            return 0;
        }
        final long at = cqesAddress + cqe;
        final long wrId = CqeWords.wrId(at);
        final int told = CqeWords.status(at);
        final int bytes = CqeWords.byteLen(at);
        final boolean copied = crowded && giveBackEarly(cqe);
        if (!qp.srq.queue.completed()) {
            return drop();
        }
        final int status = CqVerdicts.judge(told, opcode, bytes, qp.srq.queue.largest());
        if (status == WcStatus.PVRDMA_WC_SUCCESS) {
            counts.received(bytes);
            counts.succeeded();
        } else {
            CqVerdicts.receiveFailed(qp, wrId, qp.srq.queue.largest(), status);
            qp.failed(true);
            counts.failed(status);
        }
        handler.onCompletion(completion.wrap(copied ? copy : cqes, copied ? 0 : cqe, qp, wrId)
            .outcome(opcode, status, bytes));
        return 1;
    }

    /**
     * Called before the place of a request in its queue becomes free: what is posted into it may complete before the
     * handler is done, and needs an entry. Where all entries are spoken for, that of the CQE at hand is given back too.
     *
     * @return whether the CQE is in the copy from now on.
     */
    private boolean giveBackEarly(final int cqe) {
        // What closed QPs left in the queue takes room that no QP reserved.
        if (slack > 0 && purges.isEmpty()) {
            giveBack(held - 1);
            return false;
        }
        copy.putBytes(0, cqes, cqe, Cqe.LENGTH);
        giveBack(held);
        return true;
    }

    private int drop() {
        final long total = dropped + 1;
        dropped = total;
        counts.dropped(total);
        Flight.droppedCompletion(context.device.address(), handle, total);
        return 0;
    }

    private int corruptIndex() {
        return context.corruptIndex(ring);
    }

    /** The queue looks empty: the device may have more, and after the device comes what the driver completes itself. */
    private int lookAgain(final CompletionHandler handler, final int limit) {
        final boolean flush = !flushes.isEmpty();
        if (--pokeIn > 0 && !flush || gate != ReturnCode.OK) {
            return 0;
        }
        pokeIn = pokeInterval;
        pollDoorbell.ring(ring);
        final int handed = harvest(handler, limit);
        return handed == 0 && flush ? flushes.flush(handler, limit) : handed;
    }

    /** In a handler: keeps nothing, where the batch had room and its CQEs were to be given back at its end. */
    private void giveAllBack() {
        if (held > 0) {
            copy.putBytes(0, cqes, ring.cqeOffset(held - 1), Cqe.LENGTH);
            completion.moved(copy, 0);
            giveBack(held);
        }
    }

    private boolean isPurged(final int qpHandle, final long position, final boolean receive) {
        final Purge purge = purges.find(qpHandle, position);
        if (purge == null) {
            return false;
        }
        // The receive that is free afterwards may be posted and complete before the batch is over.
        giveBack(held);
        purge.skip(position, receive);
        return true;
    }

    /** From now on no completion of this QP is handed over that the device has written already. */
    synchronized void purge(final PvrdmaQp qp) {
        purges.add(new Purge(this, qp, tailPosition()), cqRing, this::consumed);
    }

    /** Acquire, meets the release in {@link #giveBack}. */
    private long consumed() {
        return (long) CONSUMED.getAcquire(this);
    }

    /**
     * Where the device writes next. The poller may go on meanwhile; as the device is never more than a ring ahead of
     * it, the low bits tell the place if the poller went on less than a ring.
     */
    long tailPosition() {
        long before;
        long tail;
        do {
            before = consumed();
            tail = cqRing.tailAfter(before);
        } while (consumed() - before >= cqRing.count());
        return tail;
    }

    /** Adds a QP whose requests the driver completes, and tells who waits. */
    void startFlush(final PvrdmaQp qp) {
        if (flushes.add(qp)) {
            wake();
        }
    }

    void stopFlush(final PvrdmaQp qp) {
        flushes.remove(qp);
    }

    @Override
    public int requestNotify(final boolean solicitedOnly) {
        if (gate < ReturnCode.OK) {
            return refusal();
        }
        pollDoorbell.beforeArming();
        event.arm();
        counts.armed();
        // Whichever ring it is: this rings a doorbell and touches no memory.
        final io.rdma4j.queues.CompletionQueue queue = cqRing.queue;
        if (armBits != 0) {
            queue.armWord(armBits);
        } else if (solicitedOnly) {
            queue.armSolicited();
        } else {
            queue.arm();
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
        if (gate >= ReturnCode.OK) {
            pollDoorbell.ring(cqRing.queue);
        }
    }

    /** Before one of its QPs is destroyed. */
    void settle() {
        pollDoorbell.settle();
    }

    /** Adds a QP that completes here. */
    void attach(final CqUse use, final String operation) {
        try (Undo undo = new Undo()) {
            final long needed = reserve(use, operation);
            undo.add(() -> detach(use));
            awaitGivenBack(needed, operation);
            undo.forget();
        }
    }

    /**
     * Reserves what is wanted. It is there when all CQEs before a position have been given back: that much the poller
     * may hold of what it saw before it sees the new {@link #slack}, beside what is reserved.
     *
     * @return the position, for {@link #awaitGivenBack}.
     */
    synchronized long reserve(final CqUse use, final String operation) {
        requireOpen(operation);
        final String objection = reservations.add(use, purges.count(cqRing, consumed(), tailPosition()));
        if (objection != null) {
            throw CqVerdicts.noRoom(this, operation, objection);
        }
        slack = reservations.slack();
        // The load must not overtake the store: what a poller took before it could see this lies before that tail.
        VarHandle.fullFence();
        return use.reserves ? tailPosition() - reservations.unreserved() : 0;
    }

    /**
     * Waits until a batch under way leaves the room that was reserved. Without the lock, which a handler may want.
     *
     * @throws RdmaException EBUSY if a handler of another thread does not return.
     */
    void awaitGivenBack(final long position, final String operation) {
        if (isGivenBack(position)) {
            return;
        }
        if (isPolledByMe()) {
            giveAllBack();
        } else {
            awaitPoller(operation, () -> isGivenBack(position));
        }
    }

    boolean isGivenBack(final long position) {
        return consumed() >= position;
    }

    synchronized void detach(final CqUse use) {
        reservations.remove(use);
        slack = reservations.slack();
    }

    @Override
    boolean hasEvents() {
        return true;
    }

    @Override
    synchronized void requireUnused() {
        if (!reservations.isEmpty()) {
            throw Errors.error(RdmaException.EBUSY, "close CQ", context, "%s: %s", this, reservations);
        }
    }

    @Override
    synchronized void leave() {
        requireUnused();
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
            .run(publication::end)
            .run(() -> context.whileWorking(() -> {
                // Some devices still hold completions back, and would write them into memory that is gone.
                pollDoorbell.ring(cqRing.queue);
                context.device.commands().destroyCq(handle);
            }))
            .run(this::giveBackShared)
            .runIfGood(() -> cqRing.memory.close(this::isPolled))
            .run(() -> context.cqs.remove(handle, this))
            .run(() -> context.forget(this))
            .run(this::leaveChannel)
            .throwIfFailed();
    }

    /** Acquire, meets the release at the end of {@link #poll}. */
    private boolean isPolled() {
        return (long) POLLING.getAcquire(this) != 0;
    }

    /** Whether this is called out of a handler. */
    private boolean isPolledByMe() {
        return isPolled() && completion.isPolledBy(Thread.currentThread());
    }

    private void leaveChannel() {
        if (channel != null) {
            channel.detach(this);
        }
    }

    /** Receives of shared queues that completed for closed QPs, and that nobody will poll any more. */
    private synchronized void giveBackShared() {
        final long start = consumed();
        purges.skip(cqRing, start, Math.min(tailPosition(), start + cqRing.count()));
    }

    /** The memory that the device writes, for tests that play a faulty one. */
    UnsafeBuffer ringBuffer() {
        return cqRing.cqes;
    }

    String dump() {
        return this + " " + cqRing + " consumed=" + consumed() + " dropped=" + dropped
            + " slack=" + slack + " purges=" + purges.size() + " flushing=" + flushes
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
