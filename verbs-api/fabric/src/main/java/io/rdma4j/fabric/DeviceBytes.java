/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import io.rdma4j.verbs.Gid;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The device's own format of addresses, byte by byte: see {@link FabricAddress}. */
final class DeviceBytes {
    private static final int QPN_OFFSET = Gid.LENGTH;
    private static final int QKEY_OFFSET = 20;
    private static final int VERSION_OFFSET = 24;
    private static final int KIND_OFFSET = 26;
    private static final int ZERO_OFFSET = 28;
    private static final EndpointType[] KINDS = EndpointType.values();

    private DeviceBytes() {
    }

    static FabricAddress check(final FabricAddress address) {
        final ByteBuffer bytes = bytes(address);
        final int version = bytes.getShort(VERSION_OFFSET) & 0xffff;
        if (version != FabricAddress.DEVICE_VERSION) {
            throw bad("version is %d, this is version %d", version, FabricAddress.DEVICE_VERSION);
        }
        final int qpn = bytes.getInt(QPN_OFFSET);
        if (qpn < 0 || qpn > FabricAddress.MAX_QPN) {
            throw bad("qpn is 0x%x, allowed are 0 to 0x%x", qpn, FabricAddress.MAX_QPN);
        }
        if (find(bytes.getShort(KIND_OFFSET)) == null) {
            throw bad("kind of endpoint is %d, known are %d to %d", bytes.getShort(KIND_OFFSET), KINDS[0].value(),
                KINDS[KINDS.length - 1].value());
        }
        if (bytes.getInt(ZERO_OFFSET) != 0) {
            throw bad("bytes from %d are 0x%08x, not 0", ZERO_OFFSET, bytes.getInt(ZERO_OFFSET));
        }
        return address;
    }

    static Gid gid(final FabricAddress address) {
        return Gid.of(Arrays.copyOf(address.raw(), Gid.LENGTH));
    }

    static int qpn(final FabricAddress address) {
        return bytes(address).getInt(QPN_OFFSET);
    }

    static int qkey(final FabricAddress address) {
        return bytes(address).getInt(QKEY_OFFSET);
    }

    static EndpointType kind(final FabricAddress address) {
        return find(bytes(address).getShort(KIND_OFFSET));
    }

    private static EndpointType find(final int value) {
        for (final EndpointType kind : KINDS) {
            if (kind.value() == value) {
                return kind;
            }
        }
        return null;
    }

    private static ByteBuffer bytes(final FabricAddress address) {
        return ByteBuffer.wrap(address.raw()).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static FabricException bad(final String format, final Object... values) {
        return FabricException.of("read address").detail(format, values).errno(FiErrno.FI_EINVAL)
            .hint("use what Endpoint.address() of the peer told").build();
    }
}
