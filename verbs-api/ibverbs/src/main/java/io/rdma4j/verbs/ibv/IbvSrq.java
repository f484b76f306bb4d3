/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.live.SrqKind;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.OneThread;
import io.rdma4j.verbs.spi.QpRanges;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;

/**
 * A shared receive queue. Its receives complete in any order, and into several CQs, so each has a place of its own from
 * its posting to its completion.
 */
final class IbvSrq extends IbvObject implements SharedReceiveQueue {
    private static final int LIMIT = 2;

    final IbvPd pd;
    final long pointer;
    private final int maxSge;
    final int number;
    private final int owner;
    private final long wire;
    private final long[] wrIds;
    private final int[] lengths;
    private final boolean[] outstanding;
    private final int[] free;
    private int freeCount;
    private final LiveEntry entry;
    private volatile int limit;
    private long posted;
    private long full;
    private long taken;
    private final UnsafeBuffer wr;
    private final UnsafeBuffer badWr = Struct.allocate(Long.BYTES);
    private final CallGate gate = new CallGate(ReturnCode.OK);
    private final OneThread poster;
    private final List<Object> users = new ArrayList<>();

    private IbvSrq(final IbvPd pd, final long pointer, final int count, final int maxSge) {
        super(pd.context);
        this.pd = pd;
        this.pointer = pointer;
        this.maxSge = maxSge;
        this.number = context.nextNumber();
        wrIds = new long[count];
        lengths = new int[count];
        outstanding = new boolean[count];
        free = new int[count];
        freeCount = count;
        for (int i = 0; i < count; i++) {
            free[i] = count - 1 - i;
        }
        entry = context.live.add(SrqKind.KIND, number);
        wr = PostPath.blockOf(1, Abi.RecvWr.LENGTH, maxSge);
        owner = context.srqs.add(this);
        wire = WireId.shared(owner);
        poster = OneThread.of(toString());
    }

    static IbvSrq create(final IbvPd pd, final int count, final int maxSge) {
        final IbvContext context = pd.context;
        final UnsafeBuffer attr = Struct.allocate(Abi.SrqInitAttr.LENGTH);
        attr.putInt(Abi.SrqInitAttr.ATTR_MAX_WR, count);
        attr.putInt(Abi.SrqInitAttr.ATTR_MAX_SGE, maxSge);
        try (Undo undo = new Undo()) {
            final long pointer = context.requireObject(
                context.library.createSrq(pd.pointer, attr.addressOffset()), QpRanges.CREATE_SHARED, "ibv_create_srq");
            Struct.keep(attr);
            undo.add(() -> context.library.destroySrq(pointer));
            final IbvSrq srq = new IbvSrq(pd, pointer, count, maxSge);
            context.events.add(pointer, srq);
            srq.publish(srq.entry, srq::describe);
            undo.forget();
            return srq;
        }
    }

    private void describe(final LiveEntry shown) {
        shown.set(SrqKind.PD, pd.number)
            .set(SrqKind.MAX_WR, maxWr())
            .set(SrqKind.MAX_SGE, maxSge)
            .set(SrqKind.SRQ_LIMIT, limit);
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public int maxWr() {
        return wrIds.length;
    }

    @Override
    public int maxSge() {
        return maxSge;
    }

    @Override
    public void armLimit(final int count) {
        final String operation = "arm SRQ limit";
        requireOpen(operation);
        Errors.inRange(count, 1, maxWr(), operation, context, "limit");
        context.requireWorking(operation);
        final UnsafeBuffer attr = Struct.allocate(Abi.SrqInitAttr.LENGTH);
        attr.putInt(Abi.SrqInitAttr.ATTR_SRQ_LIMIT, count);
        whileOpen(operation, () -> {
            try (Undo undo = new Undo()) {
                final int before = limit;
                undo.add(() -> limitIs(before));
                // First: with fewer receives than that the event comes at once.
                limitIs(count);
                context.require(context.library.modifySrq(pointer, attr.addressOffset() + Abi.SrqInitAttr.ATTR, LIMIT),
                    operation, "ibv_modify_srq");
                undo.forget();
            }
        });
        Struct.keep(attr);
    }

    /** Also 0: the event came, and there is no limit any more. */
    void limitIs(final int now) {
        limit = now;
        changed();
    }

    @Override
    public int queryLimit() {
        final String operation = "query SRQ";
        requireOpen(operation);
        context.requireWorking(operation);
        final UnsafeBuffer attr = Struct.allocate(Abi.SrqInitAttr.LENGTH);
        whileOpen(operation, () -> {
            context.require(context.library.querySrq(pointer, attr.addressOffset() + Abi.SrqInitAttr.ATTR), operation,
                "ibv_query_srq");
            limitIs(attr.getInt(Abi.SrqInitAttr.ATTR_SRQ_LIMIT));
        });
        return attr.getInt(Abi.SrqInitAttr.ATTR_SRQ_LIMIT);
    }

    private int enter() {
        if (OneThread.CHECKED && !poster.enter()) {
            return ReturnCode.INVALID_REQUEST;
        }
        final int refusal = gate.enter();
        if (refusal != ReturnCode.OK && OneThread.CHECKED) {
            poster.leave();
        }
        return refusal;
    }

    private void leavePost() {
        gate.leave();
        if (OneThread.CHECKED) {
            poster.leave();
        }
    }

    @Override
    public int postReceive(final long wrId, final long address, final int length, final int lkey) {
        final int refusal = enter();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        try {
            if (length < 0) {
                return ReturnCode.INVALID_REQUEST;
            }
            element(0, address, length, lkey);
            return submit(wrId, 1, length);
        } finally {
            leavePost();
        }
    }

    @Override
    public int postReceive(final ReceiveRequest request) {
        final int refusal = enter();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        try {
            if (request == null) {
                return ReturnCode.INVALID_REQUEST;
            }
            final int count = request.sges().size();
            if (count > maxSge) {
                return ReturnCode.TOO_MANY_SGES;
            }
            for (int i = 0; i < count; i++) {
                element(i, request.sges().address(i), request.sges().length(i), request.sges().lkey(i));
            }
            return submit(request.wrId(), count, request.sges().totalLength(count));
        } finally {
            leavePost();
        }
    }

    private void element(final int index, final long address, final int length, final int lkey) {
        final int at = Abi.RecvWr.LENGTH + index * Abi.Sge.LENGTH;
        wr.putLong(at + Abi.Sge.ADDR, address);
        wr.putInt(at + Abi.Sge.SIZE, length);
        wr.putInt(at + Abi.Sge.LKEY, lkey);
    }

    private int submit(final long wrId, final int count, final int length) {
        final int place = claim(wrId, length);
        if (place < 0) {
            return place;
        }
        wr.putLong(Abi.RecvWr.WR_ID, WireId.of(wire, place));
        wr.putLong(Abi.RecvWr.NEXT, 0);
        wr.putInt(Abi.RecvWr.NUM_SGE, count);
        final int errno =
            Math.abs(context.calls.postSrqRecv(pointer, wr.addressOffset(), badWr.addressOffset()));
        if (errno == 0) {
            return ReturnCode.OK;
        }
        retire(place);
        return switch (errno) {
            case RdmaException.ENOMEM -> ReturnCode.QUEUE_FULL;
            case RdmaException.EINVAL -> ReturnCode.INVALID_REQUEST;
            default -> context.doubtful(errno, this);
        };
    }

    private synchronized int claim(final long wrId, final int length) {
        if (freeCount == 0) {
            entry.count(SrqKind.RQ_FULL, ++full);
            return ReturnCode.QUEUE_FULL;
        }
        final int place = free[--freeCount];
        entry.count(SrqKind.RQ_POSTED, ++posted);
        wrIds[place] = wrId;
        lengths[place] = length;
        outstanding[place] = true;
        return place;
    }

    /** How many were posted and have not completed. */
    synchronized int outstanding() {
        return wrIds.length - freeCount;
    }

    synchronized boolean isOutstanding(final int place) {
        return place >= 0 && place < outstanding.length && outstanding[place];
    }

    synchronized long wrId(final int place) {
        return wrIds[place];
    }

    synchronized int length(final int place) {
        return lengths[place];
    }

    /** The place can be used again. */
    synchronized void retire(final int place) {
        outstanding[place] = false;
        free[freeCount++] = place;
        entry.count(SrqKind.RQ_TAKEN, ++taken);
    }

    /** The device failed: refuses whatever is posted from now on. */
    void fail() {
        gate.set(ReturnCode.DEVICE_FAILED);
    }

    void attach(final String operation, final Object user) {
        synchronized (users) {
            requireOpen(operation);
            users.add(user);
        }
    }

    void detach(final Object user) {
        synchronized (users) {
            users.remove(user);
        }
    }

    @Override
    boolean hasEvents() {
        return true;
    }

    @Override
    void requireUnused() {
        synchronized (users) {
            if (!users.isEmpty()) {
                throw Errors.error(RdmaException.EBUSY, "close SRQ", context, "%s is used by QPs: %s", this, users);
            }
        }
    }

    @Override
    void leave() {
        synchronized (users) {
            requireUnused();
            gate.set(ReturnCode.CLOSED);
            super.leave();
        }
    }

    @Override
    void awaitOthers() {
        gate.awaitEmpty("close SRQ", context, this, "posting to it");
        context.events.remove(pointer, this);
    }

    @Override
    void destroy() {
        new Cleanup()
            .run(() -> context.destroyed(context.library.destroySrq(pointer), "close SRQ", "ibv_destroy_srq"))
            .run(() -> context.srqs.remove(owner))
            .run(() -> pd.forget(this))
            .throwIfFailed();
    }

    synchronized String dump() {
        return this + " " + outstanding() + "/" + wrIds.length + " outstanding";
    }

    @Override
    public String toString() {
        return "SRQ " + number;
    }
}
