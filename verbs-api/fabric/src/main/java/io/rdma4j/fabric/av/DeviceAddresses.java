/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;

/** Reads and writes addresses in the device's own format: layout as of {@link FabricAddress}. */
final class DeviceAddresses {
    private static final int QPN = 16;
    private static final int QKEY = 20;
    private static final int VERSION = 24;
    private static final int KIND = 26;
    private static final int PADDING = 28;
    private static final int QPN_MOST = 0xff_ffff;

    private DeviceAddresses() {
    }

    /** Has an entry of this format say where the device finds it; null, or what is wrong with it. */
    static Problem read(final AvEntry entry, final EndpointType expected) {
        return read(entry.bytes(), entry, expected);
    }

    /** Has an entry say where the device finds it: at this address. */
    static Problem read(final FabricAddress device, final AvEntry into, final EndpointType expected) {
        return read(new UnsafeBuffer(device.bytes()), into, expected);
    }

    private static Problem read(final DirectBuffer from, final AvEntry into, final EndpointType expected) {
        final long high = from.getLong(0, ByteOrder.BIG_ENDIAN);
        final long low = from.getLong(8, ByteOrder.BIG_ENDIAN);
        final int qpn = from.getInt(QPN, ByteOrder.LITTLE_ENDIAN);
        final int version = from.getShort(VERSION, ByteOrder.LITTLE_ENDIAN) & 0xffff;
        final int kind = from.getShort(KIND, ByteOrder.LITTLE_ENDIAN) & 0xffff;
        if (version != FabricAddress.DEVICE_VERSION) {
            return Problem.invalid("address has version %d, known is %d", version, FabricAddress.DEVICE_VERSION);
        }
        if (high == 0 && low == 0) {
            return Problem.invalid("address has no GID");
        }
        if (qpn < 0 || qpn > QPN_MOST) {
            return Problem.invalid("address has qpn 0x%x, allowed are 0 to 0x%x", qpn, QPN_MOST);
        }
        if (from.getInt(PADDING) != 0) {
            return Problem.invalid("address has 0x%08x at its end, which must be 0", from.getInt(PADDING));
        }
        final Problem problem = wrongKind(kind, expected);
        if (problem == null) {
            into.device(high, low, qpn, from.getInt(QKEY, ByteOrder.LITTLE_ENDIAN), kind);
        }
        return problem;
    }

    /** Has an entry say that this was inserted, in the device's own format. */
    static void write(final AvEntry into, final long high, final long low, final int qpn, final int qkey,
        final EndpointType kind) {
        write(into.bytes(AddressFormat.DEVICE, FabricAddress.size(AddressFormat.DEVICE)), high, low, qpn, qkey,
            kind.value());
    }

    static void write(final MutableDirectBuffer to, final long high, final long low, final int qpn, final int qkey,
        final int kind) {
        to.putLong(0, high, ByteOrder.BIG_ENDIAN);
        to.putLong(8, low, ByteOrder.BIG_ENDIAN);
        to.putInt(QPN, qpn, ByteOrder.LITTLE_ENDIAN);
        to.putInt(QKEY, qkey, ByteOrder.LITTLE_ENDIAN);
        to.putShort(VERSION, (short) FabricAddress.DEVICE_VERSION, ByteOrder.LITTLE_ENDIAN);
        to.putShort(KIND, (short) kind, ByteOrder.LITTLE_ENDIAN);
        to.putInt(PADDING, 0);
    }

    private static Problem wrongKind(final int kind, final EndpointType expected) {
        if (kind < EndpointType.MSG.value() || kind > EndpointType.RDM.value()) {
            return Problem.invalid("address is of a kind of endpoint %d, known are 1 to 3", kind);
        }
        if (expected != null && expected != EndpointType.MSG && kind != expected.value()) {
            return Problem.invalid("address is of a %s endpoint, those of this domain are %s",
                EndpointType.values()[kind - 1], expected);
        }
        return null;
    }
}
