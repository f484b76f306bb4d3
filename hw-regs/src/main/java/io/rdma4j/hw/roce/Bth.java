/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.roce;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Base transport header, with which each packet begins.
 *
 * <pre>
 *    0       1       2               4               8               12
 *   +-------+-------+---------------+-------+-------+-------+-------+---
 *   |opcode |S M PP |     P_Key     | F B r | destination   |A| PSN  | extended headers, payload, pad, ICRC
 *   |       | TVer  |               |       | queue pair    | |      |
 *   +-------+-------+---------------+-------+-------+-------+-------+---
 * </pre>
 *
 * <p>S solicited event, M migration state, PP bytes of pad, F and B congestion marks, A acknowledge request.
 */
public final class Bth {
    /** Bytes of the header. */
    public static final int LENGTH = 12;
    /** The P_Key of the default partition, of a full member. */
    public static final int DEFAULT_PKEY = 0xffff;

    private static final int FLAGS_OFFSET = 1;
    private static final int PKEY_OFFSET = 2;
    private static final int QP_OFFSET = 4;
    private static final int PSN_OFFSET = 8;
    private static final int SOLICITED = 0x80;
    private static final int MIGRATED = 0x40;
    private static final int PAD_SHIFT = 4;
    private static final int PAD_MASK = 3;
    private static final int VERSION_MASK = 0xf;
    private static final int ACK_REQUEST = 1 << 31;
    private static final int LOW_24 = 0xff_ffff;
    private static final int FECN = 1 << 31;

    private Bth() {
    }

    /**
     * Writes a whole header: version 0, default partition, migration state "migrated", no marks.
     *
     * @param b         buffer
     * @param base      where the packet begins
     * @param opcode    of {@link Opcode}
     * @param flags     {@link #flags}
     * @param destQp    queue pair that it is for, 24 bits
     * @param psn       sequence number, 24 bits
     * @param asksAck   whether an acknowledgement is wanted
     */
    public static void put(UnsafeBuffer b, int base, int opcode, int flags, int destQp, int psn, boolean asksAck) {
        b.putInt(base, opcode << 24 | (flags | MIGRATED) << 16 | DEFAULT_PKEY, BIG_ENDIAN);
        b.putInt(base + QP_OFFSET, destQp & LOW_24, BIG_ENDIAN);
        b.putInt(base + PSN_OFFSET, psn & LOW_24 | (asksAck ? ACK_REQUEST : 0), BIG_ENDIAN);
    }

    /**
     * {@return the second byte of a header}
     *
     * @param solicited whether the receiver's event is asked for
     * @param length    bytes of the payload, which decide about the pad
     */
    public static int flags(boolean solicited, int length) {
        return (solicited ? SOLICITED : 0) | pad(length) << PAD_SHIFT;
    }

    /**
     * {@return how many bytes of zero follow a payload, 0..3}
     *
     * @param length bytes of the payload
     */
    public static int pad(int length) {
        return -length & PAD_MASK;
    }

    /**
     * {@return the opcode}
     *
     * @param b    buffer
     * @param base where the packet begins
     */
    public static int opcode(UnsafeBuffer b, int base) {
        return b.getByte(base) & 0xff;
    }

    /**
     * {@return whether the receiver's event is asked for}
     *
     * @param b    buffer
     * @param base where the packet begins
     */
    public static boolean isSolicited(UnsafeBuffer b, int base) {
        return (b.getByte(base + FLAGS_OFFSET) & SOLICITED) != 0;
    }

    /**
     * {@return how many bytes of pad follow the payload, 0..3}
     *
     * @param b    buffer
     * @param base where the packet begins
     */
    public static int padOf(UnsafeBuffer b, int base) {
        return b.getByte(base + FLAGS_OFFSET) >>> PAD_SHIFT & PAD_MASK;
    }

    /**
     * {@return the version of the transport header; 0 is the only one}
     *
     * @param b    buffer
     * @param base where the packet begins
     */
    public static int version(UnsafeBuffer b, int base) {
        return b.getByte(base + FLAGS_OFFSET) & VERSION_MASK;
    }

    /**
     * {@return the partition, 16 bits}
     *
     * @param b    buffer
     * @param base where the packet begins
     */
    public static int pkey(UnsafeBuffer b, int base) {
        return b.getShort(base + PKEY_OFFSET, BIG_ENDIAN) & 0xffff;
    }

    /**
     * {@return whether the packet met congestion on its way}
     *
     * @param b    buffer
     * @param base where the packet begins
     */
    public static boolean hasMetCongestion(UnsafeBuffer b, int base) {
        return (b.getInt(base + QP_OFFSET, BIG_ENDIAN) & FECN) != 0;
    }

    /**
     * {@return the queue pair that it is for, 24 bits}
     *
     * @param b    buffer
     * @param base where the packet begins
     */
    public static int destQp(UnsafeBuffer b, int base) {
        return b.getInt(base + QP_OFFSET, BIG_ENDIAN) & LOW_24;
    }

    /**
     * {@return whether an acknowledgement is wanted}
     *
     * @param b    buffer
     * @param base where the packet begins
     */
    public static boolean asksAck(UnsafeBuffer b, int base) {
        return (b.getInt(base + PSN_OFFSET, BIG_ENDIAN) & ACK_REQUEST) != 0;
    }

    /**
     * {@return the sequence number, 24 bits}
     *
     * @param b    buffer
     * @param base where the packet begins
     */
    public static int psn(UnsafeBuffer b, int base) {
        return b.getInt(base + PSN_OFFSET, BIG_ENDIAN) & LOW_24;
    }
}
