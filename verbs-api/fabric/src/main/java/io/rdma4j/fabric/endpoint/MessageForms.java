/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.completion.OpRing;
import io.rdma4j.fabric.region.LocalBuffers;
import io.rdma4j.fabric.region.LocalMemory;
import io.rdma4j.verbs.AccessFlag;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Operations of several buffers, with flags, and those that take a copy. For the thread that uses the endpoint. */
final class MessageForms {
    private static final long RECEIVE_FLAGS = OpFlags.COMPLETION | OpFlags.MORE;
    private static final long READ_FLAGS = RECEIVE_FLAGS | OpFlags.INJECT_COMPLETE | OpFlags.TRANSMIT_COMPLETE
        | OpFlags.DELIVERY_COMPLETE;
    private static final long SEND_FLAGS = READ_FLAGS | OpFlags.INJECT | OpFlags.REMOTE_CQ_DATA;

    private final MessageLane messages;
    /** Null without RMA. */
    private final OutLane out;
    private final LocalBuffers buffers;
    private final Rma rma;
    private final int iovLimit;
    private final int injectSize;
    private final boolean selective;
    /** Several buffers become one here. */
    private final UnsafeBuffer stage;
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);

    MessageForms(
        final MessageLane messages, final OutLane out, final LocalMemory local, final Rma rma, final FabricInfo info,
        final boolean selective) {
        this.messages = messages;
        this.out = out;
        this.rma = rma;
        this.selective = selective;
        this.iovLimit = info.transmitAttributes().iovLimit();
        // None where the queue pair has no memory for copies.
        this.injectSize = Math.min(info.transmitAttributes().injectSize(), messages.qp().maxInline());
        this.buffers = new LocalBuffers(local, iovLimit);
        this.stage = new UnsafeBuffer(new byte[injectSize]);
    }

    /** 0, or what is wrong with a message or its flags. */
    private int check(final Message message, final long flags, final long known) {
        if (message == null) {
            return -FiErrno.FI_EINVAL;
        }
        if ((flags & ~known) != 0) {
            return -FiErrno.FI_EBADFLAGS;
        }
        if ((flags & OpFlags.DELIVERY_COMPLETE) != 0) {
            return -FiErrno.FI_EOPNOTSUPP;
        }
        final long total = message.total();
        if (message.count() > iovLimit || total < 0) {
            return -FiErrno.FI_EINVAL;
        }
        return total > ((flags & OpFlags.INJECT) == 0 ? Integer.MAX_VALUE : injectSize) ? -FiErrno.FI_EMSGSIZE : 0;
    }

    /** Flags of the operation's place. */
    private int quiet(final long flags) {
        return selective && (flags & OpFlags.COMPLETION) == 0 ? OpRing.QUIET : 0;
    }

    int inject(
        final DirectBuffer buffer, final int offset, final int length, final boolean withData, final int data) {
        if (buffer == null || offset < 0 || length < 0 || offset > buffer.capacity() - length) {
            return -FiErrno.FI_EINVAL;
        }
        if (length > injectSize) {
            return -FiErrno.FI_EMSGSIZE;
        }
        final int objection = messages.checkSend();
        return objection != 0 ? objection
            : messages.inject(buffer, offset, length, withData, data, 0, OpRing.QUIET);
    }

    int send(final Message message, final long flags) {
        int objection = check(message, flags, SEND_FLAGS);
        objection = objection != 0 ? objection : messages.checkSend();
        objection = objection != 0 ? objection : buffers.find(message, MrAccess.SEND, 0);
        if (objection != 0) {
            return objection;
        }
        final boolean withData = (flags & OpFlags.REMOTE_CQ_DATA) != 0;
        if ((flags & OpFlags.INJECT) == 0) {
            return messages.send(buffers, message, withData, quiet(flags));
        }
        // The memory is there: it was found.
        final int length = collect(message);
        buffers.letGo();
        return messages.inject(stage, 0, length, withData, message.data(), message.context(), quiet(flags));
    }

    private int collect(final Message message) {
        int at = 0;
        for (int i = 0; i < message.count(); i++) {
            if (message.length(i) > 0) {
                view.wrap(message.address(i), message.length(i));
                stage.putBytes(at, view, 0, message.length(i));
                at += message.length(i);
            }
        }
        return at;
    }

    int receive(final Message message, final long flags) {
        int objection = check(message, flags, RECEIVE_FLAGS);
        objection = objection != 0 ? objection : messages.checkReceive();
        objection = objection != 0 ? objection
            : buffers.find(message, MrAccess.RECV, AccessFlag.LOCAL_WRITE.bit());
        return objection != 0 ? objection : messages.receive(buffers, message.context());
    }

    int read(final Message message, final long flags) {
        final int objection = check(message, flags, READ_FLAGS);
        return objection != 0 ? objection : start(RmaOperation.READ, message, flags);
    }

    int write(final Message message, final long flags) {
        final int objection = check(message, flags, SEND_FLAGS);
        final boolean withData = (flags & OpFlags.REMOTE_CQ_DATA) != 0;
        return objection != 0 ? objection
            : start(withData ? RmaOperation.WRITE_WITH_DATA : RmaOperation.WRITE, message, flags);
    }

    /** After the lane was found to have room. */
    private int start(final RmaOperation operation, final Message message, final long flags) {
        final int objection = buffers.find(message, operation.local, operation.localAccess);
        if (objection != 0) {
            return objection;
        }
        rma.data = message.data();
        rma.set(operation, 0, (int) buffers.total(), message.remoteAddress(), message.key());
        final boolean inject = (flags & OpFlags.INJECT) != 0;
        if (inject) {
            out.copy(stage, collect(message));
            buffers.letGo();
        }
        return out.start(rma, buffers, message.context(), quiet(flags), inject);
    }
}
