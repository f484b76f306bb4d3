/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.FabricAddress;
import java.net.ProtocolException;
import java.nio.ByteBuffer;

/**
 * What goes over connections of the name service. Numbers are big endian.
 *
 * <pre>
 *  0 u16 bytes of all of it | 2 u8 version | 3 u8 operation, + 128 in replies | 4 u32 number of the request | 8 body
 *
 *  QUERY       u16 count, count times u16 service             reply: u16 count, count times (u16 errno, address)
 *  REGISTER    u16 service (0: any), u16 0, address           reply: u16 errno, u16 service
 *  UNREGISTER  u16 service, u16 0                             reply: u16 errno, u16 service
 *  anything else, or with anything wrong                      reply: as of REFUSED, u16 errno, u16 0; then the end
 * </pre>
 */
final class NameFrame {
    static final int VERSION = 1;
    static final int HEADER = 8;
    static final int QUERY = 1;
    static final int REGISTER = 2;
    static final int UNREGISTER = 3;
    static final int REPLY = 0x80;
    static final int REFUSED = 0xff;
    /** Most services in one query. */
    static final int MAX_QUERY = 256;
    static final int ADDRESS = FabricAddress.size(AddressFormat.DEVICE);
    static final int MAX_REQUEST = HEADER + Short.BYTES + Short.BYTES * MAX_QUERY;
    static final int MAX_REPLY = HEADER + Short.BYTES + (Short.BYTES + ADDRESS) * MAX_QUERY;

    private NameFrame() {
    }

    static ByteBuffer begin(final int operation, final int id, final int body) {
        return ByteBuffer.allocate(HEADER + body).putShort((short) (HEADER + body)).put((byte) VERSION)
            .put((byte) operation).putInt(id);
    }

    static ByteBuffer query(final int id, final int[] services, final int from, final int count) {
        final ByteBuffer frame = begin(QUERY, id, Short.BYTES + Short.BYTES * count).putShort((short) count);
        for (int i = 0; i < count; i++) {
            frame.putShort((short) services[from + i]);
        }
        return frame.flip();
    }

    static ByteBuffer register(final int id, final int service, final FabricAddress device) {
        return begin(REGISTER, id, 2 * Short.BYTES + ADDRESS).putShort((short) service).putShort((short) 0)
            .put(device.bytes()).flip();
    }

    static ByteBuffer unregister(final int id, final int service) {
        return begin(UNREGISTER, id, 2 * Short.BYTES).putShort((short) service).putShort((short) 0).flip();
    }

    static ByteBuffer status(final int operation, final int id, final int errno, final int service) {
        return begin(operation, id, 2 * Short.BYTES).putShort((short) errno).putShort((short) service).flip();
    }

    /** Whether a whole frame is there, from 0 to the position. */
    static boolean isWhole(final ByteBuffer filled, final int most) throws ProtocolException {
        if (filled.position() < Short.BYTES) {
            return false;
        }
        final int length = filled.getShort(0) & 0xffff;
        if (length < HEADER || length > most) {
            throw new ProtocolException("a frame of " + length + " bytes; allowed are " + HEADER + " to " + most);
        }
        return filled.position() >= length;
    }

    static FabricAddress address(final ByteBuffer from) {
        final byte[] bytes = new byte[ADDRESS];
        from.get(bytes);
        return FabricAddress.of(AddressFormat.DEVICE, bytes);
    }
}
