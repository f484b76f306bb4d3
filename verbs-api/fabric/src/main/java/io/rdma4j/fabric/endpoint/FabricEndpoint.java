/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.fabric.completion.CompletionPort;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.OpRing;
import io.rdma4j.fabric.completion.WorkId;
import io.rdma4j.fabric.event.EndpointCounters;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.LocalMemory;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpAddress;

import java.util.Set;

import org.agrona.DirectBuffer;

/** A connected endpoint: its lanes, and what the application may ask of it. */
public final class FabricEndpoint implements InternalEndpoint, CompletionPort {
    private static final String OPEN = "open endpoint";
    private static final String CONNECT = "connect endpoint";
    private static final int MOST_OPERATIONS = 1 << 16;

    private final EndpointHost host;
    private final Realm realm;
    private final FabricCompletionQueue transmit;
    private final FabricCompletionQueue receive;
    private final LaneSizes sizes;
    private final MessageLane messages;
    /** Null where the domain has no RMA. */
    private final OutLane out;
    /** Null where the domain has no RMA. */
    private final InLane in;
    private final OpRing sends;
    private final OpRing receives;
    private final OpRing rmas;
    private final Rma rma = new Rma();
    private final MessageForms forms;
    private final EndpointCounters counters;
    private final boolean mends;
    private final boolean readsAndWrites;
    private final boolean atomics;
    private int transmitPort;
    private byte[] name;
    private volatile boolean isConnected;
    private volatile boolean peerHasRma;
    private boolean connectFailed;
    private volatile String lost;
    private volatile ConnectionManager connections = ConnectionManager.NONE;
    private volatile boolean closed;

    private FabricEndpoint(
        final EndpointHost host, final Realm realm, final EndpointOptions options, final EndpointCounters counters,
        final boolean internal) {
        this.host = host;
        this.realm = realm;
        this.transmit = (FabricCompletionQueue) options.transmitQueue();
        this.receive = (FabricCompletionQueue) options.receiveQueue();
        this.counters = counters;
        this.sizes = LaneSizes.of(options, hasRma(host), host);
        this.mends = host.context().supports(Feature.QP_RESET) && host.context().supports(Feature.QP_QUERY_ALL);
        this.readsAndWrites = host.info().capabilities().contains(Capability.RMA);
        this.atomics =
            host.info().capabilities().contains(Capability.ATOMIC) && host.context().supports(Feature.ATOMICS);
        final LocalMemory local = new LocalMemory(realm, host.info());
        final boolean selective = options.selectiveCompletion();
        this.sends = new OpRing(this, transmit, options.transmitSize(), sizes.buffers(), counters);
        this.receives = new OpRing(this, receive, options.receiveSize(), sizes.buffers(), counters);
        this.rmas = new OpRing(this, transmit, options.transmitSize(), sizes.buffers(), counters);
        this.messages = new MessageLane(
            this, local, sends, receives, selective, sizes, sizes.messages(transmit.cq(), receive.cq(), !internal),
            mends && !internal);
        OutLane outwards = null;
        InLane inwards = null;
        try {
            if (sizes.hasRma()) {
                outwards = new OutLane(this, local, rmas, selective, sizes, transmit.cq());
                inwards = new InLane(this, receive, counters, options.receiveSize());
            }
        } catch (final RuntimeException e) {
            if (outwards != null) {
                outwards.close();
            }
            messages.close();
            throw e;
        }
        this.out = outwards;
        this.in = inwards;
        this.forms = new MessageForms(messages, out, local, rma, host.info(), selective);
    }

    private static boolean hasRma(final EndpointHost host) {
        final Set<Capability> all = host.info().capabilities();
        return (all.contains(Capability.RMA) || all.contains(Capability.ATOMIC))
            && host.context().supports(Feature.RDMA_WRITE) && host.context().supports(Feature.RDMA_READ);
    }

    static FabricEndpoint open(final EndpointHost host, final EndpointOptions options, final boolean internal) {
        if (options == null) {
            throw Failures.invalid(OPEN, "options is null");
        }
        final FabricCompletionQueue transmit = FabricCompletionQueue.of(host, options.transmitQueue(), "transmit");
        final FabricCompletionQueue receive = FabricCompletionQueue.of(host, options.receiveQueue(), "receive");
        requireSize("transmit", options.transmitSize());
        requireSize("receive", options.receiveSize());
        final EndpointCounters counters = EndpointCounters.open(host.domain(), options.counters());
        Realm realm = null;
        final LaneSizes sizes = LaneSizes.of(options, hasRma(host), host);
        boolean opened = false;
        int reserved = 0;
        try {
            realm = host.openRealm(options.authKey());
            transmit.reserve(sizes.transmits());
            reserved = 1;
            receive.reserve(sizes.receives());
            reserved = 2;
            final FabricEndpoint endpoint = new FabricEndpoint(host, realm, options, counters, internal);
            endpoint.join();
            opened = true;
            return endpoint;
        } catch (final RdmaException e) {
            throw FabricException.from(OPEN, e);
        } finally {
            if (!opened) {
                transmit.giveBack(reserved > 0 ? sizes.transmits() : 0);
                receive.giveBack(reserved > 1 ? sizes.receives() : 0);
                release(realm);
                counters.close();
            }
        }
    }

    private static void release(final Realm realm) {
        if (realm != null) {
            realm.release();
        }
    }

    private static void requireSize(final String which, final int size) {
        if (size < 1 || size > MOST_OPERATIONS) {
            throw Failures.invalid(OPEN, "%s size is %d, allowed are 1 to %d", which, size, MOST_OPERATIONS);
        }
    }

    private void join() {
        try {
            final boolean listens = in != null && mends && in.listen(host);
            name = PeerName.of(host, realm, messages.qp(), in, out, listens).encode();
            transmitPort = transmit.attach(this);
            messages.ports(transmitPort, receive == transmit ? transmitPort : receive.attach(this));
            host.opened(this);
        } catch (final RuntimeException e) {
            transmit.detach(this);
            receive.detach(this);
            closeLanes();
            throw e;
        }
    }

    EndpointHost host() {
        return host;
    }

    @Override
    public Realm realm() {
        return realm;
    }

    @Override
    public Domain domain() {
        return host.domain();
    }

    @Override
    public EndpointType type() {
        return EndpointType.MSG;
    }

    @Override
    public FabricAddress address() {
        final QpAddress address = messages.qp().localAddress();
        return FabricAddress.device(address.gid(), address.qpn(), 0, EndpointType.MSG);
    }

    @Override
    public void connect(final FabricAddress address, final byte[] privateData) {
        requireOpen(CONNECT);
        connections.connect(address, privateData);
    }

    @Override
    public void accept(final byte[] privateData) {
        requireOpen("accept connection");
        connections.accept(privateData);
    }

    @Override
    public void shutdown() {
        requireOpen("shut endpoint down");
        connections.shutdown();
    }

    void manage(final ConnectionManager manager) {
        connections = manager;
    }

    /**
     * Ends the connection on this side: what is under way is flushed. From any thread; harmless without one.
     *
     * @param why for failure reports.
     */
    public void disconnect(final String why) {
        if (!isConnected()) {
            return;
        }
        lost = why;
        messages.giveUp();
        LaneSteps.fail(messages.qp());
        if (in != null) {
            in.end();
            out.end();
        }
    }

    @Override
    public int inject(final DirectBuffer buffer, final int offset, final int length) {
        return closed ? -FiErrno.FI_EBADFD : forms.inject(buffer, offset, length, false, 0);
    }

    @Override
    public int injectWithData(final DirectBuffer buffer, final int offset, final int length, final int data) {
        return closed ? -FiErrno.FI_EBADFD : forms.inject(buffer, offset, length, true, data);
    }

    @Override
    public int sendMessage(final Message message, final long flags) {
        return closed ? -FiErrno.FI_EBADFD : forms.send(message, flags);
    }

    @Override
    public int receiveMessage(final Message message, final long flags) {
        return closed ? -FiErrno.FI_EBADFD : forms.receive(message, flags);
    }

    @Override
    public int readMessage(final Message message, final long flags) {
        final int refusal = checkRma(readsAndWrites);
        return refusal != 0 ? refusal : forms.read(message, flags);
    }

    @Override
    public int writeMessage(final Message message, final long flags) {
        final int refusal = checkRma(readsAndWrites);
        return refusal != 0 ? refusal : forms.write(message, flags);
    }

    @Override
    public int cancel(final long context) {
        return -FiErrno.FI_ENOSYS;
    }

    @Override
    public byte[] name() {
        return name.clone();
    }

    @Override
    public void connect(final byte[] peerName) {
        requireOpen(CONNECT);
        final PeerName peer = PeerName.decode(peerName);
        if (connectFailed) {
            throw Failures.of(CONNECT, FiErrno.FI_EBADFD, "%s failed to connect before", this)
                .hint("close it and open another one").build();
        }
        if (isConnected) {
            throw Failures.of(CONNECT, FiErrno.FI_EISCONN, "%s is connected already", this).build();
        }
        if (!peer.isSealedBy(realm)) {
            throw Failures.of(CONNECT, FiErrno.FI_ECONNREFUSED, "the peer has another authorization key")
                .hint("give both sides the same key, with EndpointOptions.authKey or Hints").build();
        }
        final String why = messages.qp().pd().context().whyUnreachable(peer.gid());
        if (why != null) {
            throw Failures.of(CONNECT, FiErrno.FI_EHOSTUNREACH, "GID %s of the peer: %s", peer.gid(), why).build();
        }
        try {
            messages.connect(peer);
            if (in != null && peer.has(PeerName.RMA)) {
                in.connect(peer);
                out.connect(peer, transmitPort);
                peerHasRma = true;
            }
            isConnected = true;
        } catch (final RdmaException e) {
            connectFailed = true;
            lost = e.getMessage();
            messages.giveUp();
            throw FabricException.from(CONNECT, e);
        }
    }

    private void requireOpen(final String operation) {
        if (closed) {
            throw Failures.of(operation, FiErrno.FI_EBADFD, "%s is closed", this).build();
        }
    }

    @Override
    public boolean isConnected() {
        return isConnected && lost == null && !closed;
    }

    /** A lane is not to be mended. From any thread. */
    void lost(final String why) {
        lost = why;
    }

    /** How often lanes came up again, for tests and failure reports. */
    long mended() {
        return messages.mended() + (out == null ? 0 : out.mended() + in.mended());
    }

    boolean canMend() {
        return mends;
    }

    @Override
    public int send(final long address, final int length, final MemoryRegion desc, final long context) {
        return closed ? -FiErrno.FI_EBADFD : messages.send(address, length, desc, null, context);
    }

    @Override
    public int sendWithData(
        final long address, final int length, final MemoryRegion desc, final int data, final long context) {
        return closed ? -FiErrno.FI_EBADFD : messages.sendWithData(address, length, desc, null, data, context);
    }

    @Override
    public int receive(final long address, final int length, final MemoryRegion desc, final long context) {
        return closed ? -FiErrno.FI_EBADFD : messages.receive(address, length, desc, null, context);
    }

    @Override
    public int sendKnown(final long address, final int length, final int lkey, final long context) {
        return closed ? -FiErrno.FI_EBADFD : messages.sendKnown(address, length, lkey, context);
    }

    @Override
    public int sendKnown(
        final long address, final int length, final int lkey, final long address2, final int length2, final int lkey2,
        final long context) {
        return closed ? -FiErrno.FI_EBADFD
            : messages.sendKnown(address, length, lkey, address2, length2, lkey2, context);
    }

    @Override
    public int receiveKnown(final long address, final int length, final int lkey, final long context) {
        return closed ? -FiErrno.FI_EBADFD : messages.receiveKnown(address, length, lkey, context);
    }

    @Override
    public int send(final DirectBuffer buffer, final int offset, final int length, final long context) {
        if (!isOutsideHeap(buffer, offset, length)) {
            return closed ? -FiErrno.FI_EBADFD : -FiErrno.FI_EINVAL;
        }
        return closed ? -FiErrno.FI_EBADFD
            : messages.send(buffer.addressOffset() + offset, length, null, buffer.byteBuffer(), context);
    }

    @Override
    public int receive(final DirectBuffer buffer, final int offset, final int length, final long context) {
        if (!isOutsideHeap(buffer, offset, length)) {
            return closed ? -FiErrno.FI_EBADFD : -FiErrno.FI_EINVAL;
        }
        return closed ? -FiErrno.FI_EBADFD
            : messages.receive(buffer.addressOffset() + offset, length, null, buffer.byteBuffer(), context);
    }

    @Override
    public int read(
        final DirectBuffer buffer, final int offset, final int length, final long remoteAddress, final long key,
        final long context) {
        final int refusal = isOutsideHeap(buffer, offset, length) ? checkRma(readsAndWrites) : -FiErrno.FI_EINVAL;
        return refusal != 0 ? refusal
            : out.start(rma.set(RmaOperation.READ, buffer.addressOffset() + offset, length, remoteAddress, key), null,
                buffer.byteBuffer(), context);
    }

    @Override
    public int write(
        final DirectBuffer buffer, final int offset, final int length, final long remoteAddress, final long key,
        final long context) {
        final int refusal = isOutsideHeap(buffer, offset, length) ? checkRma(readsAndWrites) : -FiErrno.FI_EINVAL;
        return refusal != 0 ? refusal
            : out.start(rma.set(RmaOperation.WRITE, buffer.addressOffset() + offset, length, remoteAddress, key), null,
                buffer.byteBuffer(), context);
    }

    private static boolean isOutsideHeap(final DirectBuffer buffer, final int offset, final int length) {
        return buffer != null && buffer.byteArray() == null && offset >= 0 && length >= 0
            && offset <= buffer.capacity() - length;
    }

    /** 0, or why no RMA can be started now. */
    private int checkRma(final boolean negotiated) {
        if (closed) {
            return -FiErrno.FI_EBADFD;
        }
        if (out == null || !negotiated || isConnected && !peerHasRma) {
            return -FiErrno.FI_EOPNOTSUPP;
        }
        return out.check();
    }

    @Override
    public int read(
        final long address, final int length, final MemoryRegion desc, final long remoteAddress, final long key,
        final long context) {
        final int refusal = checkRma(readsAndWrites);
        return refusal != 0 ? refusal
            : out.start(rma.set(RmaOperation.READ, address, length, remoteAddress, key), desc, null, context);
    }

    @Override
    public int write(
        final long address, final int length, final MemoryRegion desc, final long remoteAddress, final long key,
        final long context) {
        final int refusal = checkRma(readsAndWrites);
        return refusal != 0 ? refusal
            : out.start(rma.set(RmaOperation.WRITE, address, length, remoteAddress, key), desc, null, context);
    }

    @Override
    public int writeWithData(
        final long address, final int length, final MemoryRegion desc, final int data, final long remoteAddress,
        final long key, final long context) {
        final int refusal = checkRma(readsAndWrites);
        if (refusal != 0) {
            return refusal;
        }
        rma.data = data;
        return out.start(rma.set(RmaOperation.WRITE_WITH_DATA, address, length, remoteAddress, key), desc, null,
            context);
    }

    @Override
    public int fetchAdd(
        final long result, final MemoryRegion desc, final long add, final long remoteAddress, final long key,
        final long context) {
        rma.operand = add;
        return atomic(RmaOperation.ADD, result, desc, remoteAddress, key, context);
    }

    @Override
    public int compareSwap(
        final long result, final MemoryRegion desc, final long compare, final long swap, final long remoteAddress,
        final long key, final long context) {
        rma.operand = compare;
        rma.swap = swap;
        return atomic(RmaOperation.SWAP, result, desc, remoteAddress, key, context);
    }

    private int atomic(
        final RmaOperation operation, final long result, final MemoryRegion desc, final long remoteAddress,
        final long key, final long context) {
        final int refusal = checkRma(atomics);
        if (refusal != 0) {
            return refusal;
        }
        if (((result | remoteAddress) & Long.BYTES - 1) != 0) {
            return -FiErrno.FI_EINVAL;
        }
        return out.start(rma.set(operation, result, Long.BYTES, remoteAddress, key), desc, null, context);
    }

    @Override
    public RegistrationCache cache() {
        return realm.cache();
    }

    @Override
    public void completed(final int what, final int slot, final Completion completion) {
        if (what == WorkId.SEND || what == WorkId.RECEIVE) {
            messages.completed(what, slot, completion);
        } else if (out != null) {
            out.completed(what, slot, completion);
        }
    }

    @Override
    public boolean progress(final FabricCompletionQueue queue) {
        if (queue != transmit) {
            return false;
        }
        final boolean more = messages.progress();
        return out != null && out.progress() || more;
    }

    /** A lane has something to go on with. */
    void wantsProgress() {
        transmit.wants(transmitPort);
    }

    /** Notes what the device has completed of receives; the reader of the one queue is the reader of the other. */
    void gatherReceives() {
        receive.gatherAll();
    }

    @Override
    public int arm() {
        return messages.isMending() || out != null && out.isMending() ? -FiErrno.FI_EAGAIN : 0;
    }

    @Override
    public long idleNanos() {
        return Long.MAX_VALUE;
    }

    @Override
    public Endpoint endpoint() {
        return this;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        connections.closing();
        // What is over already is reported as it went.
        transmit.gatherAll();
        receive.gatherAll();
        try {
            closeLanes();
        } catch (final RdmaException e) {
            throw FabricException.from("close endpoint", e);
        } finally {
            sends.cancelAll(FiErrno.FI_ECANCELED, Failures.CLOSED);
            receives.cancelAll(FiErrno.FI_ECANCELED, Failures.CLOSED);
            rmas.cancelAll(FiErrno.FI_ECANCELED, Failures.CLOSED);
            leaveQueues();
            host.closed(this);
            realm.release();
            counters.close();
        }
    }

    private void closeLanes() {
        try {
            messages.close();
        } finally {
            if (out != null) {
                out.close();
                in.close();
            }
        }
    }

    private void leaveQueues() {
        transmit.detach(this);
        receive.detach(this);
        transmit.giveBack(sizes.transmits());
        receive.giveBack(sizes.receives());
    }

    @Override
    public String toString() {
        return "endpoint [" + messages + (out == null ? "" : "; " + out + "; " + in) + "], mended " + mended()
            + (lost == null ? "" : ", lost: " + lost) + (closed ? ", closed" : "");
    }
}
