/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.link.Message;
import io.rdma4j.device.link.Operation;
import io.rdma4j.hw.roce.AtomicEth;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Opcode;
import io.rdma4j.hw.roce.Reth;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;

/**
 * What a packet of a reliable connection's request says of its message: the opcode, and the extended headers between
 * BTH and payload (specification, 9.2 and 9.3), as the requester puts them and the responder takes them.
 *
 * <pre>
 *   SEND            BTH                               ImmDt or IETH of the last packet
 *   WRITE           BTH   RETH of the first packet    ImmDt of the last packet
 *   READ            BTH   RETH
 *   atomic          BTH   AtomicETH
 *   masked atomic   BTH   AtomicETH   two masks, or field boundary and 0
 * </pre>
 */
final class RequestHeaders {
    private static final int MASKS = Bth.LENGTH + AtomicEth.LENGTH;

    private RequestHeaders() {
    }

    /** Of a packet that is the first of the message, the last, both or none. */
    static int opcode(Message message, boolean first, boolean last) {
        return switch (message.operation) {
            case SEND -> send(message, first, last);
            case WRITE -> write(message, first, last);
            case READ -> Opcode.READ_REQUEST;
            case COMPARE_SWAP -> Opcode.COMPARE_SWAP;
            case FETCH_ADD -> Opcode.FETCH_ADD;
            case MASKED_COMPARE_SWAP -> Opcode.MASKED_COMPARE_SWAP;
            case MASKED_FETCH_ADD -> Opcode.MASKED_FETCH_ADD;
        };
    }

    private static int send(Message message, boolean first, boolean last) {
        if (!last) {
            return first ? Opcode.SEND_FIRST : Opcode.SEND_MIDDLE;
        }
        if (message.invalidates) {
            return first ? Opcode.SEND_ONLY_INVALIDATE : Opcode.SEND_LAST_INVALIDATE;
        }
        return (first ? Opcode.SEND_ONLY : Opcode.SEND_LAST) + (message.immediate ? 1 : 0);
    }

    private static int write(Message message, boolean first, boolean last) {
        if (!last) {
            return first ? Opcode.WRITE_FIRST : Opcode.WRITE_MIDDLE;
        }
        return (first ? Opcode.WRITE_ONLY : Opcode.WRITE_LAST) + (message.immediate ? 1 : 0);
    }

    /**
     * Puts the extended headers.
     *
     * @param packet  which begins with BTH.
     * @param headers length of all headers.
     * @param opcode  of the packet.
     * @param message the request.
     * @param from    where in its memory a READ or WRITE begins: a READ that is repeated may do so in the middle.
     * @param length  the bytes from there on.
     */
    static void put(UnsafeBuffer packet, int headers, int opcode, Message message, long from, int length) {
        if (Opcode.hasReth(opcode)) {
            Reth.put(packet, Bth.LENGTH, message.remoteAddress + from, message.rkey, length);
        } else if (Opcode.isAtomic(opcode)) {
            putOperands(packet, opcode, message);
        }
        if (Opcode.hasImmediate(opcode)) {
            packet.putInt(headers - Integer.BYTES, message.immData, ByteOrder.LITTLE_ENDIAN);
        } else if (Opcode.invalidates(opcode)) {
            packet.putInt(headers - Integer.BYTES, message.invalidateKey, ByteOrder.BIG_ENDIAN);
        }
    }

    private static void putOperands(UnsafeBuffer packet, int opcode, Message message) {
        final boolean adds = Opcode.operation(opcode) == Opcode.FETCH_ADD;
        AtomicEth.put(packet, Bth.LENGTH, message.remoteAddress, message.rkey,
            adds ? message.compareAdd : message.swap, adds ? 0 : message.compareAdd);
        if (Opcode.transport(opcode) == Opcode.MANUFACTURER) {
            packet.putLong(MASKS, adds ? message.fieldBoundary : message.swapMask, ByteOrder.BIG_ENDIAN);
            packet.putLong(MASKS + Long.BYTES, adds ? 0 : message.compareMask, ByteOrder.BIG_ENDIAN);
        }
    }

    /** Takes what any packet may say: that it is solicited, immediate data, a key to invalidate. */
    static void take(UnsafeBuffer packet, int opcode, Message message) {
        message.solicited = Bth.isSolicited(packet, 0);
        message.immediate = Opcode.hasImmediate(opcode);
        message.invalidates = Opcode.invalidates(opcode);
        if (message.immediate) {
            message.immData = packet.getInt(Bth.LENGTH + Opcode.extendedLength(opcode) - Integer.BYTES,
                ByteOrder.LITTLE_ENDIAN);
        } else if (message.invalidates) {
            message.invalidateKey = packet.getInt(Bth.LENGTH, ByteOrder.BIG_ENDIAN);
        }
    }

    /** Takes the memory that a READ, or the first packet of a WRITE, names. */
    static void takeReth(UnsafeBuffer packet, Message message) {
        message.remoteAddress = Reth.address(packet, Bth.LENGTH);
        message.rkey = Reth.rkey(packet, Bth.LENGTH);
        message.length = Reth.length(packet, Bth.LENGTH);
    }

    /** Takes an atomic: the memory that it names, and its operands. */
    static void takeAtomic(UnsafeBuffer packet, int opcode, Message message) {
        message.remoteAddress = AtomicEth.address(packet, Bth.LENGTH);
        message.rkey = AtomicEth.rkey(packet, Bth.LENGTH);
        message.length = Long.BYTES;
        final boolean masked = Opcode.transport(opcode) == Opcode.MANUFACTURER;
        if (Opcode.operation(opcode) == Opcode.FETCH_ADD) {
            message.operation = masked ? Operation.MASKED_FETCH_ADD : Operation.FETCH_ADD;
            message.compareAdd = AtomicEth.swapOrAdd(packet, Bth.LENGTH);
            message.fieldBoundary = masked ? packet.getLong(MASKS, ByteOrder.BIG_ENDIAN) : 0;
        } else {
            message.operation = masked ? Operation.MASKED_COMPARE_SWAP : Operation.COMPARE_SWAP;
            message.compareAdd = AtomicEth.compare(packet, Bth.LENGTH);
            message.swap = AtomicEth.swapOrAdd(packet, Bth.LENGTH);
            message.swapMask = masked ? packet.getLong(MASKS, ByteOrder.BIG_ENDIAN) : -1;
            message.compareMask = masked ? packet.getLong(MASKS + Long.BYTES, ByteOrder.BIG_ENDIAN) : -1;
        }
    }
}
