/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Limits;
import io.rdma4j.device.link.Destination;
import io.rdma4j.device.link.Message;
import io.rdma4j.device.link.Port;
import io.rdma4j.hw.layout.Words;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.queues.Padded;

/**
 * The short way of those requests that are almost all: a SEND, with immediate data or without, or an RDMA WRITE, of one
 * piece of memory, of an ordinary region, on a connection on which all is well. Each check of {@link SendExecutor} is
 * made here too, but none has consequences: who fails one is refused here, with nothing done, and goes the long way,
 * which says what is wrong.
 *
 * <p>Used under its send queue's lock. Memory of the driver is read by address and not by a buffer: after an access by
 * a buffer, which may be one of the heap, the JVM loads every field again.
 */
final class ExpressLane extends Padded {
    private static final int PSN_MASK = 0xff_ffff;
    private static final int PLAIN_FLAGS = SendFlags.PVRDMA_SEND_SIGNALED | SendFlags.PVRDMA_SEND_SOLICITED
        | SendFlags.PVRDMA_SEND_FENCE;
    /** So many sends take the peer's locks once, and are shown to it by one store to its index. */
    private static final int MAX_ROW = 8;

    private final EngineContext context;
    private final SendExecutor executor;
    private final QpAttributes attributes;
    private final SgeReader sges;
    private final Message message;
    private Destination peer;
    private int peerEpoch;
    private int peerChanges;
    /** How many sends are in the row that is not ended. */
    private int row;

    ExpressLane(EngineContext context, QpAttributes attributes, SendExecutor executor, SgeReader sges,
        Message message) {
        this.context = context;
        this.executor = executor;
        this.attributes = attributes;
        this.sges = sges;
        this.message = message;
    }

    /** Lets go of the peer. */
    void forget() {
        endRow();
        peer = null;
    }

    /** Bytes of the request carried out last. */
    int length() {
        return (int) message.length;
    }

    /**
     * Executes a WQE, each field of which is read once.
     *
     * @param wqe    where it begins in this process.
     * @param opcode from it.
     * @param flags  from it.
     * @param more   whether another one is behind it at once, with no lock taken between them, or {@link #endRow()}.
     * @return true if it is over, and acknowledged; false if it goes the long way.
     */
    boolean carryOut(long wqe, int opcode, int flags, boolean more) {
        if (!isPlain(opcode) || (flags & ~PLAIN_FLAGS) != 0 || Words.getInt(wqe + SqWqe.NUM_SGE_OFFSET) != 1
            || !gather(wqe + SqWqe.SGE_OFFSET) || !isConnected()) {
            return false;
        }
        final int psn = executor.psn();
        final int packets = attributes.packets(message.length);
        message.psn = psn;
        message.packets = packets;
        message.solicited = (flags & SendFlags.PVRDMA_SEND_SOLICITED) != 0;
        final boolean done = opcode == WrOpcode.PVRDMA_WR_RDMA_WRITE ? write(wqe) : send(wqe, opcode, more);
        if (done) {
            executor.psn(psn + packets & PSN_MASK);
        }
        return done;
    }

    private static boolean isPlain(int opcode) {
        return opcode == WrOpcode.PVRDMA_WR_SEND || opcode == WrOpcode.PVRDMA_WR_RDMA_WRITE
            || opcode == WrOpcode.PVRDMA_WR_SEND_WITH_IMM;
    }

    private boolean send(long wqe, int opcode, boolean more) {
        message.immediate = opcode == WrOpcode.PVRDMA_WR_SEND_WITH_IMM;
        if (message.immediate) {
            message.immData = Words.getInt(wqe + SqWqe.IMM_DATA_OFFSET);
        }
        return more || row > 0 ? sendInRow(more) : peer.trySend(message);
    }

    /** Long messages go alone: the peer can work on one while the next is copied. */
    private boolean sendInRow(boolean more) {
        if (message.length > Responder.SHORT) {
            endRow();
            return peer.trySend(message);
        }
        row++; // Before the peer locks anything: whatever comes up in there, the row will be ended.
        final boolean last = !more || row == MAX_ROW;
        final boolean done = peer.trySendInRow(message, last);
        if (!done || last) {
            row = 0;
        }
        return done;
    }

    /** Lets the peer see what was sent in a row, and gives its locks back. */
    void endRow() {
        if (row > 0) {
            row = 0;
            peer.endRow(message);
        }
    }

    private boolean write(long wqe) {
        endRow();
        message.remoteAddress = Words.getLong(wqe + SqWqe.RDMA_REMOTE_ADDR_OFFSET);
        message.rkey = Words.getInt(wqe + SqWqe.RDMA_RKEY_OFFSET);
        return peer.tryWrite(message);
    }

    private boolean gather(long sge) {
        final long address = Words.getLong(sge + Sge.ADDR_OFFSET);
        final int length = Words.getInt(sge + Sge.LENGTH_OFFSET);
        final int lkey = Words.getInt(sge + Sge.LKEY_OFFSET);
        message.length = length;
        message.host = length <= 0 || length > Limits.MAX_MESSAGE ? 0 : sges.plainHost(address, length, lkey, 0);
        return message.host != 0;
    }

    /** What is known of the peer holds until a route changes, or the attributes, or it is destroyed. */
    private boolean isConnected() {
        return peer != null && context.link().epoch() == peerEpoch && attributes.changes == peerChanges
            && !peer.isOver() || connect();
    }

    private boolean connect() {
        endRow();
        peer = null;
        peerEpoch = context.link().epoch();
        peerChanges = attributes.changes;
        final GidEntry source = context.gids().entry(attributes.sgidIndex);
        final Port port = source == null ? null : context.route(attributes.destGidHigh, attributes.destGidLow);
        if (port == null) {
            return false;
        }
        message.sourceGidHigh = source.high();
        message.sourceGidLow = source.low();
        message.destQpn = attributes.destQpn;
        peer = port.find(attributes.destQpn);
        return peer != null && !peer.isOver();
    }
}
