/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.RdmaException;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.SocketErrors;
import io.rdma4j.base.Sockets;
import io.rdma4j.base.Undo;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The listening side of {@link RdmaConnector}. Any number of QPs can be connected through it, also by several threads.
 *
 * <p>Whoever reaches the port and does not speak the protocol, speaks another version, is too slow, or has a QP of
 * another type is turned away, and the call goes on waiting for the right one. They are looked at side by side, up to
 * 64; the one who has been silent longest makes room for the next.
 */
public final class RdmaListener implements AutoCloseable {
    private static final String LISTEN = "listen for QPs";
    private static final String ACCEPT = "accept QP over TCP";
    private static final int MAX_CANDIDATES = 64;
    private static final int MAX_PORT = 0xffff;

    private final ServerSocketChannel server;
    private final Selector selector;
    private final InetSocketAddress address;
    /** Held while the candidates are looked at, not while one is being connected. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Candidate> candidates = new ArrayDeque<>();
    private RdmaException lastRefusal;
    private volatile long refused;
    private volatile boolean closed;

    RdmaListener(final InetSocketAddress at) {
        RdmaConnector.requireAddress(at, LISTEN);
        try {
            server = ServerSocketChannel.open();
        } catch (final IOException e) {
            throw SocketErrors.of(LISTEN, at, e);
        }
        try (Undo undo = new Undo()) {
            undo.add(this::closeServer);
            Sockets.bind(server, at, MAX_CANDIDATES);
            server.configureBlocking(false);
            selector = Selector.open();
            server.register(selector, SelectionKey.OP_ACCEPT);
            address = (InetSocketAddress) server.getLocalAddress();
            undo.forget();
        } catch (final IOException e) {
            throw SocketErrors.of(LISTEN, at, e);
        }
    }

    static RdmaListener onLoopback(final int port) {
        if (port < 0 || port > MAX_PORT) {
            throw RdmaException.of(LISTEN).detail("port is %d, allowed are 0 to %d", port, MAX_PORT)
                .errno(RdmaException.EINVAL).build();
        }
        return new RdmaListener(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /**
     * Where it listens.
     *
     * @return the address, with the port that was found free.
     */
    public InetSocketAddress address() {
        return address;
    }

    /**
     * Waits for a peer and connects a QP to its.
     *
     * @param qp      an RC QP in RESET, or a UD QP in RESET or RTS.
     * @param options what is particular; the patience is what each peer has for its first message, too.
     * @return what was agreed on.
     * @throws RdmaException and nothing has changed, with the errnos of {@link RdmaConnector#connect}: at once for
     *                       what is wrong on this side, and if a peer that began well fails later, or has a device
     *                       that this one does not reach; ETIMEDOUT if no suitable one came, with the last who was
     *                       turned away as the cause; EBADFD if the listener is closed, also meanwhile.
     */
    public RdmaConnection accept(final QueuePair qp, final ConnectOptions options) {
        final LocalEnd end = new LocalEnd(qp, options, Hello.Role.LISTENS, ACCEPT);
        final Deadline deadline = Deadline.after(options.timeout(), options.clock());
        final Candidate chosen = choose(end, deadline);
        try (PeerSocket socket = PeerSocket.of(chosen.channel(), chosen.address(), ACCEPT)) {
            return new Handshake(end, socket, deadline).answer(chosen.hello());
        }
    }

    private Candidate choose(final LocalEnd end, final Deadline deadline) {
        lock(deadline);
        try {
            lastRefusal = null;
            Candidate chosen = next(end);
            while (chosen == null) {
                await(deadline);
                chosen = next(end);
            }
            chosen.release();
            return chosen;
        } catch (final IOException e) {
            throw SocketErrors.of(ACCEPT, address, e);
        } finally {
            settle();
            lock.unlock();
        }
    }

    /** Others look at the candidates as long as they wait for one. */
    private void lock(final Deadline deadline) {
        boolean locked = false;
        try {
            locked = lock.tryLock(deadline.millis(), TimeUnit.MILLISECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            SocketErrors.checkInterrupt(ACCEPT, address);
        }
        if (!locked) {
            throw SocketErrors.late(ACCEPT, this, "other threads accept all the time");
        }
    }

    private void await(final Deadline deadline) throws IOException {
        if (deadline.isPassed()) {
            throw nobody();
        }
        SocketErrors.checkInterrupt(ACCEPT, address);
        Deadline first = deadline;
        for (final Candidate candidate : candidates) {
            first = candidate.hello() == null ? first.earlier(candidate.deadline()) : first;
        }
        selector.select(first.millis());
        selector.selectedKeys().clear();
    }

    private RdmaException nobody() {
        return RdmaException.of(ACCEPT)
            .object(this)
            .detail(lastRefusal == null ? "no peer came in time" : "no suitable peer came in time, the last one: %s",
                lastRefusal == null ? "" : lastRefusal.getMessage())
            .errno(RdmaException.ETIMEDOUT)
            .hint("start the peer while this one listens, or let it wait longer: ConnectOptions.timeout, --timeout")
            .cause(lastRefusal)
            .build();
    }

    /** The first who said what he should and fits; who does wrong is turned away. */
    private Candidate next(final LocalEnd end) throws IOException {
        requireOpen();
        welcome(end.options());
        for (final Iterator<Candidate> i = candidates.iterator(); i.hasNext();) {
            final Candidate candidate = i.next();
            final ConnectWire.BadMessage fault = fault(candidate, end);
            if (fault != null) {
                i.remove();
                refuse(candidate, fault);
            } else if (candidate.hello() != null) {
                i.remove();
                return candidate;
            }
        }
        return null;
    }

    private static ConnectWire.BadMessage fault(final Candidate candidate, final LocalEnd end) {
        final ConnectWire.BadMessage fault = candidate.look();
        if (fault != null) {
            return fault;
        }
        if (candidate.isLate()) {
            return new ConnectWire.BadMessage(RdmaException.ETIMEDOUT,
                "it did not say HELLO within " + end.options().patience());
        }
        return candidate.hello() == null ? null : end.objection(candidate.hello());
    }

    /** Lets in who waits at the port. */
    private void welcome(final ConnectOptions options) throws IOException {
        for (int i = 0; i < MAX_CANDIDATES && makeRoom(); i++) {
            final SocketChannel channel = server.accept();
            if (channel == null) {
                return;
            }
            try {
                candidates.add(new Candidate(channel, selector, options));
            } catch (final IOException e) {
                // This one is gone already; it is nobody's fault here.
                PeerSocket.closeQuietly(channel);
            }
        }
    }

    /** Those who said HELLO are not thrown out for those who did not: then the port fills up instead. */
    private boolean makeRoom() {
        if (candidates.size() < MAX_CANDIDATES) {
            return true;
        }
        for (final Iterator<Candidate> i = candidates.iterator(); i.hasNext();) {
            final Candidate oldest = i.next();
            if (oldest.look() != null || oldest.hello() == null) {
                i.remove();
                refuse(oldest, new ConnectWire.BadMessage(RdmaException.EAGAIN, "others came while it was silent"));
                return true;
            }
        }
        return false;
    }

    private void refuse(final Candidate candidate, final ConnectWire.BadMessage fault) {
        final RdmaException why = fault.from(candidate.address(), ACCEPT);
        candidate.refuse(why.errno(), why.getMessage());
        lastRefusal = why;
        refused = refused + 1;
    }

    /** The selector keeps the descriptors of closed and released channels until it looks. */
    private void settle() {
        try {
            if (selector.isOpen()) {
                selector.selectNow();
                selector.selectedKeys().clear();
            }
        } catch (final IOException ignored) {
            // Then they go with the next look.
        }
    }

    private void requireOpen() {
        if (closed) {
            throw RdmaException.of(ACCEPT).object(this).detail("the listener is closed").errno(RdmaException.EBADFD)
                .build();
        }
    }

    /**
     * Those who reached the port and were turned away.
     *
     * @return a count that only grows.
     */
    public long refused() {
        return refused;
    }

    /** Stops listening: waiting calls end with EBADFD, connections being made go on. Harmless when repeated. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        lock.lock();
        try {
            candidates.forEach(Candidate::close);
            candidates.clear();
            closeServer();
            selector.close();
        } catch (final IOException e) {
            throw SocketErrors.of("close listener", address, e);
        } finally {
            lock.unlock();
        }
    }

    private void closeServer() {
        try {
            server.close();
        } catch (final IOException ignored) {
            // The descriptor is gone all the same, and nobody is waited for any more.
        }
    }

    @Override
    public String toString() {
        return "listener at " + address + (closed ? ", closed" : "");
    }
}
