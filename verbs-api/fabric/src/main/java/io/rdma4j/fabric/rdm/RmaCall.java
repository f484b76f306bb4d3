/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MsgEndpoint;

/** RMA or an atomic, as the application asked for it; one is filled anew each time, others wait for a connection. */
final class RmaCall {
    static final int READ = 0;
    static final int WRITE = 1;
    static final int WRITE_WITH_DATA = 2;
    static final int ADD = 3;
    static final int SWAP = 4;
    static final int READ_MESSAGE = 5;
    static final int WRITE_MESSAGE = 6;

    int operation;
    long address;
    int length;
    MemoryRegion desc;
    long remoteAddress;
    long key;
    int data;
    long operand;
    long swap;
    Message message;
    long flags;

    RmaCall set(final int what, final long local, final int bytes, final MemoryRegion region) {
        operation = what;
        address = local;
        length = bytes;
        if (desc != region) {
            desc = region;
        }
        return this;
    }

    RmaCall remote(final long far, final long itsKey) {
        remoteAddress = far;
        key = itsKey;
        return this;
    }

    /** The application's own may be used anew before this is. */
    RmaCall copy() {
        final RmaCall other = new RmaCall();
        other.set(operation, address, length, desc);
        other.remote(remoteAddress, key);
        other.data = data;
        other.operand = operand;
        other.swap = swap;
        other.flags = flags;
        if (message != null && operation >= READ_MESSAGE) {
            other.message = new Message(Math.max(1, message.count()));
            for (int i = 0; i < message.count(); i++) {
                other.message.add(message.address(i), message.length(i), message.desc(i));
            }
            other.message.data(message.data()).remote(message.remoteAddress(), message.key());
        }
        return other;
    }

    /** Starts it; 0 or a negated errno. */
    int start(final MsgEndpoint on, final long context) {
        return switch (operation) {
            case READ -> on.read(address, length, desc, remoteAddress, key, context);
            case WRITE -> on.write(address, length, desc, remoteAddress, key, context);
            case WRITE_WITH_DATA -> on.writeWithData(address, length, desc, data, remoteAddress, key, context);
            case ADD -> on.fetchAdd(address, desc, operand, remoteAddress, key, context);
            case SWAP -> on.compareSwap(address, desc, operand, swap, remoteAddress, key, context);
            default -> startMessage(on, context);
        };
    }

    private int startMessage(final MsgEndpoint on, final long context) {
        final long applications = message.context();
        message.context(context);
        final int code =
            operation == READ_MESSAGE ? on.readMessage(message, flags) : on.writeMessage(message, flags);
        message.context(applications);
        return code;
    }
}
