/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiErrno;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/** Registers with the process that serves this node; what was registered lives as long as this connection. */
final class NameMember implements NameRole {
    /** Of the time for registering: there may be another way when this one leads nowhere. */
    private static final double SHARE = 0.4;

    private final NameConnection connection;

    private NameMember(final NameConnection connection) {
        this.connection = connection;
    }

    static NameMember open(final NameSettings settings) throws IOException {
        return new NameMember(NameConnection.open(NameSocket.find(settings.port()), answerBy()));
    }

    /** 2 s from now with the usual settings. */
    private static long answerBy() {
        return System.nanoTime() + (long) (SHARE * TimeUnit.MILLISECONDS.toNanos(NameSettings.timeoutMillis()));
    }

    @Override
    public int register(final int service, final FabricAddress device) throws IOException {
        final ByteBuffer reply = ask(NameFrame.register(connection.nextId(), service, device), NameFrame.REGISTER);
        final int errno = reply.getShort() & 0xffff;
        final int given = reply.getShort() & 0xffff;
        if (errno == 0 && (given == 0 || service != 0 && given != service)) {
            throw new ProtocolException("service " + given + " was registered in place of " + service);
        }
        return errno == 0 ? given : -errno;
    }

    @Override
    public void unregister(final int service) throws IOException {
        final int errno = ask(NameFrame.unregister(connection.nextId(), service), NameFrame.UNREGISTER).getShort();
        if (errno != 0 && errno != FiErrno.FI_ENOENT) {
            throw new ProtocolException("unregistering service " + service + " failed with " + errno);
        }
    }

    private ByteBuffer ask(final ByteBuffer request, final int operation) throws IOException {
        final ByteBuffer reply = connection.ask(request, operation, answerBy());
        if (reply.remaining() != 2 * Short.BYTES) {
            throw new ProtocolException("a reply with " + reply.remaining() + " bytes");
        }
        return reply;
    }

    @Override
    public void work(final long millis) throws IOException {
        connection.idle(millis);
    }

    @Override
    public void wakeUp() {
        connection.wakeUp();
    }

    @Override
    public boolean isServer() {
        return false;
    }

    @Override
    public void close() {
        connection.close();
    }
}
