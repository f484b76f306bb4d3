/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.base.Sockets;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.FabricAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Serves this node: processes of this user by a socket in the file system, where they register and ask, and by TCP, if
 * the settings name addresses that other nodes reach, whoever asks from there. Whoever can take the socket serves.
 * Bounded in connections, for each address where they come by TCP, and in the time that a silent one has.
 */
final class NameListener implements NameRole {
    /** Processes of this user. */
    static final int MAX_MEMBERS = 1024;
    /** Connections by TCP, which take no place of a member's. */
    static final int MAX_STRANGERS = 256;
    static final int MAX_OF_ADDRESS = 16;
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long CHECK_MILLIS = 2000;

    private final Selector selector;
    private final List<ServerSocketChannel> listening = new ArrayList<>();
    private final List<NameClient> clients = new ArrayList<>();
    private final NameTable table = new NameTable();
    private final AtomicLong refused = new AtomicLong();
    private final long silentNanos;
    /** For this node; null before it listens. */
    private NameSocket own;

    private NameListener(final Selector selector, final long silentNanos) {
        this.selector = selector;
        this.silentNanos = silentNanos;
    }

    /** Null if another process serves. */
    static NameListener open(final NameSettings settings) throws IOException {
        return open(settings, SILENT_NANOS);
    }

    static NameListener open(final NameSettings settings, final long silentNanos) throws IOException {
        final NameListener listener = new NameListener(Selector.open(), silentNanos);
        try (Undo undo = new Undo()) {
            undo.add(listener::close);
            if (!listener.listen(settings)) {
                return null;
            }
            undo.forget();
            return listener;
        }
    }

    private boolean listen(final NameSettings settings) throws IOException {
        own = NameSocket.serve(settings.port());
        if (own == null) {
            return false;
        }
        add(own.channel());
        boolean first = true;
        for (final InetAddress address : settings.remote()) {
            listen(new InetSocketAddress(address, settings.port()), first);
            first = false;
        }
        return true;
    }

    private void add(final ServerSocketChannel channel) throws IOException {
        listening.add(channel);
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_ACCEPT);
    }

    /** The first address has to be there. Others, such as one of IPv6 where there is none, may be missing. */
    private void listen(final InetSocketAddress address, final boolean required) throws IOException {
        final ServerSocketChannel channel = ServerSocketChannel.open();
        boolean good = false;
        try {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            Sockets.bind(channel, address, 0);
            add(channel);
            good = true;
        } catch (final IOException e) {
            if (required) {
                throw new IOException("it cannot listen at " + address + ": " + e.getMessage() + "; if the name "
                    + "service of another user does, " + NameSettings.PORT + " chooses another port", e);
            }
        } finally {
            if (!good) {
                channel.close();
            }
        }
    }

    @Override
    public int register(final int service, final FabricAddress device) {
        return table.add(this, service, device);
    }

    @Override
    public void unregister(final int service) {
        table.remove(this, service);
    }

    /**
     * Serves those who come.
     *
     * @throws IOException if nobody of this node comes here any more, as its socket was removed: the next one that
     *                     wants to serve does, and others are to register there.
     */
    @Override
    public void work(final long millis) throws IOException {
        if (!own.isThere()) {
            throw new IOException("somebody removed " + own);
        }
        selector.select(Math.min(millis, CHECK_MILLIS));
        for (final SelectionKey key : selector.selectedKeys()) {
            if (key.isValid() && key.isAcceptable()) {
                accept((ServerSocketChannel) key.channel());
            } else if (key.isValid()) {
                serve((NameClient) key.attachment());
            }
        }
        selector.selectedKeys().clear();
        final long now = System.nanoTime();
        new ArrayList<>(clients).stream().filter(client -> client.isSilent(now, silentNanos)).forEach(this::drop);
    }

    private void accept(final ServerSocketChannel channel) {
        SocketChannel accepted = null;
        try {
            accepted = channel.accept();
            if (accepted == null) {
                return;
            }
            final InetAddress from = accepted.getRemoteAddress() instanceof InetSocketAddress remote
                ? remote.getAddress() : null;
            if (!hasRoom(from) || from == null && !NameSocket.isOfThisUser(accepted)) {
                refused.incrementAndGet();
                accepted.close();
                return;
            }
            accepted.configureBlocking(false);
            final SelectionKey key = accepted.register(selector, SelectionKey.OP_READ);
            final NameClient client = new NameClient(accepted, key, table, from, refused);
            key.attach(client);
            clients.add(client);
        } catch (final IOException e) {
            // One connection less: whoever wanted it sees so.
            refused.incrementAndGet();
            closeQuietly(accepted);
        }
    }

    /** Null is from a process of this node. */
    private boolean hasRoom(final InetAddress from) {
        final long members = clients.stream().filter(client -> client.from() == null).count();
        return from == null ? members < MAX_MEMBERS : clients.size() - members < MAX_STRANGERS
            && clients.stream().filter(client -> client.isFrom(from)).count() < MAX_OF_ADDRESS;
    }

    private void serve(final NameClient client) {
        try {
            client.ready();
        } catch (final IOException e) {
            // It went, or asked for nonsense and was told so.
            drop(client);
        }
    }

    private void drop(final NameClient client) {
        clients.remove(client);
        try {
            client.end();
        } catch (final IOException e) {
            refused.incrementAndGet();
        }
    }

    private static void closeQuietly(final AutoCloseable one) {
        try {
            if (one != null) {
                one.close();
            }
        } catch (final Exception ignored) {
            // There is nobody to tell, and nothing left to do.
        }
    }

    /** Connections and requests that were turned away. */
    long refused() {
        return refused.get();
    }

    @Override
    public void wakeUp() {
        selector.wakeup();
    }

    @Override
    public boolean isServer() {
        return true;
    }

    @Override
    public void close() {
        new ArrayList<>(clients).forEach(this::drop);
        if (own != null) {
            closeQuietly(own::end);
        }
        listening.forEach(NameListener::closeQuietly);
        closeQuietly(selector);
    }
}
