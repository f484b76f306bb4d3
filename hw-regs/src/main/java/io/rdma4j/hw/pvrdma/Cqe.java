/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.layout.Words;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A completion, {@code struct pvrdma_cqe}. The device writes it, then moves the CQ's producer index.
 *
 * <pre>
 *         0               4               8               12              16
 *        +-------------------------------+-------------------------------+
 *     0  |             wr_id             |              qp               |
 *        +---------------+---------------+---------------+---------------+
 *    16  |    opcode     |    status     |   byte_len    |   imm_data    |
 *        +---------------+---------------+---------------+-------+-------+
 *    32  |    src_qp     |   wc_flags    |  vendor_err   | pkey_i|  slid |
 *        +---+---+---+---+---------------+-------+---+---+-------+-------+
 *    48  |sl |dpb|prt|          smac[6]          |nht|     reserved      |
 *        +---+---+---+---------------------------+---+-------------------+
 *    dpb dlid_path_bits, prt port_num, nht network_hdr_type
 * </pre>
 */
public final class Cqe {
    /** Offset of {@code wr_id}. */
    public static final int WR_ID_OFFSET = 0;
    /** Offset of {@code qp}. */
    public static final int QP_OFFSET = WR_ID_OFFSET + 8;
    /** Offset of {@code opcode}. */
    public static final int OPCODE_OFFSET = QP_OFFSET + 8;
    /** Offset of {@code status}. */
    public static final int STATUS_OFFSET = OPCODE_OFFSET + 4;
    /** Offset of {@code byte_len}. */
    public static final int BYTE_LEN_OFFSET = STATUS_OFFSET + 4;
    /** Offset of {@code imm_data}. */
    public static final int IMM_DATA_OFFSET = BYTE_LEN_OFFSET + 4;
    /** Offset of {@code src_qp}. */
    public static final int SRC_QP_OFFSET = IMM_DATA_OFFSET + 4;
    /** Offset of {@code wc_flags}. */
    public static final int WC_FLAGS_OFFSET = SRC_QP_OFFSET + 4;
    /** Offset of {@code vendor_err}. */
    public static final int VENDOR_ERR_OFFSET = WC_FLAGS_OFFSET + 4;
    /** Offset of {@code pkey_index}. */
    public static final int PKEY_INDEX_OFFSET = VENDOR_ERR_OFFSET + 4;
    /** Offset of {@code slid}. */
    public static final int SLID_OFFSET = PKEY_INDEX_OFFSET + 2;
    /** Offset of {@code sl}. */
    public static final int SL_OFFSET = SLID_OFFSET + 2;
    /** Offset of {@code dlid_path_bits}. */
    public static final int DLID_PATH_BITS_OFFSET = SL_OFFSET + 1;
    /** Offset of {@code port_num}. */
    public static final int PORT_NUM_OFFSET = DLID_PATH_BITS_OFFSET + 1;
    /** Offset of {@code smac}. */
    public static final int SMAC_OFFSET = PORT_NUM_OFFSET + 1;
    /** Offset of {@code network_hdr_type}. */
    public static final int NETWORK_HDR_TYPE_OFFSET = SMAC_OFFSET + 6;
    /** Bytes of the struct. */
    public static final int LENGTH = NETWORK_HDR_TYPE_OFFSET + 7;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cqe", LENGTH)
        .u64("wr_id", WR_ID_OFFSET)
        .u64("qp", QP_OFFSET)
        .u32("opcode", OPCODE_OFFSET, WcOpcode.NAMES)
        .u32("status", STATUS_OFFSET, WcStatus.NAMES)
        .u32("byte_len", BYTE_LEN_OFFSET)
        .u32("imm_data", IMM_DATA_OFFSET)
        .u32("src_qp", SRC_QP_OFFSET)
        .u32("wc_flags", WC_FLAGS_OFFSET, WcFlags.NAMES)
        .u32("vendor_err", VENDOR_ERR_OFFSET)
        .u16("pkey_index", PKEY_INDEX_OFFSET)
        .u16("slid", SLID_OFFSET)
        .u8("sl", SL_OFFSET)
        .u8("dlid_path_bits", DLID_PATH_BITS_OFFSET)
        .u8("port_num", PORT_NUM_OFFSET)
        .bytes("smac", SMAC_OFFSET, 6)
        .u8("network_hdr_type", NETWORK_HDR_TYPE_OFFSET, NetworkHdrType.NAMES)
        .reserved(6)
        .build();

    private Cqe() {
    }

    /**
     * {@return the number that the application gave to the request}
     *
     * @param b    buffer
     * @param base where the CQE begins
     */
    public static long wrId(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, WR_ID_OFFSET);
    }

    /**
     * Sets {@code wr_id}.
     *
     * @param b     buffer
     * @param base  where the CQE begins
     * @param value the number that the application gave to the request
     */
    public static void wrId(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, WR_ID_OFFSET, value);
    }

    /**
     * {@return the QP: its handle in the low bits}
     *
     * @param b    buffer
     * @param base where the CQE begins
     */
    public static long qp(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, QP_OFFSET);
    }

    /**
     * Sets {@code qp}.
     *
     * @param b     buffer
     * @param base  where the CQE begins
     * @param value the QP: its handle in the low bits
     */
    public static void qp(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, QP_OFFSET, value);
    }

    /**
     * {@return the {@link WcOpcode}, meaningful only on success}
     *
     * @param b    buffer
     * @param base where the CQE begins
     */
    public static int opcode(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, OPCODE_OFFSET);
    }

    /**
     * Sets {@code opcode}.
     *
     * @param b     buffer
     * @param base  where the CQE begins
     * @param value the {@link WcOpcode}, meaningful only on success
     */
    public static void opcode(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, OPCODE_OFFSET, value);
    }

    /**
     * {@return the {@link WcStatus}}
     *
     * @param b    buffer
     * @param base where the CQE begins
     */
    public static int status(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, STATUS_OFFSET);
    }

    /**
     * Sets {@code status}.
     *
     * @param b     buffer
     * @param base  where the CQE begins
     * @param value the {@link WcStatus}
     */
    public static void status(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, STATUS_OFFSET, value);
    }

    /**
     * {@return the bytes received or read, unsigned}
     *
     * @param b    buffer
     * @param base where the CQE begins
     */
    public static int byteLen(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, BYTE_LEN_OFFSET);
    }

    /**
     * Sets {@code byte_len}.
     *
     * @param b     buffer
     * @param base  where the CQE begins
     * @param value the bytes received or read, unsigned
     */
    public static void byteLen(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, BYTE_LEN_OFFSET, value);
    }

    /**
     * {@return the immediate data, its four bytes as they travelled: network order; or the key invalidated}
     *
     * @param b    buffer
     * @param base where the CQE begins
     */
    public static int immData(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, IMM_DATA_OFFSET);
    }

    /**
     * Sets {@code imm_data}.
     *
     * @param b     buffer
     * @param base  where the CQE begins
     * @param value the immediate data, its four bytes as they travelled: network order; or the key invalidated
     */
    public static void immData(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, IMM_DATA_OFFSET, value);
    }

    /**
     * {@return the number of the sending QP, for datagrams}
     *
     * @param b    buffer
     * @param base where the CQE begins
     */
    public static int srcQp(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, SRC_QP_OFFSET);
    }

    /**
     * Sets {@code src_qp}.
     *
     * @param b     buffer
     * @param base  where the CQE begins
     * @param value the number of the sending QP, for datagrams
     */
    public static void srcQp(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, SRC_QP_OFFSET, value);
    }

    /**
     * {@return the {@link WcFlags}}
     *
     * @param b    buffer
     * @param base where the CQE begins
     */
    public static int wcFlags(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, WC_FLAGS_OFFSET);
    }

    /**
     * Sets {@code wc_flags}.
     *
     * @param b     buffer
     * @param base  where the CQE begins
     * @param value the {@link WcFlags}
     */
    public static void wcFlags(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, WC_FLAGS_OFFSET, value);
    }

    /**
     * {@return the device's own code, meaningful only on failure}
     *
     * @param b    buffer
     * @param base where the CQE begins
     */
    public static int vendorErr(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, VENDOR_ERR_OFFSET);
    }

    /**
     * Sets {@code vendor_err}.
     *
     * @param b     buffer
     * @param base  where the CQE begins
     * @param value the device's own code, meaningful only on failure
     */
    public static void vendorErr(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, VENDOR_ERR_OFFSET, value);
    }

    /**
     * {@return the index of the partition key}
     *
     * @param b    buffer
     * @param base where the CQE begins
     */
    public static int pkeyIndex(UnsafeBuffer b, int base) {
        return b.getShort(base + PKEY_INDEX_OFFSET, LITTLE_ENDIAN) & 0xffff;
    }

    /**
     * Sets {@code pkey_index}.
     *
     * @param b     buffer
     * @param base  where the CQE begins
     * @param value the index of the partition key
     */
    public static void pkeyIndex(UnsafeBuffer b, int base, int value) {
        b.putShort(base + PKEY_INDEX_OFFSET, (short) value, LITTLE_ENDIAN);
    }

    /**
     * {@return the source LID, 0 on Ethernet}
     *
     * @param b    buffer
     * @param base where the CQE begins
     */
    public static int slid(UnsafeBuffer b, int base) {
        return b.getShort(base + SLID_OFFSET, LITTLE_ENDIAN) & 0xffff;
    }

    /**
     * Sets {@code slid}.
     *
     * @param b     buffer
     * @param base  where the CQE begins
     * @param value the source LID, 0 on Ethernet
     */
    public static void slid(UnsafeBuffer b, int base, int value) {
        b.putShort(base + SLID_OFFSET, (short) value, LITTLE_ENDIAN);
    }

    /**
     * {@return the service level}
     *
     * @param b    buffer
     * @param base where the CQE begins
     */
    public static int sl(UnsafeBuffer b, int base) {
        return b.getByte(base + SL_OFFSET) & 0xff;
    }

    /**
     * Sets {@code sl}.
     *
     * @param b     buffer
     * @param base  where the CQE begins
     * @param value the service level
     */
    public static void sl(UnsafeBuffer b, int base, int value) {
        b.putByte(base + SL_OFFSET, (byte) value);
    }

    /**
     * {@return the destination path bits}
     *
     * @param b    buffer
     * @param base where the CQE begins
     */
    public static int dlidPathBits(UnsafeBuffer b, int base) {
        return b.getByte(base + DLID_PATH_BITS_OFFSET) & 0xff;
    }

    /**
     * Sets {@code dlid_path_bits}.
     *
     * @param b     buffer
     * @param base  where the CQE begins
     * @param value the destination path bits
     */
    public static void dlidPathBits(UnsafeBuffer b, int base, int value) {
        b.putByte(base + DLID_PATH_BITS_OFFSET, (byte) value);
    }

    /**
     * {@return the port}
     *
     * @param b    buffer
     * @param base where the CQE begins
     */
    public static int portNum(UnsafeBuffer b, int base) {
        return b.getByte(base + PORT_NUM_OFFSET) & 0xff;
    }

    /**
     * Sets {@code port_num}.
     *
     * @param b     buffer
     * @param base  where the CQE begins
     * @param value the port
     */
    public static void portNum(UnsafeBuffer b, int base, int value) {
        b.putByte(base + PORT_NUM_OFFSET, (byte) value);
    }

    /**
     * {@return the source MAC: a copy of the 6 bytes, so not for the data path}
     *
     * @param b    buffer
     * @param base where the CQE begins
     */
    public static byte[] smac(UnsafeBuffer b, int base) {
        final byte[] copy = new byte[6];
        b.getBytes(base + SMAC_OFFSET, copy);
        return copy;
    }

    /**
     * Sets {@code smac}.
     *
     * @param b    buffer
     * @param base where the CQE begins
     * @param src  begins with the 6 bytes
     */
    public static void smac(UnsafeBuffer b, int base, byte[] src) {
        b.putBytes(base + SMAC_OFFSET, src, 0, 6);
    }

    /**
     * Sets {@code smac}.
     *
     * @param b    buffer
     * @param base where the CQE begins
     * @param src  holds the 6 bytes
     * @param from where they begin
     */
    public static void smac(UnsafeBuffer b, int base, DirectBuffer src, int from) {
        b.putBytes(base + SMAC_OFFSET, src, from, 6);
    }

    /**
     * {@return the {@link NetworkHdrType}}
     *
     * @param b    buffer
     * @param base where the CQE begins
     */
    public static int networkHdrType(UnsafeBuffer b, int base) {
        return b.getByte(base + NETWORK_HDR_TYPE_OFFSET) & 0xff;
    }

    /**
     * Sets {@code network_hdr_type}.
     *
     * @param b     buffer
     * @param base  where the CQE begins
     * @param value the {@link NetworkHdrType}
     */
    public static void networkHdrType(UnsafeBuffer b, int base, int value) {
        b.putByte(base + NETWORK_HDR_TYPE_OFFSET, (byte) value);
    }
}
