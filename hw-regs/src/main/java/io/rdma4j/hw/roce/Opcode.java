/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.roce;

import io.rdma4j.hw.layout.Names;

/**
 * Opcodes of the base transport header: three bits of transport, five of operation (specification, table "OpCode field
 * definition"). What a packet is follows from its operation; the transports share them.
 */
public final class Opcode {
    /** First packet of a SEND. */
    public static final int SEND_FIRST = 0;
    /** Packet of a SEND between first and last. */
    public static final int SEND_MIDDLE = 1;
    /** Last packet of a SEND. */
    public static final int SEND_LAST = 2;
    /** Last packet of a SEND with immediate data. */
    public static final int SEND_LAST_IMM = 3;
    /** A SEND of one packet. */
    public static final int SEND_ONLY = 4;
    /** A SEND of one packet with immediate data. */
    public static final int SEND_ONLY_IMM = 5;
    /** First packet of an RDMA WRITE. */
    public static final int WRITE_FIRST = 6;
    /** Packet of an RDMA WRITE between first and last. */
    public static final int WRITE_MIDDLE = 7;
    /** Last packet of an RDMA WRITE. */
    public static final int WRITE_LAST = 8;
    /** Last packet of an RDMA WRITE with immediate data. */
    public static final int WRITE_LAST_IMM = 9;
    /** An RDMA WRITE of one packet. */
    public static final int WRITE_ONLY = 10;
    /** An RDMA WRITE of one packet with immediate data. */
    public static final int WRITE_ONLY_IMM = 11;
    /** Request of an RDMA READ. */
    public static final int READ_REQUEST = 12;
    /** First packet of the answer to a READ. */
    public static final int READ_RESPONSE_FIRST = 13;
    /** Packet of the answer between first and last. */
    public static final int READ_RESPONSE_MIDDLE = 14;
    /** Last packet of the answer. */
    public static final int READ_RESPONSE_LAST = 15;
    /** An answer of one packet. */
    public static final int READ_RESPONSE_ONLY = 16;
    /** Positive or negative acknowledgement. */
    public static final int ACKNOWLEDGE = 17;
    /** Acknowledgement of an atomic, with the value before. */
    public static final int ATOMIC_ACKNOWLEDGE = 18;
    /** Compare and swap. */
    public static final int COMPARE_SWAP = 19;
    /** Fetch and add. */
    public static final int FETCH_ADD = 20;
    /** Last packet of a SEND that invalidates a key. */
    public static final int SEND_LAST_INVALIDATE = 22;
    /** A SEND of one packet that invalidates a key. */
    public static final int SEND_ONLY_INVALIDATE = 23;

    /** Transport: reliable connection. */
    public static final int RC = 0;
    /** Transport: unreliable connection. */
    public static final int UC = 0x20;
    /** Transport: unreliable datagram. */
    public static final int UD = 0x60;

    /**
     * Transport: what the specification leaves to manufacturers. Here the atomics that no packet of RoCE is for, on
     * reliable connections: {@link #COMPARE_SWAP} and {@link #FETCH_ADD} with masks.
     */
    public static final int MANUFACTURER = 0xc0;
    /** Compare and swap of some bits. */
    public static final int MASKED_COMPARE_SWAP = MANUFACTURER | COMPARE_SWAP;
    /** Fetch and add of fields side by side. */
    public static final int MASKED_FETCH_ADD = MANUFACTURER | FETCH_ADD;

    /** Names of the operations of reliable connections; of datagrams the two that there are. */
    public static final Names NAMES = Opcode::name;

    private static final int OPERATION_MASK = 0x1f;
    private static final String[] OPERATIONS = {"SEND_FIRST", "SEND_MIDDLE", "SEND_LAST", "SEND_LAST_IMM", "SEND_ONLY",
        "SEND_ONLY_IMM", "WRITE_FIRST", "WRITE_MIDDLE", "WRITE_LAST", "WRITE_LAST_IMM", "WRITE_ONLY", "WRITE_ONLY_IMM",
        "READ_REQUEST", "READ_RESPONSE_FIRST", "READ_RESPONSE_MIDDLE", "READ_RESPONSE_LAST", "READ_RESPONSE_ONLY",
        "ACKNOWLEDGE", "ATOMIC_ACKNOWLEDGE", "COMPARE_SWAP", "FETCH_ADD", null, "SEND_LAST_INVALIDATE",
        "SEND_ONLY_INVALIDATE"};

    /** Operations that stand for more than one thing are sets of bits. */
    private static final int FIRSTS = 1 << SEND_FIRST | 1 << WRITE_FIRST | 1 << READ_RESPONSE_FIRST;
    private static final int MIDDLES = 1 << SEND_MIDDLE | 1 << WRITE_MIDDLE | 1 << READ_RESPONSE_MIDDLE;
    private static final int LASTS = 1 << SEND_LAST | 1 << SEND_LAST_IMM | 1 << SEND_LAST_INVALIDATE | 1 << WRITE_LAST
        | 1 << WRITE_LAST_IMM | 1 << READ_RESPONSE_LAST;
    private static final int SENDS = 1 << SEND_FIRST | 1 << SEND_MIDDLE | 1 << SEND_LAST | 1 << SEND_LAST_IMM
        | 1 << SEND_ONLY | 1 << SEND_ONLY_IMM | 1 << SEND_LAST_INVALIDATE | 1 << SEND_ONLY_INVALIDATE;
    private static final int WRITES = 1 << WRITE_FIRST | 1 << WRITE_MIDDLE | 1 << WRITE_LAST | 1 << WRITE_LAST_IMM
        | 1 << WRITE_ONLY | 1 << WRITE_ONLY_IMM;
    private static final int ATOMICS = 1 << COMPARE_SWAP | 1 << FETCH_ADD;
    private static final int IMMEDIATES = 1 << SEND_LAST_IMM | 1 << SEND_ONLY_IMM | 1 << WRITE_LAST_IMM
        | 1 << WRITE_ONLY_IMM;
    private static final int INVALIDATES = 1 << SEND_LAST_INVALIDATE | 1 << SEND_ONLY_INVALIDATE;
    private static final int RETHS = 1 << WRITE_FIRST | 1 << WRITE_ONLY | 1 << WRITE_ONLY_IMM | 1 << READ_REQUEST;
    private static final int AETHS = 1 << READ_RESPONSE_FIRST | 1 << READ_RESPONSE_LAST | 1 << READ_RESPONSE_ONLY
        | 1 << ACKNOWLEDGE | 1 << ATOMIC_ACKNOWLEDGE;
    private static final int RESPONSES = AETHS | 1 << READ_RESPONSE_MIDDLE;

    private static final byte[] EXTENDED = extendedLengths();

    private Opcode() {
    }

    /**
     * {@return the transport of an opcode: {@link #RC}, {@link #UC}, {@link #UD}, or another one}
     *
     * @param opcode 8 bits
     */
    public static int transport(int opcode) {
        return opcode & ~OPERATION_MASK;
    }

    /**
     * {@return the operation of an opcode, 0..31}
     *
     * @param opcode 8 bits
     */
    public static int operation(int opcode) {
        return opcode & OPERATION_MASK;
    }

    /**
     * {@return whether there is such a packet: any operation of RC, what needs no answer of UC, SEND_ONLY of UD}
     *
     * @param opcode 8 bits
     */
    public static boolean isKnown(int opcode) {
        final int operation = operation(opcode);
        return switch (transport(opcode)) {
            case RC -> operation < OPERATIONS.length && OPERATIONS[operation] != null;
            case UC -> is(opcode, (SENDS | WRITES) & ~INVALIDATES);
            case MANUFACTURER -> is(opcode, ATOMICS);
            case UD -> operation == SEND_ONLY || operation == SEND_ONLY_IMM;
            default -> false;
        };
    }

    private static boolean is(int opcode, int set) {
        return (set >>> operation(opcode) & 1) != 0;
    }

    /**
     * {@return whether this is part of a SEND}
     *
     * @param opcode one that is known
     */
    public static boolean isSend(int opcode) {
        return is(opcode, SENDS);
    }

    /**
     * {@return whether this is part of an RDMA WRITE}
     *
     * @param opcode one that is known
     */
    public static boolean isWrite(int opcode) {
        return is(opcode, WRITES);
    }

    /**
     * {@return whether this asks for an atomic operation}
     *
     * @param opcode one that is known
     */
    public static boolean isAtomic(int opcode) {
        return is(opcode, ATOMICS);
    }

    /**
     * {@return whether this comes from a responder: acknowledgements and answers}
     *
     * @param opcode one that is known
     */
    public static boolean isResponse(int opcode) {
        return is(opcode, RESPONSES);
    }

    /**
     * {@return whether a message of several packets begins with this}
     *
     * @param opcode one that is known
     */
    public static boolean isFirst(int opcode) {
        return is(opcode, FIRSTS);
    }

    /**
     * {@return whether this is neither the first nor the last packet of its message}
     *
     * @param opcode one that is known
     */
    public static boolean isMiddle(int opcode) {
        return is(opcode, MIDDLES);
    }

    /**
     * {@return whether a message of several packets ends with this}
     *
     * @param opcode one that is known
     */
    public static boolean isLast(int opcode) {
        return is(opcode, LASTS);
    }

    /**
     * {@return whether a message begins with this packet: the first one, or the only one}
     *
     * @param opcode one that is known
     */
    public static boolean begins(int opcode) {
        return !is(opcode, MIDDLES | LASTS);
    }

    /**
     * {@return whether a message ends with this packet: the last one, or the only one}
     *
     * @param opcode one that is known
     */
    public static boolean ends(int opcode) {
        return !is(opcode, FIRSTS | MIDDLES);
    }

    /**
     * {@return whether there is immediate data}
     *
     * @param opcode one that is known
     */
    public static boolean hasImmediate(int opcode) {
        return is(opcode, IMMEDIATES);
    }

    /**
     * {@return whether a key is to be invalidated}
     *
     * @param opcode one that is known
     */
    public static boolean invalidates(int opcode) {
        return is(opcode, INVALIDATES);
    }

    /**
     * {@return whether there is a {@link Reth}}
     *
     * @param opcode one that is known
     */
    public static boolean hasReth(int opcode) {
        return is(opcode, RETHS);
    }

    /**
     * {@return whether there is an {@link Aeth}}
     *
     * @param opcode one that is known
     */
    public static boolean hasAeth(int opcode) {
        return is(opcode, AETHS);
    }

    /**
     * {@return bytes between {@link Bth} and payload: the lengths of all extended headers}
     *
     * @param opcode one that is known
     */
    public static int extendedLength(int opcode) {
        return EXTENDED[opcode & 0xff];
    }

    private static byte[] extendedLengths() {
        final byte[] lengths = new byte[256];
        for (int opcode = 0; opcode < lengths.length; opcode++) {
            int length = transport(opcode) == UD ? Deth.LENGTH : 0;
            length += hasReth(opcode) ? Reth.LENGTH : 0;
            length += isAtomic(opcode) ? AtomicEth.LENGTH : 0;
            length += hasAeth(opcode) ? Aeth.LENGTH : 0;
            length += isAtomic(opcode) && transport(opcode) == MANUFACTURER ? 2 * Long.BYTES : 0;
            length += operation(opcode) == ATOMIC_ACKNOWLEDGE ? Long.BYTES : 0;
            length += is(opcode, IMMEDIATES | INVALIDATES) ? Integer.BYTES : 0;
            lengths[opcode] = (byte) length;
        }
        return lengths;
    }

    private static String name(int opcode) {
        final String transport = switch (transport(opcode)) {
            case RC -> "";
            case UC -> "UC_";
            case MANUFACTURER -> "MASKED_";
            default -> "UD_";
        };
        return isKnown(opcode) ? transport + OPERATIONS[operation(opcode)] : null;
    }
}
