/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.hw.layout.Layout;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Where a datagram goes, {@code struct pvrdma_av}; part of a {@link SqWqe}.
 *
 * <pre>
 *         0               4               8                              16
 *        +---------------+---------------+-------------------------------+
 *     0  |port|   pd     |tclass| flow   |      dgid, first half         |
 *        +---------------+---------------+---+---+---+---+---------------+
 *    16  |      dgid, second half        |spb|gid|rat|hop|    dmac ...   |
 *        +-------+-----------------------+---+---+---+---+---------------+
 *    32  | dmac  |  reserved             |
 *        +-------+-----------------------+
 *    spb src_path_bits, gid gid_index, rat stat_rate, hop hop_limit
 * </pre>
 */
public final class Av {
    /** Offset of {@code port_pd}. */
    public static final int PORT_PD_OFFSET = 0;
    /** Offset of {@code sl_tclass_flowlabel}. */
    public static final int TRAFFIC_CLASS_FLOW_LABEL_OFFSET = PORT_PD_OFFSET + 4;
    /** Offset of {@code dgid}. */
    public static final int DGID_OFFSET = TRAFFIC_CLASS_FLOW_LABEL_OFFSET + 4;
    /** Offset of {@code src_path_bits}. */
    public static final int SRC_PATH_BITS_OFFSET = DGID_OFFSET + 16;
    /** Offset of {@code gid_index}. */
    public static final int GID_INDEX_OFFSET = SRC_PATH_BITS_OFFSET + 1;
    /** Offset of {@code stat_rate}. */
    public static final int STAT_RATE_OFFSET = GID_INDEX_OFFSET + 1;
    /** Offset of {@code hop_limit}. */
    public static final int HOP_LIMIT_OFFSET = STAT_RATE_OFFSET + 1;
    /** Offset of {@code dmac}. */
    public static final int DMAC_OFFSET = HOP_LIMIT_OFFSET + 1;
    /** Bytes of the struct. */
    public static final int LENGTH = DMAC_OFFSET + 12;

    /** Bit that Linux sets in {@code src_path_bits}. */
    public static final int SRC_PATH_BITS_FLAG = 0x80;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_av", LENGTH)
        .u32("port_pd", PORT_PD_OFFSET)
        .u32("sl_tclass_flowlabel", TRAFFIC_CLASS_FLOW_LABEL_OFFSET)
        .bytes("dgid", DGID_OFFSET, 16)
        .u8("src_path_bits", SRC_PATH_BITS_OFFSET)
        .u8("gid_index", GID_INDEX_OFFSET)
        .u8("stat_rate", STAT_RATE_OFFSET)
        .u8("hop_limit", HOP_LIMIT_OFFSET)
        .bytes("dmac", DMAC_OFFSET, 6)
        .reserved(6)
        .build();

    private Av() {
    }

    /**
     * {@return the port and the protection domain, see {@link #packPortPd}}
     *
     * @param b    buffer
     * @param base where the address vector begins
     */
    public static int portPd(UnsafeBuffer b, int base) {
        return b.getInt(base + PORT_PD_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * Sets {@code port_pd}.
     *
     * @param b     buffer
     * @param base  where the address vector begins
     * @param value the port and the protection domain
     */
    public static void portPd(UnsafeBuffer b, int base, int value) {
        b.putInt(base + PORT_PD_OFFSET, value, LITTLE_ENDIAN);
    }

    /**
     * {@return the traffic class and the flow label, see {@link #packTrafficClassFlowLabel}}
     *
     * @param b    buffer
     * @param base where the address vector begins
     */
    public static int trafficClassFlowLabel(UnsafeBuffer b, int base) {
        return b.getInt(base + TRAFFIC_CLASS_FLOW_LABEL_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * Sets {@code sl_tclass_flowlabel}.
     *
     * @param b     buffer
     * @param base  where the address vector begins
     * @param value the traffic class and the flow label
     */
    public static void trafficClassFlowLabel(UnsafeBuffer b, int base, int value) {
        b.putInt(base + TRAFFIC_CLASS_FLOW_LABEL_OFFSET, value, LITTLE_ENDIAN);
    }

    /**
     * {@return the destination GID: a copy of the 16 bytes, so not for the data path}
     *
     * @param b    buffer
     * @param base where the address vector begins
     */
    public static byte[] dgid(UnsafeBuffer b, int base) {
        final byte[] copy = new byte[16];
        b.getBytes(base + DGID_OFFSET, copy);
        return copy;
    }

    /**
     * Sets {@code dgid}.
     *
     * @param b    buffer
     * @param base where the address vector begins
     * @param src  begins with the 16 bytes
     */
    public static void dgid(UnsafeBuffer b, int base, byte[] src) {
        b.putBytes(base + DGID_OFFSET, src, 0, 16);
    }

    /**
     * Sets {@code dgid}.
     *
     * @param b    buffer
     * @param base where the address vector begins
     * @param src  holds the 16 bytes
     * @param from where they begin
     */
    public static void dgid(UnsafeBuffer b, int base, DirectBuffer src, int from) {
        b.putBytes(base + DGID_OFFSET, src, from, 16);
    }

    /**
     * {@return the source path bits, bit 7 set}
     *
     * @param b    buffer
     * @param base where the address vector begins
     */
    public static int srcPathBits(UnsafeBuffer b, int base) {
        return b.getByte(base + SRC_PATH_BITS_OFFSET) & 0xff;
    }

    /**
     * Sets {@code src_path_bits}.
     *
     * @param b     buffer
     * @param base  where the address vector begins
     * @param value the source path bits, bit 7 set
     */
    public static void srcPathBits(UnsafeBuffer b, int base, int value) {
        b.putByte(base + SRC_PATH_BITS_OFFSET, (byte) value);
    }

    /**
     * {@return the index of the source GID}
     *
     * @param b    buffer
     * @param base where the address vector begins
     */
    public static int gidIndex(UnsafeBuffer b, int base) {
        return b.getByte(base + GID_INDEX_OFFSET) & 0xff;
    }

    /**
     * Sets {@code gid_index}.
     *
     * @param b     buffer
     * @param base  where the address vector begins
     * @param value the index of the source GID
     */
    public static void gidIndex(UnsafeBuffer b, int base, int value) {
        b.putByte(base + GID_INDEX_OFFSET, (byte) value);
    }

    /**
     * {@return the rate limit, coded}
     *
     * @param b    buffer
     * @param base where the address vector begins
     */
    public static int statRate(UnsafeBuffer b, int base) {
        return b.getByte(base + STAT_RATE_OFFSET) & 0xff;
    }

    /**
     * Sets {@code stat_rate}.
     *
     * @param b     buffer
     * @param base  where the address vector begins
     * @param value the rate limit, coded
     */
    public static void statRate(UnsafeBuffer b, int base, int value) {
        b.putByte(base + STAT_RATE_OFFSET, (byte) value);
    }

    /**
     * {@return the hop limit}
     *
     * @param b    buffer
     * @param base where the address vector begins
     */
    public static int hopLimit(UnsafeBuffer b, int base) {
        return b.getByte(base + HOP_LIMIT_OFFSET) & 0xff;
    }

    /**
     * Sets {@code hop_limit}.
     *
     * @param b     buffer
     * @param base  where the address vector begins
     * @param value the hop limit
     */
    public static void hopLimit(UnsafeBuffer b, int base, int value) {
        b.putByte(base + HOP_LIMIT_OFFSET, (byte) value);
    }

    /**
     * {@return the destination MAC: a copy of the 6 bytes, so not for the data path}
     *
     * @param b    buffer
     * @param base where the address vector begins
     */
    public static byte[] dmac(UnsafeBuffer b, int base) {
        final byte[] copy = new byte[6];
        b.getBytes(base + DMAC_OFFSET, copy);
        return copy;
    }

    /**
     * Sets {@code dmac}.
     *
     * @param b    buffer
     * @param base where the address vector begins
     * @param src  begins with the 6 bytes
     */
    public static void dmac(UnsafeBuffer b, int base, byte[] src) {
        b.putBytes(base + DMAC_OFFSET, src, 0, 6);
    }

    /**
     * Sets {@code dmac}.
     *
     * @param b    buffer
     * @param base where the address vector begins
     * @param src  holds the 6 bytes
     * @param from where they begin
     */
    public static void dmac(UnsafeBuffer b, int base, DirectBuffer src, int from) {
        b.putBytes(base + DMAC_OFFSET, src, from, 6);
    }

    /**
     * {@return the first eight bytes of the destination GID, the subnet prefix, first byte highest}
     *
     * @param b    buffer
     * @param base where the address vector begins
     */
    public static long dgidHigh(UnsafeBuffer b, int base) {
        return b.getLong(base + DGID_OFFSET, BIG_ENDIAN);
    }

    /**
     * {@return the last eight bytes of the destination GID, the interface id, first byte highest}
     *
     * @param b    buffer
     * @param base where the address vector begins
     */
    public static long dgidLow(UnsafeBuffer b, int base) {
        return b.getLong(base + DGID_OFFSET + 8, BIG_ENDIAN);
    }

    /**
     * Sets the destination GID from two numbers.
     *
     * @param b    buffer
     * @param base where the address vector begins
     * @param high its first eight bytes, first byte highest
     * @param low  its last eight bytes, first byte highest
     */
    public static void dgid(UnsafeBuffer b, int base, long high, long low) {
        b.putLong(base + DGID_OFFSET, high, BIG_ENDIAN);
        b.putLong(base + DGID_OFFSET + 8, low, BIG_ENDIAN);
    }

    /**
     * {@return the word {@code port_pd}: the port in the highest byte, the handle of the protection domain below}
     *
     * @param pd   handle of the protection domain
     * @param port counted from 1
     */
    public static int packPortPd(int pd, int port) {
        return pd & 0xff_ffff | port << 24;
    }

    /**
     * {@return the protection domain in a word {@code port_pd}}
     *
     * @param portPd the word
     */
    public static int pdOf(int portPd) {
        return portPd & 0xff_ffff;
    }

    /**
     * {@return the port in a word {@code port_pd}}
     *
     * @param portPd the word
     */
    public static int portOf(int portPd) {
        return portPd >>> 24;
    }

    /**
     * {@return the word {@code sl_tclass_flowlabel}: the traffic class above the flow label, which has 20 bits}
     *
     * @param trafficClass 8 bits
     * @param flowLabel    20 bits
     */
    public static int packTrafficClassFlowLabel(int trafficClass, int flowLabel) {
        return (trafficClass & 0xff) << 20 | flowLabel & 0xf_ffff;
    }

    /**
     * {@return the traffic class in a word {@code sl_tclass_flowlabel}}
     *
     * @param word as read
     */
    public static int trafficClassOf(int word) {
        return word >>> 20 & 0xff;
    }

    /**
     * {@return the flow label in a word {@code sl_tclass_flowlabel}}
     *
     * @param word as read
     */
    public static int flowLabelOf(int word) {
        return word & 0xf_ffff;
    }
}
