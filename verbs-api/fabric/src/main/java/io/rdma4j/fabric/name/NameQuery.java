/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Asks one node for services. What is not there is asked for again for a moment, as the process that served may just
 * have ended, and others register again.
 */
final class NameQuery {
    private static final long PAUSE_MILLIS = 25;

    private final InetAddress node;
    private final NameSettings settings;
    private final int[] services;
    private final FabricAddress[] found;
    private final long deadline;
    private final long giveUp;

    NameQuery(final InetAddress node, final NameSettings settings, final int[] services, final long deadline) {
        this.node = node;
        this.settings = settings;
        this.services = services;
        this.deadline = deadline;
        found = new FabricAddress[services.length];
        final long grace = TimeUnit.MILLISECONDS.toNanos(NameSettings.graceMillis());
        giveUp = System.nanoTime() + Math.min(grace, deadline - System.nanoTime());
    }

    /** Addresses in the order of services; null for those that are not there. */
    FabricAddress[] ask() {
        while (true) {
            try {
                round();
            } catch (final IOException e) {
                if (e instanceof SocketTimeoutException || e instanceof ProtocolException || isOver()) {
                    throw failure(e);
                }
            }
            if (Arrays.stream(found).noneMatch(one -> one == null) || isOver()) {
                return found;
            }
            pause();
        }
    }

    private boolean isOver() {
        return System.nanoTime() - giveUp >= 0;
    }

    private void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(new ClosedByInterruptException());
        }
    }

    /** This user's service of this node is asked by its socket; another user's, if it is to be found, by TCP. */
    private SocketAddress server() throws IOException {
        if (settings.isHere(node)) {
            final UnixDomainSocketAddress own = NameSocket.find(settings.port());
            if (node.isLoopbackAddress() || Files.exists(own.getPath(), LinkOption.NOFOLLOW_LINKS)) {
                return own;
            }
        }
        return new InetSocketAddress(node, settings.port());
    }

    private void round() throws IOException {
        final SocketAddress server = server();
        try (NameConnection connection = NameConnection.open(server, deadline)) {
            for (int from = 0; from < services.length; from += NameFrame.MAX_QUERY) {
                part(connection, from, Math.min(NameFrame.MAX_QUERY, services.length - from));
            }
        }
    }

    private void part(final NameConnection connection, final int from, final int count) throws IOException {
        final ByteBuffer request = NameFrame.query(connection.nextId(), services, from, count);
        final ByteBuffer reply = connection.ask(request, NameFrame.QUERY, deadline);
        final int one = Short.BYTES + NameFrame.ADDRESS;
        if (reply.remaining() != Short.BYTES + count * one || (reply.getShort() & 0xffff) != count) {
            throw new ProtocolException("the name service at " + node + " answers another number of services");
        }
        for (int i = from; i < from + count; i++) {
            final int errno = reply.getShort() & 0xffff;
            final FabricAddress address = NameFrame.address(reply);
            found[i] = errno == 0 ? checked(address) : null;
        }
    }

    private FabricAddress checked(final FabricAddress address) throws ProtocolException {
        try {
            return address.decoded();
        } catch (final FabricException e) {
            throw new ProtocolException("the name service at " + node + " answers nonsense: " + e.getMessage());
        }
    }

    private FabricException failure(final IOException cause) {
        return FabricException.of(NameFailures.RESOLVE)
            .detail("name service at %s, port %d: %s", node.getHostAddress(), settings.port(),
                cause.getMessage() == null ? cause.toString() : cause.getMessage())
            .errno(errno(cause)).hint(hint(cause)).cause(cause).build();
    }

    private static String hint(final IOException cause) {
        return cause instanceof ConnectException
            ? "it runs while an endpoint of that node is registered, for processes of the same user on that node "
                + "only unless " + NameSettings.ADDRESS + " says otherwise there"
            : "see " + NameSettings.PORT + " and " + NameSettings.TIMEOUT;
    }

    private static int errno(final IOException cause) {
        final String text = String.valueOf(cause.getMessage());
        if (cause instanceof ClosedByInterruptException) {
            return FiErrno.FI_EINTR;
        }
        if (cause instanceof SocketTimeoutException || text.contains("timed out")) {
            return FiErrno.FI_ETIMEDOUT;
        }
        if (cause instanceof NoRouteToHostException) {
            return FiErrno.FI_EHOSTUNREACH;
        }
        if (text.contains("unreachable")) {
            return FiErrno.FI_ENETUNREACH;
        }
        if (cause instanceof ProtocolException) {
            return FiErrno.FI_EPROTO;
        }
        return cause instanceof ConnectException ? FiErrno.FI_ECONNREFUSED : FiErrno.FI_ECONNRESET;
    }
}
