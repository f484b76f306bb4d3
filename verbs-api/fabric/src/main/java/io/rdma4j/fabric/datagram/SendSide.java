/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import io.rdma4j.driver.memory.Payloads;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.fabric.av.PeerTable;
import io.rdma4j.fabric.cm.AhCache;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.OpRing;
import io.rdma4j.fabric.region.LocalBuffers;
import io.rdma4j.fabric.region.LocalMemory;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;

import java.util.Arrays;

import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Datagrams that go out: each one completes on its own, in the order in which they were posted. Each place has a
 * request of its own, which is posted again if it is flushed because another one failed.
 */
final class SendSide {
    private static final long KNOWN_FLAGS = OpFlags.REMOTE_CQ_DATA | OpFlags.MORE | OpFlags.COMPLETION | OpFlags.INJECT
        | OpFlags.INJECT_COMPLETE | OpFlags.TRANSMIT_COMPLETE;

    private final QueuePair qp;
    private final OpRing ring;
    private final PeerTable peers;
    private final PeerAddress peer = new PeerAddress();
    private final AhCache ahCache;
    private final LocalBuffers buffers;
    private final SendRequest[] requests;
    /** What is injected, by slot. */
    private final UnsafeBuffer copies;
    private final int mostCopied;
    private final int mtu;
    private final int keyMask;
    private final int quiet;
    private long workId;
    private int underWay;

    SendSide(
        final QueuePair qp, final OpRing ring, final DatagramConfig config, final FabricInfo info,
        final LocalMemory local) {
        this.qp = qp;
        this.ring = ring;
        this.peers = config.peers();
        this.keyMask = config.keyMask();
        this.quiet = config.options().selectiveCompletion() ? OpRing.QUIET : 0;
        final int limit = info.transmitAttributes().iovLimit();
        this.buffers = new LocalBuffers(local, limit);
        this.requests = new SendRequest[BitUtil.findNextPositivePowerOfTwo(config.options().transmitSize())];
        Arrays.setAll(requests, any -> new SendRequest(limit));
        this.mostCopied = info.transmitAttributes().injectSize();
        this.copies = new UnsafeBuffer(new byte[requests.length * mostCopied]);
        this.mtu = (int) info.endpointAttributes().maxMessageSize();
        this.ahCache = new AhCache(qp.pd());
    }

    void workId(final long id) {
        workId = id;
    }

    /** Datagrams that the device has not completed. */
    int underWay() {
        return underWay;
    }

    int send(
        final long address, final int length, final MemoryRegion desc, final Object owner, final long dest,
        final long context) {
        return start(address, length, desc, owner, dest, context, SendOpcode.SEND, 0);
    }

    /** A device that has no data beside messages refuses them when they are posted. */
    int sendWithData(
        final long address, final int length, final MemoryRegion desc, final int data, final long dest,
        final long context) {
        return start(address, length, desc, null, dest, context, SendOpcode.SEND_WITH_IMM, data);
    }

    private int start(
        final long address, final int length, final MemoryRegion desc, final Object owner, final long dest,
        final long context, final SendOpcode opcode, final int data) {
        int refusal = aim(length, dest);
        if (refusal == 0) {
            refusal = buffers.find(address, length, desc, owner, MrAccess.SEND, 0);
        }
        if (refusal != 0) {
            return refusal;
        }
        next().opcode(opcode).immData(data);
        return post(context, length, quiet);
    }

    /**
     * Whether a message can go to a peer now: 0 or a negated errno. Before that nothing is changed in {@link #next()}:
     * while there is no room it is the oldest one that is under way, and may be posted again.
     */
    private int aim(final long length, final long dest) {
        if (length < 0) {
            return -FiErrno.FI_EINVAL;
        }
        if (length > mtu) {
            return -FiErrno.FI_EMSGSIZE;
        }
        if (ring.isFull()) {
            return -FiErrno.FI_EAGAIN;
        }
        if (!peers.find(dest, peer)) {
            return -FiErrno.FI_EINVAL;
        }
        final AddressHandle ah = ahCache.find(peer.gidHigh(), peer.gidLow());
        if (ah == null) {
            return -ahCache.errno();
        }
        next().to(ah, peer.qpn(), (peer.qkey() ^ keyMask) & DatagramConfig.KEY_BITS);
        return 0;
    }

    private int post(final long context, final long length, final int flags) {
        final SendRequest request = next().clearSges();
        for (int i = 0; i < buffers.count(); i++) {
            request.addSge(buffers.deviceAddress(i), buffers.length(i), buffers.lkey(i));
        }
        final int slot = ring.claim(OperationKind.SEND, context, length, buffers.take(0));
        for (int i = 1; i < buffers.count(); i++) {
            ring.keep(slot, i, buffers.take(i));
        }
        return posted(slot, flags);
    }

    private int posted(final int slot, final int flags) {
        ring.flag(slot, flags);
        final int code = post(slot);
        if (code != ReturnCode.OK) {
            ring.unclaim();
        }
        return Failures.negated(code);
    }

    private int post(final int slot) {
        final int code = qp.postSend(requests[slot].wrId(workId | slot));
        if (code == ReturnCode.OK) {
            underWay++;
        }
        return code;
    }

    /** The request of what is sent next. */
    private SendRequest next() {
        return requests[ring.nextSlot()];
    }

    int inject(final DirectBuffer buffer, final int offset, final int length, final long dest) {
        return startInline(buffer, offset, length, dest, SendOpcode.SEND, 0);
    }

    int injectWithData(
        final DirectBuffer buffer, final int offset, final int length, final int data, final long dest) {
        return startInline(buffer, offset, length, dest, SendOpcode.SEND_WITH_IMM, data);
    }

    private int startInline(
        final DirectBuffer buffer, final int offset, final int length, final long dest, final SendOpcode opcode,
        final int data) {
        if (buffer == null || offset < 0 || offset > buffer.capacity() - length) {
            return -FiErrno.FI_EINVAL;
        }
        if (length > mostCopied) {
            return -FiErrno.FI_EMSGSIZE;
        }
        final int refusal = aim(length, dest);
        if (refusal != 0) {
            return refusal;
        }
        if (!Payloads.copy(buffer, offset, length, copies, ring.nextSlot() * mostCopied)) {
            return -FiErrno.FI_EFAULT;
        }
        next().opcode(opcode).immData(data);
        return postCopy(length, 0, OpRing.QUIET);
    }

    private int postCopy(final int length, final long context, final int flags) {
        next().inline(copies, ring.nextSlot() * mostCopied, length);
        return posted(ring.claim(OperationKind.SEND, context, length, null), flags);
    }

    int send(final Message message, final long flags) {
        if ((flags & ~(KNOWN_FLAGS | OpFlags.DELIVERY_COMPLETE)) != 0) {
            return -FiErrno.FI_EBADFLAGS;
        }
        final boolean withData = (flags & OpFlags.REMOTE_CQ_DATA) != 0;
        if ((flags & OpFlags.DELIVERY_COMPLETE) != 0) {
            return -FiErrno.FI_EOPNOTSUPP;
        }
        if (message == null || message.count() > buffers.limit()) {
            return -FiErrno.FI_EINVAL;
        }
        final int length = (int) Math.min(message.total(), Integer.MAX_VALUE);
        final boolean inject = (flags & OpFlags.INJECT) != 0;
        if (inject && length > mostCopied) {
            return -FiErrno.FI_EMSGSIZE;
        }
        int refusal = aim(length, message.peer());
        if (refusal == 0) {
            refusal = inject ? buffers.findCopied(message, MrAccess.SEND) : buffers.find(message, MrAccess.SEND, 0);
        }
        if (refusal != 0) {
            return refusal;
        }
        next().opcode(withData ? SendOpcode.SEND_WITH_IMM : SendOpcode.SEND).immData(message.data());
        final int reported = (flags & OpFlags.COMPLETION) != 0 ? 0 : quiet;
        return inject ? sendCopy(message, reported) : post(message.context(), length, reported);
    }

    private int sendCopy(final Message message, final int flags) {
        final int length = buffers.collect(message, copies, ring.nextSlot() * mostCopied);
        return length < 0 ? length : postCopy(length, message.context(), flags);
    }

    /** The device completed one; false if the queue pair takes no more. */
    boolean completed(final int slot, final Completion completion, final boolean mends) {
        if (!ring.isUnderWay(slot)) {
            return true;
        }
        underWay--;
        final WcStatus status = completion.status();
        if (status == WcStatus.SUCCESS) {
            ring.done(slot, 0, 0);
            return true;
        }
        // What was flushed was not sent: it is posted again.
        if (status != WcStatus.WR_FLUSH_ERR || !mends) {
            ring.done(slot, Failures.errno(status, false), Failures.detail(status, completion.vendorError()));
        }
        return false;
    }

    /** After the queue pair came up again: all that are left, in their order; OK or a code. */
    int postAgain() {
        int code = ReturnCode.OK;
        int slot = ring.first();
        for (int left = ring.size(); left > 0 && code == ReturnCode.OK; left--) {
            if (ring.isUnderWay(slot)) {
                code = postAgain(slot);
            }
            slot = ring.next(slot);
        }
        return code;
    }

    /** The way that it was to go may have given place to another one meanwhile. */
    private int postAgain(final int slot) {
        final SendRequest request = requests[slot];
        final AddressHandle last = request.addressHandle();
        if (last.isClosed()) {
            final Gid gid = last.attributes().dgid();
            final AddressHandle ah = ahCache.find(gid.high(), gid.low());
            if (ah == null) {
                ring.done(slot, ahCache.errno(), Failures.UNREACHABLE);
                return ReturnCode.OK;
            }
            request.to(ah, request.remoteQpn(), request.remoteQkey());
        }
        return post(slot);
    }

    /** What is under way will not complete. */
    void cancelAll(final int detail) {
        ring.cancelAll(FiErrno.FI_ECANCELED, detail);
        underWay = 0;
    }

    void close() {
        ahCache.close();
    }

    @Override
    public String toString() {
        return "sends " + ring;
    }
}
