/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.base.Undo;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOption;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.SharedReceiveContext;
import io.rdma4j.fabric.SharedReceiveOptions;
import io.rdma4j.fabric.av.PeerTable;
import io.rdma4j.fabric.completion.CompletionPort;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.event.EndpointCounters;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.Completion;

import java.util.function.Consumer;

/**
 * A matcher that endpoints share, and where receives for it are posted. Each endpoint has a context of its own that is
 * {@linkplain RdmReceiveContext#bound bound} to this one's. For one thread at a time, but for opening and closing.
 */
public final class SharedReceives implements SharedReceiveContext, CompletionPort {
    private static final String OPEN = "open shared receive context";

    private final EndpointHost host;
    private final PeerTable table;
    private final FabricCompletionQueue queue;
    private final RdmReceiveContext context;
    private final Consumer<Object> onClose;
    /** Gives all back. */
    private final Undo undo = new Undo();
    private int endpoints;
    private volatile boolean closed;

    private SharedReceives(
        final EndpointHost host, final SharedReceiveOptions options, final Consumer<Object> onClose) {
        this.host = host;
        this.onClose = onClose;
        this.table = tableOf(host, options);
        this.queue = queueOf(host, options.completionQueue());
        try (Undo opening = new Undo()) {
            opening.add(undo::close);
            if (table != null) {
                table.use(this);
                undo.add(() -> table.unuse(this));
            }
            final Realm realm = host.openRealm(null);
            undo.add(realm::release);
            this.context = new RdmReceiveContext(
                host.info(), 0, options.size(), options.leastMultiReceive(), queue, realm, table);
            context.reports(new ReceiveReports(null, EndpointCounters.none()));
            queue.attach(this);
            undo.add(() -> queue.detach(this));
            opening.forget();
        }
    }

    /**
     * Opens one.
     *
     * @param host    its domain.
     * @param options its queue, vector and size.
     * @param onClose is told of this object when it is closed.
     * @return the context; the caller owns it.
     * @throws FabricException as {@link Domain#openSharedReceiveContext} says.
     */
    public static SharedReceives open(
        final EndpointHost host, final SharedReceiveOptions options, final Consumer<Object> onClose) {
        if (options == null) {
            throw Failures.invalid(OPEN, "options is null");
        }
        if (host.info().domainAttributes().maxEpSrxCtx() == 0) {
            throw Failures.of(OPEN, FiErrno.FI_EOPNOTSUPP, "endpoints of %s cannot share receives", host.domain())
                .hint("ask for reliable datagrams, or for connected endpoints with Capability.TAGGED or "
                    + "Capability.MULTI_RECV, and without MrMode.ENDPOINT").build();
        }
        RdmOptions.requireReceives(OPEN, options.size());
        RdmOptions.requireLeastRoom(OPEN, options.leastMultiReceive());
        return new SharedReceives(host, options, onClose);
    }

    private static PeerTable tableOf(final EndpointHost host, final SharedReceiveOptions options) {
        if (host.info().endpointType() == EndpointType.RDM) {
            return RdmOptions.requireVector(OPEN, "SharedReceiveOptions.addressVector", host, options.addressVector());
        }
        if (options.addressVector() != null) {
            throw Failures.invalid(OPEN, "there is an address vector, connected endpoints have none");
        }
        return null;
    }

    private static FabricCompletionQueue queueOf(final EndpointHost host, final CompletionQueue given) {
        if (given == null) {
            throw Failures.of(OPEN, FiErrno.FI_ENOCQ, "there is no completion queue")
                .hint("set one with SharedReceiveOptions.completionQueue").build();
        }
        return FabricCompletionQueue.of(host, given, "receive");
    }

    /**
     * The one that an endpoint shall be opened with.
     *
     * @param host    the endpoint's domain.
     * @param options of the endpoint.
     * @return null if it has receives of its own.
     * @throws FabricException FI_EDOMAIN for one of another domain, FI_EINVAL for one with another vector.
     */
    static SharedReceives of(final EndpointHost host, final EndpointOptions options) {
        final String open = "open endpoint";
        final SharedReceiveContext given = options.sharedReceiveContext();
        if (given == null) {
            return null;
        }
        if (!(given instanceof SharedReceives) || given.domain() != host.domain()) {
            throw Failures.of(open, FiErrno.FI_EDOMAIN, "the shared receive context, %s, is of another domain", given)
                .build();
        }
        final SharedReceives shared = (SharedReceives) given;
        if (shared.table != null && shared.table != options.addressVector()) {
            throw Failures.invalid(open, "its address vector, %s, is not that of its shared receive context, %s",
                options.addressVector(), shared);
        }
        return shared;
    }

    /** An endpoint uses it from now on: it cannot be closed. Where the endpoint receives. */
    synchronized RdmReceiveContext bind(final FabricCompletionQueue itsQueue) {
        if (closed) {
            throw Failures.of("open endpoint", FiErrno.FI_EBADFD, "%s is closed", this).build();
        }
        endpoints++;
        return context.bound(itsQueue);
    }

    /** An endpoint was closed. */
    synchronized void unbind() {
        endpoints--;
    }

    RdmReceiveContext context() {
        return context;
    }

    @Override
    public Domain domain() {
        return host.domain();
    }

    @Override
    public int index() {
        return context.index();
    }

    @Override
    public CompletionQueue completionQueue() {
        return queue;
    }

    @Override
    public int receive(
        final long address, final int length, final MemoryRegion desc, final long source, final long itsContext) {
        return context.receive(address, length, desc, source, itsContext);
    }

    @Override
    public int receiveTagged(
        final long address, final int length, final MemoryRegion desc, final long source, final long tag,
        final long ignore, final long itsContext) {
        return context.receiveTagged(address, length, desc, source, tag, ignore, itsContext);
    }

    @Override
    public int receiveTagged(final Message message, final long flags) {
        return context.receiveTagged(message, flags);
    }

    @Override
    public int receiveMessage(final Message message, final long flags) {
        return context.receiveMessage(message, flags);
    }

    @Override
    public int cancel(final long itsContext) {
        return context.cancel(itsContext);
    }

    @Override
    public void setopt(final EndpointOption option, final long value) {
        MultiReceiveOption.set(context, this, option, value);
    }

    @Override
    public long getopt(final EndpointOption option) {
        return MultiReceiveOption.get(context, this, option);
    }

    @Override
    public void completed(final int what, final int slot, final Completion completion) {
        // It has no queue pair.
    }

    @Override
    public boolean progress(final FabricCompletionQueue read) {
        // Its endpoints go on with what waits.
        return false;
    }

    @Override
    public int arm() {
        return 0;
    }

    @Override
    public long idleNanos() {
        return Long.MAX_VALUE;
    }

    @Override
    public Endpoint endpoint() {
        return null;
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
            if (endpoints > 0) {
                throw Failures.of("close shared receive context", FiErrno.FI_EBUSY, "%d endpoints are bound to it",
                    endpoints).hint("close the endpoints first").build();
            }
            closed = true;
        }
        context.close();
        try {
            context.cancelAll(Failures.CONTEXT_CLOSED);
        } finally {
            onClose.accept(this);
            undo.close();
        }
    }

    @Override
    public String toString() {
        return "shared receive context of " + endpoints + " endpoints, " + context + (closed ? ", closed" : "");
    }
}
