/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.av.PeerTable;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.OpRing;
import io.rdma4j.fabric.region.LocalBuffers;
import io.rdma4j.fabric.region.LocalMemory;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WcStatus;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Datagrams that come in. Each receive has three parts: the header, in this endpoint's memory; the application's
 * buffers; and, as a device drops what does not fit, room for the rest, which nobody looks at.
 */
final class ReceiveSide {
    private static final int WRITABLE = AccessFlag.LOCAL_WRITE.bit();
    private static final long KNOWN_FLAGS = OpFlags.COMPLETION | OpFlags.MORE;

    private final QueuePair qp;
    private final OpRing ring;
    private final PeerTable peers;
    private final HeaderMemory memory;
    private final LocalBuffers buffers;
    private final PostedReceives posted;
    private final ReceiveRequest request;
    private final RouteHeader header = new RouteHeader();
    private final int mtu;
    private long workId;

    ReceiveSide(
        final QueuePair qp, final OpRing ring, final DatagramConfig config, final FabricInfo info,
        final LocalMemory local, final HeaderMemory memory) {
        this.qp = qp;
        this.ring = ring;
        this.peers = config.peers();
        this.memory = memory;
        final int limit = info.receiveAttributes().iovLimit();
        this.buffers = new LocalBuffers(local, limit);
        this.posted = new PostedReceives(config.receives(), limit);
        this.request = new ReceiveRequest(limit + HeaderMemory.PARTS);
        this.mtu = (int) info.endpointAttributes().maxMessageSize();
    }

    void workId(final long id) {
        workId = id;
    }

    int receive(final long address, final int length, final MemoryRegion desc, final Object owner, final long context) {
        if (ring.isFull()) {
            return -FiErrno.FI_EAGAIN;
        }
        final int refusal = buffers.find(address, length, desc, owner, MrAccess.RECV, WRITABLE);
        return refusal != 0 ? refusal : start(context);
    }

    int receive(final Message message, final long flags) {
        if ((flags & ~(KNOWN_FLAGS | OpFlags.MULTI_RECV)) != 0) {
            return -FiErrno.FI_EBADFLAGS;
        }
        if ((flags & OpFlags.MULTI_RECV) != 0) {
            return -FiErrno.FI_EOPNOTSUPP;
        }
        if (message == null || message.count() > buffers.limit()) {
            return -FiErrno.FI_EINVAL;
        }
        if (ring.isFull()) {
            return -FiErrno.FI_EAGAIN;
        }
        final int refusal = buffers.find(message, MrAccess.RECV, WRITABLE);
        return refusal != 0 ? refusal : start(message.context());
    }

    private int start(final long context) {
        final int slot = ring.claim(OperationKind.RECEIVE, context, 0, buffers.take(0));
        posted.keep(slot, buffers);
        for (int i = 1; i < buffers.count(); i++) {
            ring.keep(slot, i, buffers.take(i));
        }
        memory.clear(slot);
        final int code = post(slot);
        if (code != ReturnCode.OK) {
            ring.unclaim();
        }
        return Failures.negated(code);
    }

    private int post(final int slot) {
        request.wrId(workId | slot).clearSges().addSge(memory.address(slot), RouteHeader.LENGTH, memory.lkey());
        posted.addTo(request, slot);
        final long capacity = posted.capacity(slot);
        if (capacity < mtu) {
            request.addSge(memory.restAddress(), (int) (mtu - capacity), memory.lkey());
        }
        return qp.postReceive(request);
    }

    /** The device completed one; false if the queue pair takes no more. */
    boolean completed(final int slot, final Completion completion, final boolean mends) {
        if (!ring.isUnderWay(slot)) {
            return true;
        }
        final WcStatus status = completion.status();
        if (status == WcStatus.SUCCESS) {
            received(slot, completion);
            return true;
        }
        // Those that only came to suffer from another one's failure are posted again.
        if (status != WcStatus.WR_FLUSH_ERR || !mends) {
            ring.done(slot, Failures.errno(status, true), Failures.detail(status, completion.vendorError()));
        }
        return false;
    }

    private void received(final int slot, final Completion completion) {
        final UnsafeBuffer headers = memory.buffer();
        final int at = memory.offset(slot);
        final long length = Math.max(0, completion.byteLength() - RouteHeader.LENGTH);
        final long overflow = Math.max(0, length - posted.capacity(slot));
        header.read(headers, at);
        int flags = OpRing.HAS_SOURCE;
        ring.putLong(slot, OpRing.SOURCE, peers.source(header.high(), header.low(), completion.sourceQp()));
        ring.putLong(slot, OpRing.LENGTH, length - overflow);
        if (completion.hasImmData()) {
            flags |= OpRing.HAS_DATA;
            ring.putInt(slot, OpRing.DATA, completion.immData());
        }
        if (overflow > 0) {
            flags |= OpRing.HAS_OVERFLOW;
            ring.putLong(slot, OpRing.OVERFLOW, overflow);
        }
        ring.flag(slot, flags);
        ring.done(slot, overflow == 0 ? 0 : FiErrno.FI_ETRUNC, overflow == 0 ? 0 : Failures.CUT);
    }

    /** After the queue pair came up again: all that are under way, in their order; OK or a code. */
    int postAgain() {
        int code = ReturnCode.OK;
        int slot = ring.first();
        for (int left = ring.size(); left > 0 && code == ReturnCode.OK; left--) {
            if (ring.isUnderWay(slot)) {
                code = post(slot);
            }
            slot = ring.next(slot);
        }
        return code;
    }

    /** What is under way will not complete. */
    void cancelAll(final int detail) {
        ring.cancelAll(FiErrno.FI_ECANCELED, detail);
    }

    @Override
    public String toString() {
        return "receives " + ring;
    }
}
