/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.RdmaException;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The messages of {@link RdmaConnector}, in network byte order. The header and REFUSED stay as they are in all
 * versions, so that different versions can tell each other.
 *
 * <pre>
 *   header                              HELLO
 *   0  magic, 8 bytes                   0  role: 1 connects, 2 listens
 *   8  version (2)                      1  QP type: 2 RC, 4 UD (as enum ibv_qp_type)
 *  10  kind (2)                         2  path MTU: 1 to 5 (as enum ibv_mtu)
 *  12  bytes that follow (4)            3  READs and atomics that the sender would begin
 *                                       4  READs and atomics that it would accept
 *   READY, DONE                         5  zero, 3 bytes
 *   nothing                             8  GID, 16 bytes
 *                                      24  QP number (4)
 *   REFUSED                            28  first packet sequence number (4)
 *   0  errno, as Linux counts (4)      32  queue key (4)
 *   4  why, UTF-8                      36  private data, to the end
 * </pre>
 */
final class ConnectWire {
    static final int VERSION = 1;
    static final int HEADER_LENGTH = 16;
    static final int HELLO = 1;
    static final int READY = 2;
    static final int DONE = 3;
    static final int REFUSED = 4;
    static final int HELLO_LENGTH = 36;
    static final int MAX_PAYLOAD = HELLO_LENGTH + ConnectOptions.MAX_PRIVATE_DATA;
    static final int MAX_TEXT = 512;

    /** A byte that is no text first, and at the end what a line-wise protocol would change. */
    private static final byte[] MAGIC = {(byte) 0x89, 'R', 'D', 'M', 'A', '4', 'J', '\n'};
    private static final int VERSION_OFFSET = 8;
    private static final int KIND_OFFSET = 10;
    private static final int LENGTH_OFFSET = 12;
    private static final int IBV_QPT_RC = 2;
    private static final int IBV_QPT_UD = 4;
    private static final int ADDRESS_OFFSET = 8;
    private static final int EPROTO = 71;
    private static final int EPROTONOSUPPORT = 93;
    private static final int MAX_ERRNO = 133;
    private static final int MAX_COUNT = 255;

    private static final String[] KINDS = {"", "HELLO", "READY", "DONE", "REFUSED"};

    private ConnectWire() {
    }

    static String nameOf(final int kind) {
        return kind >= HELLO && kind <= REFUSED ? KINDS[kind] : "message " + kind;
    }

    static ByteBuffer hello(final Hello hello) {
        final byte[] data = hello.privateData();
        final QpAddress address = hello.address();
        return message(HELLO, HELLO_LENGTH + data.length)
            .put((byte) hello.role().code())
            .put((byte) (hello.type() == QpType.RC ? IBV_QPT_RC : IBV_QPT_UD))
            .put((byte) hello.pathMtu().code())
            .put((byte) hello.maxRdAtomic())
            .put((byte) hello.maxDestRdAtomic())
            .position(HEADER_LENGTH + ADDRESS_OFFSET)
            .putLong(address.gid().high()).putLong(address.gid().low())
            .putInt(address.qpn()).putInt(address.psn()).putInt(address.qkey())
            .put(data)
            .flip();
    }

    /** READY or DONE. */
    static ByteBuffer signal(final int kind) {
        return message(kind, 0).flip();
    }

    static ByteBuffer refused(final int errno, final String why) {
        final byte[] bytes = why.getBytes(StandardCharsets.UTF_8);
        final int length = Math.min(bytes.length, MAX_TEXT);
        return message(REFUSED, 4 + length).putInt(errno).put(bytes, 0, length).flip();
    }

    private static ByteBuffer message(final int kind, final int length) {
        return ByteBuffer.allocate(HEADER_LENGTH + length)
            .put(MAGIC).putShort((short) VERSION).putShort((short) kind).putInt(length);
    }

    /** Whether the bytes up to the position can be the beginning of a header. */
    static boolean canBeHeader(final ByteBuffer header) {
        for (int i = 0; i < Math.min(header.position(), MAGIC.length); i++) {
            if (header.get(i) != MAGIC[i]) {
                return false;
            }
        }
        return true;
    }

    static int kind(final ByteBuffer header) {
        return header.getShort(KIND_OFFSET) & 0xffff;
    }

    /** Bytes that follow a whole header; refuses what this version does not know. */
    static int payloadLength(final ByteBuffer header) {
        final int version = header.getShort(VERSION_OFFSET) & 0xffff;
        final int kind = kind(header);
        if (version != VERSION && kind != REFUSED) {
            throw new BadMessage(EPROTONOSUPPORT, "it speaks version " + version + " of this protocol, here is "
                + VERSION);
        }
        final int length = header.getInt(LENGTH_OFFSET);
        if (length < leastLength(kind) || length > mostLength(kind)) {
            throw malformed("its %s claims a length of %d", nameOf(kind), length & 0xffff_ffffL);
        }
        return length;
    }

    private static int leastLength(final int kind) {
        return switch (kind) {
            case HELLO -> HELLO_LENGTH;
            case READY, DONE -> 0;
            case REFUSED -> 4;
            default -> throw malformed("it sent an unknown message, %d", kind);
        };
    }

    private static int mostLength(final int kind) {
        return switch (kind) {
            case HELLO -> MAX_PAYLOAD;
            case REFUSED -> 4 + MAX_TEXT;
            default -> 0;
        };
    }

    static Hello readHello(final ByteBuffer payload) {
        final Hello.Role role = Hello.Role.of(payload.get(0));
        final QpType type = payload.get(1) == IBV_QPT_RC ? QpType.RC : payload.get(1) == IBV_QPT_UD ? QpType.UD : null;
        final int mtu = payload.get(2);
        final int zeros = payload.get(5) | payload.get(6) | payload.get(7);
        if (role == null || type == null || mtu < 1 || mtu > Mtu.values().length || zeros != 0) {
            throw malformed("its HELLO has role %d, QP type %d, MTU %d and 0x%x where zero belongs", payload.get(0),
                payload.get(1), mtu, zeros & MAX_COUNT);
        }
        final byte[] data = new byte[payload.limit() - HELLO_LENGTH];
        payload.position(HELLO_LENGTH).get(data);
        return new Hello(role, type, Mtu.of(mtu), payload.get(3) & MAX_COUNT, payload.get(4) & MAX_COUNT,
            address(payload), data);
    }

    private static QpAddress address(final ByteBuffer payload) {
        payload.position(ADDRESS_OFFSET);
        final Gid gid = new Gid(payload.getLong(), payload.getLong());
        final int qpn = payload.getInt();
        final int psn = payload.getInt();
        if ((qpn | psn) >>> 24 != 0 || gid.isZero() || gid.isMulticast()) {
            throw malformed("its HELLO names QP 0x%x with packet sequence number 0x%x at GID %s", qpn, psn, gid);
        }
        return new QpAddress(gid, qpn, psn, payload.getInt());
    }

    /** What the peer says why it does not want to; bytes from outside, so only what can be printed. */
    static BadMessage refusal(final ByteBuffer payload) {
        final int errno = payload.getInt(0);
        final byte[] text = new byte[payload.limit() - 4];
        payload.position(4).get(text);
        final String why = new String(text, StandardCharsets.UTF_8).replaceAll("[^\\x20-\\x7e]", "?");
        return new BadMessage(errno >= 1 && errno <= MAX_ERRNO ? errno : EPROTO, "it refused: " + why);
    }

    static BadMessage malformed(final String format, final Object... args) {
        return new BadMessage(EPROTO, String.format(Locale.ROOT, format, args));
    }

    /** What came does not do: says why, to be completed by who knows the peer. */
    static final class BadMessage extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final int errno;

        BadMessage(final int errno, final String why) {
            super(why, null, false, false);
            this.errno = errno;
        }

        RdmaException from(final Object peer, final String operation) {
            return RdmaException.of(operation).object("peer " + peer).detail("%s", getMessage()).errno(errno).build();
        }

        int errno() {
            return errno;
        }
    }
}
