/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fake;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SendTemplate;
import io.rdma4j.verbs.SgeList;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A QP that copies a message into the peer's receive while it is posted. Allocates nothing after it was made. */
final class FakeQp implements QueuePair {
    private static final int GRH = 40;

    private final FakePd pd;
    private final FakeContext context;
    private final QpOptions options;
    private final int qpn;
    private final long[] wrIds;
    private final long[] addresses;
    private final int[] lengths;
    private final UnsafeBuffer source = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer target = new UnsafeBuffer(0, 0);
    private final FakeOneSided oneSided = new FakeOneSided();
    private long posted;
    private long taken;
    private QpState state = QpState.RESET;
    private FakeQp peer;

    FakeQp(final FakePd pd, final FakeContext context, final QpOptions options, final int qpn) {
        this.pd = pd;
        this.context = context;
        this.options = options;
        this.qpn = qpn;
        wrIds = new long[options.maxReceiveWr()];
        addresses = new long[options.maxReceiveWr()];
        lengths = new int[options.maxReceiveWr()];
    }

    @Override
    public void modify(final QpAttributes attributes) {
        state = attributes.state();
        if (state == QpState.RTR && type() == QpType.RC) {
            peer = FakeContext.find(attributes.ah().dgid(), attributes.destQpn());
        }
    }

    @Override
    public int postSend(final SendRequest request) {
        final Fault fault = context.nextFault(qpn);
        switch (fault) {
            case FULL:
                return ReturnCode.QUEUE_FULL;
            case DEAD:
                context.fail("somebody pulled the plug");
                return ReturnCode.OK;
            case BUG:
                throw new IllegalStateException("a bug");
            default:
                break;
        }
        final FakeQp to = type() == QpType.RC ? peer
            : FakeContext.find(request.addressHandle().attributes().dgid(), request.remoteQpn());
        if (fault != Fault.ERROR && fault != Fault.LOST) {
            execute(request, to, fault);
        }
        final long wrId = fault == Fault.FOREIGN ? 0xbad : request.wrId();
        final WcStatus status = fault == Fault.ERROR ? WcStatus.RNR_RETRY_EXC_ERR : WcStatus.SUCCESS;
        ((FakeCq) options.sendCq()).add(this, wrId, status, WcOpcode.SEND, 0);
        return ReturnCode.OK;
    }

    private void execute(final SendRequest request, final FakeQp to, final Fault fault) {
        if (request.opcode() == SendOpcode.SEND) {
            to.deliver(request.sges(), fault);
        } else if (request.sges().lkey(0) != FakeRegion.LKEY || request.rkey() != FakeRegion.RKEY) {
            throw new IllegalStateException("keys " + request.sges().lkey(0) + ", " + request.rkey());
        } else {
            oneSided.execute(request, fault == Fault.CORRUPT);
        }
    }

    private synchronized void deliver(final SgeList sges, final Fault fault) {
        if (taken == posted) {
            throw new IllegalStateException("no receive posted on " + qpn);
        }
        final int slot = (int) (taken++ % wrIds.length);
        final int header = type() == QpType.UD ? GRH : 0;
        final int length = sges.length(0);
        if (sges.lkey(0) != FakeRegion.LKEY || header + length > lengths[slot]) {
            throw new IllegalStateException("key " + sges.lkey(0) + ", " + length + " bytes into " + lengths[slot]);
        }
        source.wrap(sges.address(0), length);
        target.wrap(addresses[slot], lengths[slot]);
        target.putBytes(header, source, 0, length);
        if (fault == Fault.CORRUPT) {
            final int last = header + length - 1;
            target.putByte(last, (byte) (target.getByte(last) ^ 0x10));
        }
        final int arrived = header + length - (fault == Fault.SHORT ? 1 : 0);
        ((FakeCq) options.receiveCq()).add(this, wrIds[slot], WcStatus.SUCCESS, WcOpcode.RECV, arrived);
    }

    @Override
    public synchronized int postReceive(final ReceiveRequest request) {
        if (posted - taken == wrIds.length) {
            return ReturnCode.QUEUE_FULL;
        }
        final int slot = (int) (posted++ % wrIds.length);
        wrIds[slot] = request.wrId();
        addresses[slot] = request.sges().address(0);
        lengths[slot] = request.sges().length(0);
        return ReturnCode.OK;
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public QpType type() {
        return options.type();
    }

    @Override
    public int qpNumber() {
        return qpn;
    }

    @Override
    public QpState state() {
        return state;
    }

    @Override
    public QpAddress localAddress() {
        return new QpAddress(context.queryGid(1, 0), qpn, 1, 0);
    }

    @Override
    public CompletionQueue sendCq() {
        return options.sendCq();
    }

    @Override
    public CompletionQueue receiveCq() {
        return options.receiveCq();
    }

    @Override
    public SharedReceiveQueue srq() {
        return null;
    }

    @Override
    public int maxSendWr() {
        return options.maxSendWr();
    }

    @Override
    public int maxReceiveWr() {
        return options.maxReceiveWr();
    }

    @Override
    public int maxSendSge() {
        return 1;
    }

    @Override
    public int maxReceiveSge() {
        return 1;
    }

    @Override
    public QpAttributes query() {
        throw Unused.call("query");
    }

    @Override
    public int postSend(final SendRequest[] requests, final int count) {
        for (int i = 0; i < count; i++) {
            final int code = postSend(requests[i]);
            if (code < 0) {
                return i == 0 ? code : i;
            }
        }
        return count;
    }

    @Override
    public int postSend(final long wrId, final long address, final int length, final int lkey) {
        throw Unused.call("short postSend");
    }

    @Override
    public int bindWindow(final long wrId, final MemoryWindow window, final MemoryRegion region, final long iova,
        final long length, final AccessFlag... access) {
        throw Unused.call("bindWindow");
    }

    @Override
    public String failure() {
        return null;
    }

    @Override
    public int maxInline() {
        return 0;
    }

    @Override
    public int postSendInline(final long wrId, final DirectBuffer source, final int offset, final int length) {
        throw Unused.call("postSendInline");
    }

    @Override
    public SendTemplate prepare(final SendRequest... requests) {
        throw Unused.call("prepare");
    }

    @Override
    public int postReceive(final ReceiveRequest[] requests, final int count) {
        for (int i = 0; i < count; i++) {
            final int code = postReceive(requests[i]);
            if (code < 0) {
                return i == 0 ? code : i;
            }
        }
        return count;
    }

    @Override
    public int postReceive(final long wrId, final long address, final int length, final int lkey) {
        throw Unused.call("short postReceive");
    }

    @Override
    public boolean isClosed() {
        return false;
    }

    @Override
    public void close() {
        // Goes with its context.
    }
}
