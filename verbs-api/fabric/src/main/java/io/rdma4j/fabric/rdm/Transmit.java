/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.driver.memory.Payloads;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.TransmitAttributes;
import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.fabric.av.PeerTable;
import io.rdma4j.fabric.endpoint.Rma;
import io.rdma4j.fabric.region.LocalMemory;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Operations as the application starts them. For the thread that uses the endpoint. */
final class Transmit {
    private static final long SEND_FLAGS = OpFlags.REMOTE_CQ_DATA | OpFlags.MORE | OpFlags.COMPLETION | OpFlags.INJECT
        | OpFlags.INJECT_COMPLETE | OpFlags.TRANSMIT_COMPLETE;

    private final RdmCore core;
    private final Connections connections;
    private final SendTable sends;
    private final PeerTable table;
    private final LocalMemory local;
    private final PeerAddress address = new PeerAddress();
    private final boolean selective;
    private final long mostBytes;
    private final int injectSize;
    private final int iovLimit;
    private final int bits;

    /** Of the operation that is being started. */
    private Connection connection;
    private int rxIndex;
    private long tag;

    Transmit(
        final RdmCore core, final Connections connections, final PeerTable table, final LocalMemory local,
        final boolean selective, final long mostBytes, final TransmitAttributes attributes) {
        this.core = core;
        this.connections = connections;
        this.sends = core.sends();
        this.table = table;
        this.local = local;
        this.selective = selective;
        this.mostBytes = mostBytes;
        this.injectSize = attributes.injectSize();
        this.iovLimit = attributes.iovLimit();
        this.bits = table.rxCtxBits();
    }

    /** The next message that has {@link Header#TAGGED} has this tag. */
    Transmit tag(final long its) {
        tag = its;
        return this;
    }

    /** Whom an operation is for; 0 or a negated errno. */
    private int aim(final long dest) {
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

    /** 0, or why no message can be sent now; {@link #mayWait} is another matter. */
    private int check(final int flags) {
        return connection.link == null ? -FiErrno.FI_EAGAIN : check(connection.link.channel(), rxIndex, flags);
    }

    /** 0, or why no message with these flags of its header can be sent to this context now. */
    static int check(final Channel channel, final int rxIndex, final int flags) {
        return (flags & Header.TAGGED) == 0 ? channel.check(rxIndex) : channel.checkTagged(rxIndex);
    }

    /** There is no link yet: this operation can wait for it. */
    private boolean mayWait() {
        return connection.link == null || connection.link.channel().isGreeting();
    }

    int send(
        final long from, final int length, final MemoryRegion desc, final Object owner, final int flags,
        final int data, final long dest, final long context) {
        final int refusal = aim(dest);
        if (refusal != 0) {
            return refusal;
        }
        if (length > mostBytes) {
            return -FiErrno.FI_EMSGSIZE;
        }
        final int fault = local.find(from, length, desc, owner, MrAccess.SEND, 0);
        if (fault != 0) {
            return fault;
        }
        final int state = check(flags);
        if (state != 0 && !mayWait()) {
            local.letGo();
            return state;
        }
        final SendOp op = claim(context, !selective, flags, data);
        op.add(from, length, local.deviceAddress(), local.lkey(), local.cached(), desc);
        op.lastIsKept(local.isKept(owner));
        if (owner != null) {
            op.owner = owner;
        }
        return start(op, state);
    }

    private SendOp claim(final long context, final boolean reported, final int flags, final int data) {
        core.room().take();
        final boolean tagged = (flags & Header.TAGGED) != 0;
        final SendOp op =
            sends.claimOp(tagged ? OperationKind.TAGGED_SEND : OperationKind.SEND, context, reported);
        op.flagsAndIndex = Header.flagsAndIndex(flags, rxIndex);
        op.data = data;
        if (tagged) {
            op.tag = tag;
        }
        return op;
    }

    private int start(final SendOp op, final int state) {
        if (state != 0) {
            await(op, null, null);
            return 0;
        }
        final Channel channel = connection.link.channel();
        connections.used(channel);
        final int code = channel.outbound().start(op);
        if (code != 0) {
            core.abandon(op);
        }
        return code;
    }

    private void await(final SendOp op, final Rma rma, final DirectBuffer injected) {
        connection.waiting = op;
        connection.rma = rma;
        connection.injected = injected;
        connection.rxIndex = rxIndex;
        if (connection.link == null && !connection.isDialing) {
            connections.dial(connection);
        }
    }

    int inject(
        final DirectBuffer from, final int offset, final int length, final int flags, final int data,
        final long dest) {
        if (from == null || offset < 0 || length < 0 || offset > from.capacity() - length) {
            return -FiErrno.FI_EINVAL;
        }
        if (length > injectSize) {
            return -FiErrno.FI_EMSGSIZE;
        }
        final int refusal = aim(dest);
        if (refusal != 0) {
            return refusal;
        }
        final int state = check(flags);
        if (state != 0 && !mayWait()) {
            return state;
        }
        final SendOp op = claim(0, false, flags, data);
        if (state != 0) {
            final UnsafeBuffer copy = new UnsafeBuffer(new byte[length]);
            if (!Payloads.copy(from, offset, length, copy, 0)) {
                core.abandon(op);
                return -FiErrno.FI_EFAULT;
            }
            await(op, null, copy);
            return 0;
        }
        final Channel channel = connection.link.channel();
        connections.used(channel);
        final int code = channel.outbound().inject(op, from, offset, length);
        if (code != 0) {
            core.abandon(op);
        }
        return code;
    }

    /** With flags of the header beside what the message says. */
    int send(final Message message, final long flags, final int headerFlags) {
        final int objection = check(message, flags);
        if (objection != 0) {
            return objection;
        }
        final int refusal = aim(message.peer());
        if (refusal != 0) {
            return refusal;
        }
        final int state = check(headerFlags);
        if (state != 0 && !mayWait()) {
            return state;
        }
        final boolean carries = (flags & OpFlags.REMOTE_CQ_DATA) != 0;
        final SendOp op = claim(message.context(), !selective || (flags & OpFlags.COMPLETION) != 0,
            carries ? headerFlags | Header.HAS_DATA : headerFlags, carries ? message.data() : 0);
        for (int i = 0; i < message.count(); i++) {
            final int fault =
                local.find(message.address(i), message.length(i), message.desc(i), null, MrAccess.SEND, 0);
            if (fault != 0) {
                core.abandon(op);
                return fault;
            }
            op.add(message.address(i), message.length(i), local.deviceAddress(), local.lkey(), local.cached(),
                message.desc(i));
            op.lastIsKept(local.isKept(null));
        }
        return state != 0 && (flags & OpFlags.INJECT) != 0 ? awaitCopy(op) : start(op, state);
    }

    private int awaitCopy(final SendOp op) {
        final UnsafeBuffer copy = new UnsafeBuffer(new byte[op.total]);
        if (!op.copyTo(copy, 0)) {
            core.abandon(op);
            return -FiErrno.FI_EFAULT;
        }
        await(op, null, copy);
        return 0;
    }

    private int check(final Message message, final long flags) {
        if (message == null || message.count() > iovLimit || message.total() < 0) {
            return -FiErrno.FI_EINVAL;
        }
        if ((flags & OpFlags.DELIVERY_COMPLETE) != 0) {
            return -FiErrno.FI_EOPNOTSUPP;
        }
        if ((flags & ~SEND_FLAGS) != 0) {
            return -FiErrno.FI_EBADFLAGS;
        }
        final long most = (flags & OpFlags.INJECT) != 0 ? injectSize : mostBytes;
        return message.total() > most ? -FiErrno.FI_EMSGSIZE : 0;
    }

    /** Starts RMA or an atomic. */
    int start(final Rma rma, final long dest, final long context) {
        final int refusal = aim(dest);
        if (refusal != 0) {
            return refusal;
        }
        final boolean up = connection.link != null && connection.link.channel().isUp();
        if (!up && !mayWait()) {
            return -FiErrno.FI_EAGAIN;
        }
        core.room().take();
        final SendOp op = sends.claimOp(rma.kind(), context, !selective || rma.asksForCompletion());
        op.total = (int) rma.length();
        if (!up) {
            await(op, rma.copy(), null);
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
