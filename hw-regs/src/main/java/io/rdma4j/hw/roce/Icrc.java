/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.roce;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * The invariant check sum of a RoCEv2 packet (specification 7.8.1, annex A17): Ethernet's CRC over what no switch
 * changes. In front of the transport headers stand eight bytes of ones, for a header that RoCE does not have, then the
 * headers of IP and UDP, with ones in place of what may change: type of service, hop limit, check sums, flow label. It
 * follows the pad, in little endian.
 *
 * <p>An IPv4 header also has an identification, which a sender that uses a socket does not choose and a receiver does
 * not see: {@link #identification} works it out. The other 16 bits still protect the packet.
 *
 * <p>For one thread. Nothing is allocated after the first packet of a length.
 */
public final class Icrc {
    /** Bytes of the check sum. */
    public static final int LENGTH = 4;
    /** The UDP port of RoCEv2. */
    public static final int PORT = 4791;
    /** Longest packet that {@link #identification} knows, from {@link Bth} to the pad. */
    public static final int MAX_LENGTH = 4096 + 128;

    private static final int UDP_HEADER = 8;
    private static final int DUMMY = 8;
    private static final int IPV4_HEADER = 20;
    private static final int IPV6_HEADER = 40;
    private static final int BTH_VARIANT = 4;
    private static final int UDP = 17;
    private static final int DONT_FRAGMENT = 0x4000;
    private static final int IPV4_FIRST = 0x45ff;
    private static final int IPV6_FIRST = 0x6fff_ffff;
    private static final int ONES = 0xffff;
    /** Ethernet's polynomial, bits reversed. */
    private static final int POLYNOMIAL = 0xedb8_8320;
    /** Bytes of IPv4, UDP and the header behind the identification. */
    private static final int BEHIND_IDENTIFICATION = 14 + UDP_HEADER;

    private final CRC32 crc = new CRC32();
    private final byte[] bytes = new byte[DUMMY + IPV6_HEADER + UDP_HEADER + Bth.LENGTH];
    private final ByteBuffer head = ByteBuffer.wrap(bytes);
    /** Of each length in words: how 32 bits of difference go back to where the identification stands. */
    private final int[][] backwards = new int[MAX_LENGTH / Integer.BYTES + 1][];
    private final short destPort;

    /** One for a thread. */
    public Icrc() {
        this(PORT);
    }

    /**
     * One for a thread, of packets to another port.
     *
     * @param destPort the UDP port that packets go to
     */
    public Icrc(int destPort) {
        this.destPort = (short) destPort;
    }

    /**
     * {@return the check sum of a packet over IPv4}
     *
     * @param source         address, 32 bits
     * @param dest           address, 32 bits
     * @param identification of the IP header, 16 bits; it says "don't fragment" and has no options
     * @param sourcePort     of UDP; the other one is the constructor's
     * @param packet         its bytes from position to limit: from {@link Bth} to the pad; left as it was
     */
    public int ofIpv4(int source, int dest, int identification, int sourcePort, ByteBuffer packet) {
        final int udpLength = begin(packet);
        head.putShort((short) IPV4_FIRST);
        head.putShort((short) (IPV4_HEADER + udpLength));
        head.putShort((short) identification);
        head.putShort((short) DONT_FRAGMENT);
        head.putShort((short) (0xff << Byte.SIZE | UDP));
        head.putShort((short) ONES);
        head.putInt(source);
        head.putInt(dest);
        return end(sourcePort, udpLength, packet);
    }

    /**
     * {@return the check sum of a packet over IPv6}
     *
     * @param sourceHigh first half of the source address
     * @param sourceLow  second half
     * @param destHigh   first half of the destination address
     * @param destLow    second half
     * @param sourcePort of UDP; the other one is the constructor's
     * @param packet     its bytes from position to limit: from {@link Bth} to the pad; left as it was
     */
    public int ofIpv6(long sourceHigh, long sourceLow, long destHigh, long destLow, int sourcePort,
        ByteBuffer packet) {
        final int udpLength = begin(packet);
        head.putInt(IPV6_FIRST);
        head.putShort((short) udpLength);
        head.putShort((short) (UDP << Byte.SIZE | 0xff));
        head.putLong(sourceHigh);
        head.putLong(sourceLow);
        head.putLong(destHigh);
        head.putLong(destLow);
        return end(sourcePort, udpLength, packet);
    }

    private int begin(ByteBuffer packet) {
        crc.reset();
        head.clear();
        head.putLong(-1);
        return UDP_HEADER + packet.remaining() + LENGTH;
    }

    private int end(int sourcePort, int udpLength, ByteBuffer packet) {
        head.putShort((short) sourcePort);
        head.putShort(destPort);
        head.putShort((short) udpLength);
        head.putShort((short) ONES);
        final int at = head.position();
        final int from = packet.position();
        packet.get(bytes, at, Bth.LENGTH);
        bytes[at + BTH_VARIANT] = -1;
        crc.update(bytes, 0, at + Bth.LENGTH);
        crc.update(packet);
        packet.position(from);
        return (int) crc.getValue();
    }

    /**
     * {@return the identification of the IPv4 header that a packet came with; -1 if there is none with which its check
     * sum would be right: the packet was damaged}
     *
     * @param difference of the check sum that came and the one with identification 0: their exclusive or
     * @param length     bytes from {@link Bth} to the pad, a multiple of 4 up to {@link #MAX_LENGTH}
     */
    public int identification(int difference, int length) {
        if (difference == 0) {
            return 0;
        }
        final int words = length / Integer.BYTES;
        int[] columns = backwards[words];
        if (columns == null) {
            columns = backwards(length + BEHIND_IDENTIFICATION);
            backwards[words] = columns;
        }
        int found = 0;
        for (int rest = difference; rest != 0; rest &= rest - 1) {
            found ^= columns[Integer.numberOfTrailingZeros(rest)];
        }
        return found >>> Short.SIZE == 0 ? Short.toUnsignedInt(Short.reverseBytes((short) found)) : -1;
    }

    /**
     * A check sum is linear: what a difference of one bit at the end was some bytes earlier. The register of a
     * reflected CRC steps to the right; so its way back is to the left.
     */
    private static int[] backwards(int length) {
        final int[] columns = new int[Integer.SIZE];
        for (int bit = 0; bit < columns.length; bit++) {
            int register = 1 << bit;
            for (int step = (length + Short.BYTES) * Byte.SIZE; step > 0; step--) {
                register = register < 0 ? (register ^ POLYNOMIAL) << 1 | 1 : register << 1;
            }
            columns[bit] = register;
        }
        return columns;
    }
}
