/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.completion.OpRing;
import io.rdma4j.fabric.region.LocalBuffers;
import io.rdma4j.verbs.AccessFlag;
import org.agrona.DirectBuffer;

/** Messages of several buffers, with flags, and those that take a copy. For the thread that uses the endpoint. */
final class MessageForms {
    private final MessageLane messages;
    private final MessageRules rules;
    private final LocalBuffers buffers;

    MessageForms(final MessageLane messages, final MessageRules rules) {
        this.messages = messages;
        this.rules = rules;
        this.buffers = rules.buffers();
    }

    int inject(
        final DirectBuffer buffer, final int offset, final int length, final boolean withData, final int data) {
        if (buffer == null || offset < 0 || length < 0 || offset > buffer.capacity() - length) {
            return -FiErrno.FI_EINVAL;
        }
        if (length > rules.injectSize()) {
            return -FiErrno.FI_EMSGSIZE;
        }
        final int objection = messages.checkSend();
        return objection != 0 ? objection
            : messages.inject(buffer, offset, length, withData, data, 0, OpRing.QUIET);
    }

    int send(final Message message, final long flags) {
        int objection = rules.check(message, flags, MessageRules.SEND_FLAGS);
        objection = objection != 0 ? objection : messages.checkSend();
        if (objection != 0) {
            return objection;
        }
        final boolean inject = (flags & OpFlags.INJECT) != 0;
        objection = inject ? rules.findCopied(message, MrAccess.SEND) : rules.find(message, MrAccess.SEND, 0);
        if (objection != 0) {
            return objection;
        }
        final boolean withData = (flags & OpFlags.REMOTE_CQ_DATA) != 0;
        if (!inject) {
            return messages.send(buffers, message, withData, rules.quiet(flags));
        }
        final int length = rules.collect(message);
        buffers.letGo();
        return length < 0 ? length : messages.inject(rules.copy(), 0, length, withData, message.data(),
            message.context(), rules.quiet(flags));
    }

    int receive(final Message message, final long flags) {
        int objection = rules.check(message, flags, MessageRules.RECEIVE_FLAGS);
        objection = objection != 0 ? objection : messages.checkReceive();
        objection = objection != 0 ? objection
            : rules.find(message, MrAccess.RECV, AccessFlag.LOCAL_WRITE.bit());
        return objection != 0 ? objection : messages.receive(buffers, message.context());
    }
}
