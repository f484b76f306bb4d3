/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.TransmitAttributes;
import io.rdma4j.fabric.completion.OpRing;
import io.rdma4j.fabric.region.LocalBuffers;
import io.rdma4j.fabric.region.LocalMemory;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What holds for operations of several buffers, with flags, whatever carries them. For the thread that uses the
 * endpoint.
 */
public final class MessageRules {
    private static final long ALL_FLAGS = OpFlags.COMPLETION | OpFlags.MORE;
    static final long RECEIVE_FLAGS = ALL_FLAGS | OpFlags.MULTI_RECV;
    static final long READ_FLAGS = ALL_FLAGS | OpFlags.INJECT_COMPLETE | OpFlags.TRANSMIT_COMPLETE
        | OpFlags.DELIVERY_COMPLETE;
    /** Of sends and of writes. */
    static final long SEND_FLAGS = READ_FLAGS | OpFlags.INJECT | OpFlags.REMOTE_CQ_DATA;
    /** Known, and not to be had where each message is one of the device. */
    private static final long NEED_PIECES = OpFlags.DELIVERY_COMPLETE | OpFlags.MULTI_RECV;

    private final LocalMemory local;
    private final LocalBuffers buffers;
    private final int iovLimit;
    private final int injectSize;
    private final boolean selective;
    /** Several buffers become one here. */
    private final UnsafeBuffer copy;

    /**
     * For what one thread starts.
     *
     * @param local      looks memory up.
     * @param attributes how many buffers an operation has, and how much is injected.
     * @param selective  whether only who asks for a completion gets one.
     */
    public MessageRules(final LocalMemory local, final TransmitAttributes attributes, final boolean selective) {
        this.local = local;
        this.selective = selective;
        this.iovLimit = attributes.iovLimit();
        this.injectSize = attributes.injectSize();
        this.buffers = new LocalBuffers(local, iovLimit);
        this.copy = new UnsafeBuffer(new byte[injectSize]);
    }

    /** Most bytes that are copied. */
    int injectSize() {
        return injectSize;
    }

    boolean isSelective() {
        return selective;
    }

    LocalMemory local() {
        return local;
    }

    /** What was found last. */
    LocalBuffers buffers() {
        return buffers;
    }

    /** What was collected last. */
    UnsafeBuffer copy() {
        return copy;
    }

    /** 0, or what is wrong with a message or its flags. */
    int check(final Message message, final long flags, final long known) {
        if (message == null) {
            return -FiErrno.FI_EINVAL;
        }
        if ((flags & ~known) != 0) {
            return -FiErrno.FI_EBADFLAGS;
        }
        if ((flags & NEED_PIECES) != 0) {
            return -FiErrno.FI_EOPNOTSUPP;
        }
        final long total = message.total();
        if (message.count() > iovLimit || total < 0) {
            return -FiErrno.FI_EINVAL;
        }
        return total > ((flags & OpFlags.INJECT) == 0 ? Integer.MAX_VALUE : injectSize) ? -FiErrno.FI_EMSGSIZE : 0;
    }

    /** Looks up where the device has the buffers; 0 or a negated errno. */
    int find(final Message message, final MrAccess right, final int access) {
        return buffers.find(message, right, access);
    }

    /** The same for {@link #collect} alone. */
    int findCopied(final Message message, final MrAccess right) {
        return buffers.findCopied(message, right);
    }

    /** Flags of the operation's place. */
    int quiet(final long flags) {
        return selective && (flags & OpFlags.COMPLETION) == 0 ? OpRing.QUIET : 0;
    }

    /** Copies the buffers, after {@link #check} and {@link #findCopied}: how many bytes, or a negated errno. */
    int collect(final Message message) {
        return buffers.collect(message, copy, 0);
    }
}
