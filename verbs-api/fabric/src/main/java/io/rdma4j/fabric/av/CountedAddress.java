/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.FabricAddress;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * An address as what can count up from one to the next, and as what is the same for all of a range: its device address,
 * and what was inserted if that is a socket's. Also the difference of two of them.
 */
final class CountedAddress {
    private static final int PORT = 2;
    private static final byte[] NOTHING = {};

    long gidHigh;
    long gidLow;
    long qpn;
    /** Queue key and kind. */
    long rest;
    /** The end of the network address. */
    long ip;
    long port;
    /** Bytes of what was inserted, without the network address' end and the port; empty if it is the device's. */
    byte[] frame = NOTHING;

    private static int ipOffset(final AddressFormat format) {
        return format == AddressFormat.SOCKADDR_IN ? 4 : 16;
    }

    void set(final AvEntry entry) {
        device(entry);
        final AddressFormat format = entry.format();
        if (format == AddressFormat.DEVICE) {
            return;
        }
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[entry.length()]);
        entry.copyTo(bytes, 0);
        final int at = ipOffset(format);
        port = bytes.getShort(PORT, ByteOrder.BIG_ENDIAN) & 0xffff;
        bytes.putShort(PORT, (short) 0);
        if (format == AddressFormat.SOCKADDR_IN) {
            ip = bytes.getInt(at, ByteOrder.BIG_ENDIAN) & 0xffff_ffffL;
            // What follows is padding.
            bytes.setMemory(at, entry.length() - at, (byte) 0);
        } else {
            ip = bytes.getLong(at, ByteOrder.BIG_ENDIAN);
            bytes.putLong(at, 0);
        }
        frame = bytes.byteArray();
    }

    /** Only where the device finds it. */
    void device(final AvEntry entry) {
        gidHigh = entry.gidHigh();
        gidLow = entry.gidLow();
        qpn = entry.qpn();
        rest = (long) entry.qkey() << 32 | entry.kind();
    }

    /** Has an entry say all of it. */
    void copyTo(final AddressFormat format, final AvEntry entry) {
        entry.device(gidHigh, gidLow, (int) qpn, (int) (rest >>> 32), (int) rest);
        copyTo(format, entry.bytes(format, FabricAddress.size(format)));
    }

    /** Writes what was inserted. */
    void copyTo(final AddressFormat format, final MutableDirectBuffer to) {
        if (format == AddressFormat.DEVICE) {
            DeviceAddresses.write(to, gidHigh, gidLow, (int) qpn, (int) (rest >>> 32), (int) rest);
            return;
        }
        to.putBytes(0, frame);
        to.putShort(PORT, (short) port, ByteOrder.BIG_ENDIAN);
        if (format == AddressFormat.SOCKADDR_IN) {
            to.putInt(ipOffset(format), (int) ip, ByteOrder.BIG_ENDIAN);
        } else {
            to.putLong(ipOffset(format), ip, ByteOrder.BIG_ENDIAN);
        }
    }

    CountedAddress copy() {
        final CountedAddress copy = new CountedAddress();
        copy.set(this, 0, this, 0, this);
        return copy;
    }

    /** A base, so many steps of the one kind, and so many of the other. */
    void set(
        final CountedAddress base, final long a, final CountedAddress stepA, final long b,
        final CountedAddress stepB) {
        gidHigh = base.gidHigh;
        rest = base.rest;
        frame = base.frame;
        gidLow = base.gidLow + a * stepA.gidLow + b * stepB.gidLow;
        qpn = base.qpn + a * stepA.qpn + b * stepB.qpn;
        ip = base.ip + a * stepA.ip + b * stepB.ip;
        port = base.port + a * stepA.port + b * stepB.port;
    }

    /** What leads from another one to this one. */
    CountedAddress minus(final CountedAddress other) {
        final CountedAddress step = new CountedAddress();
        step.gidLow = gidLow - other.gidLow;
        step.qpn = qpn - other.qpn;
        step.ip = ip - other.ip;
        step.port = port - other.port;
        return step;
    }

    /** Whether all that does not count is the same. */
    boolean alike(final CountedAddress other) {
        return gidHigh == other.gidHigh && rest == other.rest && Arrays.equals(frame, other.frame);
    }

    /** Whether it has this device address. */
    boolean isAt(final AvEntry device) {
        return gidHigh == device.gidHigh() && gidLow == device.gidLow() && qpn == device.qpn()
            && (int) (rest >>> 32) == device.qkey();
    }

    long memoryUse() {
        return 72 + Memory.of(frame);
    }
}
