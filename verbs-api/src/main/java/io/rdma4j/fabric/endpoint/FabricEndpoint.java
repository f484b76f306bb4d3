/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.EndpointRealm;
import io.rdma4j.fabric.region.KeyDirectory;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpAddress;

import java.util.Set;

import org.agrona.DirectBuffer;

/** A connected endpoint: its lanes, and what the application may ask of it. */
final class FabricEndpoint implements MsgEndpoint, EndpointRealm {
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
    private final boolean mends;
    private final boolean readsAndWrites;
    private final boolean atomics;
    private int transmitPort;
    private byte[] name;
    private volatile boolean isConnected;
    private volatile boolean peerHasRma;
    private boolean connectFailed;
    private volatile String lost;
    private volatile boolean closed;

    private FabricEndpoint(final EndpointHost host, final Realm realm, final EndpointOptions options) {
        this.host = host;
        this.realm = realm;
        this.transmit = (FabricCompletionQueue) options.transmitQueue();
        this.receive = (FabricCompletionQueue) options.receiveQueue();
        this.sizes = new LaneSizes(options, hasRma(host));
        this.mends = host.context().supports(Feature.QP_RESET) && host.context().supports(Feature.QP_QUERY_ALL);
        this.readsAndWrites = host.info().capabilities().contains(Capability.RMA);
        this.atomics =
            host.info().capabilities().contains(Capability.ATOMIC) && host.context().supports(Feature.ATOMICS);
        final LocalMemory local = new LocalMemory(realm, host.info());
        this.sends = new OpRing(this, transmit.ready(), options.transmitSize());
        this.receives = new OpRing(this, receive.ready(), options.receiveSize());
        this.rmas = new OpRing(this, transmit.ready(), options.transmitSize());
        this.messages = new MessageLane(this, local, sends, receives, sizes.messages(transmit.cq(), receive.cq()));
        OutLane outwards = null;
        InLane inwards = null;
        try {
            if (sizes.hasRma()) {
                outwards = new OutLane(this, local, rmas, sizes.out(transmit.cq()));
                inwards = new InLane(this, realm, options.receiveSize());
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
    }

    private static boolean hasRma(final EndpointHost host) {
        final Set<Capability> all = host.info().capabilities();
        return (all.contains(Capability.RMA) || all.contains(Capability.ATOMIC))
            && host.context().supports(Feature.RDMA_WRITE) && host.context().supports(Feature.RDMA_READ);
    }

    static FabricEndpoint open(final EndpointHost host, final EndpointOptions options) {
        if (options == null) {
            throw Failures.invalid(OPEN, "options is null");
        }
        final FabricCompletionQueue transmit = queue(host, options.transmitQueue(), "transmit");
        final FabricCompletionQueue receive = queue(host, options.receiveQueue(), "receive");
        requireSize("transmit", options.transmitSize());
        requireSize("receive", options.receiveSize());
        final Realm realm = host.openRealm(options.authKey());
        final LaneSizes sizes = new LaneSizes(options, hasRma(host));
        boolean opened = false;
        int reserved = 0;
        try {
            transmit.reserve(sizes.transmits());
            reserved = 1;
            receive.reserve(sizes.receives());
            reserved = 2;
            final FabricEndpoint endpoint = new FabricEndpoint(host, realm, options);
            endpoint.join();
            opened = true;
            return endpoint;
        } catch (final RdmaException e) {
            throw FabricException.from(OPEN, e);
        } finally {
            if (!opened) {
                transmit.giveBack(reserved > 0 ? sizes.transmits() : 0);
                receive.giveBack(reserved > 1 ? sizes.receives() : 0);
                realm.release();
            }
        }
    }

    private static FabricCompletionQueue queue(
        final EndpointHost host, final CompletionQueue queue, final String which) {
        if (queue == null) {
            throw Failures.of(OPEN, FiErrno.FI_ENOCQ, "there is no %s queue", which)
                .hint("set one with EndpointOptions.completionQueue").build();
        }
        if (!(queue instanceof FabricCompletionQueue) || !((FabricCompletionQueue) queue).isOf(host.domain())) {
            throw Failures.invalid(OPEN, "the %s queue, %s, is of another domain", which, queue);
        }
        return (FabricCompletionQueue) queue;
    }

    private static void requireSize(final String which, final int size) {
        if (size < 1 || size > MOST_OPERATIONS) {
            throw Failures.invalid(OPEN, "%s size is %d, allowed are 1 to %d", which, size, MOST_OPERATIONS);
        }
    }

    private void join() {
        try {
            final boolean listens = in != null && mends && in.listen(host);
            name = encodeName(listens);
            transmitPort = transmit.add(this);
            messages.ports(transmitPort, receive == transmit ? transmitPort : receive.add(this));
            host.opened(this);
        } catch (final RuntimeException e) {
            transmit.remove(this);
            receive.remove(this);
            closeLanes();
            throw e;
        }
    }

    private byte[] encodeName(final boolean listens) {
        final QpAddress address = messages.qp().localAddress();
        final KeyDirectory directory = realm.directory();
        final boolean readable = in != null && directory.isReadable();
        final boolean byKey = host.info().needs(MrMode.PROV_KEY);
        final boolean counts = host.info().capabilities().contains(Capability.RMA_EVENT);
        final int flags = (in == null ? 0 : PeerName.RMA) | (readable && !byKey ? PeerName.KEYS_BY_DIRECTORY : 0)
            | (readable && counts ? PeerName.COUNTS : 0) | (listens ? PeerName.MENDS : 0);
        return new PeerName(flags, address.qpn(), 0, address.gid(), address.psn(),
            in == null ? 0 : in.qpNumber(), out == null ? 0 : out.qpNumber(), out == null ? 0 : out.psn(),
            readable ? directory.iova() : 0, readable ? directory.nonce() : 0, readable ? directory.rkey() : 0,
            readable ? directory.capacity() : 0).sealed(realm).encode();
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
        throw new UnsupportedOperationException();
    }

    @Override
    public void accept(final byte[] privateData) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void shutdown() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int inject(final DirectBuffer buffer, final int offset, final int length) {
        return -FiErrno.FI_ENOSYS;
    }

    @Override
    public int injectWithData(final DirectBuffer buffer, final int offset, final int length, final int data) {
        return -FiErrno.FI_ENOSYS;
    }

    @Override
    public int sendMessage(final Message message, final long flags) {
        return -FiErrno.FI_ENOSYS;
    }

    @Override
    public int receiveMessage(final Message message, final long flags) {
        return -FiErrno.FI_ENOSYS;
    }

    @Override
    public int readMessage(final Message message, final long flags) {
        return -FiErrno.FI_ENOSYS;
    }

    @Override
    public int writeMessage(final Message message, final long flags) {
        return -FiErrno.FI_ENOSYS;
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
        return out == null ? 0 : out.mended() + in.mended();
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

    /** The device completed something, of whichever lane. */
    void completed(final int what, final int slot, final Completion completion) {
        if (what == WorkId.SEND || what == WorkId.RECEIVE) {
            messages.completed(what, slot, completion);
        } else if (out != null) {
            out.completed(what, slot, completion);
        }
    }

    /** One of its queues is read. */
    void progress(final FabricCompletionQueue queue) {
        if (out != null && queue == transmit) {
            out.progress();
        }
        if (queue == receive) {
            gatherArrivals();
        }
    }

    void gatherArrivals() {
        if (in != null) {
            in.gather();
        }
    }

    boolean takeArrival(final FabricCompletionQueue queue, final Entry into) {
        return in != null && queue == receive && in.take(into);
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
        transmit.gatherAll();
        receive.gatherAll();
        try {
            closeLanes();
            keepArrivals();
        } catch (final RdmaException e) {
            throw FabricException.from("close endpoint", e);
        } finally {
            sends.cancelAll(FiErrno.FI_ECANCELED, Failures.CLOSED);
            receives.cancelAll(FiErrno.FI_ECANCELED, Failures.CLOSED);
            rmas.cancelAll(FiErrno.FI_ECANCELED, Failures.CLOSED);
            leaveQueues();
            host.closed(this);
            realm.release();
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

    /** The peer was told that these arrived: they are reported, though this endpoint is asked for no more. */
    private void keepArrivals() {
        final Entry arrival = new Entry();
        if (in == null || !in.take(arrival)) {
            return;
        }
        final OpRing kept = new OpRing(this, receive.ready(), sizes.receive());
        do {
            final int slot = kept.claim(arrival.kind(), arrival.context(), arrival.length(), null);
            kept.putInt(slot, OpRing.DATA, arrival.data());
            kept.putInt(slot, OpRing.FLAGS, OpRing.HAS_DATA);
            kept.done(slot, 0, 0);
        } while (in.take(arrival));
    }

    private void leaveQueues() {
        transmit.remove(this);
        receive.remove(this);
        transmit.giveBack(sizes.transmits());
        receive.giveBack(sizes.receives());
    }

    @Override
    public String toString() {
        return "endpoint [" + messages + (out == null ? "" : "; " + out + "; " + in) + "], mended " + mended()
            + (lost == null ? "" : ", lost: " + lost) + (closed ? ", closed" : "");
    }
}
