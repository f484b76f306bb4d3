/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.common.SpinLock;
import io.rdma4j.device.memory.PageTable;
import io.rdma4j.hw.layout.Words;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.queues.Padded;
import io.rdma4j.queues.WqeConsumer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The send side of a queue pair: takes WQEs in order and completes each exactly once. Any thread may run it; its lock
 * makes them one at a time.
 *
 * <p>A request is over, at the peer too, before the next one begins, though the peer may be told of several at once. So
 * a fence, which holds a request back until the reads and atomics before it are over, is there always, whether its flag
 * is set or not; and of max_rd_atomic only matters whether it is 0.
 */
final class Requester extends Padded implements Runnable {
    /** Of payload, before a device that is looked after by a thread does other things, too. */
    private static final long BYTES_AT_ONCE = 64L << 20;
    /** Shorter messages are not counted: all that a ring has of them are a GiB. */
    private static final int LONG = 64 << 10;

    private final EngineContext context;
    private final QueuePair qp;
    private final WqeQueue queue;
    /** Of the queue, for the short way; null if there is none. */
    private final WqeConsumer ring;
    private final SpinLock lock = new SpinLock();
    private final Retries retries;
    private final SendExecutor executor;
    /** Null if nothing may take the short way. */
    private final ExpressLane express;
    /** Null if the device has no wire, or this sends datagrams, or has ended. */
    private WireSender wire;
    /** Of the shape, for the short way. */
    private final CompletionQueue cq;
    private final PageTable pages;
    private final boolean signalsAll;
    private final boolean onlySends;
    /** Whether {@link Timers} knows of this; guarded by their monitor. */
    boolean isTimed;
    /** Whether they have found its time to be up, after what had come was taken. */
    private volatile boolean timeIsUp;
    private long completed;
    /** Of those, what took the short way: a test that means to go it looks whether it did. */
    private long shortened;
    private final Runnable goOn = this::goOn;
    /** Whether {@link #goOn} is to be run; nothing begins before. */
    private boolean goesOnLater;
    /** By long messages, since it went on. */
    private long moved;
    private boolean draining;
    private boolean tellsDrained;

    Requester(EngineContext context, QueuePair qp, WqeQueue queue) {
        this.context = context;
        this.qp = qp;
        this.queue = queue;
        this.retries = new Retries(context, qp.attributes(), this);
        this.executor = new SendExecutor(context, qp, this);
        this.ring = queue.plain();
        this.express = ring == null ? null : executor.express();
        this.wire = context.wire() == null || qp.isDatagram() ? null
            : new WireSender(context, qp, this, executor, queue);
        this.cq = qp.shape().sendCq();
        this.pages = qp.shape().pages();
        this.signalsAll = qp.shape().signalAll() || context.has(Quirk.ALWAYS_SIGNALED);
        this.onlySends = context.has(Quirk.ONLY_SEND);
    }

    SpinLock lock() {
        return lock;
    }

    int count() {
        return queue.count();
    }

    SendExecutor executor() {
        return executor;
    }

    Retries retries() {
        return retries;
    }

    /** When requests are to be looked at again; of {@link Timers#now()}. */
    long deadline() {
        return isBusyOnWire() ? wire.deadline() : retries.deadline();
    }

    /** By the timers: the deadline has passed, and no answer is lying about. */
    void timeIsUp() {
        timeIsUp = true;
    }

    /** Under the lock: whether that was so; once. */
    boolean takeTimeIsUp() {
        final boolean was = timeIsUp;
        timeIsUp = false;
        return was;
    }

    private boolean isBusyOnWire() {
        return wire != null && wire.isBusy();
    }

    /** Under the lock: whether a request has begun and is not over. */
    private boolean isUnderWay() {
        return retries.isWaiting() || isBusyOnWire();
    }

    /** Under the lock: whether the step to SQD is not complete, because a request that had begun is not over. */
    boolean isDraining() {
        return draining;
    }

    /**
     * Under the lock, after the step to SQD: nothing new begins; what has begun is finished.
     *
     * @param tells whether an event is wanted when that is so.
     */
    void drain(boolean tells) {
        draining = true;
        tellsDrained = tells;
        drainedUnlessWaiting();
    }

    private void drainedUnlessWaiting() {
        if (!isUnderWay()) {
            draining = false;
            if (tellsDrained) {
                qp.tell(EventType.PVRDMA_EVENT_SQ_DRAINED);
            }
        }
    }

    /** Under the lock: leaves SQD, drained or not. */
    void stopDraining() {
        draining = false;
    }

    /**
     * Executes what is posted, as far as the state allows. The caller holds no lock, and may have come for another
     * queue pair, or another device: whatever goes wrong here is this one's.
     */
    @Override
    public void run() {
        try {
            executeLocked();
        } catch (final RuntimeException | InternalError e) {
            abort("requests of", e);
        }
    }

    private void executeLocked() {
        lock.lock();
        try {
            execute();
        } finally {
            lock.unlock();
        }
    }

    /**
     * At most as many as the ring has: every post comes with a doorbell of its own, so what is posted meanwhile is not
     * left lying, and no driver can keep the device in here. Who destroys the queue pair waits for one at most. A
     * guest's requests cost it nothing where its regions have the same page many times: of them the bytes count, too.
     */
    private void execute() {
        if (qp.isDead() || qp.state() == QpState.PVRDMA_QPS_RESET) {
            return;
        }
        if (!pages.isCurrent()) {
            breakDown("its rings are not mapped");
            return;
        }
        if (wire != null && wire.isUsed()) {
            executeOnWire();
            return;
        }
        try {
            boolean goesOn = true;
            for (int budget = queue.count(); goesOn && budget > 0 && !goesOnLater && !qp.isDead(); budget--) {
                final int state = qp.state();
                if (state == QpState.PVRDMA_QPS_RTS || state == QpState.PVRDMA_QPS_SQD && retries.isWaiting()) {
                    goesOn = executeNext();
                } else {
                    goesOn = false;
                    flushIfFailed(state);
                }
            }
        } finally {
            endRow();
        }
    }

    private void executeOnWire() {
        if (retries.isWaiting()) {
            // For a route, which there is now.
            retries.end();
        }
        final int state = qp.state();
        if (state == QpState.PVRDMA_QPS_RTS || state == QpState.PVRDMA_QPS_SQD) {
            wire.run();
        } else {
            flushIfFailed(state);
        }
    }

    /** A packet of the peer, which answers requests. */
    void onResponse(UnsafeBuffer packet, int opcode, int at, long payload, int length) {
        lock.lock();
        try {
            final int state = qp.state();
            if (!qp.isDead() && (state == QpState.PVRDMA_QPS_RTS || state == QpState.PVRDMA_QPS_SQD)
                && pages.isCurrent()) {
                wire.onResponse(packet, opcode, at, payload, length);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Under the lock: the request at the head of the queue is over.
     *
     * @return false if the connection is, too.
     */
    boolean over(int status, int vendorError, int length) {
        final int opcode = SqWqe.opcode(queue.page(), queue.offset());
        final int flags = SqWqe.sendFlags(queue.page(), queue.offset());
        final long wrId = SqWqe.wrId(queue.page(), queue.offset());
        executor.vendorError(vendorError);
        finish(wrId, opcode, flags, status, length);
        return status == WcStatus.PVRDMA_WC_SUCCESS && qp.state() != QpState.PVRDMA_QPS_ERR;
    }

    /** Under the lock: what was under way when the step to SQD was taken may be over. */
    void drained() {
        if (draining) {
            drainedUnlessWaiting();
        }
    }

    /** Before anything else than the next send of a row: the peer's locks are held in it. */
    private void endRow() {
        if (express != null) {
            express.endRow();
        }
    }

    private void flushIfFailed(int state) {
        if (state == QpState.PVRDMA_QPS_ERR || state == QpState.PVRDMA_QPS_SQE) {
            flush();
        }
    }

    /** Under the lock. */
    private void hasMoved(long bytes) {
        moved += bytes;
        if (moved > BYTES_AT_ONCE) {
            moved = 0;
            goesOnLater = context.goOnLater(goOn);
        }
    }

    private void goOn() {
        lock.lock();
        goesOnLater = false;
        lock.unlock();
        run();
    }

    private boolean executeNext() {
        final int found = ring != null ? ring.peek() : queue.peek();
        if (found == RingIndex.HAS_DATA) {
            return express != null && executeExpress() || execute(queue.page(), queue.offset());
        }
        if (found == RingIndex.CORRUPT) {
            breakDown("corrupt send queue index");
        }
        return false;
    }

    private boolean executeExpress() {
        final long wqe = ring.address();
        final int opcode = Words.getInt(wqe + SqWqe.OPCODE_OFFSET);
        final int flags = Words.getInt(wqe + SqWqe.SEND_FLAGS_OFFSET);
        final boolean completes = signalsAll || (flags & SendFlags.PVRDMA_SEND_SIGNALED) != 0;
        if (retries.isWaiting() || !express.carryOut(wqe, opcode, flags, !completes && ring.hasMore())) {
            express.endRow();
            return false;
        }
        final long wrId = Words.getLong(wqe + SqWqe.WR_ID_OFFSET);
        ring.advance();
        completed++;
        shortened++;
        if (completes) {
            complete(wrId, opcode == WrOpcode.PVRDMA_WR_RDMA_WRITE ? WcOpcode.PVRDMA_WC_RDMA_WRITE
                : WcOpcode.PVRDMA_WC_SEND, WcStatus.PVRDMA_WC_SUCCESS, express.length());
        }
        if (express.length() > LONG) {
            hasMoved(express.length());
        }
        return true;
    }

    private boolean execute(UnsafeBuffer page, int at) {
        final int opcode = onlySends ? WrOpcode.PVRDMA_WR_SEND : SqWqe.opcode(page, at);
        final int flags = SqWqe.sendFlags(page, at);
        final long wrId = SqWqe.wrId(page, at);
        final int status = retries.isWaiting() ? executeAgain(page, at, opcode, flags)
            : executor.execute(page, at, opcode, flags);
        if (status == Retries.STALLED) {
            return false;
        }
        if (status == Retries.UNDERWAY) {
            wire.run();
            return false;
        }
        finish(wrId, opcode, flags, status, executor.completedLength());
        if (status == WcStatus.PVRDMA_WC_SUCCESS) {
            drained();
        }
        if (executor.list().length() > LONG) {
            hasMoved(executor.list().length());
        }
        return true;
    }

    private void finish(long wrId, int opcode, int flags, int status, int length) {
        // The slot is free before its completion can be seen: who polls may post again at once, into a full queue.
        queue.advance();
        completed++;
        if (status != WcStatus.PVRDMA_WC_SUCCESS || signalsAll || (flags & SendFlags.PVRDMA_SEND_SIGNALED) != 0) {
            complete(wrId, wcOpcode(opcode), status, length);
        }
        if (status != WcStatus.PVRDMA_WC_SUCCESS) {
            failAfter(status);
        }
    }

    private int executeAgain(UnsafeBuffer page, int at, int opcode, int flags) {
        int status = retries.whatNow();
        if (status == Retries.TRY) {
            status = executor.execute(page, at, opcode, flags);
        }
        if (status != Retries.STALLED) {
            retries.end();
        }
        return status;
    }

    private static int wcOpcode(int opcode) {
        return switch (opcode) {
            case WrOpcode.PVRDMA_WR_RDMA_WRITE,
                WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM -> WcOpcode.PVRDMA_WC_RDMA_WRITE;
            case WrOpcode.PVRDMA_WR_RDMA_READ, WrOpcode.PVRDMA_WR_RDMA_READ_WITH_INV -> WcOpcode.PVRDMA_WC_RDMA_READ;
            case WrOpcode.PVRDMA_WR_ATOMIC_CMP_AND_SWP -> WcOpcode.PVRDMA_WC_COMP_SWAP;
            case WrOpcode.PVRDMA_WR_ATOMIC_FETCH_AND_ADD -> WcOpcode.PVRDMA_WC_FETCH_ADD;
            case WrOpcode.PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP -> WcOpcode.PVRDMA_WC_MASKED_COMP_SWAP;
            case WrOpcode.PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD -> WcOpcode.PVRDMA_WC_MASKED_FETCH_ADD;
            case WrOpcode.PVRDMA_WR_LOCAL_INV -> WcOpcode.PVRDMA_WC_LOCAL_INV;
            case WrOpcode.PVRDMA_WR_FAST_REG_MR -> WcOpcode.PVRDMA_WC_FAST_REG_MR;
            case WrOpcode.PVRDMA_WR_BIND_MW -> WcOpcode.PVRDMA_WC_BIND_MW;
            default -> WcOpcode.PVRDMA_WC_SEND;
        };
    }

    private void complete(long wrId, int opcode, int status, int length) {
        if (!cq.begin()) {
            if (cq.hasFailed()) {
                // Nobody will know what becomes of the requests that follow.
                failConnection(EventType.PVRDMA_EVENT_QP_FATAL);
            }
        } else {
            try {
                CqeWriter.write(cq.address(), wrId, qp.handle(), opcode, status, length,
                    status == WcStatus.PVRDMA_WC_SUCCESS ? 0 : executor.vendorError());
            } catch (final InternalError e) {
                cq.abandon();
                throw e;
            }
            cq.end(status != WcStatus.PVRDMA_WC_SUCCESS);
        }
    }

    /** A datagram's failure stops the send side alone; a connection is lost as a whole. */
    private void failAfter(int status) {
        if (onlySends && status == WcStatus.PVRDMA_WC_GENERAL_ERR) {
            // QEMU's backend has not seen the request, and goes on.
            return;
        }
        if (qp.isDatagram()) {
            qp.step(QpState.PVRDMA_QPS_RTS, QpState.PVRDMA_QPS_SQE);
        } else {
            failConnection(-1);
        }
    }

    void breakDown(String why) {
        context.counters().record(Counter.CORRUPT_RINGS, "qp 0x%x: %s", qp.handle(), why);
        failConnection(EventType.PVRDMA_EVENT_QP_FATAL);
    }

    /**
     * Whatever went wrong with this queue pair, as memory that is not there: it is lost, others go on. The caller holds
     * no lock.
     *
     * @param what  was done, for who looks.
     * @param fault came of it.
     */
    void abort(String what, Throwable fault) {
        context.counters().record(Counter.INTERNAL_ERRORS, "%s qp 0x%x: %s", what, qp.handle(), fault);
        abort();
    }

    /** Goes to the error state because its completions cannot be reported any more. The caller holds no lock. */
    void abort() {
        lock.lock();
        try {
            if (!qp.isDead()) {
                failConnection(EventType.PVRDMA_EVENT_QP_FATAL);
            }
        } catch (final RuntimeException | InternalError e) {
            // Nothing is left to be done for it, and others wait.
            context.counters().record(Counter.INTERNAL_ERRORS, "the end of qp 0x%x: %s", qp.handle(), e);
        } finally {
            lock.unlock();
        }
    }

    private void failConnection(int event) {
        if (qp.fail(event)) {
            try {
                flush();
            } finally {
                qp.responder().endAfterFailure();
            }
        }
    }

    /** Under the lock: completes everything posted as flushed. */
    void flush() {
        endRow();
        if (!pages.isCurrent()) {
            return;
        }
        executor.vendorError(0);
        executor.forget();
        retries.end();
        forgetWire();
        draining = false;
        for (int budget = queue.count(); budget > 0 && queue.peek() == RingIndex.HAS_DATA; budget--) {
            final long wrId = SqWqe.wrId(queue.page(), queue.offset());
            final int opcode = SqWqe.opcode(queue.page(), queue.offset());
            queue.advance();
            completed++;
            complete(wrId, wcOpcode(opcode), WcStatus.PVRDMA_WC_WR_FLUSH_ERR, 0);
        }
    }

    /** Under the lock: forgets everything that is posted. */
    void reset() {
        queue.reset();
        executor.psn(0);
        forget();
    }

    /** Nothing waits any more. */
    private void forget() {
        executor.forget();
        retries.end();
        forgetWire();
        draining = false;
        context.timers().remove(this);
    }

    /** Under the lock: the queue pair is about to go. Who still knows it keeps nothing that grows with its rings. */
    void end() {
        forget();
        wire = null;
        queue.release();
    }

    private void forgetWire() {
        if (wire != null) {
            wire.forget();
        }
    }

    @Override
    public String toString() {
        return (pages.isCurrent() ? queue.toString() : "(unmapped)") + " completed " + completed + ", "
            + shortened + " the short way, " + executor + retries + (wire == null ? "" : wire)
            + (draining ? " drains" : "");
    }
}
