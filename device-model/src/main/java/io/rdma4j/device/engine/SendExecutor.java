/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Limits;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.link.Ack;
import io.rdma4j.device.link.Message;
import io.rdma4j.device.link.Operation;
import io.rdma4j.device.link.Port;
import io.rdma4j.device.memory.DmaList;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.Av;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.queues.Padded;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;

/**
 * Executes one send work request: checks it, makes a message of it, has the peer carry it out, and says how it
 * completes. Used under its send queue's lock. Each opcode has its place in {@link #dispatch}.
 */
final class SendExecutor extends Padded {
    /** Of {@link #execute}: the request waits; the queue will be run again. */
    static final int STALLED = Retries.STALLED;

    private static final int PSN_MASK = 0xff_ffff;
    private static final int PRIVILEGED_QKEY = 1 << 31;
    /** log2 of the bytes of an operand. */
    private static final int LOG_LONG = 3;
    private static final int QEMU_BAD_SGE_COUNT = 0x205;
    private static final int QEMU_BAD_LKEY = 0x207;
    private static final int QEMU_BAD_GID = 0x210;

    private final EngineContext context;
    private final QueuePair qp;
    private final QpAttributes attributes;
    private final Retries retries;
    private final int maxSge;
    private final boolean likeQemu;
    private final DmaList list;
    private final SgeReader sges;
    private final LocalOperations local;
    private final Message message;
    private final ExpressLane express;
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(Long.BYTES);
    private final long scratchAddress = BufferUtil.address(scratch);
    private int psn;
    private int vendorError;
    private Port peer;
    private int peerEpoch = -1;
    private long peerHigh;
    private long peerLow;
    /** Whether {@link WireSender} sends what is executed. */
    private boolean wired;

    SendExecutor(EngineContext context, QueuePair qp, Requester requester) {
        this.context = context;
        this.qp = qp;
        this.attributes = qp.attributes();
        this.retries = requester.retries();
        this.maxSge = qp.shape().maxSge();
        this.likeQemu = context.has(Quirk.ONLY_SEND);
        this.list = new DmaList(maxSge);
        this.sges = new SgeReader(context, qp.shape().pd());
        this.local = new LocalOperations(context, qp);
        this.message = newMessage();
        this.express = qp.isDatagram() || context.hasQuirks() ? null : new ExpressLane(context, attributes, this, sges,
            newMessage());
    }

    private Message newMessage() {
        final Message made = new Message(list, retries.again());
        made.sourceMac = context.identity().mac();
        made.sourceQpn = qp.qpn();
        made.datagram = qp.isDatagram();
        return made;
    }

    /** The short way; null if nothing may take it. */
    ExpressLane express() {
        return express;
    }

    int psn() {
        return psn;
    }

    void psn(int value) {
        psn = value;
    }

    /** Detail of the failure of the request executed last, as the CQE shows it. */
    int vendorError() {
        return vendorError;
    }

    void vendorError(int value) {
        vendorError = value;
    }

    Message message() {
        return message;
    }

    /** Memory of the request executed last. */
    DmaList list() {
        return list;
    }

    int completedLength() {
        return (int) list.length();
    }

    /** Lets go of the peer, which may be a whole device that was closed, or a queue pair that knows one more. */
    void forget() {
        peer = null;
        peerEpoch = -1;
        if (express != null) {
            express.forget();
        }
    }

    /**
     * Executes a WQE, each field of which is read once.
     *
     * @param page   holds it.
     * @param at     where it begins.
     * @param opcode from it.
     * @param flags  from it.
     * @return a completion status, or {@link #STALLED}.
     */
    int execute(UnsafeBuffer page, int at, int opcode, int flags) {
        vendorError = 0;
        list.clear();
        final int count = SqWqe.numSge(page, at);
        if (count < 0 || count > maxSge) {
            context.counters().record(Counter.BAD_WQES, "send with %d SGEs, allowed are %d", count, maxSge);
            context.counters().increment(Counter.WOULD_HANG_QEMU);
            return failed(WcStatus.PVRDMA_WC_LOC_QP_OP_ERR, QEMU_BAD_SGE_COUNT);
        }
        if ((flags & SendFlags.PVRDMA_SEND_INLINE) != 0 && !likeQemu) {
            return badWqe("inline data");
        }
        if (likeQemu && context.gids().entry(SqWqe.gidIndex(page, at)) == null) {
            context.counters().record(Counter.WOULD_HANG_QEMU, "unbound gid index in byte 65 of a WQE");
            return failed(WcStatus.PVRDMA_WC_GENERAL_ERR, QEMU_BAD_GID);
        }
        final int status = sges.read(page, at + SqWqe.SGE_OFFSET, count, rights(opcode), list);
        if (status != WcStatus.PVRDMA_WC_SUCCESS) {
            return failed(status, QEMU_BAD_LKEY);
        }
        if (list.length() > Limits.MAX_MESSAGE) {
            return failed(WcStatus.PVRDMA_WC_LOC_LEN_ERR, QEMU_BAD_LKEY);
        }
        message.solicited = (flags & SendFlags.PVRDMA_SEND_SOLICITED) != 0;
        message.immediate = false;
        message.invalidates = false;
        message.length = list.length();
        return dispatch(page, at, opcode);
    }

    /**
     * Checks a WQE and makes a message of it, but does not send that. Can be done more than once.
     *
     * @return {@link Retries#UNDERWAY} if it is to be sent; else it is over, with this status.
     */
    int load(UnsafeBuffer page, int at, int opcode, int flags) {
        wired = true;
        try {
            return execute(page, at, opcode, flags);
        } finally {
            wired = false;
        }
    }

    /** The answer of an atomic goes where the request says; false if the memory is not there any more. */
    boolean putResult(long original) {
        return list.putLong(original, scratchAddress);
    }

    /** What a WQE asks for when its answer has arrived; its status. */
    int afterAnswer(UnsafeBuffer page, int at) {
        return SqWqe.opcode(page, at) == WrOpcode.PVRDMA_WR_RDMA_READ_WITH_INV
            ? local.invalidate(SqWqe.invalidateRkey(page, at)) : WcStatus.PVRDMA_WC_SUCCESS;
    }

    private static int rights(int opcode) {
        return switch (opcode) {
            case WrOpcode.PVRDMA_WR_RDMA_READ, WrOpcode.PVRDMA_WR_RDMA_READ_WITH_INV,
                WrOpcode.PVRDMA_WR_ATOMIC_CMP_AND_SWP, WrOpcode.PVRDMA_WR_ATOMIC_FETCH_AND_ADD,
                WrOpcode.PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP,
                WrOpcode.PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD -> AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE;
            default -> 0;
        };
    }

    private int dispatch(UnsafeBuffer page, int at, int opcode) {
        switch (opcode) {
            case WrOpcode.PVRDMA_WR_SEND:
                return send(page, at, false);
            case WrOpcode.PVRDMA_WR_SEND_WITH_IMM:
                return send(page, at, true);
            case WrOpcode.PVRDMA_WR_SEND_WITH_INV:
                return sendAndInvalidate(page, at);
            case WrOpcode.PVRDMA_WR_RDMA_WRITE:
                return rdma(page, at, Operation.WRITE, false);
            case WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM:
                return rdma(page, at, Operation.WRITE, true);
            case WrOpcode.PVRDMA_WR_RDMA_READ:
                return rdma(page, at, Operation.READ, false);
            case WrOpcode.PVRDMA_WR_RDMA_READ_WITH_INV:
                return readAndInvalidate(page, at);
            case WrOpcode.PVRDMA_WR_ATOMIC_CMP_AND_SWP:
                return atomic(page, at, Operation.COMPARE_SWAP);
            case WrOpcode.PVRDMA_WR_ATOMIC_FETCH_AND_ADD:
                return atomic(page, at, Operation.FETCH_ADD);
            case WrOpcode.PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP:
                return atomic(page, at, Operation.MASKED_COMPARE_SWAP);
            case WrOpcode.PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD:
                return atomic(page, at, Operation.MASKED_FETCH_ADD);
            default:
                return changeKeys(page, at, opcode);
        }
    }

    /** Memory management: on connections only, and nothing to scatter or gather. */
    private int changeKeys(UnsafeBuffer page, int at, int opcode) {
        if (qp.isDatagram() || SqWqe.numSge(page, at) != 0) {
            return badWqe(WrOpcode.NAMES.of(opcode) + " on this queue pair, or with SGEs,");
        }
        switch (opcode) {
            case WrOpcode.PVRDMA_WR_LOCAL_INV:
                return local.invalidate(SqWqe.invalidateRkey(page, at));
            case WrOpcode.PVRDMA_WR_FAST_REG_MR:
                return local.fastRegister(page, at);
            case WrOpcode.PVRDMA_WR_BIND_MW:
                return context.hasExtensions() ? local.bind(page, at) : badWqe("BIND_MW");
            default:
                return badWqe(WrOpcode.NAMES.of(opcode));
        }
    }

    private int badWqe(String what) {
        context.counters().record(Counter.BAD_WQES, "qp 0x%x: %s is not offered", qp.handle(), what);
        return WcStatus.PVRDMA_WC_LOC_QP_OP_ERR;
    }

    /** QEMU reports every failure to hand a request to its backend alike. */
    private int failed(int status, int qemuError) {
        vendorError = likeQemu ? qemuError : 0;
        return likeQemu ? WcStatus.PVRDMA_WC_GENERAL_ERR : status;
    }

    private int send(UnsafeBuffer page, int at, boolean immediate) {
        ask(Operation.SEND);
        withImmediate(page, at, immediate);
        return qp.isDatagram() ? sendDatagram(page, at) : sendConnected();
    }

    private int sendAndInvalidate(UnsafeBuffer page, int at) {
        if (qp.isDatagram()) {
            return badWqe("SEND_WITH_INV on this queue pair");
        }
        message.invalidates = true;
        message.invalidateKey = SqWqe.invalidateRkey(page, at);
        ask(Operation.SEND);
        return sendConnected();
    }

    /** A key that cannot be invalidated is found before anything is read. */
    private int readAndInvalidate(UnsafeBuffer page, int at) {
        final int key = SqWqe.invalidateRkey(page, at);
        if (!qp.isDatagram() && !local.canInvalidate(key)) {
            return local.refused("invalidation", key);
        }
        final int status = rdma(page, at, Operation.READ, false);
        return status == WcStatus.PVRDMA_WC_SUCCESS ? local.invalidate(key) : status;
    }

    /** Mostly the same as last time; a reference that is not stored costs no barrier of the garbage collector. */
    private void ask(Operation operation) {
        if (message.operation != operation) {
            message.operation = operation;
        }
    }

    private void withImmediate(UnsafeBuffer page, int at, boolean immediate) {
        message.immediate = immediate;
        message.immData = immediate ? SqWqe.immData(page, at) : 0;
    }

    private int rdma(UnsafeBuffer page, int at, Operation operation, boolean immediate) {
        if (qp.isDatagram() || operation == Operation.READ && attributes.maxRdAtomic == 0) {
            return badWqe(operation + " on this queue pair");
        }
        ask(operation);
        message.remoteAddress = SqWqe.rdmaRemoteAddr(page, at);
        message.rkey = SqWqe.rdmaRkey(page, at);
        withImmediate(page, at, immediate);
        return sendConnected();
    }

    private int atomic(UnsafeBuffer page, int at, Operation operation) {
        if (qp.isDatagram() || attributes.maxRdAtomic == 0) {
            return badWqe(operation + " on this queue pair");
        }
        if (message.length != Long.BYTES) {
            return WcStatus.PVRDMA_WC_LOC_LEN_ERR;
        }
        ask(operation);
        if (!readOperands(page, at, operation)) {
            return badWqe(operation + " of another size than 8 bytes");
        }
        final int status = sendConnected();
        if (status != WcStatus.PVRDMA_WC_SUCCESS) {
            return status;
        }
        if (!putResult(message.original)) {
            context.counters().record(Counter.MEMORY_LOST, "result of %s", message);
            return WcStatus.PVRDMA_WC_LOC_PROT_ERR;
        }
        return status;
    }

    /** False if the operands are not 8 bytes long, which the masked operations say themselves. */
    private boolean readOperands(UnsafeBuffer page, int at, Operation operation) {
        message.remoteAddress = SqWqe.atomicRemoteAddr(page, at);
        switch (operation) {
            case MASKED_COMPARE_SWAP:
                message.rkey = SqWqe.maskedCasRkey(page, at);
                message.compareAdd = SqWqe.maskedCasCompare(page, at);
                message.compareMask = SqWqe.maskedCasCmpMask(page, at);
                message.swap = SqWqe.maskedCasSwap(page, at);
                message.swapMask = SqWqe.maskedCasSwapMask(page, at);
                return SqWqe.maskedCasLogArgSz(page, at) == LOG_LONG;
            case MASKED_FETCH_ADD:
                message.rkey = SqWqe.maskedFaaRkey(page, at);
                message.compareAdd = SqWqe.maskedFaaAdd(page, at);
                message.fieldBoundary = SqWqe.maskedFaaFieldBoundary(page, at);
                return SqWqe.maskedFaaLogArgSz(page, at) == LOG_LONG;
            default:
                message.rkey = SqWqe.atomicRkey(page, at);
                message.compareAdd = SqWqe.atomicCompareAdd(page, at);
                message.swap = SqWqe.atomicSwap(page, at);
                return true;
        }
    }

    private int sendDatagram(UnsafeBuffer page, int at) {
        if (message.length > context.limits().mtuBytes()) {
            return WcStatus.PVRDMA_WC_LOC_LEN_ERR;
        }
        final int av = SqWqe.udAvOffset(at);
        final int portPd = Av.portPd(page, av);
        final GidEntry source = context.gids().entry(Av.gidIndex(page, av));
        if (source == null || Av.portOf(portPd) != 1
            || Av.pdOf(portPd) != (qp.shape().pd().handle() & ObjectTable.MAX_NUMBER)) {
            return badWqe("an address vector with port and PD 0x" + Integer.toHexString(portPd) + " and source gid "
                + source);
        }
        final int qkey = SqWqe.udRemoteQkey(page, at);
        message.qkey = (qkey & PRIVILEGED_QKEY) != 0 ? attributes.qkey : qkey;
        message.destQpn = SqWqe.udRemoteQpn(page, at);
        final int flow = Av.trafficClassFlowLabel(page, av);
        message.trafficClass = Av.trafficClassOf(flow);
        message.flowLabel = Av.flowLabelOf(flow);
        message.hopLimit = Av.hopLimit(page, av);
        message.psn = psn;
        message.packets = 1;
        from(source);
        return deliverDatagram(Av.dgidHigh(page, av), Av.dgidLow(page, av));
    }

    /** What becomes of it there does not concern the sender, but for memory of its own that could not be read. */
    private int deliverDatagram(long high, long low) {
        if (high >>> 56 == 0xff) {
            context.counters().increment(Counter.MULTICAST);
            return sent();
        }
        final Port port = route(high, low);
        if (port == null) {
            context.counters().increment(Counter.NO_PEER);
            return sent();
        }
        return port.deliver(message) == Ack.PAYLOAD_LOST ? refused(Ack.PAYLOAD_LOST) : sent();
    }

    private void from(GidEntry source) {
        message.sourceGidHigh = source.high();
        message.sourceGidLow = source.low();
        message.gidType = source.type();
    }

    private Port route(long high, long low) {
        message.destGidHigh = high;
        message.destGidLow = low;
        final int epoch = context.link().epoch();
        if (epoch != peerEpoch || high != peerHigh || low != peerLow) {
            peer = context.route(high, low);
            peerEpoch = epoch;
            peerHigh = high;
            peerLow = low;
        }
        return peer;
    }

    private int sendConnected() {
        final GidEntry source = context.gids().entry(attributes.sgidIndex);
        if (source == null) {
            return badWqe("a source gid index that is no longer bound");
        }
        from(source);
        message.destQpn = attributes.destQpn;
        message.psn = psn;
        message.packets = attributes.packets(message.length);
        if (wired) {
            return Retries.UNDERWAY;
        }
        final Port port = route(attributes.destGidHigh, attributes.destGidLow);
        if (port != null && port.isRemote()) {
            return Retries.UNDERWAY;
        }
        final int ack = port == null ? Ack.NO_RESPONSE : port.deliver(message);
        return ack == Ack.ACK ? sent() : refused(ack);
    }

    /** It has its numbers. */
    private int sent() {
        psn = psn + message.packets & PSN_MASK;
        return WcStatus.PVRDMA_WC_SUCCESS;
    }

    private int refused(int ack) {
        vendorError = ack;
        return retries.refused(ack, message.rnrNanos);
    }

    @Override
    public String toString() {
        return "psn " + psn;
    }
}
