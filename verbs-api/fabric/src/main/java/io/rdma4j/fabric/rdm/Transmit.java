/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.driver.memory.Payloads;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.TransmitAttributes;
import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.fabric.av.PeerTable;
import io.rdma4j.fabric.endpoint.MessageRules;
import io.rdma4j.fabric.endpoint.Rma;
import io.rdma4j.fabric.region.LocalMemory;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Operations with peers that a vector names. For the thread that uses the endpoint. */
final class Transmit extends Sender {
    private final RdmCore core;
    private final Connections connections;
    private final SendTable sends;
    private final PeerTable table;
    private final PeerAddress address = new PeerAddress();
    private final int bits;
    /** Of RMA that has to wait. */
    private final MessageRules rules;

    /** Of the operation that is being started. */
    private Connection connection;
    private int rxIndex;

    Transmit(
        final RdmCore core, final Connections connections, final PeerTable table, final LocalMemory local,
        final boolean selective, final long mostBytes, final TransmitAttributes attributes) {
        super(core.sends(), core.room(), local, selective, mostBytes, attributes);
        this.core = core;
        this.connections = connections;
        this.sends = core.sends();
        this.table = table;
        this.bits = table.rxCtxBits();
        this.rules = new MessageRules(local, attributes, selective);
    }

    @Override
    int aim(final long dest) {
        if (dest == FiAddr.UNSPEC || !table.find(FiAddr.peer(dest, bits), address)) {
            return -FiErrno.FI_EINVAL;
        }
        rxIndex = FiAddr.rxIndex(dest, bits);
        connection = connections.find(address);
        if (connection.waiting != null) {
            return -FiErrno.FI_EAGAIN;
        }
        return core.room().left() == 0 ? -FiErrno.FI_EAGAIN : 0;
    }

    @Override
    int check(final int flags) {
        return connection.link == null ? -FiErrno.FI_EAGAIN : check(connection.link.channel(), rxIndex, flags);
    }

    /** There is no link yet: this operation can wait for it. */
    @Override
    boolean mayWait() {
        return connection.link == null || connection.link.channel().isGreeting();
    }

    @Override
    boolean isStill() {
        return connection.link == null || connection.link.channel().isSent();
    }

    @Override
    int rxIndex() {
        return rxIndex;
    }

    @Override
    int start(final SendOp op, final int state, final boolean copied) {
        if (state != 0) {
            return copied ? awaitCopy(op) : await(op, null, null);
        }
        final Channel channel = connection.link.channel();
        connections.used(channel);
        return channel.outbound().start(op);
    }

    @Override
    int inject(final SendOp op, final int state, final DirectBuffer from, final int offset, final int length) {
        if (state != 0) {
            final UnsafeBuffer copy = new UnsafeBuffer(new byte[length]);
            return Payloads.copy(from, offset, length, copy, 0) ? await(op, null, copy) : -FiErrno.FI_EFAULT;
        }
        final Channel channel = connection.link.channel();
        connections.used(channel);
        return channel.outbound().inject(op, from, offset, length);
    }

    private int awaitCopy(final SendOp op) {
        final UnsafeBuffer copy = new UnsafeBuffer(new byte[op.total]);
        return op.copyTo(copy, 0) ? await(op, null, copy) : -FiErrno.FI_EFAULT;
    }

    private int await(final SendOp op, final Rma rma, final DirectBuffer injected) {
        connection.waiting = op;
        connection.rma = rma;
        connection.injected = injected;
        connection.rxIndex = rxIndex;
        if (connection.link == null && !connection.isDialing) {
            connections.dial(connection);
        }
        return 0;
    }

    /** Starts RMA or an atomic. */
    int start(final Rma rma, final long dest, final long context) {
        int refusal = aim(dest);
        refusal = refusal == 0 && rma.asksForFence() ? fence() : refusal;
        if (refusal != 0) {
            return refusal;
        }
        final boolean up = connection.link != null && connection.link.channel().isUp();
        if (!up && !mayWait()) {
            return -FiErrno.FI_EAGAIN;
        }
        final Rma later = up ? null : rma.copy();
        final int fault = up ? 0 : later.await(rules);
        if (fault != 0) {
            return fault;
        }
        core.room().take();
        final SendOp op = sends.claimOp(rma.kind(), context, !isSelective() || rma.asksForCompletion());
        op.total = (int) rma.length();
        if (!up) {
            await(op, later, null);
            return 0;
        }
        connections.used(connection.link.channel());
        final int code = core.startRma(rma, connection.link, op);
        if (code != 0) {
            core.abandon(op);
        }
        return code;
    }
}
