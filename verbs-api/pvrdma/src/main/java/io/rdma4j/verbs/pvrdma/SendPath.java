/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.queues.SendQueue;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SgeList;
import io.rdma4j.verbs.pvrdma.device.DeviceLimits;
import io.rdma4j.verbs.spi.MessageLength;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Posting to a send queue: checks, then writes the WQE in place. */
final class SendPath extends PostPath<SendRequest> {
    private static final int ATOMIC_LENGTH = 8;
    private static final int LOG_ATOMIC_LENGTH = 3;
    private static final int MAX_QPN = 0xffffff;

    final SendQueue queue;
    private final UnsafeBuffer wqes;
    private final PvrdmaPd pd;
    private final boolean datagram;
    private final int alwaysFlags;
    private final int[] wireOpcodes;
    private final InlineSlots slots;
    private final KeyPath keys;
    private final int maxReadSge;
    /**
     * Table index of the GID that a connected QP sends from; some devices look at it in each request. Plain, as the
     * other one: it is stored before the gate is set anew, and loaded behind the load of the gate.
     */
    private int gidIndex;
    private int qkey;
    private volatile boolean ended;

    SendPath(final SendQueue queue, final PvrdmaPd pd, final PvrdmaCq cq, final boolean datagram,
        final boolean signalAll, final int[] wireOpcodes, final InlineSlots slots) {
        super(queue, cq, ReturnCode.WRONG_STATE);
        this.queue = queue;
        this.wqes = queue.buffer();
        this.pd = pd;
        this.datagram = datagram;
        this.alwaysFlags = signalAll ? SendFlags.PVRDMA_SEND_SIGNALED : 0;
        this.wireOpcodes = wireOpcodes;
        this.slots = slots;
        this.keys = new KeyPath(this, pd);
        this.maxReadSge = maxReadSge(pd.context.device.limits());
    }

    /** Not every device tells how many elements a READ may have. */
    private static int maxReadSge(final DeviceLimits limits) {
        return limits.maxSgeRd() == 0 ? limits.maxSge() : limits.maxSgeRd();
    }

    /** Encodes as this one, into another queue; for a {@link PvrdmaTemplate}. */
    SendPath over(final SendQueue other, final InlineSlots otherSlots) {
        final SendPath path = new SendPath(other, pd, null, datagram, alwaysFlags != 0, wireOpcodes, otherSlots);
        path.encodeAs(this);
        return path;
    }

    /** Takes over what all requests have in common; false if it was the same before. */
    boolean encodeAs(final SendPath other) {
        if (gidIndex == other.gidIndex && qkey == other.qkey) {
            return false;
        }
        gidIndex = other.gidIndex;
        qkey = other.qkey;
        return true;
    }

    /** Writes what may have changed about a request into its WQE, but for the elements. */
    void encodeAgain(final SendRequest request, final int slot) {
        final int wqe = queue.slotOffset(slot);
        SqWqe.gidIndex(wqes, wqe, gidIndex);
        describe(request, wireOpcode(request), wqe, request.addressHandle());
    }

    InlineSlots slots() {
        return slots;
    }

    void gidIndex(final int index) {
        gidIndex = index;
    }

    void qkey(final int value) {
        qkey = value;
    }

    int post(final long wrId, final long address, final int length, final int lkey) {
        final int refusal = enter();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        try {
            return write(wrId, address, length, lkey);
        } finally {
            leave();
        }
    }

    private int write(final long wrId, final long address, final int length, final int lkey) {
        if (length < 0 || datagram) {
            return ReturnCode.INVALID_REQUEST;
        }
        final int code = gidIndex == 0
            ? queue.put(0, wrId, WrOpcode.PVRDMA_WR_SEND, SendFlags.PVRDMA_SEND_SIGNALED, address, length, lkey)
            : writeWithGid(wrId, address, length, lkey);
        if (code < 0) {
            return notClaimed(code);
        }
        submit(1);
        return ReturnCode.OK;
    }

    private int writeWithGid(final long wrId, final long address, final int length, final int lkey) {
        final int wqe = claim(0, wrId, WrOpcode.PVRDMA_WR_SEND, SendFlags.PVRDMA_SEND_SIGNALED, 1, length);
        if (wqe >= 0) {
            Sge.set(wqes, wqe + SqWqe.SGE_OFFSET, address, length, lkey);
        }
        return wqe;
    }

    int postInline(final long wrId, final DirectBuffer source, final int offset, final int length) {
        final int refusal = enter();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        try {
            return datagram || !slots.accepts(source, offset, length) ? ReturnCode.INVALID_REQUEST
                : writeInline(wrId, source, offset, length);
        } finally {
            leave();
        }
    }

    private int writeInline(final long wrId, final DirectBuffer source, final int offset, final int length) {
        final int wqe = claim(0, wrId, WrOpcode.PVRDMA_WR_SEND, SendFlags.PVRDMA_SEND_SIGNALED, 1, length);
        if (wqe < 0) {
            return notClaimed(wqe);
        }
        if (!slots.write(wqes, wqe, queue.slot(0), source, offset, length)) {
            return ReturnCode.INVALID_REQUEST;
        }
        submit(1);
        return ReturnCode.OK;
    }

    int bindWindow(
        final long wrId, final MemoryWindow window, final MemoryRegion region, final long iova, final long length,
        final AccessFlag... access) {
        final int refusal = enter();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        try {
            if (wireOpcodes[SendOpcode.BIND_MW.ordinal()] == Opcodes.NONE) {
                return ReturnCode.UNSUPPORTED;
            }
            final int code = keys.bindWindow(wrId, window, region, iova, length, access);
            if (code == ReturnCode.OK) {
                submit(1);
            }
            return code;
        } finally {
            leave();
        }
    }

    /** Whether a request is not in the queue any more: it completed, or the QP is gone; from any thread. */
    boolean isDone(final long sequence) {
        return ended || queue.isDone(sequence);
    }

    /** The device gave the QP up. */
    void end() {
        ended = true;
    }

    /**
     * Whether a request that was taken once is always taken, has one element, and nothing behind the key of the peer:
     * of a connected queue pair whose GID is the first one, a message or a write.
     */
    boolean isFixed(final SendRequest request) {
        return !datagram && gidIndex == 0 && wireOpcode(request) < WrOpcode.PVRDMA_WR_RDMA_READ
            && request.sges().size() == 1;
    }

    /** The bits of a request, and those that all requests have. */
    int flags(final int flags) {
        return Opcodes.flags(flags) | alwaysFlags;
    }

    @Override
    int enqueue(final SendRequest request, final int ahead) {
        // Read once: what was checked is what is written, also if another thread changes the request meanwhile.
        final int opcode = wireOpcode(request);
        if (request.isInline()) {
            return enqueueInline(request, opcode, ahead);
        }
        if (Opcodes.changesKey(opcode)) {
            return request.sges().size() == 0 ? keys.enqueue(request, opcode, ahead) : ReturnCode.INVALID_REQUEST;
        }
        final SgeList sges = request.sges();
        final int count = sges.size();
        final AddressHandle handle = datagram ? request.addressHandle() : null;
        final int refusal = objection(request, opcode, count, handle);
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        final int flags = flags(request.flags());
        if (count == 1 && opcode == WrOpcode.PVRDMA_WR_SEND && gidIndex == 0 && !datagram) {
            final int code = queue.put(ahead, request.wrId(), opcode, flags, sges.address(0), sges.length(0),
                sges.lkey(0));
            return code < 0 ? notClaimed(code) : code;
        }
        final int wqe = claim(ahead, request.wrId(), opcode, flags, count, sges.totalLength(count));
        if (wqe < 0) {
            return notClaimed(wqe);
        }
        describe(request, opcode, wqe, handle);
        writeElements(wqes, wqe + SqWqe.SGE_OFFSET, sges, count);
        return ReturnCode.OK;
    }

    int wireOpcode(final SendRequest request) {
        return wireOpcodes[request.opcode().ordinal()];
    }

    /** A payload that the driver copies: one element, which lies in the memory that belongs to the slot. */
    private int enqueueInline(final SendRequest request, final int opcode, final int ahead) {
        final DirectBuffer source = request.inlineSource();
        final int offset = request.inlineOffset();
        final int length = request.inlineLength();
        if (opcode != Opcodes.NONE && !Opcodes.takesInline(opcode) || !slots.accepts(source, offset, length)) {
            return ReturnCode.INVALID_REQUEST;
        }
        final AddressHandle handle = datagram ? request.addressHandle() : null;
        final int refusal = objection(request, opcode, 1, handle);
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        final int flags = flags(request.flags());
        final int wqe = claim(ahead, request.wrId(), opcode, flags, 1, length);
        if (wqe < 0) {
            return notClaimed(wqe);
        }
        describe(request, opcode, wqe, handle);
        if (!slots.write(wqes, wqe, queue.slot(ahead), source, offset, length)) {
            return ReturnCode.INVALID_REQUEST;
        }
        return ReturnCode.OK;
    }

    /** What the device would not notice, or punish with an error state. */
    int objection(
        final SendRequest request, final int opcode, final int count, final AddressHandle handle) {
        if (opcode == Opcodes.NONE) {
            return ReturnCode.UNSUPPORTED;
        }
        if (count > maxSge()) {
            return ReturnCode.TOO_MANY_SGES;
        }
        if (datagram) {
            final int refusal = objectionToAddress(request, handle);
            if (refusal != ReturnCode.OK) {
                return refusal;
            }
        }
        if (count > 1 && MessageLength.isExceeded(request.sges(), count)) {
            return ReturnCode.INVALID_REQUEST;
        }
        // Messages and writes, the most frequent ones, have the lowest numbers.
        return opcode < WrOpcode.PVRDMA_WR_RDMA_READ
            ? ReturnCode.OK : objectionToElements(request.sges(), opcode, count);
    }

    /** Of operations that not every number of elements makes sense for. */
    private int objectionToElements(final SgeList sges, final int opcode, final int count) {
        if (Opcodes.isAtomic(opcode)) {
            return count == 1 && sges.length(0) == ATOMIC_LENGTH ? ReturnCode.OK : ReturnCode.INVALID_REQUEST;
        }
        if (Opcodes.isRead(opcode)) {
            return count > maxReadSge ? ReturnCode.TOO_MANY_SGES : ReturnCode.OK;
        }
        return opcode == WrOpcode.PVRDMA_WR_LOCAL_INV && count > 0 ? ReturnCode.INVALID_REQUEST : ReturnCode.OK;
    }

    private int objectionToAddress(final SendRequest request, final AddressHandle handle) {
        if (handle == null || (request.remoteQpn() & ~MAX_QPN) != 0) {
            return ReturnCode.INVALID_REQUEST;
        }
        if (!(handle instanceof PvrdmaAh) || ((PvrdmaAh) handle).pd != pd) {
            return ReturnCode.FOREIGN_OBJECT;
        }
        return handle.isClosed() ? ReturnCode.INVALID_REQUEST : ReturnCode.OK;
    }

    /**
     * Takes a slot and writes the header: what all operations have, and zero for what only some have.
     *
     * @param ahead as for {@link #enqueue}.
     * @return where the WQE begins, or a negative code.
     */
    int claim(
        final int ahead, final long wrId, final int opcode, final int flags, final int sges, final int length) {
        final int wqe = queue.claim(ahead, wrId, opcode, flags, sges, length);
        final int index = gidIndex;
        // A datagram's address vector has an index of its own, and covers all that is behind the header.
        if (index != 0 && wqe >= 0) {
            queue.markWide(ahead);
            SqWqe.gidIndex(wqes, wqe, index);
        }
        return wqe;
    }

    /** Writes what only this operation has; also over what was there before. */
    void describe(final SendRequest request, final int opcode, final int wqe, final AddressHandle handle) {
        if (datagram) {
            describeDatagram(request, opcode, wqe, (PvrdmaAh) handle);
        } else if (opcode != WrOpcode.PVRDMA_WR_SEND) {
            describe(request, opcode, wqe);
        }
    }

    private void describe(final SendRequest request, final int opcode, final int wqe) {
        switch (opcode) {
            case WrOpcode.PVRDMA_WR_SEND_WITH_IMM:
                SqWqe.immData(wqes, wqe, Opcodes.immData(request.immData()));
                break;
            case WrOpcode.PVRDMA_WR_SEND_WITH_INV:
            case WrOpcode.PVRDMA_WR_LOCAL_INV:
                SqWqe.invalidateRkey(wqes, wqe, request.invalidateRkey());
                break;
            case WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM:
                SqWqe.immData(wqes, wqe, Opcodes.immData(request.immData()));
                describeRdma(request, wqe);
                break;
            case WrOpcode.PVRDMA_WR_RDMA_WRITE:
            case WrOpcode.PVRDMA_WR_RDMA_READ:
                describeRdma(request, wqe);
                break;
            case WrOpcode.PVRDMA_WR_RDMA_READ_WITH_INV:
                SqWqe.invalidateRkey(wqes, wqe, request.invalidateRkey());
                describeRdma(request, wqe);
                break;
            default:
                describeAtomic(request, opcode, wqe);
                break;
        }
    }

    private void describeAtomic(final SendRequest request, final int opcode, final int wqe) {
        switch (opcode) {
            case WrOpcode.PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP:
                describeMaskedSwap(request, wqe);
                break;
            case WrOpcode.PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD:
                describeMaskedAdd(request, wqe);
                break;
            default:
                describeAtomic(request, wqe);
                break;
        }
    }

    private void describeRdma(final SendRequest request, final int wqe) {
        SqWqe.rdma(wqes, wqe, request.remoteAddress(), request.rkey());
    }

    private void describeAtomic(final SendRequest request, final int wqe) {
        SqWqe.atomicRemoteAddr(wqes, wqe, request.remoteAddress());
        SqWqe.atomicCompareAdd(wqes, wqe, request.compareAdd());
        SqWqe.atomicSwap(wqes, wqe, request.swap());
        SqWqe.atomicRkey(wqes, wqe, request.rkey());
    }

    private void describeMaskedSwap(final SendRequest request, final int wqe) {
        SqWqe.maskedCasRemoteAddr(wqes, wqe, request.remoteAddress());
        SqWqe.maskedCasLogArgSz(wqes, wqe, LOG_ATOMIC_LENGTH);
        SqWqe.maskedCasRkey(wqes, wqe, request.rkey());
        SqWqe.maskedCasSwap(wqes, wqe, request.swap());
        SqWqe.maskedCasCompare(wqes, wqe, request.compareAdd());
        SqWqe.maskedCasSwapMask(wqes, wqe, request.swapMask());
        SqWqe.maskedCasCmpMask(wqes, wqe, request.compareMask());
    }

    private void describeMaskedAdd(final SendRequest request, final int wqe) {
        SqWqe.maskedFaaRemoteAddr(wqes, wqe, request.remoteAddress());
        SqWqe.maskedFaaLogArgSz(wqes, wqe, LOG_ATOMIC_LENGTH);
        SqWqe.maskedFaaRkey(wqes, wqe, request.rkey());
        SqWqe.maskedFaaAdd(wqes, wqe, request.compareAdd());
        SqWqe.maskedFaaFieldBoundary(wqes, wqe, request.fieldBoundary());
    }

    private void describeDatagram(
        final SendRequest request, final int opcode, final int wqe, final PvrdmaAh handle) {
        if (opcode == WrOpcode.PVRDMA_WR_SEND_WITH_IMM) {
            SqWqe.immData(wqes, wqe, Opcodes.immData(request.immData()));
        }
        SqWqe.udRemoteQpn(wqes, wqe, request.remoteQpn());
        // A key with the top bit set stands for the QP's own (InfiniBand specification, queue keys).
        SqWqe.udRemoteQkey(wqes, wqe, request.remoteQkey() < 0 ? qkey : request.remoteQkey());
        handle.copyTo(wqes, wqe + SqWqe.UD_AV_OFFSET);
    }
}
