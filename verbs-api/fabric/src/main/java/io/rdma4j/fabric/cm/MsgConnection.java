/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.base.Undo;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.endpoint.ConnectionManager;
import io.rdma4j.fabric.endpoint.FabricEndpoint;
import io.rdma4j.fabric.event.EventRecord;
import io.rdma4j.fabric.event.FabricEventQueue;

import java.util.concurrent.locks.ReentrantLock;

/**
 * The connection of a MSG endpoint, from {@link #connect} or {@link #accept} to its end. All under the lock of its
 * domain's channel.
 */
final class MsgConnection implements ConnectionManager {
    private static final String CONNECT = "connect endpoint";
    private static final byte[] NOTHING = {};
    private static final String ACCEPT = "accept connection";
    private static final String SHUTDOWN = "shut endpoint down";
    /** How long a peer is told that an endpoint was closed. */
    private static final long FAREWELL_NANOS = 2_000_000_000L;

    /** What has come of it. */
    private enum State { IDLE, ASKING, ANSWERING, CONNECTED, LEAVING, OVER }

    private final MsgConnections connections;
    private final FabricEndpoint endpoint;
    /** Null if the application gave none. */
    private final FabricEventQueue queue;
    private final AskedConnection asked;
    private final long timeout;
    private final ReentrantLock lock;
    /** From the first attempt on until the endpoint is closed. */
    private ControlChannel channel;
    private State state = State.IDLE;
    private long own;
    private ConnectIds peer = new ConnectIds(0, 0, 0, 0);
    private PeerId to;
    private ConnectMessage repeated;
    private Retry retry;
    private boolean wasBusy;
    private boolean closed;

    MsgConnection(final MsgConnections connections, final FabricEndpoint endpoint, final EndpointOptions options) {
        this.connections = connections;
        this.endpoint = endpoint;
        this.lock = connections.lock();
        this.queue = queue(connections, options.eventQueue());
        this.asked = request(options);
        this.timeout = Attempt.nanos(options.connectTimeout());
        if (queue != null) {
            queue.bind();
        }
    }

    private static FabricEventQueue queue(final MsgConnections connections, final EventQueue given) {
        if (given == null) {
            return null;
        }
        if (!(given instanceof FabricEventQueue) || ((FabricEventQueue) given).fabric() != connections.fabric()) {
            throw refuse("open endpoint", FiErrno.FI_EINVAL, "%s is no queue of %s", given, connections.fabric());
        }
        return (FabricEventQueue) given;
    }

    private static AskedConnection request(final EndpointOptions options) {
        if (options.request() == null) {
            return null;
        }
        if (!(options.request() instanceof AskedConnection)) {
            throw refuse("open endpoint", FiErrno.FI_EINVAL, "%s is of no passive endpoint", options.request());
        }
        return (AskedConnection) options.request();
    }

    static FabricException refuse(
        final String operation, final int errno, final String detail, final Object... values) {
        return FabricException.of(operation).detail(detail, values).errno(errno).build();
    }

    /** A copy, checked. */
    static byte[] data(final String operation, final byte[] given) {
        if (given != null && given.length > ConnectMessage.MAX_DATA) {
            throw refuse(operation, FiErrno.FI_EINVAL, "%d bytes of private data, allowed are %d", given.length,
                ConnectMessage.MAX_DATA);
        }
        return given == null ? NOTHING : given.clone();
    }

    @Override
    public void connect(final FabricAddress address, final byte[] privateData) {
        final byte[] data = data(CONNECT, privateData);
        requireQueue(CONNECT);
        if (address == null) {
            throw refuse(CONNECT, FiErrno.FI_EINVAL, "address is null");
        }
        final FabricAddress device = connections.resolve(address);
        if (device.kind() != EndpointType.MSG) {
            throw refuse(CONNECT, FiErrno.FI_EINVAL, "%s is no passive endpoint", device);
        }
        final String why = connections.whyUnreachable(device.gid());
        if (why != null) {
            throw refuse(CONNECT, FiErrno.FI_EHOSTUNREACH, "GID %s of %s: %s", device.gid(), device, why);
        }
        lock.lock();
        try {
            requireIdle(CONNECT, asked != null);
            join();
            to = new PeerId(device.gid().high(), device.gid().low(), device.qpn(), device.qkey());
            wasBusy = false;
            begin(State.ASKING, channel.message(ConnectType.REQUEST, channel.ids(own, peer)).withData(data));
        } finally {
            lock.unlock();
        }
    }

    private void requireQueue(final String operation) {
        if (queue == null) {
            throw FabricException.of(operation).detail("%s has no event queue", endpoint).errno(FiErrno.FI_ENOEQ)
                .hint("give it one with EndpointOptions.eventQueue").build();
        }
    }

    private void requireIdle(final String operation, final boolean isOther) {
        if (closed) {
            throw refuse(operation, FiErrno.FI_EBADFD, "%s is closed", endpoint);
        }
        if (state == State.ASKING || state == State.ANSWERING) {
            throw refuse(operation, FiErrno.FI_EALREADY, "%s is being connected", endpoint);
        }
        if (state == State.CONNECTED || endpoint.isConnected()) {
            throw refuse(operation, FiErrno.FI_EISCONN, "%s is connected already", endpoint);
        }
        if (state != State.IDLE || isOther) {
            throw refuse(operation, FiErrno.FI_EOPBADSTATE, isOther
                ? "%s was opened with a request, or without one" : "the connection of %s is over", endpoint);
        }
    }

    private void join() {
        if (channel == null) {
            final ControlChannel joined = connections.acquire();
            try (Undo undo = new Undo()) {
                undo.add(connections::release);
                joined.attach(queue);
                undo.forget();
            }
            channel = joined;
        }
        own = channel.add(this);
    }

    private void begin(final State next, final ConnectMessage message) {
        final long now = channel.now();
        state = next;
        repeated = message;
        retry = new Retry(now, next == State.LEAVING ? Math.min(timeout, FAREWELL_NANOS) : timeout);
        repeat(now);
        channel.timed();
    }

    private void repeat(final long now) {
        final ConnectMessage message = state == State.LEAVING ? repeated
            : repeated.withName(endpoint.name(), retry.left(now));
        if (channel.send(message, to) == -FiErrno.FI_EAGAIN) {
            retry.noRoom(now);
        } else {
            retry.sent(now);
        }
    }

    @Override
    public void accept(final byte[] privateData) {
        final byte[] data = data(ACCEPT, privateData);
        lock.lock();
        try {
            if (state != State.IDLE && asked != null) {
                throw refuse(ACCEPT, FiErrno.FI_EALREADY, "%s was accepted with before", endpoint);
            }
            requireIdle(ACCEPT, asked == null);
            requireQueue(ACCEPT);
            join();
            asked.accept();
            answer(data);
        } finally {
            lock.unlock();
        }
    }

    private void answer(final byte[] data) {
        peer = asked.ids();
        to = asked.from();
        try {
            endpoint.connect(asked.name());
        } catch (final FabricException e) {
            state = State.OVER;
            asked.fail(e.errno() != FiErrno.FI_ECONNREFUSED ? Reason.APPLICATION
                : endpoint.hasKeyOf(asked.name()) ? Reason.PIECES : Reason.AUTHORIZATION);
            throw e;
        }
        begin(State.ANSWERING, channel.message(ConnectType.REPLY, channel.ids(own, peer)).withData(data));
    }

    @Override
    public void shutdown() {
        lock.lock();
        try {
            if (state != State.CONNECTED && state != State.ANSWERING) {
                throw refuse(SHUTDOWN, FiErrno.FI_ENOTCONN, "%s is not connected by connect or accept", endpoint);
            }
            endpoint.disconnect("it was shut down");
            leave();
        } finally {
            lock.unlock();
        }
    }

    private void leave() {
        begin(State.LEAVING, channel.message(ConnectType.BYE, channel.ids(own, peer)));
    }

    /** Who sleeps at the queue learns of it from {@link #tend}. */
    @Override
    public void lost() {
        if (queue != null) {
            queue.wake();
        }
    }

    @Override
    public void closing() {
        lock.lock();
        try {
            closed = true;
            if (channel != null) {
                part();
            }
        } catch (final FabricException e) {
            // The endpoint's own queue pairs are to go all the same; what is wrong with the device, these will tell.
            state = State.OVER;
        } finally {
            lock.unlock();
            if (queue != null) {
                queue.unbind();
            }
        }
    }

    /** Others may need the channel: it is given back even if the device does not take the goodbye. */
    private void part() {
        try {
            withdraw();
        } finally {
            try {
                channel.detach(queue);
            } finally {
                connections.release();
            }
        }
    }

    /** If others keep the channel open it is repeated until the peer has heard it. */
    private void withdraw() {
        if (state == State.ASKING || state == State.ANSWERING || state == State.CONNECTED) {
            channel.sendNow(channel.message(ConnectType.BYE, channel.ids(own, peer)), to);
            leave();
        } else if (state == State.LEAVING && !retry.wasSent()) {
            // Of many that were shut down at once not all have found room to say it.
            channel.sendNow(repeated, to);
        }
    }

    /** Whether a datagram with this connection's number comes from its peer. */
    boolean isAbout(final ConnectMessage message) {
        if (state == State.ASKING) {
            // It is another port of the same device that accepts.
            return to.gidHigh() == message.source().gidHigh() && to.gidLow() == message.source().gidLow();
        }
        // Who takes a request back does not know who is asked.
        return state == State.LEAVING && message.type() == ConnectType.BYE_SEEN
            || peer.life() == message.ids().life() && peer.link() == message.ids().link();
    }

    void onMessage(final ConnectMessage message, final long now) {
        switch (message.type()) {
            case REPLY -> onReply(message);
            case REJECT -> onReject(message);
            case READY -> onReady();
            case BYE -> onBye(message);
            default -> {
                if (state == State.LEAVING) {
                    state = State.OVER;
                }
            }
        }
    }

    private void onReply(final ConnectMessage message) {
        if (state == State.ASKING) {
            peer = message.ids();
            to = message.source();
            try {
                endpoint.connect(message.name());
            } catch (final FabricException e) {
                fail(e.errno(), e.getMessage(), NOTHING);
                leave();
                return;
            }
            state = State.CONNECTED;
            tell(FabricEvent.CONNECTED, message.data());
        }
        if (state == State.CONNECTED) {
            // Also to one that comes again: the first answer to it was lost.
            channel.send(channel.message(ConnectType.READY, channel.ids(own, peer)), to);
        }
    }

    private void tell(final FabricEvent event, final byte[] data) {
        queue.write(EventRecord.of(event, endpoint, null).privateData(data));
    }

    private void fail(final int errno, final String text, final byte[] data) {
        state = State.OVER;
        queue.write(EventRecord.of(FabricEvent.CONNECTED, endpoint, null).privateData(data).failed(errno, text));
    }

    private void onReject(final ConnectMessage message) {
        if (state != State.ASKING) {
            return;
        }
        if (message.reason() == Reason.BUSY) {
            wasBusy = true;
        } else {
            fail(message.reason().errno(), message.reason().text(), message.data());
            again();
        }
    }

    /** Nothing has come of it, and nothing is broken: it may be tried again. */
    private void again() {
        state = State.IDLE;
        peer = new ConnectIds(0, 0, 0, 0);
    }

    private void onReady() {
        if (state == State.ANSWERING) {
            state = State.CONNECTED;
            tell(FabricEvent.CONNECTED, NOTHING);
        }
    }

    private void onBye(final ConnectMessage message) {
        channel.send(channel.message(ConnectType.BYE_SEEN, channel.ids(own, message.ids())), message.source());
        switch (state) {
            case ASKING -> {
                fail(FiErrno.FI_ECONNREFUSED, "the peer ended the connection before it was there", message.data());
                again();
            }
            case ANSWERING -> abort();
            case CONNECTED -> {
                endpoint.disconnect("the peer shut it down");
                state = State.OVER;
                tell(FabricEvent.SHUTDOWN, message.data());
            }
            case LEAVING -> state = State.OVER;
            default -> {
                // It is over already.
            }
        }
    }

    private void abort() {
        endpoint.disconnect("the peer does not want the connection any more");
        fail(FiErrno.FI_ECONNABORTED, "the peer does not want the connection any more", NOTHING);
    }

    void tend(final long now) {
        if (state == State.ANSWERING && asked.isWithdrawn()) {
            abort();
        }
        // One that is closed here is not connected either, and waits for this lock to say goodbye.
        if (state == State.CONNECTED && !endpoint.isConnected() && !endpoint.isClosed()) {
            // The device found out that the peer is gone, or a part failed: that ends the others, at the peer as well.
            tell(FabricEvent.SHUTDOWN, NOTHING);
            leave();
            endpoint.disconnect("a part of it was lost");
        }
        if (!hasTimer()) {
            return;
        }
        if (retry.isOver(now)) {
            giveUp();
        } else if (retry.isDue(now)) {
            repeat(now);
        }
    }

    private void giveUp() {
        switch (state) {
            case ASKING -> {
                fail(FiErrno.FI_ETIMEDOUT, wasBusy ? Reason.BUSY.text() : "the peer did not answer", NOTHING);
                channel.send(channel.message(ConnectType.BYE, channel.ids(own, peer)), to);
                again();
            }
            case ANSWERING -> {
                endpoint.disconnect("the peer did not answer");
                fail(FiErrno.FI_ETIMEDOUT, "the peer did not say that it is ready", NOTHING);
            }
            default -> state = State.OVER;
        }
    }

    boolean hasTimer() {
        return state == State.ASKING || state == State.ANSWERING || state == State.LEAVING;
    }

    long dueAt() {
        return retry.dueAt();
    }

    /** No datagram is of interest any more. */
    boolean isForgotten() {
        return state == State.OVER || state == State.IDLE;
    }

    @Override
    public String toString() {
        return "connection " + own + " " + state + " to " + to;
    }
}
