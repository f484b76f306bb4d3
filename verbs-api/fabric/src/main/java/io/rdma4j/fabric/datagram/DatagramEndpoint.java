/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AtomicAttributes;
import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicRequest;
import io.rdma4j.fabric.AtomicType;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOption;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.ReceiveContext;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.fabric.TaggedMessages;
import io.rdma4j.fabric.completion.CompletionPort;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.OfferedKinds;
import io.rdma4j.fabric.completion.WorkId;
import io.rdma4j.fabric.endpoint.EndpointSettings;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.EndpointRealm;
import io.rdma4j.fabric.region.LocalMemory;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.Completion;

import org.agrona.DirectBuffer;

/** An endpoint for datagrams: what the application may ask of it. */
public final class DatagramEndpoint implements AddressedEndpoint, EndpointRealm, CompletionPort {
    private final EndpointHost host;
    private final DatagramResources resources;
    private final FabricCompletionQueue transmit;
    private final FabricCompletionQueue receive;
    private final AddressVector vector;
    private final Realm realm;
    private final OfferedKinds offered;
    private final SendSide sends;
    private final ReceiveSide receives;
    private final Health health;
    private FabricAddress address;
    private int transmitPort = -1;
    private int receivePort = -1;
    private volatile boolean closed;

    private DatagramEndpoint(final EndpointHost host, final DatagramResources resources) {
        this.host = host;
        this.resources = resources;
        this.transmit = resources.config().transmit();
        this.receive = resources.config().receive();
        this.vector = resources.config().options().addressVector();
        this.realm = resources.config().realm();
        this.offered = new OfferedKinds(host.info().capabilities());
        this.sends = resources.sends(this);
        this.receives = resources.receives(this);
        this.health = new Health(resources, sends, receives);
    }

    /**
     * Opens an endpoint.
     *
     * @param host    its domain.
     * @param options its vector, queues, sizes and rights.
     * @return the endpoint; the caller owns it.
     * @throws FabricException as {@link Domain#openAddressedEndpoint} says.
     */
    public static AddressedEndpoint open(final EndpointHost host, final EndpointOptions options) {
        DatagramConfig.check(host, options);
        final DatagramResources resources = DatagramResources.open(host, options);
        try (Undo undo = new Undo()) {
            undo.addIfGood(resources::close);
            final DatagramEndpoint endpoint = new DatagramEndpoint(host, resources);
            undo.add(endpoint::leave);
            endpoint.join();
            undo.forget();
            return endpoint;
        } catch (final RdmaException e) {
            throw FabricException.from(DatagramConfig.OPEN, e);
        }
    }

    private void join() {
        transmitPort = transmit.attach(this);
        receivePort = receive == transmit ? transmitPort : receive.attach(this);
        sends.workId(WorkId.of(transmitPort, WorkId.SEND));
        receives.workId(WorkId.of(receivePort, WorkId.RECEIVE));
        resources.config().peers().use(this);
        health.start();
        address = resources.publish();
        host.opened(this);
    }

    private void leave() {
        transmit.detach(this);
        receive.detach(this);
        resources.config().peers().unuse(this);
        sends.close();
    }

    @Override
    public AddressVector addressVector() {
        return vector;
    }

    @Override
    public Domain domain() {
        return host.domain();
    }

    @Override
    public EndpointType type() {
        return EndpointType.DGRAM;
    }

    @Override
    public FabricAddress address() {
        return address;
    }

    @Override
    public Realm realm() {
        return realm;
    }

    @Override
    public RegistrationCache cache() {
        return realm.cache();
    }

    @Override
    public DatagramEndpoint endpoint() {
        return this;
    }

    /** 0, or why nothing can be sent now. */
    private int checkSends() {
        if (closed || !offered.has(OperationKind.SEND)) {
            return closed ? -FiErrno.FI_EBADFD : -FiErrno.FI_EOPNOTSUPP;
        }
        return health.sends();
    }

    /** 0, or why nothing can be received now. */
    private int checkReceives() {
        if (closed || !offered.has(OperationKind.RECEIVE)) {
            return closed ? -FiErrno.FI_EBADFD : -FiErrno.FI_EOPNOTSUPP;
        }
        return health.receives();
    }

    @Override
    public int send(
        final long from, final int length, final MemoryRegion desc, final long dest, final long context) {
        final int refusal = checkSends();
        return refusal != 0 ? refusal : sends.send(from, length, desc, null, dest, context);
    }

    @Override
    public int sendWithData(
        final long from, final int length, final MemoryRegion desc, final int data, final long dest,
        final long context) {
        final int refusal = checkSends();
        return refusal != 0 ? refusal : sends.sendWithData(from, length, desc, data, dest, context);
    }

    @Override
    public int send(
        final DirectBuffer buffer, final int offset, final int length, final long dest, final long context) {
        final int refusal = checkSends();
        if (refusal != 0) {
            return refusal;
        }
        return LocalMemory.isOutsideHeap(buffer, offset, length)
            ? sends.send(buffer.addressOffset() + offset, length, null, buffer.byteBuffer(), dest, context)
            : -FiErrno.FI_EINVAL;
    }

    @Override
    public int inject(final DirectBuffer buffer, final int offset, final int length, final long dest) {
        final int refusal = checkSends();
        return refusal != 0 ? refusal : sends.inject(buffer, offset, length, dest);
    }

    @Override
    public int injectWithData(
        final DirectBuffer buffer, final int offset, final int length, final int data, final long dest) {
        final int refusal = checkSends();
        return refusal != 0 ? refusal : sends.injectWithData(buffer, offset, length, data, dest);
    }

    @Override
    public int sendMessage(final Message message, final long flags) {
        final int refusal = checkSends();
        return refusal != 0 ? refusal : sends.send(message, flags);
    }

    /** The source means nothing without FI_DIRECTED_RECV, which datagrams do not have. */
    @Override
    public int receive(
        final long to, final int length, final MemoryRegion desc, final long source, final long context) {
        final int refusal = checkReceives();
        return refusal != 0 ? refusal : receives.receive(to, length, desc, null, context);
    }

    @Override
    public int receive(
        final DirectBuffer buffer, final int offset, final int length, final long source, final long context) {
        final int refusal = checkReceives();
        if (refusal != 0) {
            return refusal;
        }
        return LocalMemory.isOutsideHeap(buffer, offset, length)
            ? receives.receive(buffer.addressOffset() + offset, length, null, buffer.byteBuffer(), context)
            : -FiErrno.FI_EINVAL;
    }

    @Override
    public int receiveMessage(final Message message, final long flags) {
        final int refusal = checkReceives();
        return refusal != 0 ? refusal : receives.receive(message, flags);
    }

    private int noMemoryOfPeers() {
        return closed ? -FiErrno.FI_EBADFD : -FiErrno.FI_EOPNOTSUPP;
    }

    @Override
    public int readMessage(final Message message, final long flags) {
        return noMemoryOfPeers();
    }

    @Override
    public int writeMessage(final Message message, final long flags) {
        return noMemoryOfPeers();
    }

    @Override
    public int read(
        final long to, final int length, final MemoryRegion desc, final long dest, final long remoteAddress,
        final long key, final long context) {
        return noMemoryOfPeers();
    }

    @Override
    public int write(
        final long from, final int length, final MemoryRegion desc, final long dest, final long remoteAddress,
        final long key, final long context) {
        return noMemoryOfPeers();
    }

    @Override
    public int writeWithData(
        final long from, final int length, final MemoryRegion desc, final int data, final long dest,
        final long remoteAddress, final long key, final long context) {
        return noMemoryOfPeers();
    }

    @Override
    public int fetchAdd(
        final long result, final MemoryRegion desc, final long add, final long dest, final long remoteAddress,
        final long key, final long context) {
        return noMemoryOfPeers();
    }

    @Override
    public int compareSwap(
        final long result, final MemoryRegion desc, final long compare, final long swap, final long dest,
        final long remoteAddress, final long key, final long context) {
        return noMemoryOfPeers();
    }

    @Override
    public ReceiveContext receiveContext(final int index) {
        throw Failures.invalid("get receive context", "%d is asked for, FI_EP_DGRAM endpoints have none", index);
    }

    @Override
    public int atomic(final AtomicRequest request, final long flags) {
        return closed ? -FiErrno.FI_EBADFD : request == null ? -FiErrno.FI_EINVAL : -FiErrno.FI_EOPNOTSUPP;
    }

    @Override
    public AtomicAttributes atomicAttributes(final AtomicOp op, final AtomicType type) {
        if (op == null || type == null) {
            throw Failures.invalid("look at atomics", "%s is null", op == null ? "op" : "type");
        }
        return new AtomicAttributes(0, type.size(), false);
    }

    @Override
    public TaggedMessages tagged() {
        throw Failures.of("use tagged messages", FiErrno.FI_EOPNOTSUPP, "%s has none", this).build();
    }

    @Override
    public void setopt(final EndpointOption option, final long value) {
        requireOpen(EndpointSettings.SET);
        throw EndpointSettings.unknown(EndpointSettings.SET, this, option);
    }

    @Override
    public long getopt(final EndpointOption option) {
        requireOpen(EndpointSettings.GET);
        throw EndpointSettings.unknown(EndpointSettings.GET, this, option);
    }

    private void requireOpen(final String operation) {
        if (closed) {
            throw Failures.of(operation, FiErrno.FI_EBADFD, "%s is closed", this).build();
        }
    }

    @Override
    public int cancel(final long context) {
        return closed ? -FiErrno.FI_EBADFD : -FiErrno.FI_ENOSYS;
    }

    @Override
    public void completed(final int what, final int slot, final Completion completion) {
        final boolean good = what == WorkId.SEND ? sends.completed(slot, completion, health.repeats())
            : receives.completed(slot, completion, health.repeats());
        if (!good) {
            health.failed(what == WorkId.RECEIVE);
            transmit.wants(transmitPort);
            receive.wants(receivePort);
        }
    }

    @Override
    public boolean progress(final FabricCompletionQueue queue) {
        if (closed || health.isSettled()) {
            return false;
        }
        if (receive != transmit) {
            // What it waits for may complete where nobody looks.
            (queue == transmit ? receive : transmit).gatherAll();
        }
        return health.mend();
    }

    @Override
    public int arm() {
        return health.isSettled() ? 0 : -FiErrno.FI_EAGAIN;
    }

    @Override
    public long idleNanos() {
        return health.isSettled() ? Long.MAX_VALUE : 0;
    }

    /** How often it came up again, for tests and failure reports. */
    long mended() {
        return health.mended();
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
        // What is over already is reported as it went. It leaves behind the queue pair: nothing of that comes any more
        // under numbers that others get now.
        new Cleanup().run(transmit::gatherAll).run(receive::gatherAll).run(this::closeDevice).run(this::leave)
            .run(() -> sends.cancelAll(Failures.CLOSED)).run(() -> receives.cancelAll(Failures.CLOSED))
            .run(() -> host.closed(this)).run(resources::close).throwIfFailed();
    }

    private void closeDevice() {
        try {
            resources.closeDevice();
        } catch (final RdmaException e) {
            throw FabricException.from("close endpoint", e);
        }
    }

    @Override
    public String toString() {
        return "datagram endpoint " + address + " [" + sends + ", " + receives + ", " + health + "]"
            + (closed ? ", closed" : "");
    }
}
