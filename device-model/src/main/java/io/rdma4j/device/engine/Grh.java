/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.link.Message;
import io.rdma4j.hw.pvrdma.GidType;
import io.rdma4j.hw.pvrdma.NetworkHdrType;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Deth;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The 40 bytes in front of a received datagram: the global route header, which is an IPv6 header, or an IPv4 header in
 * its last 20 bytes.
 */
final class Grh {
    static final int LENGTH = 40;

    private static final int IPV4_OFFSET = 20;
    private static final int IPV4_LENGTH = 20;
    private static final int IPV4_CHECK_SUM_OFFSET = IPV4_OFFSET + 10;
    private static final int DONT_FRAGMENT = 0x4000;
    private static final int UDP_LENGTH = 8;
    /** BTH and DETH in front of the payload, ICRC behind it. */
    private static final int TRANSPORT_LENGTH = Bth.LENGTH + Deth.LENGTH + Integer.BYTES;
    private static final int NEXT_HEADER_IBA = 0x1b;
    private static final int NEXT_HEADER_UDP = 17;
    private static final ByteOrder NETWORK = ByteOrder.BIG_ENDIAN;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(LENGTH);
    private final UnsafeBuffer buffer = new UnsafeBuffer(memory);
    private final long address = BufferUtil.address(memory);

    /** Fills the header for a message; returns its address in this process. */
    long fill(Message message) {
        buffer.setMemory(0, LENGTH, (byte) 0);
        if (networkType(message) == NetworkHdrType.PVRDMA_NETWORK_IPV4) {
            fillIpv4(message);
        } else {
            fillIpv6(message);
        }
        return address;
    }

    static int networkType(Message message) {
        if ((message.gidType & GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V2) == 0) {
            return NetworkHdrType.PVRDMA_NETWORK_IB;
        }
        return message.destGidHigh == 0 && message.destGidLow >>> 32 == 0xffffL
            ? NetworkHdrType.PVRDMA_NETWORK_IPV4 : NetworkHdrType.PVRDMA_NETWORK_IPV6;
    }

    private void fillIpv6(Message message) {
        buffer.putInt(0, 6 << 28 | (message.trafficClass & 0xff) << 20 | message.flowLabel & 0xf_ffff, NETWORK);
        buffer.putShort(4, (short) lengthBehind(message), NETWORK);
        buffer.putByte(6, (byte) (networkType(message) == NetworkHdrType.PVRDMA_NETWORK_IB ? NEXT_HEADER_IBA
            : NEXT_HEADER_UDP));
        buffer.putByte(7, (byte) message.hopLimit);
        buffer.putLong(8, message.sourceGidHigh, NETWORK);
        buffer.putLong(16, message.sourceGidLow, NETWORK);
        buffer.putLong(24, message.destGidHigh, NETWORK);
        buffer.putLong(32, message.destGidLow, NETWORK);
    }

    private void fillIpv4(Message message) {
        buffer.putByte(IPV4_OFFSET, (byte) 0x45);
        buffer.putByte(IPV4_OFFSET + 1, (byte) message.trafficClass);
        buffer.putShort(IPV4_OFFSET + 2, (short) (IPV4_LENGTH + lengthBehind(message)), NETWORK);
        buffer.putShort(IPV4_OFFSET + 6, (short) DONT_FRAGMENT, NETWORK);
        buffer.putByte(IPV4_OFFSET + 8, (byte) message.hopLimit);
        buffer.putByte(IPV4_OFFSET + 9, (byte) NEXT_HEADER_UDP);
        buffer.putInt(IPV4_OFFSET + 12, (int) message.sourceGidLow, NETWORK);
        buffer.putInt(IPV4_OFFSET + 16, (int) message.destGidLow, NETWORK);
        buffer.putShort(IPV4_CHECK_SUM_OFFSET, (short) checkSum(), NETWORK);
    }

    /** Bytes of the packet behind the IP header, as on the wire. */
    private static int lengthBehind(Message message) {
        final int length = (int) message.length;
        return (networkType(message) == NetworkHdrType.PVRDMA_NETWORK_IB ? 0 : UDP_LENGTH) + TRANSPORT_LENGTH
            + (message.immediate ? Integer.BYTES : 0) + length + Bth.pad(length);
    }

    /** Of the IPv4 header, in which it is 0 (RFC 791). */
    private int checkSum() {
        int sum = 0;
        for (int at = IPV4_OFFSET; at < LENGTH; at += Short.BYTES) {
            sum += Short.toUnsignedInt(buffer.getShort(at, NETWORK));
        }
        sum = (sum & 0xffff) + (sum >>> 16);
        return ~(sum + (sum >>> 16));
    }
}
