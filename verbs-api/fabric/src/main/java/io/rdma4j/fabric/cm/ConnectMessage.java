/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.verbs.Gid;

import java.nio.ByteOrder;
import java.util.zip.CRC32;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A datagram of the handshakes, little endian but for the GID. Who takes one apart trusts nothing in it. The checksum
 * finds accidents; that a name in it comes from one who has the authorization key is what the name's own seal says.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                             magic                             |  0
 *  +-------------------------------+---------------+---------------+
 *  |            version            |     type      |    reason     |  4
 *  +-------------------------------+---------------+---------------+
 *  |                       life of the sender                      |  8
 *  |                    connection of the sender                   | 16
 *  |                      life of the receiver                     | 24
 *  |                   connection of the receiver                  | 32
 *  |                       GID of the sender                       | 40
 *  |                       qpn of the sender                       | 56
 *  |                       qkey of the sender                      | 60
 *  |              how long the sender waits, in ms                 | 64
 *  +-------------------------------+-------------------------------+
 *  |       kind of endpoint        |       length of the name      | 68
 *  |     length of the data        |            reserved           | 72
 *  +-------------------------------+-------------------------------+
 *  |                   CRC-32, computed with 0 here                | 76
 *  +---------------------------------------------------------------+
 *  |                   name, then private data                     | 80
 * </pre>
 *
 * <p>The first 80 bytes are the same in all versions, so that one of another version can be refused.
 *
 * @param version    as it was sent; nothing but the fixed part is read from another one.
 * @param type       what it is.
 * @param reason     why.
 * @param kind       of endpoint.
 * @param ids        which connection.
 * @param source     where it says it comes from.
 * @param waitMillis how long the sender waits for an answer.
 * @param name       of the sender's end; empty for none.
 * @param data       of the application; empty for none.
 */
record ConnectMessage(
    int version, ConnectType type, Reason reason, EndpointType kind, ConnectIds ids, PeerId source,
    int waitMillis, byte[] name, byte[] data) {
    static final int VERSION = 1;
    static final int HEADER = 80;
    static final int MAX_NAME = 160;
    static final int MAX_DATA = MsgEndpoint.MAX_PRIVATE_DATA;
    static final int MAX_LENGTH = HEADER + MAX_NAME + MAX_DATA;
    static final int VERSION_OFFSET = 4;
    static final int CRC_OFFSET = 76;
    private static final byte[] NOTHING = {};
    private static final int MAGIC = 0x4d43_4652;
    private static final int TYPE_OFFSET = 6;
    private static final int REASON_OFFSET = 7;
    private static final int LIFE_OFFSET = 8;
    private static final int LINK_OFFSET = 16;
    private static final int PEER_LIFE_OFFSET = 24;
    private static final int PEER_LINK_OFFSET = 32;
    private static final int GID_OFFSET = 40;
    private static final int QPN_OFFSET = 56;
    private static final int QKEY_OFFSET = 60;
    private static final int WAIT_OFFSET = 64;
    private static final int KIND_OFFSET = 68;
    private static final int NAME_LENGTH_OFFSET = 70;
    private static final int DATA_LENGTH_OFFSET = 72;
    private static final int RESERVED_OFFSET = 74;
    private static final int MAX_24_BITS = 0xff_ffff;
    private static final int MAX_16_BITS = 0xffff;
    private static final int MAX_8_BITS = 0xff;
    private static final EndpointType[] KINDS = EndpointType.values();
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    /** One with neither name nor data. */
    static ConnectMessage of(
        final ConnectType type, final EndpointType kind, final ConnectIds ids, final PeerId source) {
        return new ConnectMessage(VERSION, type, Reason.NONE, kind, ids, source, 0, NOTHING, NOTHING);
    }

    ConnectMessage withReason(final Reason why) {
        return new ConnectMessage(version, type, why, kind, ids, source, waitMillis, name, data);
    }

    ConnectMessage withName(final byte[] bytes, final long waitNanos) {
        final long millis = Math.min(Integer.MAX_VALUE, Math.max(1, waitNanos / 1_000_000));
        return new ConnectMessage(version, type, reason, kind, ids, source, (int) millis, bytes, data);
    }

    ConnectMessage withData(final byte[] bytes) {
        return new ConnectMessage(version, type, reason, kind, ids, source, waitMillis, name, bytes);
    }

    /** Writes it; how long it is. */
    int encode(final MutableDirectBuffer to) {
        to.putInt(0, MAGIC, ORDER);
        to.putShort(VERSION_OFFSET, (short) version, ORDER);
        to.putByte(TYPE_OFFSET, (byte) type.code());
        to.putByte(REASON_OFFSET, (byte) reason.code());
        to.putLong(LIFE_OFFSET, ids.life(), ORDER);
        to.putLong(LINK_OFFSET, ids.link(), ORDER);
        to.putLong(PEER_LIFE_OFFSET, ids.peerLife(), ORDER);
        to.putLong(PEER_LINK_OFFSET, ids.peerLink(), ORDER);
        to.putBytes(GID_OFFSET, source.gid().bytes());
        to.putInt(QPN_OFFSET, source.qpn(), ORDER);
        to.putInt(QKEY_OFFSET, source.qkey(), ORDER);
        to.putInt(WAIT_OFFSET, waitMillis, ORDER);
        to.putShort(KIND_OFFSET, (short) kind.value(), ORDER);
        to.putShort(NAME_LENGTH_OFFSET, (short) name.length, ORDER);
        to.putShort(DATA_LENGTH_OFFSET, (short) data.length, ORDER);
        to.putShort(RESERVED_OFFSET, (short) 0, ORDER);
        to.putInt(CRC_OFFSET, 0, ORDER);
        to.putBytes(HEADER, name);
        to.putBytes(HEADER + name.length, data);
        final int length = HEADER + name.length + data.length;
        to.putInt(CRC_OFFSET, crc(copy(to, 0, length)), ORDER);
        return length;
    }

    private static byte[] copy(final DirectBuffer from, final int offset, final int length) {
        final byte[] bytes = new byte[length];
        from.getBytes(offset, bytes);
        return bytes;
    }

    private static int crc(final byte[] bytes) {
        final CRC32 crc = new CRC32();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /** Reads one; null for anything that is none. Never throws. */
    static ConnectMessage decode(final DirectBuffer buffer, final int offset, final int length) {
        if (length < HEADER || length > UdEnd.MAX_MESSAGE || buffer.getInt(offset, ORDER) != MAGIC) {
            return null;
        }
        // A copy, as who sent it, or the device, may change it while it is checked.
        final byte[] bytes = copy(buffer, offset, length);
        final UnsafeBuffer from = new UnsafeBuffer(bytes);
        final int crc = from.getInt(CRC_OFFSET, ORDER);
        from.putInt(CRC_OFFSET, 0, ORDER);
        return crc == crc(bytes) ? parse(from, length) : null;
    }

    private static ConnectMessage parse(final UnsafeBuffer from, final int length) {
        final ConnectMessage fixed = new ConnectMessage(from.getShort(VERSION_OFFSET, ORDER) & MAX_16_BITS,
            ConnectType.of(from.getByte(TYPE_OFFSET)), Reason.of(from.getByte(REASON_OFFSET) & MAX_8_BITS),
            kind(from.getShort(KIND_OFFSET, ORDER)), ids(from), source(from), from.getInt(WAIT_OFFSET, ORDER), NOTHING,
            NOTHING);
        if (!fixed.isPlausible()) {
            return null;
        }
        return fixed.version == VERSION ? fixed.withRest(from, length) : fixed;
    }

    private static EndpointType kind(final int value) {
        for (final EndpointType kind : KINDS) {
            if (kind.value() == value) {
                return kind;
            }
        }
        return null;
    }

    private static ConnectIds ids(final UnsafeBuffer from) {
        return new ConnectIds(from.getLong(LIFE_OFFSET, ORDER), from.getLong(LINK_OFFSET, ORDER),
            from.getLong(PEER_LIFE_OFFSET, ORDER), from.getLong(PEER_LINK_OFFSET, ORDER));
    }

    private static PeerId source(final UnsafeBuffer from) {
        return new PeerId(from.getLong(GID_OFFSET, ByteOrder.BIG_ENDIAN),
            from.getLong(GID_OFFSET + Long.BYTES, ByteOrder.BIG_ENDIAN), from.getInt(QPN_OFFSET, ORDER),
            from.getInt(QKEY_OFFSET, ORDER));
    }

    private boolean isPlausible() {
        final Gid gid = source.gid();
        return type != null && reason != null && kind != null && waitMillis >= 0 && !gid.isZero()
            && !gid.isMulticast() && (source.qpn() & ~MAX_24_BITS) == 0 && ids.life() != 0 && version != 0;
    }

    private ConnectMessage withRest(final UnsafeBuffer from, final int length) {
        final int nameLength = from.getShort(NAME_LENGTH_OFFSET, ORDER) & MAX_16_BITS;
        final int dataLength = from.getShort(DATA_LENGTH_OFFSET, ORDER) & MAX_16_BITS;
        if (nameLength > MAX_NAME || dataLength > MAX_DATA || length != HEADER + nameLength + dataLength
            || from.getShort(RESERVED_OFFSET, ORDER) != 0) {
            return null;
        }
        return new ConnectMessage(version, type, reason, kind, ids, source, waitMillis,
            copy(from, HEADER, nameLength), copy(from, HEADER + nameLength, dataLength));
    }

    @Override
    public String toString() {
        return type + " " + reason + " of " + source + ", " + ids + ", " + data.length + " bytes of data";
    }
}
