/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.TaggedMessages;
import io.rdma4j.fabric.endpoint.TriggeredWork;

import org.agrona.DirectBuffer;

/** Tagged messages of an endpoint whose messages go in pieces. */
final class PieceTagged implements TaggedMessages {
    private static final int TAGGED_WITH_DATA = Header.TAGGED | Header.HAS_DATA;

    private final Endpoint endpoint;
    private final Sender transmit;
    private final RdmReceiveContext context;
    private TriggeredWork triggered;

    PieceTagged(final Endpoint endpoint, final Sender transmit, final RdmReceiveContext context) {
        this.endpoint = endpoint;
        this.transmit = transmit;
        this.context = context;
    }

    @Override
    public int send(
        final long address, final int length, final MemoryRegion desc, final long dest, final long tag,
        final long itsContext) {
        return endpoint.isClosed() ? -FiErrno.FI_EBADFD
            : transmit.tag(tag).send(address, length, desc, null, Header.TAGGED, 0, dest, itsContext);
    }

    @Override
    public int sendWithData(
        final long address, final int length, final MemoryRegion desc, final int data, final long dest,
        final long tag, final long itsContext) {
        return endpoint.isClosed() ? -FiErrno.FI_EBADFD
            : transmit.tag(tag).send(address, length, desc, null, TAGGED_WITH_DATA, data, dest, itsContext);
    }

    @Override
    public int inject(
        final DirectBuffer buffer, final int offset, final int length, final long dest, final long tag) {
        return endpoint.isClosed() ? -FiErrno.FI_EBADFD
            : transmit.tag(tag).inject(buffer, offset, length, Header.TAGGED, 0, dest);
    }

    @Override
    public int injectWithData(
        final DirectBuffer buffer, final int offset, final int length, final int data, final long dest,
        final long tag) {
        return endpoint.isClosed() ? -FiErrno.FI_EBADFD
            : transmit.tag(tag).inject(buffer, offset, length, TAGGED_WITH_DATA, data, dest);
    }

    void triggers(final TriggeredWork work) {
        triggered = work;
    }

    @Override
    public int sendMessage(final Message message, final long flags) {
        if (endpoint.isClosed() || message == null) {
            return endpoint.isClosed() ? -FiErrno.FI_EBADFD : -FiErrno.FI_EINVAL;
        }
        if ((flags & OpFlags.TRIGGER) != 0) {
            return triggered.add(TriggeredWork.Call.TAGGED_SEND, message, flags);
        }
        return transmit.tag(message.tag()).send(message, flags, Header.TAGGED);
    }

    @Override
    public int receive(
        final long address, final int length, final MemoryRegion desc, final long source, final long tag,
        final long ignore, final long itsContext) {
        return context.receiveTagged(address, length, desc, source, tag, ignore, itsContext);
    }

    @Override
    public int receiveMessage(final Message message, final long flags) {
        if ((flags & OpFlags.TRIGGER) != 0 && !endpoint.isClosed()) {
            return triggered.add(TriggeredWork.Call.TAGGED_RECEIVE, message, flags);
        }
        return context.receiveTagged(message, flags);
    }

    @Override
    public String toString() {
        return "tagged messages of " + endpoint;
    }
}
