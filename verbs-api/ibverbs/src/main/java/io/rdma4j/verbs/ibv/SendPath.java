/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SgeList;
import io.rdma4j.verbs.live.QpKind;
import io.rdma4j.verbs.spi.MessageLength;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/** Posting to a send queue. */
final class SendPath extends PostPath<SendRequest> {
    private static final int ATOMIC_LENGTH = 8;
    private static final int MAX_QPN = 0xffffff;
    /** With this bit the QP's own key is sent. */
    private static final int OWN_QKEY = 1 << 31;

    final InlineSlots slots;
    final Bindings bindings;
    private final long qp;
    private final IbvPd pd;
    private final boolean datagram;
    private final int[] numbers;
    private final int maxReadSge;
    /** Stored before the gate opens, loaded behind it. */
    private int qkey;

    SendPath(final IbvPd pd, final long qp, final boolean datagram, final int count, final int maxSge,
        final int[] numbers, final InlineSlots slots, final UnsafeBuffer counters) {
        super(pd.context, new PostedWork(count, counters, QpKind.SQ_POSTED, QpKind.SQ_RETIRED), maxSge,
            Abi.SendWr.LENGTH, ReturnCode.WRONG_STATE);
        this.qp = qp;
        this.pd = pd;
        this.datagram = datagram;
        this.numbers = numbers;
        this.slots = slots;
        this.maxReadSge = pd.context.maxSgeRead();
        this.bindings = new Bindings(this, pd);
    }

    boolean isDatagram() {
        return datagram;
    }

    boolean bindsWindows() {
        return !datagram && context.traits.features.has(Feature.MEMORY_WINDOWS);
    }

    void qkey(final int value) {
        qkey = value;
    }

    /** Any thread: the number of the next request. */
    int end() {
        return work.end();
    }

    /** Any thread: whether the requests up to there are done, or never will be. */
    boolean isPast(final int end) {
        return work.isDone(end) || gate.code() == ReturnCode.CLOSED;
    }

    @Override
    int call(final long list, final long refused) {
        return context.calls.postSend(qp, list, refused);
    }

    int number(final SendRequest request) {
        return numbers[request.opcode().ordinal()];
    }

    int post(final long wrId, final long address, final int length, final int lkey) {
        final int refusal = enter();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        try {
            if (length < 0 || datagram) {
                return ReturnCode.INVALID_REQUEST;
            }
            final long at = claimSend(wrId, length);
            if (at < 0) {
                return (int) at;
            }
            UnsafeApi.putInt(at + Abi.SendWr.SEND_FLAGS, SendRequest.SIGNALED);
            writeElement(at, address, length, lkey);
            commit(at);
            return Math.min(submit(), ReturnCode.OK);
        } finally {
            leave();
        }
    }

    int postInline(final long wrId, final DirectBuffer source, final int offset, final int length) {
        final int refusal = enter();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        try {
            if (datagram || !slots.accepts(source, offset, length)) {
                return ReturnCode.INVALID_REQUEST;
            }
            final int slot = nextSlot();
            final long at = claimSend(wrId, length);
            if (at < 0) {
                return (int) at;
            }
            UnsafeApi.putInt(at + Abi.SendWr.SEND_FLAGS, SendRequest.SIGNALED | slots.flag());
            if (!writeInline(at, slot, source, offset, length)) {
                return ReturnCode.INVALID_REQUEST;
            }
            commit(at);
            return Math.min(submit(), ReturnCode.OK);
        } finally {
            leave();
        }
    }

    private long claimSend(final long wrId, final int length) {
        final int seq = nextSequence();
        final long at = claim(wrId, length);
        if (at >= 0) {
            work.describe(seq, SendOpcode.SEND, 0, 0);
            UnsafeApi.putInt(at + Abi.SendWr.OPCODE, numbers[SendOpcode.SEND.ordinal()]);
        }
        return at;
    }

    private boolean writeInline(
        final long at, final int slot, final DirectBuffer source, final int offset, final int length) {
        writeElement(at, slots.address(slot), length, slots.lkey());
        return slots.write(slot, source, offset, length);
    }

    @Override
    int enqueue(final SendRequest request) {
        // Read once: what was checked is what is written, also if another thread changes the request meanwhile.
        final SendOpcode opcode = request.opcode();
        if (opcode == SendOpcode.BIND_MW && numbers[opcode.ordinal()] != Opcodes.NONE) {
            return request.isInline() || request.sges().size() > 0 ? ReturnCode.INVALID_REQUEST
                : bindings.enqueue(request);
        }
        final AddressHandle handle = datagram ? request.addressHandle() : null;
        final boolean inline = request.isInline();
        final DirectBuffer source = request.inlineSource();
        final int offset = request.inlineOffset();
        final int length = request.inlineLength();
        final int count = inline ? 1 : request.sges().size();
        int refusal = objection(request, opcode, count, handle);
        if (refusal == ReturnCode.OK) {
            refusal = inline ? objectionToInline(opcode, source, offset, length)
                : objectionToElements(request.sges(), opcode, count);
        }
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        final int slot = nextSlot();
        final int seq = nextSequence();
        final long at = claim(request.wrId(), inline ? length : request.sges().totalLength(count));
        if (at < 0) {
            return (int) at;
        }
        remember(seq, request, opcode);
        encode(at, request, opcode, inline, handle);
        if (!inline) {
            writeElements(at, request.sges(), count);
        } else if (!writeInline(at, slot, source, offset, length)) {
            return ReturnCode.INVALID_REQUEST;
        }
        commit(at);
        return ReturnCode.OK;
    }

    /** What is said about it if it fails. */
    void remember(final int seq, final SendRequest request, final SendOpcode opcode) {
        work.describe(seq, opcode, request.remoteAddress(), request.rkey());
    }

    /** The request is in the queue in a moment: writes the payload where the queue has it. */
    void placeInline(final long at, final int slot, final SendRequest request) {
        writeInline(at, slot, request.inlineSource(), request.inlineOffset(), request.inlineLength());
    }

    /** What the library would not notice, or a device punish with an error state. */
    int objection(final SendRequest request, final SendOpcode opcode, final int count, final AddressHandle handle) {
        if (numbers[opcode.ordinal()] == Opcodes.NONE) {
            return ReturnCode.UNSUPPORTED;
        }
        if (count > maxSge()) {
            return ReturnCode.TOO_MANY_SGES;
        }
        return datagram ? objectionToAddress(request, handle) : ReturnCode.OK;
    }

    int objectionToInline(final SendOpcode opcode, final DirectBuffer source, final int offset, final int length) {
        return Opcodes.takesInline(opcode) && slots.accepts(source, offset, length)
            ? ReturnCode.OK : ReturnCode.INVALID_REQUEST;
    }

    int objectionToElements(final SgeList sges, final SendOpcode opcode, final int count) {
        if (count < 2 && Opcodes.isPlain(opcode)) {
            return ReturnCode.OK;
        }
        if (Opcodes.isAtomic(opcode)) {
            return count == 1 && sges.length(0) == ATOMIC_LENGTH ? ReturnCode.OK : ReturnCode.INVALID_REQUEST;
        }
        if (opcode == SendOpcode.RDMA_READ && count > maxReadSge) {
            return ReturnCode.TOO_MANY_SGES;
        }
        final boolean fits =
            opcode == SendOpcode.LOCAL_INV ? count == 0 : count < 2 || !MessageLength.isExceeded(sges, count);
        return fits ? ReturnCode.OK : ReturnCode.INVALID_REQUEST;
    }

    private int objectionToAddress(final SendRequest request, final AddressHandle handle) {
        if (handle == null || (request.remoteQpn() & ~MAX_QPN) != 0) {
            return ReturnCode.INVALID_REQUEST;
        }
        if (!(handle instanceof IbvAh) || ((IbvAh) handle).pd != pd) {
            return ReturnCode.FOREIGN_OBJECT;
        }
        return handle.isClosed() ? ReturnCode.INVALID_REQUEST : ReturnCode.OK;
    }

    /** Writes all but the elements. */
    void encode(final long at, final SendRequest request, final SendOpcode opcode, final boolean inline,
        final AddressHandle handle) {
        UnsafeApi.putInt(at + Abi.SendWr.OPCODE, numbers[opcode.ordinal()]);
        UnsafeApi.putInt(at + Abi.SendWr.SEND_FLAGS, request.flags() | (inline ? slots.flag() : 0));
        if (datagram) {
            UnsafeApi.putLong(at + Abi.SendWr.WR_UD_AH, ((IbvAh) handle).pointer);
            UnsafeApi.putInt(at + Abi.SendWr.WR_UD_REMOTE_QPN, request.remoteQpn());
            UnsafeApi.putInt(at + Abi.SendWr.WR_UD_REMOTE_QKEY,
                (request.remoteQkey() & OWN_QKEY) == 0 ? request.remoteQkey() : qkey);
        }
        if (!Opcodes.isPlain(opcode)) {
            encodeMore(at, request, opcode);
        }
        if (!datagram && !Opcodes.isAtomic(opcode)) {
            UnsafeApi.putLong(at + Abi.SendWr.WR_RDMA_REMOTE_ADDR, request.remoteAddress());
            UnsafeApi.putInt(at + Abi.SendWr.WR_RDMA_RKEY, request.rkey());
        }
    }

    private static void encodeMore(final long at, final SendRequest request, final SendOpcode opcode) {
        switch (opcode) {
            case SEND_WITH_IMM, RDMA_WRITE_WITH_IMM ->
                UnsafeApi.putInt(at + Abi.SendWr.IMM_DATA, Opcodes.immData(request.immData()));
            case SEND_WITH_INV, LOCAL_INV ->
                UnsafeApi.putInt(at + Abi.SendWr.INVALIDATE_RKEY, request.invalidateRkey());
            case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> {
                UnsafeApi.putLong(at + Abi.SendWr.WR_ATOMIC_REMOTE_ADDR, request.remoteAddress());
                UnsafeApi.putLong(at + Abi.SendWr.WR_ATOMIC_COMPARE_ADD, request.compareAdd());
                UnsafeApi.putLong(at + Abi.SendWr.WR_ATOMIC_SWAP, request.swap());
                UnsafeApi.putInt(at + Abi.SendWr.WR_ATOMIC_RKEY, request.rkey());
            }
            default -> { }
        }
    }
}
