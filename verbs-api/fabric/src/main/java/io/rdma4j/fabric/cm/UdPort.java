/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.cache.RegionRoom;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A datagram queue pair with its own completion queue, memory and receives. Where the device can bring queue pairs up
 * again one that failed is; what was under way then is lost, as datagrams may be. For one thread at a time.
 */
public final class UdPort implements UdEnd {
    private static final String OPEN = "open datagram port";
    private static final int SENDS = 64;
    private static final int MOST_RECEIVES = 4096;
    /** A header and a message, in whole cache lines. */
    private static final int SLOT = 576;
    /** In the wrId of sends. */
    private static final long SEND = 1L << 32;

    private final CompletionQueue cq;
    private final PinnedMemory memory;
    private final MemoryRegion region;
    private final QueuePair qp;
    private final UnsafeBuffer buffer;
    private final long address;
    private final int receives;
    private final int qkey;
    private final Gid gid;
    private final AhCache ahCache;
    private final boolean mends;
    private final int[] freeSends = new int[SENDS];
    private int free;
    private final SendRequest request = new SendRequest();
    private final GlobalHeader header = new GlobalHeader();
    private final CompletionHandler onCompletion = this::onCompletion;
    private UdHandler handler;
    /** Whom the last one was for. */
    private Gid last = Gid.ZERO;
    private boolean failed;
    private long mended;
    private boolean closed;

    private UdPort(
        final CompletionQueue cq, final PinnedMemory memory, final MemoryRegion region, final QueuePair qp,
        final int receives, final int qkey) {
        this.cq = cq;
        this.memory = memory;
        this.region = region;
        this.qp = qp;
        this.receives = receives;
        this.qkey = qkey;
        buffer = memory.buffer();
        address = region.iova();
        gid = qp.localAddress().gid();
        ahCache = new AhCache(qp.pd());
        mends = qp.pd().context().supports(Feature.QP_RESET);
    }

    /**
     * Opens a port that polls.
     *
     * @param host     the domain.
     * @param realm    whose protection domain it is in, if the device does not need another one for datagrams; has to
     *                 stay open as long.
     * @param qkey     queue key, its top bit 0.
     * @param receives datagrams that can wait to be polled, 1 to 4096.
     * @return the port; the caller owns it.
     * @throws FabricException FI_EINVAL, FI_ENOMEM, or what else the device says.
     */
    public static UdPort open(final EndpointHost host, final Realm realm, final int qkey, final int receives) {
        return open(host, realm, qkey, receives, null);
    }

    /**
     * Opens a port whose completion queue has its events in a channel.
     *
     * @param host     the domain.
     * @param realm    as above.
     * @param qkey     queue key, its top bit 0.
     * @param receives datagrams that can wait to be polled, 1 to 4096.
     * @param channel  of the same device; null for none.
     * @return the port; the caller owns it.
     * @throws FabricException FI_EINVAL, FI_ENOMEM, or what else the device says.
     */
    public static UdPort open(
        final EndpointHost host, final Realm realm, final int qkey, final int receives,
        final CompletionChannel channel) {
        if (receives < 1 || receives > MOST_RECEIVES || qkey < 0) {
            throw FabricException.of(OPEN).detail("%d receives, allowed are 1 to %d; queue key 0x%x, its top bit is 0",
                receives, MOST_RECEIVES, qkey).errno(FiErrno.FI_EINVAL).build();
        }
        try {
            return make(DatagramDomain.of(host.context(), realm.pd()), receives, qkey, channel);
        } catch (final RdmaException e) {
            throw FabricException.from(OPEN, e);
        }
    }

    private static UdPort make(
        final ProtectionDomain pd, final int receives, final int qkey, final CompletionChannel channel) {
        try (Undo undo = new Undo()) {
            // More than what can be under way: then entries are given back in bulk.
            final int entries = Math.min(2 * (receives + SENDS), pd.context().attributes().maxCqe());
            final CompletionQueue cq =
                channel == null ? pd.context().createCq(entries) : pd.context().createCq(entries, channel);
            undo.add(cq::close);
            final PinnedMemory memory = pd.context().allocate((long) (receives + SENDS) * SLOT);
            undo.add(memory::close);
            final MemoryRegion region = RegionRoom.register(pd, memory, AccessFlag.LOCAL_WRITE);
            undo.add(region::close);
            final QueuePair qp =
                pd.createQp(new QpOptions().type(QpType.UD).cq(cq).maxSendWr(SENDS).maxReceiveWr(receives));
            undo.add(qp::close);
            final UdPort port = new UdPort(cq, memory, region, qp, receives, qkey);
            port.start();
            undo.forget();
            return port;
        }
    }

    /** From RESET to where it sends, with all receives posted and nothing under way. */
    private void start() {
        qp.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).qkey(qkey));
        free = 0;
        for (int slot = 0; slot < SENDS; slot++) {
            freeSends[free++] = receives + slot;
        }
        receiveAll();
        qp.modify(QpAttributes.to(QpState.RTR));
        qp.modify(QpAttributes.to(QpState.RTS).sqPsn(qp.localAddress().psn()));
    }

    /** With one doorbell: each may take a virtual device milliseconds. */
    private void receiveAll() {
        final ReceiveRequest[] all = new ReceiveRequest[receives];
        for (int slot = 0; slot < receives; slot++) {
            final int offset = slot * SLOT;
            GlobalHeader.clear(buffer, offset);
            all[slot] = new ReceiveRequest(1).wrId(slot)
                .sge(address + offset, GlobalHeader.LENGTH + MAX_MESSAGE, region.lkey());
        }
        qp.postReceive(all, receives);
    }

    private void receive(final int slot) {
        final int offset = slot * SLOT;
        GlobalHeader.clear(buffer, offset);
        qp.postReceive(slot, address + offset, GlobalHeader.LENGTH + MAX_MESSAGE, region.lkey());
    }

    @Override
    public Gid gid() {
        return gid;
    }

    @Override
    public int qpn() {
        return qp.qpNumber();
    }

    @Override
    public int qkey() {
        return qkey;
    }

    /**
     * Where its completions come: to ask for events and to wait, not to poll.
     *
     * @return its own queue.
     */
    public CompletionQueue cq() {
        return cq;
    }

    @Override
    public CompletionQueue events() {
        return cq;
    }

    /**
     * How often it came up again, for failure reports.
     *
     * @return a count.
     */
    public long mended() {
        return mended;
    }

    @Override
    public int send(
        final long gidHigh, final long gidLow, final int peerQpn, final int peerQkey, final DirectBuffer message,
        final int offset, final int length) {
        if (closed) {
            return -FiErrno.FI_EBADFD;
        }
        if (message == null || offset < 0 || length < 0 || offset > message.capacity() - length) {
            return -FiErrno.FI_EINVAL;
        }
        if (length > MAX_MESSAGE) {
            return -FiErrno.FI_EMSGSIZE;
        }
        if (free == 0) {
            return -FiErrno.FI_EAGAIN;
        }
        final AddressHandle ah = ahCache.find(gidHigh, gidLow);
        if (ah == null || isUnreachable(gidHigh, gidLow)) {
            return ah == null ? -ahCache.errno() : -FiErrno.FI_EHOSTUNREACH;
        }
        final int slot = freeSends[free - 1];
        buffer.putBytes(slot * SLOT, message, offset, length);
        request.wrId(SEND | slot).to(ah, peerQpn, peerQkey);
        if (length == 0) {
            request.clearSges();
        } else {
            request.sge(address + (long) slot * SLOT, length, region.lkey());
        }
        return posted(qp.postSend(request));
    }

    /** Also if there is a way from when somebody was there. */
    private boolean isUnreachable(final long gidHigh, final long gidLow) {
        if (last.high() != gidHigh || last.low() != gidLow) {
            last = new Gid(gidHigh, gidLow);
        }
        final RdmaContext context = qp.pd().context();
        return !context.isClosed() && context.whyUnreachable(last) != null;
    }

    private int posted(final int code) {
        if (code == ReturnCode.OK) {
            free--;
            return 0;
        }
        // Seen before its completions: the next poll mends it.
        failed |= code == ReturnCode.WRONG_STATE;
        return switch (code) {
            case ReturnCode.QUEUE_FULL -> -FiErrno.FI_EAGAIN;
            case ReturnCode.WRONG_STATE -> mends ? -FiErrno.FI_EAGAIN : -FiErrno.FI_EIO;
            case ReturnCode.CLOSED -> -FiErrno.FI_EBADFD;
            case ReturnCode.INVALID_REQUEST -> -FiErrno.FI_EINVAL;
            default -> -FiErrno.FI_EIO;
        };
    }

    @Override
    public int poll(final UdHandler messages, final int limit) {
        if (closed) {
            return -FiErrno.FI_EBADFD;
        }
        if (messages == null || limit < 1) {
            return -FiErrno.FI_EINVAL;
        }
        handler = messages;
        final int seen = cq.poll(onCompletion, limit);
        if (failed && !closed) {
            mend();
        }
        return seen >= 0 ? seen : seen == ReturnCode.CLOSED ? -FiErrno.FI_EBADFD : -FiErrno.FI_EIO;
    }

    private void onCompletion(final Completion completion) {
        final long id = completion.wrId();
        final boolean good = completion.status() == WcStatus.SUCCESS;
        failed |= !good && qp.state() != QpState.RTS;
        if ((id & SEND) != 0) {
            freeSends[free++] = (int) id;
        } else {
            received((int) id, good ? completion.byteLength() - GlobalHeader.LENGTH : -1, completion);
        }
    }

    private void received(final int slot, final int length, final Completion completion) {
        final int offset = slot * SLOT;
        try {
            if (length >= 0) {
                header.read(buffer, offset);
                handler.onMessage(header.high(), header.low(), completion.sourceQp(), buffer,
                    offset + GlobalHeader.LENGTH, length);
            }
        } finally {
            if (!failed) {
                receive(slot);
            }
        }
    }

    private void mend() {
        if (!mends) {
            return;
        }
        try {
            qp.modify(QpAttributes.to(QpState.RESET));
            start();
            failed = false;
            mended++;
        } catch (final RdmaException e) {
            // Completions from before are in the way, or the device has failed: the next poll tries again, or tells.
            failed = true;
        }
    }

    /**
     * Closes it.
     *
     * @throws FabricException what the device says; all the same it is closed.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            close(ahCache, qp, region, memory, cq);
        } catch (final RdmaException e) {
            throw FabricException.from("close datagram port", e);
        }
    }

    /** In this order; those behind one that cannot be closed are closed all the same. */
    private static void close(final AutoCloseable... parts) {
        RdmaException first = null;
        for (final AutoCloseable part : parts) {
            try {
                if (part != null) {
                    part.close();
                }
            } catch (final RdmaException e) {
                first = first == null ? e : first;
            } catch (final Exception e) {
                throw new IllegalStateException("objects of a device throw nothing else", e);
            }
        }
        if (first != null) {
            throw first;
        }
    }

    @Override
    public String toString() {
        return "datagram port " + qp + ", " + free + " of " + SENDS + " sends free, mended " + mended
            + (failed ? ", failed" : "") + (closed ? ", closed" : "");
    }
}
