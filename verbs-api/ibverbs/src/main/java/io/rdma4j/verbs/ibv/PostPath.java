/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SgeList;
import io.rdma4j.verbs.spi.OneThread;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Posting to a queue of a QP: a request is checked, then written as the library wants it, in memory made once, a place
 * for each that the queue can hold. Several are a list, which goes down in one call.
 */
abstract class PostPath<R> {
    // The same members in ibv_send_wr and ibv_recv_wr.
    private static final int WR_ID = Abi.SendWr.WR_ID;
    private static final int NEXT = Abi.SendWr.NEXT;
    private static final int SG_LIST = Abi.SendWr.SG_LIST;
    private static final int NUM_SGE = Abi.SendWr.NUM_SGE;
    private static final int ENOSYS = 38;

    final IbvContext context;
    final CallGate gate;
    /** Null for receives of a QP that takes them from a shared queue. */
    final PostedWork work;
    private final int maxSge;
    private final int header;
    private final int stride;
    /** Holds the memory. */
    private final UnsafeBuffer block;
    private final long memory;
    private final UnsafeBuffer badWr = Struct.allocate(Long.BYTES);
    private final long badWrAddress = badWr.addressOffset();
    private long wire;
    private long first;
    private long last;
    private int claimed;
    /** Requests of this call that were handed over already. */
    private int held;
    private OneThread poster;

    PostPath(final IbvContext context, final PostedWork work, final int maxSge, final int header, final int gate) {
        this.context = context;
        this.work = work;
        this.maxSge = maxSge;
        this.header = header;
        this.stride = stride(header, maxSge);
        this.gate = new CallGate(gate);
        this.block = work == null ? null : blockOf(work.count(), header, maxSge);
        this.memory = block == null ? 0 : block.addressOffset();
    }

    private static int stride(final int header, final int maxSge) {
        return header + maxSge * Abi.Sge.LENGTH + 63 & -64;
    }

    /** Memory for so many requests, each of which names its own elements. */
    static UnsafeBuffer blockOf(final int count, final int header, final int maxSge) {
        final int stride = stride(header, maxSge);
        final UnsafeBuffer block = Struct.allocate(Math.multiplyExact(count, stride));
        for (int i = 0; i < count; i++) {
            final int at = i * stride;
            block.putLong(at + SG_LIST, block.addressOffset() + at + header);
        }
        return block;
    }

    final long place(final UnsafeBuffer of, final int slot) {
        return of.addressOffset() + (long) slot * stride;
    }

    /** Names the queue to who looks for a second thread in it; before the first post. */
    final void guardedAs(final String name) {
        poster = OneThread.of(name);
    }

    /** What the library is told of the queue in each request; nobody posts. */
    final void wire(final long id) {
        wire = id;
    }

    final int maxSge() {
        return maxSge;
    }

    final int enter() {
        if (OneThread.CHECKED && !poster.enter()) {
            return ReturnCode.INVALID_REQUEST;
        }
        final int refusal = gate.enter();
        if (refusal != ReturnCode.OK && OneThread.CHECKED) {
            poster.leave();
        }
        return refusal;
    }

    final void leave() {
        claimed = 0;
        held = 0;
        gate.leave();
        if (OneThread.CHECKED) {
            poster.leave();
        }
    }

    final int post(final R request) {
        final int refusal = enter();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        try {
            final int code = enqueueOrRefuse(request);
            return code == ReturnCode.OK && claimed > 0 ? Math.min(submit(), ReturnCode.OK) : code;
        } finally {
            leave();
        }
    }

    final int post(final R[] requests, final int count) {
        final int refusal = enter();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        try {
            return postAll(requests, count);
        } finally {
            leave();
        }
    }

    private int postAll(final R[] requests, final int count) {
        if (requests == null || count < 0 || count > requests.length) {
            return ReturnCode.INVALID_REQUEST;
        }
        int code = ReturnCode.OK;
        for (int i = 0; i < count && code == ReturnCode.OK; i++) {
            code = enqueueOrRefuse(requests[i]);
        }
        return finish(code);
    }

    /** Hands over what is left; how many were posted, or the code that refused the first. */
    final int finish(final int code) {
        final int before = held;
        final int rest = claimed > 0 ? submit() : code;
        return before == 0 ? rest : before + Math.max(0, claimed > 0 ? rest : 0);
    }

    private int enqueueOrRefuse(final R request) {
        return request == null ? ReturnCode.INVALID_REQUEST : enqueue(request);
    }

    /** Checks a request and puts it at the end of the list, or answers with the code that refuses it. */
    abstract int enqueue(R request);

    /** Calls the library. */
    abstract int call(long list, long refused);

    /** Takes a place for a request: its address, or a negative code. */
    final long claim(final long wrId, final int length) {
        if (!work.hasRoom(claimed)) {
            return ReturnCode.QUEUE_FULL;
        }
        final long at = memory + (long) work.slot(work.next(claimed)) * stride;
        describe(at, wrId, length);
        return at;
    }

    final int nextSlot() {
        return work.slot(work.next(claimed));
    }

    final int nextSequence() {
        return work.next(claimed);
    }

    /** The same for a request that is written somewhere else; false if there is no room. */
    final boolean claim(final long at, final long wrId, final int length) {
        final boolean room = work.hasRoom(claimed);
        if (room) {
            describe(at, wrId, length);
        }
        return room;
    }

    private void describe(final long at, final long wrId, final int length) {
        final int seq = work.next(claimed);
        work.describe(seq, wrId, length);
        UnsafeApi.putLong(at + WR_ID, WireId.of(wire, seq));
        UnsafeApi.putLong(at + NEXT, 0);
    }

    /** Puts the request, which is complete, at the end of the list. */
    final void commit(final long at) {
        if (claimed == 0) {
            first = at;
        } else {
            UnsafeApi.putLong(last + NEXT, at);
        }
        last = at;
        claimed++;
    }

    final int claimed() {
        return claimed;
    }

    /** Hands the list to the library: how many it took, or the code why it took none. */
    final int submit() {
        final int count = claimed;
        // Before the call: they may complete while it lasts.
        work.publish(count);
        final int errno = call(first, badWrAddress);
        return errno == 0 ? count : refused(Math.abs(errno), count);
    }

    /**
     * Hands the list over while what its last request names is held, and empties it.
     *
     * @return OK if all of it was taken, else the code that refused it.
     */
    final int submitHeld() {
        final int count = claimed;
        final int taken = submit();
        held += Math.max(0, taken);
        claimed = 0;
        return taken == count ? ReturnCode.OK : taken < 0 ? taken : ReturnCode.INVALID_REQUEST;
    }

    final long wireOfNext() {
        return WireId.of(wire, nextSequence());
    }

    private int refused(final int errno, final int count) {
        final long bad = UnsafeApi.getLong(badWrAddress);
        int taken = 0;
        for (long at = first; at != bad && taken < count; at = UnsafeApi.getLong(at + NEXT)) {
            taken++;
        }
        work.takeBack(count - taken);
        return taken > 0 ? taken : code(errno);
    }

    final int code(final int errno) {
        return switch (errno) {
            case RdmaException.ENOMEM -> ReturnCode.QUEUE_FULL;
            case RdmaException.EINVAL -> ReturnCode.INVALID_REQUEST;
            case RdmaException.EOPNOTSUPP, ENOSYS -> ReturnCode.UNSUPPORTED;
            default -> context.doubtful(errno, this);
        };
    }

    /** Bytes of all elements, or the greatest number if that is too small. */
    final void writeElements(final long at, final SgeList sges, final int count) {
        UnsafeApi.putInt(at + NUM_SGE, count);
        long to = at + header;
        for (int i = 0; i < count; i++) {
            element(to, sges.address(i), sges.length(i), sges.lkey(i));
            to += Abi.Sge.LENGTH;
        }
    }

    final void writeElement(final long at, final long address, final int length, final int lkey) {
        UnsafeApi.putInt(at + NUM_SGE, 1);
        element(at + header, address, length, lkey);
    }

    /** Changes one of the elements of a request. */
    final void rewriteElement(final long at, final int index, final long address, final int length, final int lkey) {
        element(at + header + (long) index * Abi.Sge.LENGTH, address, length, lkey);
    }

    private static void element(final long to, final long address, final int length, final int lkey) {
        UnsafeApi.putLong(to + Abi.Sge.ADDR, address);
        UnsafeApi.putInt(to + Abi.Sge.SIZE, length);
        UnsafeApi.putInt(to + Abi.Sge.LKEY, lkey);
    }

    /** Nobody posts or polls: forgets what was posted. */
    final void reset() {
        if (work != null) {
            work.reset();
        }
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + ' ' + work;
    }
}
