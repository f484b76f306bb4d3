/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.TransmitAttributes;
import io.rdma4j.fabric.completion.OfferedKinds;
import io.rdma4j.fabric.completion.Room;
import io.rdma4j.fabric.region.LocalMemory;

import org.agrona.DirectBuffer;

/** Messages as the application starts them, whomever they go to. For the thread that uses the endpoint. */
abstract class Sender {
    private static final long SEND_FLAGS = OpFlags.REMOTE_CQ_DATA | OpFlags.MORE | OpFlags.COMPLETION | OpFlags.INJECT
        | OpFlags.INJECT_COMPLETE | OpFlags.TRANSMIT_COMPLETE | OpFlags.DELIVERY_COMPLETE
        | OpFlags.FENCE;

    private static final long DELIVERY = OpFlags.DELIVERY_COMPLETE | OpFlags.MATCH_COMPLETE;

    private final SendTable sends;
    private final Room room;
    private final LocalMemory local;
    private final boolean selective;
    private final long mostBytes;
    private final int injectSize;
    private final int iovLimit;
    private final boolean hasFence;
    private final OfferedKinds offered;
    private long tag;

    Sender(
        final SendTable sends, final Room room, final LocalMemory local, final boolean selective,
        final long mostBytes, final TransmitAttributes attributes) {
        this.sends = sends;
        this.room = room;
        this.local = local;
        this.selective = selective;
        this.mostBytes = mostBytes;
        this.injectSize = attributes.injectSize();
        this.iovLimit = attributes.iovLimit();
        this.hasFence = attributes.capabilities().contains(Capability.FENCE);
        this.offered = new OfferedKinds(attributes.capabilities());
    }

    /** Whom the next operation is for; 0 or a negated errno. */
    abstract int aim(long dest);

    /** Whom the next message with these flags of its header is for; 0 or a negated errno. */
    private int aim(final long dest, final int flags) {
        return offered.has(kind(flags)) ? aim(dest) : -FiErrno.FI_EOPNOTSUPP;
    }

    private static OperationKind kind(final int flags) {
        return (flags & Header.TAGGED) != 0 ? OperationKind.TAGGED_SEND : OperationKind.SEND;
    }

    /** 0, or why no message with these flags of its header can be sent now; {@link #mayWait} is another matter. */
    abstract int check(int flags);

    /** It can be started although {@link #check} refuses. */
    abstract boolean mayWait();

    /** Nothing is under way to whom the next operation is for. */
    abstract boolean isStill();

    /** 0, or why none that waits for all before it can be started now; after {@link #aim}. */
    final int fence() {
        if (!hasFence) {
            return -FiErrno.FI_EOPNOTSUPP;
        }
        return isStill() ? 0 : -FiErrno.FI_EAGAIN;
    }

    /** Which receive context of the peer. */
    abstract int rxIndex();

    /** Starts it, after {@link #check} with that result; 0, or a negated errno if it is the caller's still. */
    abstract int start(SendOp op, int state, boolean copied);

    /** As {@link #start}, from a buffer that is used no more after the call. */
    abstract int inject(SendOp op, int state, DirectBuffer from, int offset, int length);

    final LocalMemory local() {
        return local;
    }

    final boolean isSelective() {
        return selective;
    }

    /** The next message that has {@link Header#TAGGED} has this tag. */
    final Sender tag(final long its) {
        tag = its;
        return this;
    }

    /** 0, or why no message with these flags of its header can be sent to this context now. */
    static int check(final Channel channel, final int rxIndex, final int flags) {
        return channel.check(rxIndex, flags & Header.AGREED_FLAGS);
    }

    final int send(
        final long from, final int length, final MemoryRegion desc, final Object owner, final int flags,
        final int data, final long dest, final long context) {
        final int refusal = aim(dest, flags);
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
        op.add(from, length, local.deviceAddress(), local.lkey(), local.cached(), local.descriptor());
        op.lastIsAt(local.processAddress(), local.isKept(owner));
        if (owner != null) {
            op.owner = owner;
        }
        return started(op, start(op, state, false));
    }

    private SendOp claim(final long context, final boolean reported, final int flags, final int data) {
        room.take();
        final SendOp op = sends.claimOp(kind(flags), context, reported);
        op.flagsAndIndex = Header.flagsAndIndex(flags, rxIndex());
        op.data = data;
        if ((flags & Header.TAGGED) != 0) {
            op.tag = tag;
        }
        return op;
    }

    private int started(final SendOp op, final int code) {
        if (code != 0) {
            sends.giveBack(op);
            room.giveBack();
        }
        return code;
    }

    final int inject(
        final DirectBuffer from, final int offset, final int length, final int flags, final int data,
        final long dest) {
        if (from == null || offset < 0 || length < 0 || offset > from.capacity() - length) {
            return -FiErrno.FI_EINVAL;
        }
        if (length > injectSize) {
            return -FiErrno.FI_EMSGSIZE;
        }
        final int refusal = aim(dest, flags);
        if (refusal != 0) {
            return refusal;
        }
        final int state = check(flags);
        if (state != 0 && !mayWait()) {
            return state;
        }
        final SendOp op = claim(0, false, flags, data);
        return started(op, inject(op, state, from, offset, length));
    }

    /** With flags of the header beside what the message says. */
    final int send(final Message message, final long flags, final int ofKind) {
        final int objection = check(message, flags, ofKind);
        if (objection != 0) {
            return objection;
        }
        final int headerFlags = (flags & DELIVERY) == 0 ? ofKind : ofKind | Header.DELIVERY;
        int refusal = aim(message.peer(), ofKind);
        refusal = refusal == 0 && (flags & OpFlags.FENCE) != 0 ? fence() : refusal;
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
        final boolean inject = (flags & OpFlags.INJECT) != 0;
        for (int i = 0; i < message.count(); i++) {
            final long from = message.address(i);
            final int length = message.length(i);
            final int fault = inject ? local.findCopied(from, length, message.desc(i), MrAccess.SEND)
                : local.find(from, length, message.desc(i), null, MrAccess.SEND, 0);
            if (fault != 0) {
                return started(op, fault);
            }
            op.add(from, length, local.deviceAddress(), local.lkey(), local.cached(), local.descriptor());
            op.lastIsAt(local.processAddress(), local.isKept(null));
        }
        return started(op, start(op, state, inject));
    }

    private int check(final Message message, final long flags, final int ofKind) {
        if (message == null || message.count() > iovLimit || message.total() < 0) {
            return -FiErrno.FI_EINVAL;
        }
        final long known = (ofKind & Header.TAGGED) == 0 ? SEND_FLAGS : SEND_FLAGS | OpFlags.MATCH_COMPLETE;
        if ((flags & ~known) != 0) {
            return -FiErrno.FI_EBADFLAGS;
        }
        final long most = (flags & OpFlags.INJECT) != 0 ? injectSize : mostBytes;
        return message.total() > most ? -FiErrno.FI_EMSGSIZE : 0;
    }
}
