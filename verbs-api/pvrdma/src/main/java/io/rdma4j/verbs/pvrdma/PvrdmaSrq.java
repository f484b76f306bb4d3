/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.live.Publication;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.cmd.SrqAttr;
import io.rdma4j.queues.WorkQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.live.SrqKind;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.OneThread;

import java.util.ArrayList;
import java.util.List;

import org.agrona.concurrent.UnsafeBuffer;

/** A shared receive queue. */
final class PvrdmaSrq extends PvrdmaObject implements SharedReceiveQueue {
    final PvrdmaPd pd;
    final int handle;
    final io.rdma4j.queues.SharedReceiveQueue queue;
    private final UnsafeBuffer wqes;
    private final RingMemory memory;
    private final List<PvrdmaQp> users = new ArrayList<>();
    /** QPs that are just being made for it: the device may have them already. */
    private int coming;
    /** Where those complete their receives; null while none is being made. */
    private PvrdmaCq comingCq;
    private final OneThread poster;
    private final Publication publication;
    /** As the application or the device said last. */
    private volatile int limit;
    private PvrdmaCq onlyCq;
    /** OK while receives are taken, else the code that refuses them. */
    private volatile int gate;

    PvrdmaSrq(final PvrdmaPd pd, final int handle, final io.rdma4j.queues.SharedReceiveQueue queue,
        final RingMemory memory, final LiveEntry entry) {
        super(pd.context);
        this.pd = pd;
        this.handle = handle;
        this.queue = queue;
        this.wqes = queue.buffer();
        this.memory = memory;
        poster = OneThread.of(toString());
        gate = context.traits.srqNeedsQp ? ReturnCode.WRONG_STATE : ReturnCode.OK;
        publication = new Publication(entry, this::describe);
        publication.changed();
    }

    private void describe(final LiveEntry entry) {
        entry.set(SrqKind.PD, pd.handle)
            .set(SrqKind.RING_IOVA, memory.iova())
            .set(SrqKind.RING_LENGTH, memory.length())
            .set(SrqKind.RQ_OFFSET, RingMemory.ELEMENTS_OFFSET)
            .set(SrqKind.MAX_WR, queue.count())
            .set(SrqKind.MAX_SGE, queue.maxSge())
            .set(SrqKind.SRQ_LIMIT, limit)
            .set(SrqKind.PDIR_DMA, memory.pdirDma());
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public int maxWr() {
        return queue.count();
    }

    @Override
    public int maxSge() {
        return queue.maxSge();
    }

    @Override
    public void armLimit(final int least) {
        final String operation = "arm SRQ limit";
        requireOpen(operation);
        Errors.inRange(least, 1, maxWr(), operation, context, "limit");
        context.requireWorking(operation);
        // Once it is closed, the handle may be another queue's.
        whileOpen(operation, () -> {
            try (Undo undo = new Undo()) {
                final int before = limit;
                undo.add(() -> limitIs(before));
                // First: with fewer receives than that the event comes at once.
                limitIs(least);
                context.device.commands().modifySrq(handle, least);
                undo.forget();
            }
        });
    }

    /** Also 0: the event came, and there is no limit any more. */
    void limitIs(final int now) {
        limit = now;
        publication.changed();
    }

    @Override
    public int queryLimit() {
        final String operation = "query SRQ";
        requireOpen(operation);
        context.requireWorking(operation);
        final int[] answer = new int[1];
        whileOpen(operation, () -> {
            context.device.commands().querySrq(handle, attr -> answer[0] = attr.get(SrqAttr.SRQ_LIMIT));
            limitIs(answer[0]);
        });
        return answer[0];
    }

    @Override
    public int postReceive(final long wrId, final long address, final int length, final int lkey) {
        final int refusal = enter();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        try {
            return write(wrId, address, length, lkey);
        } finally {
            leavePost();
        }
    }

    /** As {@link PostPath#enter()}: the memory of the ring stays the ring's until the post ends. */
    private int enter() {
        if (OneThread.CHECKED && !poster.enter()) {
            return ReturnCode.INVALID_REQUEST;
        }
        queue.beginPost();
        final int refusal = gate;
        if (refusal != ReturnCode.OK) {
            leavePost();
        }
        return refusal;
    }

    private void leavePost() {
        queue.endPost();
        if (OneThread.CHECKED) {
            poster.leave();
        }
    }

    private int write(final long wrId, final long address, final int length, final int lkey) {
        if (length < 0) {
            return ReturnCode.INVALID_REQUEST;
        }
        final int wqe = queue.claim(wrId, 1, length);
        if (wqe < 0) {
            return notClaimed(wqe);
        }
        Sge.set(wqes, wqe + RqWqe.SGE_OFFSET, address, length, lkey);
        submit();
        return ReturnCode.OK;
    }

    @Override
    public int postReceive(final ReceiveRequest request) {
        final int refusal = enter();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        try {
            return write(request);
        } finally {
            leavePost();
        }
    }

    private int write(final ReceiveRequest request) {
        if (request == null) {
            return ReturnCode.INVALID_REQUEST;
        }
        final int count = request.sges().size();
        if (count > queue.maxSge()) {
            return ReturnCode.TOO_MANY_SGES;
        }
        final int wqe = queue.claim(request.wrId(), count, request.sges().totalLength(count));
        if (wqe < 0) {
            return notClaimed(wqe);
        }
        PostPath.writeElements(wqes, wqe + RqWqe.SGE_OFFSET, request.sges(), count);
        submit();
        return ReturnCode.OK;
    }

    private void submit() {
        queue.commit();
        queue.publish();
        queue.ringDoorbell();
    }

    private int notClaimed(final int code) {
        return code == WorkQueue.FULL ? ReturnCode.QUEUE_FULL : context.corruptIndex(queue);
    }

    /** Refuses a QP whose receives would complete where this device does not deliver them. */
    synchronized void requireUsable(final PvrdmaCq receiveCq, final String operation) {
        requireOpen(operation);
        final PvrdmaCq taken = onlyCq == null ? comingCq : onlyCq;
        if (context.traits.oneCqPerSrq && taken != null && taken != receiveCq) {
            throw Errors.invalid(operation, context, "all QPs of %s must have %s as receive CQ, not %s: %s", this,
                taken, receiveCq, context.traits.oneCqReason);
        }
    }

    /**
     * Stays open until {@link #notComing}; a QP is made for it. Another one that is made at the same time finds its CQ
     * here: once both are in the device, it is too late to refuse one.
     */
    synchronized void coming(final PvrdmaCq receiveCq, final String operation) {
        requireUsable(receiveCq, operation);
        coming++;
        comingCq = receiveCq;
    }

    synchronized void notComing() {
        coming--;
        if (coming == 0) {
            comingCq = null;
        }
    }

    synchronized void attach(final PvrdmaQp qp, final PvrdmaCq receiveCq, final String operation) {
        requireUsable(receiveCq, operation);
        users.add(qp);
        onlyCq = receiveCq;
        openGate(ReturnCode.OK);
    }

    private void openGate(final int code) {
        gate = code;
        if (context.isFailed()) {
            gate = ReturnCode.DEVICE_FAILED;
        }
    }

    /** The device failed: refuses whatever is posted from now on. */
    void fail() {
        gate = ReturnCode.DEVICE_FAILED;
    }

    synchronized void detach(final PvrdmaQp qp) {
        users.remove(qp);
        if (users.isEmpty() && !isClosed()) {
            onlyCq = null;
            openGate(context.traits.srqNeedsQp ? ReturnCode.WRONG_STATE : ReturnCode.OK);
        }
    }

    @Override
    boolean hasEvents() {
        return true;
    }

    @Override
    synchronized void requireUnused() {
        if (!users.isEmpty() || coming > 0) {
            throw Errors.error(RdmaException.EBUSY, "close SRQ", context, "%s is used by %s%s", this, users,
                coming > 0 ? " and " + coming + " QPs that are being made" : "");
        }
    }

    @Override
    synchronized void leave() {
        requireUnused();
        gate = ReturnCode.CLOSED;
        super.leave();
    }

    @Override
    void destroy() {
        final Cleanup cleanup = new Cleanup();
        cleanup
            .run(publication::end)
            .run(() -> context.whileWorking(() -> context.device.commands().destroySrq(handle)))
            .runIfGood(() -> memory.close(queue::isPosting))
            .run(() -> context.srqs.remove(handle, this))
            .run(() -> pd.forget(this))
            .throwIfFailed();
    }

    String dump() {
        return this + " " + queue;
    }

    @Override
    public String toString() {
        return "SRQ " + handle;
    }
}
