/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.AtomicAttributes;
import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicRequest;
import io.rdma4j.fabric.AtomicType;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOption;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.fabric.TaggedMessages;
import io.rdma4j.fabric.completion.CompletionPort;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.OpRing;
import io.rdma4j.fabric.completion.WorkId;
import io.rdma4j.fabric.event.EndpointCounters;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.EndpointRealm;
import io.rdma4j.fabric.region.LocalMemory;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.QpAddress;

import org.agrona.DirectBuffer;

/** A connected endpoint: its link, the messages on it, and what the application may ask of it. */
public final class FabricEndpoint implements MsgEndpoint, EndpointRealm, CompletionPort {
    private static final String OPEN = "open endpoint";
    private static final String GET_PEER = "get address of peer";
    private static final int MOST_OPERATIONS = 1 << 16;

    private final EndpointHost host;
    private final Realm realm;
    private final FabricCompletionQueue transmit;
    private final FabricCompletionQueue receive;
    private final RcLink link;
    private final RmaLanes lanes;
    private final Messages messages;
    private final Rma rma = new Rma();
    private final EndpointCounters counters;
    private volatile ConnectionManager connections = ConnectionManager.NONE;
    private final FabricAddress address;
    private final boolean hasFence;
    private final TriggeredWork triggered;
    private volatile boolean closed;

    private FabricEndpoint(
        final EndpointHost host, final Realm realm, final EndpointOptions options, final EndpointCounters counters,
        final Messages.Factory pieces) {
        this.host = host;
        this.realm = realm;
        this.transmit = (FabricCompletionQueue) options.transmitQueue();
        this.receive = (FabricCompletionQueue) options.receiveQueue();
        this.counters = counters;
        this.hasFence = host.info().capabilities().contains(Capability.FENCE);
        this.link = RcLink.open(
            host, realm, pieces == null ? options : pieces.forLink(options), counters, this, 0, true);
        this.lanes = link.rma();
        this.triggered = new TriggeredWork(
            this, transmit, receive, host.info().capabilities().contains(Capability.TRIGGER), counters, 0);
        try (Undo undo = new Undo()) {
            undo.add(link::close);
            final QpAddress own = link.qp().localAddress();
            this.address = address(own.gid(), own.qpn());
            this.messages = pieces == null ? plain(options) : pieces.make(host, realm, options, counters, link, this);
            messages.triggers(triggered);
            undo.forget();
        }
    }

    private static FabricAddress address(final Gid gid, final int messageQpn) {
        return FabricAddress.device(gid, messageQpn, 0, EndpointType.MSG);
    }

    private Messages plain(final EndpointOptions options) {
        final int buffers = link.sizes().buffers();
        return new PlainMessages(link, new OpRing(this, transmit, options.transmitSize(), buffers, counters),
            new OpRing(this, receive, options.receiveSize(), buffers, counters));
    }

    static FabricEndpoint open(final EndpointHost host, final EndpointOptions options) {
        return open(host, options, null);
    }

    /** Messages go in pieces where that is not null. */
    static FabricEndpoint open(
        final EndpointHost host, final EndpointOptions options, final Messages.Factory pieces) {
        if (options == null) {
            throw Failures.invalid(OPEN, "options is null");
        }
        if (options.addressVector() != null) {
            throw Failures.of(OPEN, FiErrno.FI_EINVAL, "there is an address vector, %s", options.addressVector())
                .hint("connected endpoints have none; Hints.endpointType asks for addressed ones").build();
        }
        FabricCompletionQueue.of(host, options.transmitQueue(), "transmit");
        FabricCompletionQueue.of(host, options.receiveQueue(), "receive");
        if (pieces == null) {
            EndpointSettings.requireOwnReceives(OPEN, options);
        }
        requireSize("transmit", options.transmitSize());
        requireSize("receive", options.receiveSize());
        try (Undo undo = new Undo()) {
            final EndpointCounters counters = EndpointCounters.open(host.domain(), options.counters());
            undo.add(counters::close);
            final Realm realm = host.openRealm(options.authKey());
            undo.add(realm::release);
            final FabricEndpoint endpoint = new FabricEndpoint(host, realm, options, counters, pieces);
            undo.add(endpoint.messages::release);
            undo.add(endpoint.link::close);
            if (pieces != null) {
                endpoint.link.inPieces();
            }
            endpoint.link.join(endpoint);
            endpoint.messages.joined();
            host.opened(endpoint);
            undo.forget();
            return endpoint;
        } catch (final RdmaException e) {
            throw FabricException.from(OPEN, e);
        }
    }

    private static void requireSize(final String which, final int size) {
        if (size < 1 || size > MOST_OPERATIONS) {
            throw Failures.invalid(OPEN, "%s size is %d, allowed are 1 to %d", which, size, MOST_OPERATIONS);
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
        return address;
    }

    @Override
    public void connect(final FabricAddress address, final byte[] privateData) {
        requireOpen("connect endpoint");
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

    @Override
    public FabricAddress peerAddress() {
        requireOpen(GET_PEER);
        if (!link.wasConnected()) {
            throw Failures.of(GET_PEER, FiErrno.FI_ENOTCONN, "%s is not connected", this).build();
        }
        final PeerName peer = link.peer();
        return address(peer.gid(), peer.messageQpn());
    }

    void manage(final ConnectionManager manager) {
        connections = manager;
        link.whenLost(manager::lost);
    }

    /**
     * Ends the connection on this side, or what is left of it where a part was lost: what is under way is flushed. From
     * any thread; harmless without one.
     *
     * @param why for failure reports.
     */
    public void disconnect(final String why) {
        if (closed || !link.wasConnected()) {
            return;
        }
        messages.giveUp();
        link.end(link.isConnected() ? why : link.whyLost());
    }

    @Override
    public int inject(final DirectBuffer buffer, final int offset, final int length) {
        return closed ? -FiErrno.FI_EBADFD : messages.inject(buffer, offset, length, false, 0);
    }

    @Override
    public int injectWithData(final DirectBuffer buffer, final int offset, final int length, final int data) {
        return closed ? -FiErrno.FI_EBADFD : messages.inject(buffer, offset, length, true, data);
    }

    @Override
    public int sendMessage(final Message message, final long flags) {
        if (isTriggered(flags)) {
            return triggered.add(TriggeredWork.Call.SEND, message, flags);
        }
        final int objection = fence(flags);
        return objection == 0 ? messages.send(message, flags & ~OpFlags.FENCE) : objection;
    }

    private boolean isTriggered(final long flags) {
        return (flags & OpFlags.TRIGGER) != 0 && !closed;
    }

    /** 0, or why no operation with these flags can be started now. */
    private int fence(final long flags) {
        if (closed || (flags & OpFlags.FENCE) == 0) {
            return closed ? -FiErrno.FI_EBADFD : 0;
        }
        if (!hasFence) {
            return -FiErrno.FI_EOPNOTSUPP;
        }
        return messages.isStill() && lanes.isStill() ? 0 : -FiErrno.FI_EAGAIN;
    }

    @Override
    public int receiveMessage(final Message message, final long flags) {
        if (isTriggered(flags)) {
            return triggered.add(TriggeredWork.Call.RECEIVE, message, flags);
        }
        return closed ? -FiErrno.FI_EBADFD : messages.receive(message, flags);
    }

    @Override
    public int readMessage(final Message message, final long flags) {
        return start(true, message, flags);
    }

    @Override
    public int writeMessage(final Message message, final long flags) {
        return start(false, message, flags);
    }

    private int start(final boolean isRead, final Message message, final long flags) {
        if (isTriggered(flags)) {
            return triggered.add(isRead ? TriggeredWork.Call.READ : TriggeredWork.Call.WRITE, message, flags);
        }
        final int objection = message == null && !closed ? -FiErrno.FI_EINVAL : fence(flags);
        return objection == 0 ? lanes.start(rma.set(isRead, message, flags), null, message.context()) : objection;
    }

    @Override
    public int atomic(final AtomicRequest request, final long flags) {
        if (isTriggered(flags)) {
            return triggered.add(request, flags);
        }
        int objection = closed ? -FiErrno.FI_EBADFD : rma.set(request, flags, link.local());
        objection = objection == 0 ? fence(flags) : objection;
        return objection == 0 ? lanes.start(rma, null, request.context()) : objection;
    }

    @Override
    public AtomicAttributes atomicAttributes(final AtomicOp op, final AtomicType type) {
        return RmaLanes.atomicAttributes(host, op, type);
    }

    @Override
    public TaggedMessages tagged() {
        final TaggedMessages tagged = messages.tagged();
        if (tagged == null) {
            throw Failures.of("use tagged messages", FiErrno.FI_EOPNOTSUPP, "%s has none", this)
                .hint("ask for them, by Hints.capabilities(Capability.TAGGED)").build();
        }
        return tagged;
    }

    @Override
    public int cancel(final long context) {
        return closed ? -FiErrno.FI_EBADFD : messages.cancel(context);
    }

    @Override
    public void setopt(final EndpointOption option, final long value) {
        requireOpen(EndpointSettings.SET);
        messages.setopt(option, value);
    }

    @Override
    public long getopt(final EndpointOption option) {
        requireOpen(EndpointSettings.GET);
        return option == EndpointOption.CM_DATA_SIZE ? MAX_PRIVATE_DATA : messages.getopt(option);
    }

    @Override
    public byte[] name() {
        return link.name();
    }

    @Override
    public void connect(final byte[] peerName) {
        requireOpen("connect endpoint");
        try {
            link.connect(peerName);
            messages.connected();
        } finally {
            if (link.hasFailed()) {
                messages.giveUp();
            }
        }
    }

    /**
     * Whether a peer has this endpoint's authorization key.
     *
     * @param peerName what the peer told; may be anything.
     * @return false also for bytes that are no name.
     */
    public boolean hasKeyOf(final byte[] peerName) {
        return NameCheck.check(peerName, link.realm()) == 0;
    }

    private void requireOpen(final String operation) {
        if (closed) {
            throw Failures.of(operation, FiErrno.FI_EBADFD, "%s is closed", this).build();
        }
    }

    @Override
    public boolean isConnected() {
        return link.isConnected() && !closed;
    }

    /** How often lanes came up again, for tests and failure reports. */
    long mended() {
        return messages.mended() + lanes.mended();
    }

    @Override
    public int send(final long address, final int length, final MemoryRegion desc, final long context) {
        return closed ? -FiErrno.FI_EBADFD : messages.send(address, length, desc, null, context);
    }

    @Override
    public int sendWithData(
        final long address, final int length, final MemoryRegion desc, final int data, final long context) {
        return closed ? -FiErrno.FI_EBADFD : messages.sendWithData(address, length, desc, data, context);
    }

    @Override
    public int receive(final long address, final int length, final MemoryRegion desc, final long context) {
        return closed ? -FiErrno.FI_EBADFD : messages.receive(address, length, desc, null, context);
    }

    @Override
    public int send(final DirectBuffer buffer, final int offset, final int length, final long context) {
        if (!LocalMemory.isOutsideHeap(buffer, offset, length)) {
            return closed ? -FiErrno.FI_EBADFD : -FiErrno.FI_EINVAL;
        }
        return closed ? -FiErrno.FI_EBADFD
            : messages.send(buffer.addressOffset() + offset, length, null, buffer.byteBuffer(), context);
    }

    @Override
    public int receive(final DirectBuffer buffer, final int offset, final int length, final long context) {
        if (!LocalMemory.isOutsideHeap(buffer, offset, length)) {
            return closed ? -FiErrno.FI_EBADFD : -FiErrno.FI_EINVAL;
        }
        return closed ? -FiErrno.FI_EBADFD
            : messages.receive(buffer.addressOffset() + offset, length, null, buffer.byteBuffer(), context);
    }

    @Override
    public int read(
        final DirectBuffer buffer, final int offset, final int length, final long remoteAddress, final long key,
        final long context) {
        return start(RmaOperation.READ, buffer, offset, length, remoteAddress, key, context);
    }

    @Override
    public int write(
        final DirectBuffer buffer, final int offset, final int length, final long remoteAddress, final long key,
        final long context) {
        return start(RmaOperation.WRITE, buffer, offset, length, remoteAddress, key, context);
    }

    private int start(
        final RmaOperation operation, final DirectBuffer buffer, final int offset, final int length,
        final long remoteAddress, final long key, final long context) {
        if (closed || !LocalMemory.isOutsideHeap(buffer, offset, length)) {
            return closed ? -FiErrno.FI_EBADFD : -FiErrno.FI_EINVAL;
        }
        return lanes.start(rma.set(operation, buffer.addressOffset() + offset, length, null)
            .remote(remoteAddress, key), buffer.byteBuffer(), context);
    }

    private int start(final long context) {
        return closed ? -FiErrno.FI_EBADFD : lanes.start(rma, null, context);
    }

    @Override
    public int read(
        final long address, final int length, final MemoryRegion desc, final long remoteAddress, final long key,
        final long context) {
        rma.set(RmaOperation.READ, address, length, desc).remote(remoteAddress, key);
        return start(context);
    }

    @Override
    public int write(
        final long address, final int length, final MemoryRegion desc, final long remoteAddress, final long key,
        final long context) {
        rma.set(RmaOperation.WRITE, address, length, desc).remote(remoteAddress, key);
        return start(context);
    }

    @Override
    public int writeWithData(
        final long address, final int length, final MemoryRegion desc, final int data, final long remoteAddress,
        final long key, final long context) {
        rma.set(RmaOperation.WRITE_WITH_DATA, address, length, desc).remote(remoteAddress, key).data(data);
        return start(context);
    }

    @Override
    public int fetchAdd(
        final long result, final MemoryRegion desc, final long add, final long remoteAddress, final long key,
        final long context) {
        rma.set(RmaOperation.ADD, result, Long.BYTES, desc).remote(remoteAddress, key).operands(add, 0);
        return start(context);
    }

    @Override
    public int compareSwap(
        final long result, final MemoryRegion desc, final long compare, final long swap, final long remoteAddress,
        final long key, final long context) {
        rma.set(RmaOperation.SWAP, result, Long.BYTES, desc).remote(remoteAddress, key).operands(compare, swap);
        return start(context);
    }

    @Override
    public RegistrationCache cache() {
        return realm.cache();
    }

    @Override
    public void completed(final int what, final int slot, final Completion completion) {
        if (what == WorkId.SEND || what == WorkId.RECEIVE) {
            messages.completed(what, slot, completion);
        } else {
            lanes.completed(what, slot, completion);
        }
    }

    @Override
    public boolean progress(final FabricCompletionQueue queue) {
        boolean more = messages.progress(queue);
        if (queue != transmit && !more) {
            // Messages of the device that are well need nothing of the queue where receives complete.
            return false;
        }
        more |= lanes.progress();
        return triggered.progress() || more;
    }

    @Override
    public int arm() {
        return messages.isPending() || lanes.isMending() ? -FiErrno.FI_EAGAIN : messages.arm();
    }

    @Override
    public long idleNanos() {
        return Math.min(messages.idleNanos(), triggered.idleNanos());
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
        // What is over already is reported as it went.
        new Cleanup().run(connections::closing).run(transmit::gatherAll).run(receive::gatherAll).run(this::closeLanes)
            .run(messages::release).run(triggered::cancelAll).run(link::leave).run(() -> host.closed(this))
            .run(realm::release).run(counters::close).throwIfFailed();
    }

    private void closeLanes() {
        try {
            link.closeLanes();
        } catch (final RdmaException e) {
            throw FabricException.from("close endpoint", e);
        }
    }

    @Override
    public String toString() {
        return "endpoint [" + messages + lanes + "], mended " + mended()
            + (link.whyLost() == null ? "" : ", lost: " + link.whyLost()) + (closed ? ", closed" : "");
    }
}
