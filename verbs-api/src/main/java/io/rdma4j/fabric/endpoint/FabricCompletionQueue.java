/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.CqFormat;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.WaitObject;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.ReturnCode;

import java.time.Duration;
import java.util.Arrays;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * A completion queue: one of the device, whose completions are noted with the operations that they belong to, and the
 * rings of these operations, from which the application takes what is over. It has room for all that its endpoints can
 * have under way, so it cannot overflow.
 */
final class FabricCompletionQueue implements CompletionQueue {
    private static final String OPEN = "open completion queue";
    /** Completions of the device that one read notes at most. */
    private static final int BATCH = 64;
    /** Without a way to make a queue larger later on it is made so at once. */
    private static final int FIXED_SIZE = 4096;
    private static final FabricEndpoint[] NONE = new FabricEndpoint[0];
    private static final int SPINS = 1_000;
    private static final int YIELDS = 10;
    private static final long SHORTEST_PARK_NANOS = 1_000;
    private static final long LONGEST_PARK_NANOS = 200_000;

    private final EndpointHost host;
    private final io.rdma4j.verbs.CompletionQueue cq;
    private final CompletionHandler dispatch = this::dispatch;
    private final ReadyRings ready = new ReadyRings();
    private final Entry entry = new Entry();
    private final IdleStrategy idle =
        new BackoffIdleStrategy(SPINS, YIELDS, SHORTEST_PARK_NANOS, LONGEST_PARK_NANOS);
    private int reserved;
    /** By port number; null where there is none. Replaced when it changes, by a thread that holds this. */
    private volatile FabricEndpoint[] ports = NONE;
    /** Reading is for one thread; a second look is one out of a callback. */
    private boolean isReading;
    private boolean arrivalsFirst;
    private volatile boolean closed;

    private FabricCompletionQueue(final EndpointHost host, final io.rdma4j.verbs.CompletionQueue cq) {
        this.host = host;
        this.cq = cq;
    }

    static FabricCompletionQueue open(final EndpointHost host, final int size) {
        if (size < 1) {
            throw Failures.invalid(OPEN, "size is %d, allowed are 1 and more", size);
        }
        try {
            final int fixed = Math.min(FIXED_SIZE, host.context().attributes().maxCqe());
            final boolean grows = host.context().supports(Feature.CQ_RESIZE);
            final FabricCompletionQueue queue =
                new FabricCompletionQueue(host, host.context().createCq(grows ? size : Math.max(size, fixed)));
            host.opened(queue);
            return queue;
        } catch (final RdmaException e) {
            throw FabricException.from(OPEN, e);
        }
    }

    io.rdma4j.verbs.CompletionQueue cq() {
        return cq;
    }

    ReadyRings ready() {
        return ready;
    }

    boolean isOf(final Domain domain) {
        return host.domain() == domain;
    }

    @Override
    public Domain domain() {
        return host.domain();
    }

    /** Makes room for the queue pairs of an endpoint, before they are made. */
    synchronized void reserve(final int entries) {
        if (closed) {
            throw Failures.of("open endpoint", FiErrno.FI_EBADFD, "%s is closed", this).build();
        }
        // More than is needed: where all entries are spoken for each is given back to the device on its own.
        final int wanted = Math.min(2 * (reserved + entries), host.context().attributes().maxCqe());
        if (wanted > cq.capacity() && host.context().supports(Feature.CQ_RESIZE)) {
            cq.resize(wanted);
        }
        reserved += entries;
    }

    synchronized void giveBack(final int entries) {
        reserved -= entries;
    }

    /** Makes an endpoint known; what it is known as. */
    synchronized int add(final FabricEndpoint endpoint) {
        if (closed) {
            throw Failures.of("open endpoint", FiErrno.FI_EBADFD, "%s is closed", this).build();
        }
        final FabricEndpoint[] now = ports;
        int port = 0;
        while (port < now.length && now[port] != null) {
            port++;
        }
        final FabricEndpoint[] next = Arrays.copyOf(now, Math.max(now.length, port + 1));
        next[port] = endpoint;
        ports = next;
        return port;
    }

    synchronized void remove(final FabricEndpoint endpoint) {
        final FabricEndpoint[] next = ports.clone();
        int last = 0;
        for (int i = 0; i < next.length; i++) {
            if (next[i] == endpoint) {
                next[i] = null;
            }
            last = next[i] == null ? last : i + 1;
        }
        ports = Arrays.copyOf(next, last);
    }

    private void dispatch(final Completion completion) {
        final long id = completion.wrId();
        final int port = WorkId.port(id);
        final FabricEndpoint[] now = ports;
        if (port < now.length && now[port] != null) {
            now[port].completed(WorkId.what(id), WorkId.slot(id), completion);
        }
    }

    /** Notes what the device completed; OK or more, or a code. Also before an endpoint goes. */
    int gather() {
        return cq.poll(dispatch, BATCH);
    }

    /** Notes all that is there now; more may come meanwhile, of other endpoints. */
    void gatherAll() {
        int noted = BATCH;
        for (int left = cq.capacity(); left > 0 && noted == BATCH; left -= BATCH) {
            noted = gather();
        }
    }

    @Override
    public int read(final CompletionReader reader, final int limit) {
        if (closed) {
            return -FiErrno.FI_EBADFD;
        }
        if (limit < 0 || reader == null && limit > 0 || isReading) {
            return -FiErrno.FI_EINVAL;
        }
        isReading = true;
        try {
            final int code = gather();
            for (final FabricEndpoint endpoint : ports) {
                if (endpoint != null) {
                    endpoint.progress(this);
                }
            }
            final int taken = deliver(reader, limit);
            return taken > 0 || code >= ReturnCode.OK ? taken : failure(code);
        } finally {
            isReading = false;
        }
    }

    private int failure(final int code) {
        return code == ReturnCode.DEVICE_FAILED ? -FiErrno.FI_EIO : -FiErrno.FI_EBADFD;
    }

    /** Own operations and arrivals of peers' data take turns in who is first. */
    private int deliver(final CompletionReader reader, final int limit) {
        arrivalsFirst = !arrivalsFirst;
        int taken = arrivalsFirst ? deliverArrivals(reader, limit) : deliverOperations(reader, limit);
        if (taken < limit) {
            taken += arrivalsFirst ? deliverOperations(reader, limit - taken)
                : deliverArrivals(reader, limit - taken);
        }
        return taken;
    }

    private int deliverOperations(final CompletionReader reader, final int limit) {
        int taken = 0;
        while (taken < limit && ready.take(entry)) {
            taken++;
            reader.onCompletion(entry);
        }
        return taken;
    }

    private int deliverArrivals(final CompletionReader reader, final int limit) {
        int taken = 0;
        for (final FabricEndpoint endpoint : ports) {
            if (endpoint != null && taken < limit) {
                taken += deliverArrivals(endpoint, reader, limit - taken);
            }
        }
        return taken;
    }

    private int deliverArrivals(final FabricEndpoint endpoint, final CompletionReader reader, final int limit) {
        int taken = 0;
        while (taken < limit && endpoint.takeArrival(this, entry)) {
            taken++;
            reader.onCompletion(entry);
        }
        if (taken > 0) {
            // The peer may go on at once.
            endpoint.gatherArrivals();
        }
        return taken;
    }

    @Override
    public int awaitRead(final CompletionReader reader, final int limit, final Duration timeout) {
        if (limit < 1 || timeout == null) {
            return closed ? -FiErrno.FI_EBADFD : -FiErrno.FI_EINVAL;
        }
        final long deadline = Deadline.after(timeout);
        idle.reset();
        int taken = read(reader, limit);
        while (taken == 0 && !Deadline.isOver(deadline) && !Thread.currentThread().isInterrupted()) {
            idle.idle();
            taken = read(reader, limit);
        }
        return taken == 0 ? -FiErrno.FI_EAGAIN : taken;
    }

    @Override
    public int read(final MutableDirectBuffer entries, final int offset, final int count) {
        return -FiErrno.FI_ENOSYS;
    }

    @Override
    public int readFrom(final MutableDirectBuffer entries, final int offset, final int count, final long[] sources) {
        return -FiErrno.FI_ENOSYS;
    }

    @Override
    public int readError(final CompletionReader reader) {
        return -FiErrno.FI_ENOSYS;
    }

    @Override
    public int awaitRead(
        final MutableDirectBuffer entries, final int offset, final int count, final Duration timeout) {
        return -FiErrno.FI_ENOSYS;
    }

    @Override
    public void signal() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int tryWait() {
        return -FiErrno.FI_ENOSYS;
    }

    @Override
    public int fd() {
        return -1;
    }

    @Override
    public CqFormat format() {
        return CqFormat.DATA;
    }

    @Override
    public WaitObject waitObject() {
        return WaitObject.UNSPEC;
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
            final int users = users();
            if (users > 0) {
                throw Failures.of("close completion queue", FiErrno.FI_EBUSY, "%d endpoints are bound to it", users)
                    .hint("close the endpoints first").build();
            }
            try {
                cq.close();
            } catch (final RdmaException e) {
                throw FabricException.from("close completion queue", e);
            }
            closed = true;
        }
        host.closed(this);
    }

    private int users() {
        int users = 0;
        for (final FabricEndpoint endpoint : ports) {
            users += endpoint == null ? 0 : 1;
        }
        return users;
    }

    @Override
    public String toString() {
        return "completion queue of " + users() + " endpoints, " + cq + (closed ? ", closed" : "");
    }
}
