/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static java.nio.ByteOrder.BIG_ENDIAN;

import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Messages for {@link DatagramCalls#send} and {@link DatagramCalls#receive}, laid out once in off-heap memory. The
 * bytes of the messages are elsewhere and the caller's. For one thread at a time.
 *
 * <p>First an array of {@code struct mmsghdr}, then for each message what its header points to.
 * <pre>
 *    0        8        16       24       32       40       48       56       64
 *   +--------+--------+--------+--------+--------+--------+--------+--------+
 *   |name    |namelen |iov     |iovlen  |control |ctrllen |flags   |length  |  struct mmsghdr
 *   +--------+--------+--------+--------+--------+--------+--------+--------+
 *    0        8        16                          48                        112
 *   +--------+--------+---------------------------+-------------------------+
 *   |base    |length  | sockaddr_in or _in6       | two struct cmsghdr      |  what it points to
 *   +--------+--------+---------------------------+-------------------------+
 * </pre>
 *
 * <p>glibc's and musl's layouts are the same on little-endian 64-bit machines.
 */
public final class DatagramBatch {
    static final int AF_INET = 2;
    static final int AF_INET6 = 10;

    static final int SIZEOF_MMSGHDR = 64;
    static final int NAME_OFFSET = 0;
    static final int NAMELEN_OFFSET = 8;
    static final int IOV_OFFSET = 16;
    static final int IOVLEN_OFFSET = 24;
    static final int CONTROL_OFFSET = 32;
    static final int CONTROLLEN_OFFSET = 40;
    static final int FLAGS_OFFSET = 48;
    static final int LENGTH_OFFSET = 56;

    static final int SIZEOF_SOCKADDR_IN = 16;
    static final int SIZEOF_SOCKADDR_IN6 = 28;
    static final int PORT_OFFSET = 2;
    static final int IPV4_OFFSET = 4;
    static final int FLOWINFO_OFFSET = 4;
    static final int IPV6_OFFSET = 8;
    static final int SCOPE_OFFSET = 24;

    static final int CMSG_LEN_OFFSET = 0;
    static final int CMSG_LEVEL_OFFSET = 8;
    static final int CMSG_TYPE_OFFSET = 12;
    static final int CMSG_DATA_OFFSET = 16;

    static final int IP_TOS = 1;
    static final int IP_TTL = 2;
    static final int IPV6_FLOWINFO = 11;
    static final int IPV6_HOPLIMIT = 52;
    static final int IPV6_TCLASS = 67;
    static final int MSG_TRUNC = 0x20;

    private static final int IPPROTO_IP = 0;
    private static final int IPPROTO_IPV6 = 41;
    private static final int BASE_OFFSET = 0;
    private static final int BASE_LENGTH_OFFSET = 8;
    private static final int NAME_AT = 16;
    private static final int CONTROL_AT = 48;
    private static final int CONTROL_ROOM = 64;
    private static final int POINTED_TO = CONTROL_AT + CONTROL_ROOM;
    private static final int CMSG_INT = CMSG_DATA_OFFSET + Integer.BYTES;
    private static final int CMSG_SPACE = CMSG_DATA_OFFSET + Long.BYTES;
    private static final int MAX_CAPACITY = 1024;
    private static final int CLASS_SHIFT = 20;
    private static final int LABEL_MASK = 0xf_ffff;

    private final UnsafeBuffer memory;
    private final int capacity;
    /** What the control messages of the message that was looked at last say. */
    private int trafficClass;
    private int flowLabel;
    private int hopLimit;

    /**
     * Messages without an address.
     *
     * @param capacity how many
     * @throws io.rdma4j.RdmaException EINVAL if that is not between 1 and 1024
     */
    public DatagramBatch(final int capacity) {
        Checks.that(capacity > 0 && capacity <= MAX_CAPACITY, "datagram batch", "capacity %d is not between 1 and %d",
            capacity, MAX_CAPACITY);
        this.capacity = capacity;
        memory = new UnsafeBuffer(ByteBuffer.allocateDirect(capacity * (SIZEOF_MMSGHDR + POINTED_TO) + Long.BYTES)
            .alignedSlice(Long.BYTES));
        for (int i = 0; i < capacity; i++) {
            final int header = i * SIZEOF_MMSGHDR;
            memory.putLong(header + NAME_OFFSET, memory.addressOffset() + name(i));
            memory.putLong(header + IOV_OFFSET, memory.addressOffset() + pointedTo(i));
            memory.putLong(header + IOVLEN_OFFSET, 1);
            memory.putLong(header + CONTROL_OFFSET, memory.addressOffset() + control(i));
        }
    }

    /**
     * {@return how many messages there are}
     */
    public int capacity() {
        return capacity;
    }

    private int pointedTo(final int index) {
        return capacity * SIZEOF_MMSGHDR + index * POINTED_TO;
    }

    private int name(final int index) {
        return pointedTo(index) + NAME_AT;
    }

    private int control(final int index) {
        return pointedTo(index) + CONTROL_AT;
    }

    long messageAddress(final int first, final int count) {
        if (first < 0 || count < 0 || first > capacity - count) { // Checks.that would box the numbers each time.
            throw Checks.invalid("datagram batch", "messages %d to %d of %d", first, first + count, capacity);
        }
        return memory.addressOffset() + (long) first * SIZEOF_MMSGHDR;
    }

    long nameAddress(final int index) {
        return memory.addressOffset() + name(index);
    }

    int nameLength(final int index) {
        return memory.getInt(index * SIZEOF_MMSGHDR + NAMELEN_OFFSET);
    }

    /**
     * Says where the bytes of a message are, or are to be put.
     *
     * @param index   of the message
     * @param address of its bytes
     * @param length  how many
     */
    public void data(final int index, final long address, final int length) {
        memory.putLong(pointedTo(index) + BASE_OFFSET, address);
        memory.putLong(pointedTo(index) + BASE_LENGTH_OFFSET, length);
    }

    /**
     * Addresses a message over IPv4.
     *
     * @param index   of the message
     * @param address 32 bits
     * @param port    of UDP
     */
    public void toIpv4(final int index, final int address, final int port) {
        final int name = name(index);
        memory.putShort(name, (short) AF_INET);
        memory.putShort(name + PORT_OFFSET, (short) port, BIG_ENDIAN);
        memory.putInt(name + IPV4_OFFSET, address, BIG_ENDIAN);
        memory.putLong(name + IPV4_OFFSET + Integer.BYTES, 0);
        memory.putInt(index * SIZEOF_MMSGHDR + NAMELEN_OFFSET, SIZEOF_SOCKADDR_IN);
    }

    /**
     * Addresses a message over IPv6. The kernel chooses the flow label.
     *
     * @param index of the message
     * @param high  first half of the address
     * @param low   second half
     * @param port  of UDP
     * @param scope index of the interface, for an address that is only valid on its link; or 0
     */
    public void toIpv6(final int index, final long high, final long low, final int port, final int scope) {
        final int name = name(index);
        memory.putShort(name, (short) AF_INET6);
        memory.putShort(name + PORT_OFFSET, (short) port, BIG_ENDIAN);
        memory.putInt(name + FLOWINFO_OFFSET, 0);
        memory.putLong(name + IPV6_OFFSET, high, BIG_ENDIAN);
        memory.putLong(name + IPV6_OFFSET + Long.BYTES, low, BIG_ENDIAN);
        memory.putInt(name + SCOPE_OFFSET, scope);
        memory.putInt(index * SIZEOF_MMSGHDR + NAMELEN_OFFSET, SIZEOF_SOCKADDR_IN6);
    }

    /**
     * Says what the network header of a message that has an address is to have.
     *
     * @param index   of the message
     * @param traffic traffic class or type of service, 8 bits; 0 for the socket's
     * @param hops    hop limit, 8 bits; 0 for the socket's
     */
    public void header(final int index, final int traffic, final int hops) {
        final boolean ipv6 = memory.getShort(name(index)) == AF_INET6;
        final int control = control(index);
        int used = 0;
        if (traffic != 0) {
            put(control, ipv6, ipv6 ? IPV6_TCLASS : IP_TOS, traffic);
            used = CMSG_SPACE;
        }
        if (hops != 0) {
            put(control + used, ipv6, ipv6 ? IPV6_HOPLIMIT : IP_TTL, hops);
            used += CMSG_SPACE;
        }
        memory.putLong(index * SIZEOF_MMSGHDR + CONTROLLEN_OFFSET, used);
    }

    private void put(final int at, final boolean ipv6, final int type, final int value) {
        memory.putLong(at + CMSG_LEN_OFFSET, CMSG_INT);
        memory.putInt(at + CMSG_LEVEL_OFFSET, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP);
        memory.putInt(at + CMSG_TYPE_OFFSET, type);
        memory.putLong(at + CMSG_DATA_OFFSET, value);
    }

    /**
     * Makes messages ready to be received into.
     *
     * @param count how many, from the first
     */
    public void prepare(final int count) {
        for (int i = 0; i < count; i++) {
            memory.putInt(i * SIZEOF_MMSGHDR + NAMELEN_OFFSET, SIZEOF_SOCKADDR_IN6);
            memory.putLong(i * SIZEOF_MMSGHDR + CONTROLLEN_OFFSET, CONTROL_ROOM);
        }
    }

    /**
     * {@return how many bytes of a message came}
     *
     * @param index of the message
     */
    public int length(final int index) {
        return memory.getInt(index * SIZEOF_MMSGHDR + LENGTH_OFFSET);
    }

    /**
     * {@return whether a message that came was longer than the room for it}
     *
     * @param index of the message
     */
    public boolean isCutOff(final int index) {
        return (memory.getInt(index * SIZEOF_MMSGHDR + FLAGS_OFFSET) & MSG_TRUNC) != 0;
    }

    /**
     * {@return the port that a message came from}
     *
     * @param index of the message
     */
    public int sourcePort(final int index) {
        return memory.getShort(name(index) + PORT_OFFSET, BIG_ENDIAN) & 0xffff;
    }

    /**
     * {@return the IPv4 address that a message came from}
     *
     * @param index of the message
     */
    public int sourceIpv4(final int index) {
        return memory.getInt(name(index) + IPV4_OFFSET, BIG_ENDIAN);
    }

    /**
     * {@return the first half of the IPv6 address that a message came from}
     *
     * @param index of the message
     */
    public long sourceIpv6High(final int index) {
        return memory.getLong(name(index) + IPV6_OFFSET, BIG_ENDIAN);
    }

    /**
     * {@return the second half of the IPv6 address that a message came from}
     *
     * @param index of the message
     */
    public long sourceIpv6Low(final int index) {
        return memory.getLong(name(index) + IPV6_OFFSET + Long.BYTES, BIG_ENDIAN);
    }

    /**
     * Reads what the kernel tells of the network header of a message that came: afterwards {@link #trafficClass},
     * {@link #flowLabel} and {@link #hopLimit} are its. What it does not tell is 0.
     *
     * @param index of the message
     */
    public void readHeader(final int index) {
        trafficClass = 0;
        flowLabel = 0;
        hopLimit = 0;
        final int end = control(index)
            + (int) Math.min(CONTROL_ROOM, memory.getLong(index * SIZEOF_MMSGHDR + CONTROLLEN_OFFSET));
        int at = control(index);
        while (at + CMSG_DATA_OFFSET < end) {
            final long length = memory.getLong(at + CMSG_LEN_OFFSET);
            if (length <= CMSG_DATA_OFFSET || length > end - at) {
                return;
            }
            readControl(memory.getInt(at + CMSG_LEVEL_OFFSET), memory.getInt(at + CMSG_TYPE_OFFSET),
                at + CMSG_DATA_OFFSET);
            at += (int) (length + Long.BYTES - 1) & -Long.BYTES;
        }
    }

    private void readControl(final int level, final int type, final int at) {
        if (level == IPPROTO_IP && type == IP_TOS) {
            trafficClass = memory.getByte(at) & 0xff;
        } else if (level == IPPROTO_IP && type == IP_TTL || level == IPPROTO_IPV6 && type == IPV6_HOPLIMIT) {
            hopLimit = memory.getInt(at) & 0xff;
        } else if (level == IPPROTO_IPV6 && type == IPV6_FLOWINFO) {
            final int word = memory.getInt(at, BIG_ENDIAN);
            trafficClass = word >>> CLASS_SHIFT & 0xff;
            flowLabel = word & LABEL_MASK;
        }
    }

    /**
     * {@return traffic class or type of service of the message that was read last}
     */
    public int trafficClass() {
        return trafficClass;
    }

    /**
     * {@return flow label of the message that was read last; 0 over IPv4}
     */
    public int flowLabel() {
        return flowLabel;
    }

    /**
     * {@return hop limit of the message that was read last}
     */
    public int hopLimit() {
        return hopLimit;
    }
}
