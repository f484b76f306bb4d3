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
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SgeList;
import org.agrona.concurrent.UnsafeBuffer;

/** Posting to a send queue: checks, then writes the WQE in place. */
final class SendPath extends PostPath<SendRequest> {
    /** Longest message (InfiniBand specification). */
    private static final long MAX_MESSAGE = 1L << 31;
    private static final int ATOMIC_LENGTH = 8;
    private static final int MAX_QPN = 0xffffff;

    final SendQueue queue;
    private final UnsafeBuffer wqes;
    private final PvrdmaPd pd;
    private final boolean datagram;
    private final int alwaysFlags;
    private final int[] wireOpcodes;
    /** Table index of the GID that a connected QP sends from; some devices look at it in each request. */
    private volatile int gidIndex;
    private volatile int qkey;

    SendPath(final SendQueue queue, final PvrdmaPd pd, final PvrdmaCq cq, final boolean datagram,
        final boolean signalAll, final int[] wireOpcodes) {
        super(queue, cq, ReturnCode.WRONG_STATE);
        this.queue = queue;
        this.wqes = queue.buffer();
        this.pd = pd;
        this.datagram = datagram;
        this.alwaysFlags = signalAll ? SendFlags.PVRDMA_SEND_SIGNALED : 0;
        this.wireOpcodes = wireOpcodes;
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
        final int wqe = queue.claim(wrId, SendFlags.PVRDMA_SEND_SIGNALED, length);
        if (wqe < 0) {
            return notClaimed(wqe);
        }
        header(wqe, WrOpcode.PVRDMA_WR_SEND, SendFlags.PVRDMA_SEND_SIGNALED, 1);
        Sge.set(wqes, wqe + SqWqe.SGE_OFFSET, address, length, lkey);
        queue.commit();
        submit();
        return ReturnCode.OK;
    }

    @Override
    int enqueue(final SendRequest request) {
        // Read once: what was checked is what is written, also if another thread changes the request meanwhile.
        final int opcode = wireOpcodes[request.opcode().ordinal()];
        final SgeList sges = request.sges();
        final int count = sges.size();
        final AddressHandle handle = datagram ? request.addressHandle() : null;
        final int refusal = objection(request, opcode, count, handle);
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        final int flags = Opcodes.flags(request.flags()) | alwaysFlags;
        final int wqe = queue.claim(request.wrId(), flags, totalLength(sges, count));
        if (wqe < 0) {
            return notClaimed(wqe);
        }
        header(wqe, opcode, flags, count);
        if (datagram) {
            describeDatagram(request, opcode, wqe, (PvrdmaAh) handle);
        } else if (opcode != WrOpcode.PVRDMA_WR_SEND) {
            describe(request, opcode, wqe);
        }
        for (int i = 0; i < count; i++) {
            Sge.set(wqes, SqWqe.sgeOffset(wqe, i), sges.address(i), sges.length(i), sges.lkey(i));
        }
        queue.commit();
        return ReturnCode.OK;
    }

    private int objection(
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
        return count > 1 && isTooLong(request.sges()) || isAtomic(opcode) && !isOneWord(request.sges())
            ? ReturnCode.INVALID_REQUEST : ReturnCode.OK;
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

    private static boolean isTooLong(final SgeList sges) {
        long sum = 0;
        for (int i = 0; i < sges.size(); i++) {
            sum += sges.length(i);
        }
        return sum > MAX_MESSAGE;
    }

    private static boolean isAtomic(final int opcode) {
        return opcode == WrOpcode.PVRDMA_WR_ATOMIC_CMP_AND_SWP || opcode == WrOpcode.PVRDMA_WR_ATOMIC_FETCH_AND_ADD;
    }

    private static boolean isOneWord(final SgeList sges) {
        return sges.size() == 1 && sges.length(0) == ATOMIC_LENGTH;
    }

    /** The rest of the header is zero already. */
    private void header(final int wqe, final int opcode, final int flags, final int sges) {
        SqWqe.numSge(wqes, wqe, sges);
        SqWqe.opcode(wqes, wqe, opcode);
        SqWqe.sendFlags(wqes, wqe, flags);
        final int index = gidIndex;
        if (index != 0) {
            SqWqe.gidIndex(wqes, wqe, index);
        }
    }

    private void describe(final SendRequest request, final int opcode, final int wqe) {
        switch (opcode) {
            case WrOpcode.PVRDMA_WR_SEND_WITH_IMM:
                SqWqe.immData(wqes, wqe, Opcodes.immData(request.immData()));
                break;
            case WrOpcode.PVRDMA_WR_SEND_WITH_INV:
                SqWqe.invalidateRkey(wqes, wqe, request.immData());
                break;
            case WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM:
                SqWqe.immData(wqes, wqe, Opcodes.immData(request.immData()));
                describeRdma(request, wqe);
                break;
            case WrOpcode.PVRDMA_WR_RDMA_WRITE:
            case WrOpcode.PVRDMA_WR_RDMA_READ:
                describeRdma(request, wqe);
                break;
            default:
                describeAtomic(request, wqe);
                break;
        }
    }

    private void describeRdma(final SendRequest request, final int wqe) {
        SqWqe.rdmaRemoteAddr(wqes, wqe, request.remoteAddress());
        SqWqe.rdmaRkey(wqes, wqe, request.rkey());
    }

    private void describeAtomic(final SendRequest request, final int wqe) {
        SqWqe.atomicRemoteAddr(wqes, wqe, request.remoteAddress());
        SqWqe.atomicCompareAdd(wqes, wqe, request.compareAdd());
        SqWqe.atomicSwap(wqes, wqe, request.swap());
        SqWqe.atomicRkey(wqes, wqe, request.rkey());
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
