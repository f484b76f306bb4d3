/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.roce;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.rdma4j.hw.layout.Names;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Acknowledgement extended transport header: a syndrome, and the message sequence number of the responder. The two top
 * bits of a syndrome say what it is, the other five are credits, a timer or a code.
 */
public final class Aeth {
    /** Bytes of the header. */
    public static final int LENGTH = 4;
    /** Syndrome: done; end-to-end credits are not used. */
    public static final int ACK = 0x1f;
    /** Syndrome: no receive is there, to be tried again; with the code of a timer in the lower five bits. */
    public static final int RNR_NAK = 0x20;
    /** Syndrome: a packet is missing before this one. */
    public static final int NAK_SEQUENCE = 0x60;
    /** Syndrome: an operation that is not possible here. */
    public static final int NAK_INVALID_REQUEST = 0x61;
    /** Syndrome: key, bounds or rights of the remote memory do not fit. */
    public static final int NAK_REMOTE_ACCESS = 0x62;
    /** Syndrome: the responder failed by its own fault. */
    public static final int NAK_REMOTE_OPERATION = 0x63;

    /** What a syndrome says. */
    public static final Names NAMES = Aeth::name;

    private static final int KIND_MASK = 0x60;
    private static final int VALUE_MASK = 0x1f;
    private static final int SYNDROME_SHIFT = 24;
    private static final int LOW_24 = 0xff_ffff;
    private static final String[] NAKS = {"NAK_SEQUENCE", "NAK_INVALID_REQUEST", "NAK_REMOTE_ACCESS",
        "NAK_REMOTE_OPERATION", "NAK_INVALID_RD_REQUEST"};

    private Aeth() {
    }

    /**
     * Writes a whole header.
     *
     * @param b        buffer
     * @param base     where the header begins
     * @param syndrome what the responder says
     * @param msn      how many messages it has completed, 24 bits
     */
    public static void put(UnsafeBuffer b, int base, int syndrome, int msn) {
        b.putInt(base, syndrome << SYNDROME_SHIFT | msn & LOW_24, BIG_ENDIAN);
    }

    /**
     * {@return what the responder says, 8 bits}
     *
     * @param b    buffer
     * @param base where the header begins
     */
    public static int syndrome(UnsafeBuffer b, int base) {
        return b.getByte(base) & 0xff;
    }

    /**
     * {@return how many messages the responder has completed, 24 bits}
     *
     * @param b    buffer
     * @param base where the header begins
     */
    public static int msn(UnsafeBuffer b, int base) {
        return b.getInt(base, BIG_ENDIAN) & LOW_24;
    }

    /**
     * {@return whether a syndrome is a positive acknowledgement, with any credits}
     *
     * @param syndrome what the responder says
     */
    public static boolean isAck(int syndrome) {
        return (syndrome & KIND_MASK) == 0;
    }

    /**
     * {@return whether a syndrome asks to try again later}
     *
     * @param syndrome what the responder says
     */
    public static boolean isRnr(int syndrome) {
        return (syndrome & KIND_MASK) == RNR_NAK;
    }

    /**
     * {@return the lower five bits: credits, the code of a timer, or which NAK it is}
     *
     * @param syndrome what the responder says
     */
    public static int value(int syndrome) {
        return syndrome & VALUE_MASK;
    }

    private static String name(int syndrome) {
        final int value = value(syndrome);
        return switch (syndrome & ~VALUE_MASK) {
            case 0 -> "ACK";
            case RNR_NAK -> "RNR_NAK " + value;
            case NAK_SEQUENCE -> value < NAKS.length ? NAKS[value] : null;
            default -> null;
        };
    }
}
