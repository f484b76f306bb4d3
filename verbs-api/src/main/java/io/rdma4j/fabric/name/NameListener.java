/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.FabricAddress;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Serves this node. Whoever can bind the port does; bounded in connections, and in the time that a silent one has. */
final class NameListener implements NameRole {
    static final int MAX_CLIENTS = 1024;
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long CHECK_MILLIS = 2000;

    private final Selector selector;
    private final List<ServerSocketChannel> listening = new ArrayList<>();
    private final List<NameClient> clients = new ArrayList<>();
    private final NameTable table = new NameTable();
    private final AtomicLong refused = new AtomicLong();
    private final long silentNanos;

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
        boolean good = false;
        try {
            good = listener.listen(settings);
            return good ? listener : null;
        } finally {
            if (!good) {
                listener.close();
            }
        }
    }

    /** Who has the first address is the server. Others, such as ::1 where there is no IPv6, may be missing. */
    private boolean listen(final NameSettings settings) throws IOException {
        for (final InetAddress address : settings.listen()) {
            final ServerSocketChannel channel = ServerSocketChannel.open();
            listening.add(channel);
            try {
                channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                bind(channel, new InetSocketAddress(address, settings.port()));
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_ACCEPT);
            } catch (final BindException e) {
                if (listening.size() == 1) {
                    if (e.getMessage() != null && e.getMessage().contains("in use")) {
                        return false;
                    }
                    throw e;
                }
            } catch (final IOException e) {
                if (listening.size() == 1) {
                    throw e;
                }
            }
        }
        return true;
    }

    /** A JVM without IPv6 does not even ask the system. */
    private static void bind(final ServerSocketChannel channel, final InetSocketAddress address) throws IOException {
        try {
            channel.bind(address);
        } catch (final UnsupportedAddressTypeException e) {
            throw new IOException("addresses like " + address + " are not known here", e);
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

    @Override
    public void work(final long millis) throws IOException {
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
            if (clients.size() >= MAX_CLIENTS) {
                refused.incrementAndGet();
                accepted.close();
                return;
            }
            accepted.configureBlocking(false);
            final SelectionKey key = accepted.register(selector, SelectionKey.OP_READ);
            final NameClient client =
                new NameClient(accepted, key, table, NameClient.isLocal(accepted), refused);
            key.attach(client);
            clients.add(client);
        } catch (final IOException e) {
            // One connection less: whoever wanted it sees so.
            refused.incrementAndGet();
            closeQuietly(accepted);
        }
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
        listening.forEach(NameListener::closeQuietly);
        closeQuietly(selector);
    }
}
