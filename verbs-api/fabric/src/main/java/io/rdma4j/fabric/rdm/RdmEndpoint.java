/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AtomicAttributes;
import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicRequest;
import io.rdma4j.fabric.AtomicType;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOption;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.ReceiveContext;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.fabric.TaggedMessages;
import io.rdma4j.fabric.av.PeerTable;
import io.rdma4j.fabric.completion.CompletionPort;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.OfferedKinds;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.endpoint.Rma;
import io.rdma4j.fabric.endpoint.RmaLanes;
import io.rdma4j.fabric.endpoint.RmaOperation;
import io.rdma4j.fabric.endpoint.TriggeredWork;
import io.rdma4j.fabric.region.EndpointRealm;
import io.rdma4j.fabric.region.LocalMemory;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.Completion;

import org.agrona.DirectBuffer;

/** An endpoint for reliable datagrams: what the application may ask of it. */
public final class RdmEndpoint implements AddressedEndpoint, EndpointRealm, CompletionPort {
    private final EndpointHost host;
    private final RdmResources resources;
    private final RdmReceiveContext[] contexts;
    private final RdmCore core;
    private final Transmit transmit;
    private final PieceTagged tagged;
    private final Rma rma = new Rma();
    private final TriggeredWork triggered;
    private final OfferedKinds offered;
    private volatile boolean closed;

    RdmEndpoint(final EndpointHost host, final EndpointOptions options) {
        this.host = host;
        this.offered = new OfferedKinds(host.info().capabilities());
        this.resources = RdmResources.open(this, host, options);
        this.contexts = resources.contexts();
        this.core = resources.core();
        this.transmit = resources.transmit();
        this.triggered = new TriggeredWork(this, options.transmitQueue(), contexts[0].queue(),
            host.info().capabilities().contains(Capability.TRIGGER), core.counters(),
            -1L >>> ((PeerTable) options.addressVector()).rxCtxBits());
        this.tagged = contexts[0].matcher().tags() == null ? null : new PieceTagged(this, transmit, contexts[0]);
        if (tagged != null) {
            tagged.triggers(triggered);
        }
    }

    /**
     * Opens an endpoint.
     *
     * @param host    its domain.
     * @param options its vector, queues, sizes and rights.
     * @return the endpoint; the caller owns it.
     * @throws io.rdma4j.fabric.FabricException as {@link Domain#openAddressedEndpoint} says.
     */
    public static AddressedEndpoint open(final EndpointHost host, final EndpointOptions options) {
        final RdmEndpoint endpoint = new RdmEndpoint(host, options);
        try (Undo undo = new Undo()) {
            undo.add(endpoint::close);
            endpoint.resources.begin(endpoint, options);
            host.opened(endpoint);
            undo.forget();
            return endpoint;
        }
    }

    @Override
    public Domain domain() {
        return host.domain();
    }

    @Override
    public EndpointType type() {
        return EndpointType.RDM;
    }

    @Override
    public FabricAddress address() {
        return resources.address();
    }

    @Override
    public AddressVector addressVector() {
        return resources.vector();
    }

    @Override
    public RegistrationCache cache() {
        return resources.realm().cache();
    }

    @Override
    public Realm realm() {
        return resources.realm();
    }

    @Override
    public ReceiveContext receiveContext(final int index) {
        if (index < 0 || index >= contexts.length) {
            throw Failures.invalid("get receive context", "index is %d, there are %d contexts", index,
                contexts.length);
        }
        return contexts[index];
    }

    @Override
    public int send(
        final long address, final int length, final MemoryRegion desc, final long dest, final long context) {
        return closed ? -FiErrno.FI_EBADFD : transmit.send(address, length, desc, null, 0, 0, dest, context);
    }

    @Override
    public int sendWithData(
        final long address, final int length, final MemoryRegion desc, final int data, final long dest,
        final long context) {
        return closed ? -FiErrno.FI_EBADFD
            : transmit.send(address, length, desc, null, Header.HAS_DATA, data, dest, context);
    }

    @Override
    public int send(
        final DirectBuffer buffer, final int offset, final int length, final long dest, final long context) {
        if (closed || !LocalMemory.isOutsideHeap(buffer, offset, length)) {
            return closed ? -FiErrno.FI_EBADFD : -FiErrno.FI_EINVAL;
        }
        return transmit.send(buffer.addressOffset() + offset, length, null, buffer.byteBuffer(), 0, 0, dest, context);
    }

    @Override
    public int inject(final DirectBuffer buffer, final int offset, final int length, final long dest) {
        return closed ? -FiErrno.FI_EBADFD : transmit.inject(buffer, offset, length, 0, 0, dest);
    }

    @Override
    public int injectWithData(
        final DirectBuffer buffer, final int offset, final int length, final int data, final long dest) {
        return closed ? -FiErrno.FI_EBADFD : transmit.inject(buffer, offset, length, Header.HAS_DATA, data, dest);
    }

    @Override
    public int sendMessage(final Message message, final long flags) {
        if (isTriggered(flags)) {
            return triggered.add(TriggeredWork.Call.SEND, message, flags);
        }
        return closed ? -FiErrno.FI_EBADFD : transmit.send(message, flags, 0);
    }

    private boolean isTriggered(final long flags) {
        return (flags & OpFlags.TRIGGER) != 0 && !closed;
    }

    @Override
    public int receive(
        final long address, final int length, final MemoryRegion desc, final long source, final long context) {
        return contexts[0].receive(address, length, desc, null, source, context);
    }

    @Override
    public int receive(
        final DirectBuffer buffer, final int offset, final int length, final long source, final long context) {
        if (closed || !LocalMemory.isOutsideHeap(buffer, offset, length)) {
            return closed ? -FiErrno.FI_EBADFD : -FiErrno.FI_EINVAL;
        }
        return contexts[0].receive(buffer.addressOffset() + offset, length, null, buffer.byteBuffer(), source,
            context);
    }

    @Override
    public int receiveMessage(final Message message, final long flags) {
        if (isTriggered(flags)) {
            return triggered.add(TriggeredWork.Call.RECEIVE, message, flags);
        }
        return contexts[0].receiveMessage(message, flags);
    }

    private int start(final long dest, final long context) {
        if (closed) {
            return -FiErrno.FI_EBADFD;
        }
        if (!offered.has(rma.kind())) {
            return -FiErrno.FI_EOPNOTSUPP;
        }
        return rma.length() < 0 ? -FiErrno.FI_EINVAL : transmit.start(rma, dest, context);
    }

    @Override
    public int read(
        final long address, final int length, final MemoryRegion desc, final long dest, final long remoteAddress,
        final long key, final long context) {
        rma.set(RmaOperation.READ, address, length, desc).remote(remoteAddress, key);
        return start(dest, context);
    }

    @Override
    public int write(
        final long address, final int length, final MemoryRegion desc, final long dest, final long remoteAddress,
        final long key, final long context) {
        rma.set(RmaOperation.WRITE, address, length, desc).remote(remoteAddress, key);
        return start(dest, context);
    }

    @Override
    public int writeWithData(
        final long address, final int length, final MemoryRegion desc, final int data, final long dest,
        final long remoteAddress, final long key, final long context) {
        rma.set(RmaOperation.WRITE_WITH_DATA, address, length, desc).remote(remoteAddress, key).data(data);
        return start(dest, context);
    }

    @Override
    public int fetchAdd(
        final long result, final MemoryRegion desc, final long add, final long dest, final long remoteAddress,
        final long key, final long context) {
        rma.set(RmaOperation.ADD, result, Long.BYTES, desc).remote(remoteAddress, key).operands(add, 0);
        return start(dest, context);
    }

    @Override
    public int compareSwap(
        final long result, final MemoryRegion desc, final long compare, final long swap, final long dest,
        final long remoteAddress, final long key, final long context) {
        rma.set(RmaOperation.SWAP, result, Long.BYTES, desc).remote(remoteAddress, key).operands(compare, swap);
        return start(dest, context);
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
        final boolean isOffered = offered.has(isRead ? OperationKind.READ : OperationKind.WRITE);
        if (closed || message == null || !isOffered) {
            return closed ? -FiErrno.FI_EBADFD : !isOffered ? -FiErrno.FI_EOPNOTSUPP : -FiErrno.FI_EINVAL;
        }
        if (message.total() > Integer.MAX_VALUE) {
            return -FiErrno.FI_EMSGSIZE;
        }
        rma.set(isRead, message, flags);
        return start(message.peer(), message.context());
    }

    @Override
    public int atomic(final AtomicRequest request, final long flags) {
        if (closed) {
            return -FiErrno.FI_EBADFD;
        }
        if (isTriggered(flags)) {
            return triggered.add(request, flags);
        }
        final int objection = rma.set(request, flags, transmit.local());
        return objection == 0 ? start(request.peer(), request.context()) : objection;
    }

    @Override
    public AtomicAttributes atomicAttributes(final AtomicOp op, final AtomicType type) {
        return RmaLanes.atomicAttributes(host, op, type);
    }

    @Override
    public TaggedMessages tagged() {
        if (tagged == null) {
            throw Failures.of("use tagged messages", FiErrno.FI_EOPNOTSUPP, "%s has none", this)
                .hint("ask for them, by Hints.capabilities(Capability.TAGGED)").build();
        }
        return tagged;
    }

    @Override
    public int cancel(final long context) {
        if (closed) {
            return -FiErrno.FI_EBADFD;
        }
        int code = -FiErrno.FI_ENOENT;
        for (int i = 0; i < contexts.length && code == -FiErrno.FI_ENOENT; i++) {
            code = contexts[i].cancel(context);
        }
        return code;
    }

    @Override
    public void setopt(final EndpointOption option, final long value) {
        MultiReceiveOption.set(contexts[0], this, option, value);
        for (int i = 1; i < contexts.length; i++) {
            contexts[i].takesMany((int) value);
        }
    }

    @Override
    public long getopt(final EndpointOption option) {
        return MultiReceiveOption.get(contexts[0], this, option);
    }

    @Override
    public void completed(final int what, final int slot, final Completion completion) {
        // Nothing of it completes in the application's queues themselves.
    }

    @Override
    public boolean progress(final FabricCompletionQueue queue) {
        if (!closed) {
            core.progress();
            triggered.progress();
        }
        return true;
    }

    @Override
    public int arm() {
        return closed ? 0 : core.arm();
    }

    @Override
    public long idleNanos() {
        return closed ? Long.MAX_VALUE : Math.min(core.idleNanos(), triggered.idleNanos());
    }

    @Override
    public io.rdma4j.fabric.Endpoint endpoint() {
        return this;
    }

    RdmResources resources() {
        return resources;
    }

    /** How many links there are, for tests. */
    int connections() {
        return resources.connections();
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
        new Cleanup().run(core::progress).run(resources::close).run(triggered::cancelAll).run(() -> host.closed(this))
            .run(resources::release).throwIfFailed();
    }

    @Override
    public String toString() {
        return "RDM endpoint " + resources + (closed ? ", closed" : "");
    }
}
