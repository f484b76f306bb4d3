/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.base.Undo;
import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.PassiveEndpoint;
import io.rdma4j.fabric.endpoint.NameCheck;
import io.rdma4j.fabric.event.EventRecord;
import io.rdma4j.fabric.event.FabricEventQueue;
import io.rdma4j.fabric.name.NameServer;
import io.rdma4j.fabric.name.Registration;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.Realm;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Listens for connections: on a datagram port of its own, in a domain that only it knows. Thread-safe. */
public final class PassiveListener implements PassiveEndpoint {
    /** No asker waits longer than that, whatever it says. */
    static final int LONGEST_MILLIS = 600_000;
    private static final String OPEN = "open passive endpoint";
    /** Requests that can wait to be looked at: what is lost beyond is sent again. */
    private static final int RECEIVES = 512;
    /** Requests that can wait to be answered, or for who asked to have heard the answer. */
    static final int MOST_PENDING = 4096;
    private static final byte[] NOTHING = {};

    private final FabricInfo info;
    private final FabricEventQueue queue;
    private final Realm realm;
    private final Consumer<PassiveListener> onClose;
    private final ControlChannel channel;
    private final Map<Asker, AskedConnection> pending = new LinkedHashMap<>();
    private Registration registration;
    private FabricAddress address;
    private boolean listens;
    private boolean closed;

    /** Which connection of whom. */
    private record Asker(PeerId from, long life, long link) {
        static Asker of(final ConnectMessage message) {
            return new Asker(message.source(), message.ids().life(), message.ids().link());
        }
    }

    private PassiveListener(
        final FabricInfo info, final FabricEventQueue queue, final Realm realm, final UdEnd port,
        final Consumer<PassiveListener> onClose) {
        this.info = info;
        this.queue = queue;
        this.realm = realm;
        this.onClose = onClose;
        channel = new ControlChannel(port, new ReentrantLock(), System::nanoTime);
        channel.target(new Requests());
    }

    /**
     * Checks what a passive endpoint is to be opened with.
     *
     * @param info   of connected endpoints.
     * @param queue  where requests come.
     * @param fabric that the queue has to be of.
     * @throws FabricException FI_EINVAL, FI_ENOEQ for no queue.
     */
    public static void check(final FabricInfo info, final EventQueue queue, final Fabric fabric) {
        if (info == null || info.endpointType() != EndpointType.MSG) {
            throw MsgConnection.refuse(OPEN, FiErrno.FI_EINVAL, "the info is %s, must be of connected endpoints",
                info == null ? null : "of " + info.endpointType());
        }
        if (queue == null) {
            throw MsgConnection.refuse(OPEN, FiErrno.FI_ENOEQ, "there is no event queue");
        }
        if (!(queue instanceof FabricEventQueue) || ((FabricEventQueue) queue).fabric() != fabric) {
            throw MsgConnection.refuse(OPEN, FiErrno.FI_EINVAL, "%s is no queue of %s", queue, fabric);
        }
    }

    /**
     * Opens a passive endpoint.
     *
     * @param host    a domain that nobody else knows; stays the caller's.
     * @param queue   where requests come; {@linkplain #check checked}.
     * @param service for the name service; null for none, or, in a format of sockets, for any.
     * @param onClose told once when it is closed.
     * @return the endpoint; the caller owns it.
     * @throws FabricException FI_EADDRINUSE for a service that another one has, FI_EBADFD for a closed queue, what the
     *                         device says.
     */
    public static PassiveListener open(
        final EndpointHost host, final EventQueue queue, final String service,
        final Consumer<PassiveListener> onClose) {
        return open(host, queue, service, onClose, UnaryOperator.identity());
    }

    /** Datagrams go through what a test puts around the port. */
    static PassiveListener open(
        final EndpointHost host, final EventQueue queue, final String service,
        final Consumer<PassiveListener> onClose, final UnaryOperator<UdEnd> wrapper) {
        final Realm realm = host.openRealm(null);
        try (Undo undo = new Undo()) {
            undo.add(realm::release);
            final UdEnd port = wrapper.apply(UdPort.open(host, realm, ControlKeys.next(), RECEIVES));
            undo.add(port::close);
            final PassiveListener listener =
                new PassiveListener(host.info(), (FabricEventQueue) queue, realm, port, onClose);
            listener.begin(service, undo);
            undo.forget();
            return listener;
        }
    }

    private void begin(final String service, final Undo undo) {
        final PeerId self = channel.self();
        final FabricAddress device = FabricAddress.device(self.gid(), self.qpn(), self.qkey(), EndpointType.MSG);
        final AddressFormat format = info.addressFormat();
        final boolean isSocket = format == AddressFormat.SOCKADDR_IN || format == AddressFormat.SOCKADDR_IN6;
        if (service != null || isSocket) {
            registration = NameServer.register(device, service);
            undo.add(registration::close);
            address = registration.address(format);
        } else {
            address = format == AddressFormat.STR ? FabricAddress.text(device.toString()) : device;
        }
        channel.lock().lock();
        try {
            channel.attach(queue);
        } finally {
            channel.lock().unlock();
        }
    }

    FabricInfo info() {
        return info;
    }

    @Override
    public FabricAddress address() {
        return address;
    }

    @Override
    public void listen() {
        channel.lock().lock();
        try {
            if (closed) {
                throw MsgConnection.refuse("listen", FiErrno.FI_EBADFD, "%s", this);
            }
            listens = true;
        } finally {
            channel.lock().unlock();
        }
    }

    /** What comes to it; under the channel's lock. */
    private final class Requests implements ControlChannel.Target {
        @Override
        public void onRequest(final ConnectMessage message, final long now) {
            final AskedConnection known = pending.get(Asker.of(message));
            if (known != null) {
                known.heard(now, message.waitMillis());
                if (known.answer() == AskedConnection.Answer.REFUSED) {
                    tell(known);
                }
            } else if (!listens) {
                channel.reject(message, Reason.CLOSED, NOTHING);
            } else if (pending.size() >= MOST_PENDING && !forgetOneAnswered()) {
                channel.reject(message, Reason.BUSY, NOTHING);
            } else if (NameCheck.check(message.name(), realm) != FiErrno.FI_EINVAL) {
                // Another authorization key may be the one of the endpoint that will accept it.
                ask(message, now);
            }
        }

        /** The oldest that was answered. Who asked, and has not heard that, asks again, and it is as new. */
        private boolean forgetOneAnswered() {
            for (final Iterator<AskedConnection> each = pending.values().iterator(); each.hasNext();) {
                if (each.next().answer() != AskedConnection.Answer.NONE) {
                    each.remove();
                    return true;
                }
            }
            return false;
        }

        private void ask(final ConnectMessage message, final long now) {
            final AskedConnection request = new AskedConnection(PassiveListener.this, message);
            request.heard(now, message.waitMillis());
            pending.put(Asker.of(message), request);
            queue.write(EventRecord.of(FabricEvent.CONNREQ, PassiveListener.this, null).request(request)
                .privateData(message.data()));
        }

        @Override
        public void onWithdrawn(final ConnectMessage message) {
            final AskedConnection request = pending.remove(Asker.of(message));
            if (request != null) {
                request.withdraw();
            }
        }

        @Override
        public long tend(final long now) {
            long due = Long.MAX_VALUE;
            for (final Iterator<AskedConnection> each = pending.values().iterator(); each.hasNext();) {
                final AskedConnection request = each.next();
                if (request.isOver(now)) {
                    each.remove();
                    request.close(AskedConnection.Answer.VOID, Reason.NONE);
                } else if (due == Long.MAX_VALUE || request.dueAt() - due < 0) {
                    due = request.dueAt();
                }
            }
            return due;
        }
    }

    /** If it is lost the request will come again, and it will be said again. */
    void refused(final AskedConnection request) {
        channel.lock().lock();
        try {
            if (!closed) {
                tell(request);
            }
        } finally {
            channel.lock().unlock();
        }
    }

    private void tell(final AskedConnection refused) {
        if (channel.reject(refused.message(), refused.reason(), refused.told()) == 0) {
            refused.sent();
        }
    }

    @Override
    public boolean isClosed() {
        channel.lock().lock();
        try {
            return closed;
        } finally {
            channel.lock().unlock();
        }
    }

    @Override
    public void close() {
        channel.lock().lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
        } finally {
            channel.lock().unlock();
        }
        try {
            closeChannel();
        } finally {
            giveBack();
        }
    }

    private void closeChannel() {
        channel.lock().lock();
        try (channel) {
            try {
                refuseAll();
            } finally {
                channel.detach(queue);
            }
        } finally {
            channel.lock().unlock();
        }
    }

    private void giveBack() {
        try {
            if (registration != null) {
                registration.close();
            }
        } finally {
            try {
                realm.release();
            } finally {
                onClose.accept(this);
            }
        }
    }

    /** Also those that were refused before and have not been told: many at once find no room. */
    private void refuseAll() {
        for (final AskedConnection request : pending.values()) {
            if (request.close(AskedConnection.Answer.REFUSED, Reason.CLOSED)
                || request.answer() == AskedConnection.Answer.REFUSED && !request.wasTold()) {
                channel.sendNow(channel.message(ConnectType.REJECT, channel.ids(0, request.ids()))
                    .withReason(request.reason()).withData(request.told()), request.from());
            }
        }
        pending.clear();
    }

    @Override
    public String toString() {
        return "passive endpoint " + address + ", " + pending.size() + " requests"
            + (listens ? "" : ", does not listen") + (closed ? ", closed" : "");
    }
}
