/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.event.EventSource;
import io.rdma4j.fabric.event.FabricEventQueue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

import org.agrona.DirectBuffer;

/**
 * The datagram port of a domain, or of a passive endpoint, by which MSG endpoints come together: hands each datagram to
 * the connection that it is about. All but {@link #idleNanos} under its lock; whoever reads one of the event queues of
 * its connections makes its progress.
 */
final class ControlChannel implements EventSource, AutoCloseable {
    private static final int BATCH = 64;
    /** How often closing waits for room to tell one more peer. */
    private static final int PATIENCE = 1_000;
    /** When who found the lock taken looks again: it is held for one call. */
    private static final long SOON_NS = 100_000;
    private static final byte[] NOTHING = {};

    /** Takes requests. */
    interface Target {
        void onRequest(ConnectMessage message, long now);

        /** The asker does not want it any more. */
        void onWithdrawn(ConnectMessage message);

        /** When it is to be called again; {@link Long#MAX_VALUE} for never. */
        long tend(long now);
    }

    private final UdEnd port;
    private final Mailer mailer;
    private final ReentrantLock lock;
    private final LongSupplier clock;
    private final PeerId self;
    private final long life = LinkBroker.newLife();
    private final Map<Long, MsgConnection> connections = new LinkedHashMap<>();
    private final Map<FabricEventQueue, Integer> queues = new HashMap<>();
    private final UdHandler onMessage = this::onMessage;
    private final DatagramWaker waker;
    private Target target;
    private long lastLink;
    private long ignored;
    private volatile boolean hasTimers;
    private volatile long dueAt;
    /** A reader found the lock taken, and nobody has looked at datagrams since. */
    private volatile boolean passedBy;
    private boolean closed;

    /** The port becomes its own. */
    ControlChannel(final UdEnd port, final ReentrantLock lock, final LongSupplier clock) {
        this.port = port;
        this.lock = lock;
        this.clock = clock;
        mailer = new Mailer(port);
        self = PeerId.of(port);
        waker = new DatagramWaker(port);
    }

    ReentrantLock lock() {
        return lock;
    }

    PeerId self() {
        return self;
    }

    long now() {
        return clock.getAsLong();
    }

    void target(final Target requests) {
        target = requests;
    }

    /** Progress with each reading of a queue from now on, as often as attached. */
    void attach(final FabricEventQueue queue) {
        if (queues.getOrDefault(queue, 0) == 0) {
            queue.attach(this);
        }
        queues.merge(queue, 1, Integer::sum);
        waker.queues(queues.keySet());
    }

    void detach(final FabricEventQueue queue) {
        if (queues.merge(queue, -1, Integer::sum) == 0) {
            queues.remove(queue);
            waker.queues(queues.keySet());
            queue.detach(this);
        }
    }

    /** A number for a connection, by which datagrams for it are known. */
    long add(final MsgConnection connection) {
        connections.put(++lastLink, connection);
        return lastLink;
    }

    /** It has something to repeat: who waits for events has to know. */
    void timed() {
        dueAt = now();
        hasTimers = true;
        queues.keySet().forEach(FabricEventQueue::wake);
    }

    ConnectIds ids(final long own, final ConnectIds peer) {
        return new ConnectIds(life, own, peer.life(), peer.link());
    }

    ConnectMessage message(final ConnectType type, final ConnectIds ids) {
        return ConnectMessage.of(type, EndpointType.MSG, ids, self);
    }

    int send(final ConnectMessage message, final PeerId to) {
        return mailer.send(message, to);
    }

    /** For what is said once, when there is no later. */
    void sendNow(final ConnectMessage message, final PeerId to) {
        for (int i = 0; i < PATIENCE && send(message, to) == -FiErrno.FI_EAGAIN; i++) {
            port.poll((high, low, qpn, buffer, offset, length) -> ignored++, BATCH);
            Thread.onSpinWait();
        }
    }

    /** 0 or a negated errno, as {@link #send}. */
    int reject(final ConnectMessage message, final Reason reason, final byte[] data) {
        return send(message(ConnectType.REJECT, ids(0, message.ids())).withReason(reason).withData(data),
            message.source());
    }

    @Override
    public void progress() {
        if (!lock.tryLock()) {
            // Who has it need not have looked at what has just come, and that tells nobody twice.
            passedBy = true;
            return;
        }
        try {
            if (!closed) {
                passedBy = false;
                progress(now());
            }
        } finally {
            lock.unlock();
        }
    }

    private void progress(final long now) {
        if (port.poll(onMessage, BATCH) == BATCH) {
            queues.keySet().stream().findFirst().ifPresent(FabricEventQueue::wake);
        }
        long due = target == null ? Long.MAX_VALUE : target.tend(now);
        boolean timers = due != Long.MAX_VALUE;
        final List<Long> over = new ArrayList<>();
        for (final Map.Entry<Long, MsgConnection> each : connections.entrySet()) {
            final MsgConnection connection = each.getValue();
            connection.tend(now);
            if (connection.isForgotten()) {
                over.add(each.getKey());
            } else if (connection.hasTimer()) {
                due = timers && due - connection.dueAt() < 0 ? due : connection.dueAt();
                timers = true;
            }
        }
        over.forEach(connections::remove);
        dueAt = due;
        hasTimers = timers;
    }

    @Override
    public long idleNanos() {
        if (passedBy) {
            return SOON_NS;
        }
        return hasTimers ? Math.max(0, dueAt - now()) : Long.MAX_VALUE;
    }

    private void onMessage(
        final long gidHigh, final long gidLow, final int qpn, final DirectBuffer buffer, final int offset,
        final int length) {
        final ConnectMessage message = ConnectMessage.decode(buffer, offset, length);
        if (message == null || !message.source().fits(gidHigh, gidLow, qpn)) {
            ignored++;
        } else if (message.type() == ConnectType.REQUEST) {
            onRequest(message);
        } else if (message.version() == ConnectMessage.VERSION || message.type() == ConnectType.REJECT) {
            onAnswer(message);
        } else {
            ignored++;
        }
    }

    private void onRequest(final ConnectMessage message) {
        if (message.version() != ConnectMessage.VERSION) {
            reject(message, Reason.VERSION, NOTHING);
        } else if (message.kind() != EndpointType.MSG) {
            reject(message, Reason.KIND, NOTHING);
        } else if (target == null) {
            reject(message, Reason.CLOSED, NOTHING);
        } else {
            target.onRequest(message, now());
        }
    }

    private void onAnswer(final ConnectMessage message) {
        final ConnectIds ids = message.ids();
        final MsgConnection connection = ids.peerLife() == life ? connections.get(ids.peerLink()) : null;
        if (connection != null && connection.isAbout(message)) {
            connection.onMessage(message, now());
            return;
        }
        ignored++;
        switch (message.type()) {
            case REPLY, READY -> send(message(ConnectType.BYE, ids.turned()).withReason(Reason.CLOSED),
                message.source());
            case BYE -> onUnknownBye(message);
            default -> {
                // Came too late: nobody waits for it.
            }
        }
    }

    private void onUnknownBye(final ConnectMessage message) {
        if (message.ids().peerLink() == 0 && target != null) {
            target.onWithdrawn(message);
        }
        send(message(ConnectType.BYE_SEEN, ids(message.ids().peerLink(), message.ids())), message.source());
    }

    long ignored() {
        return ignored;
    }

    /** Nobody may be attached any more. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            waker.close();
            port.close();
        }
    }

    @Override
    public String toString() {
        return "control channel " + port + ", " + connections.values() + ", " + ignored + " datagrams ignored";
    }
}
