/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/** One connection as the server sees it: untrusted. For the server's thread. */
final class NameClient {
    private static final int STRANGER = 6;

    private final SocketChannel channel;
    private final SelectionKey key;
    private final NameTable table;
    /** Null for a process of this user on this node; only such a one registers. */
    private final InetAddress from;
    private final AtomicLong counter;
    private final long accepted;
    private final ByteBuffer in = ByteBuffer.allocate(NameFrame.MAX_REQUEST);
    private ByteBuffer out;
    private boolean ending;
    private long lastSign;
    private int services;

    NameClient(
        final SocketChannel channel, final SelectionKey key, final NameTable table, final InetAddress from,
        final AtomicLong refused) {
        this.channel = channel;
        this.key = key;
        this.table = table;
        this.from = from;
        counter = refused;
        lastSign = System.nanoTime();
        accepted = lastSign;
    }

    InetAddress from() {
        return from;
    }

    /** Whoever has one address of IPv6 has all with its first half. */
    boolean isFrom(final InetAddress address) {
        return from instanceof Inet6Address && address instanceof Inet6Address
            ? Arrays.equals(from.getAddress(), 0, Long.BYTES, address.getAddress(), 0, Long.BYTES)
            : address.equals(from);
    }

    /**
     * A connection that neither asks nor has something registered, or stops in the middle, has so long; one of a
     * stranger, who may ask for nothing all day, a few times that in all.
     */
    boolean isSilent(final long now, final long nanos) {
        final boolean waits = services > 0 && in.position() == 0 && out == null;
        return !waits && now - lastSign > nanos || from != null && now - accepted > nanos * STRANGER;
    }

    /** Does what can be done without waiting; the next request only when the last reply has gone. */
    void ready() throws IOException {
        if (out == null) {
            final int read = channel.read(in);
            if (read < 0) {
                throw new IOException("the other side closed the connection");
            }
            if (read > 0 && read == in.position()) {
                lastSign = System.nanoTime();
            }
            answer();
        }
        write();
    }

    private void answer() {
        try {
            if (NameFrame.isWhole(in, NameFrame.MAX_REQUEST)) {
                lastSign = System.nanoTime();
                final int length = in.getShort(0) & 0xffff;
                final ByteBuffer request = in.duplicate().position(Short.BYTES).limit(length);
                out = reply(request);
                in.limit(in.position()).position(length);
                in.compact();
            }
        } catch (final ProtocolException e) {
            out = refuse(0, FiErrno.FI_EPROTO);
        }
    }

    private ByteBuffer reply(final ByteBuffer request) {
        final int version = request.get();
        final int operation = request.get() & 0xff;
        final int id = request.getInt();
        if (version != NameFrame.VERSION) {
            return refuse(id, FiErrno.FI_EOPNOTSUPP);
        }
        return switch (operation) {
            case NameFrame.QUERY -> query(id, request);
            case NameFrame.REGISTER -> register(id, request);
            case NameFrame.UNREGISTER -> unregister(id, request);
            default -> refuse(id, FiErrno.FI_EPROTO);
        };
    }

    private ByteBuffer refuse(final int id, final int errno) {
        ending = true;
        counter.incrementAndGet();
        return NameFrame.status(NameFrame.REFUSED, id, errno, 0);
    }

    private ByteBuffer query(final int id, final ByteBuffer request) {
        final int count = request.remaining() < Short.BYTES ? -1 : request.getShort() & 0xffff;
        if (count < 1 || count > NameFrame.MAX_QUERY || request.remaining() != count * Short.BYTES) {
            return refuse(id, FiErrno.FI_EPROTO);
        }
        final int one = Short.BYTES + NameFrame.ADDRESS;
        final ByteBuffer reply = NameFrame.begin(NameFrame.QUERY | NameFrame.REPLY, id, Short.BYTES + count * one);
        reply.putShort((short) count);
        for (int i = 0; i < count; i++) {
            final var device = table.find(request.getShort() & 0xffff);
            reply.putShort((short) (device == null ? FiErrno.FI_ENODATA : 0))
                .put(device == null ? new byte[NameFrame.ADDRESS] : device.bytes());
        }
        return reply.flip();
    }

    private ByteBuffer register(final int id, final ByteBuffer request) {
        if (request.remaining() != 2 * Short.BYTES + NameFrame.ADDRESS) {
            return refuse(id, FiErrno.FI_EPROTO);
        }
        final int operation = NameFrame.REGISTER | NameFrame.REPLY;
        if (from != null) {
            return NameFrame.status(operation, id, FiErrno.FI_EACCES, 0);
        }
        final int service = request.getShort() & 0xffff;
        request.getShort();
        try {
            final int result = table.add(this, service, NameFrame.address(request).decoded());
            services += result > 0 ? 1 : 0;
            return NameFrame.status(operation, id, Math.max(0, -result), Math.max(0, result));
        } catch (final FabricException e) {
            return NameFrame.status(operation, id, e.errno(), 0);
        }
    }

    private ByteBuffer unregister(final int id, final ByteBuffer request) {
        if (request.remaining() != 2 * Short.BYTES) {
            return refuse(id, FiErrno.FI_EPROTO);
        }
        final int service = request.getShort() & 0xffff;
        final boolean removed = table.remove(this, service);
        services -= removed ? 1 : 0;
        return NameFrame.status(NameFrame.UNREGISTER | NameFrame.REPLY, id, removed ? 0 : FiErrno.FI_ENOENT, service);
    }

    private void write() throws IOException {
        while (out != null) {
            channel.write(out);
            if (out.hasRemaining()) {
                break;
            }
            lastSign = System.nanoTime();
            out = null;
            if (ending) {
                throw new ProtocolException("a request that makes no sense");
            }
            // Others may have come in one piece with the last one.
            answer();
        }
        key.interestOps(out == null ? SelectionKey.OP_READ : SelectionKey.OP_WRITE);
    }

    void end() throws IOException {
        table.removeAll(this);
        key.cancel();
        channel.close();
    }
}
