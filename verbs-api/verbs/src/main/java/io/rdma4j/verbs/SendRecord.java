/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * How a request lies in the ring of a {@link SharedSendQueue}: bytes in the order of this machine, which never leave
 * the process. Of an address handle there is nothing in it, since a reference is not bytes; requests with other
 * references are not carried at all.
 *
 * <pre>
 *   SEND                              REQUEST
 *   0  wrId                           0  wrId
 *   8  address                        8  opcode (1), flags (1), number of elements (2)
 *  16  length                        12  immediate data
 *  20  lkey                          16  remote address
 *                                    24  rkey
 *                                    28  remote QP number
 *                                    32  remote queue key
 *                                    36  key to invalidate
 *                                    40  first operand of an atomic
 *                                    48  second operand
 *                                    56  elements of 16: address, length, lkey
 *                                    ..  of a masked atomic: mask of the compared
 *                                        bits or field boundary, mask of the swapped
 * </pre>
 */
final class SendRecord {
    /** A signaled SEND with one element. */
    static final int SEND = 1;
    /** Any request. */
    static final int REQUEST = 2;

    static final int SEND_LENGTH = 24;

    private static final int WR_ID_OFFSET = 0;
    private static final int ADDRESS_OFFSET = 8;
    private static final int LENGTH_OFFSET = 16;
    private static final int LKEY_OFFSET = 20;

    private static final int OPCODE_OFFSET = 8;
    private static final int FLAGS_OFFSET = 9;
    private static final int SGES_OFFSET = 10;
    private static final int IMM_DATA_OFFSET = 12;
    private static final int REMOTE_ADDRESS_OFFSET = 16;
    private static final int RKEY_OFFSET = 24;
    private static final int REMOTE_QPN_OFFSET = 28;
    private static final int REMOTE_QKEY_OFFSET = 32;
    private static final int INVALIDATE_RKEY_OFFSET = 36;
    private static final int COMPARE_ADD_OFFSET = 40;
    private static final int SWAP_OFFSET = 48;
    private static final int SGE_OFFSET = 56;
    private static final int SGE_LENGTH = 16;
    private static final int SGE_LENGTH_OFFSET = 8;
    private static final int SGE_LKEY_OFFSET = 12;

    private static final int MASKS_LENGTH = 16;
    private static final int SWAP_MASK_OFFSET = 8;

    private static final SendOpcode[] OPCODES = SendOpcode.values();

    private SendRecord() {
    }

    /** Most bytes of a request with so many elements. */
    static int maxLength(final int sges) {
        return masksOffset(sges) + MASKS_LENGTH;
    }

    /** Bytes of a request with so many elements. */
    static int length(final SendOpcode opcode, final int sges) {
        return masksOffset(sges) + (isMasked(opcode) ? MASKS_LENGTH : 0);
    }

    private static int masksOffset(final int sges) {
        return SGE_OFFSET + sges * SGE_LENGTH;
    }

    private static boolean isMasked(final SendOpcode opcode) {
        return opcode == SendOpcode.MASKED_ATOMIC_CMP_AND_SWP || opcode == SendOpcode.MASKED_ATOMIC_FETCH_AND_ADD;
    }

    static void write(
        final MutableDirectBuffer to, final int at, final long wrId, final long address, final int length,
        final int lkey) {
        to.putLong(at + WR_ID_OFFSET, wrId);
        to.putLong(at + ADDRESS_OFFSET, address);
        to.putInt(at + LENGTH_OFFSET, length);
        to.putInt(at + LKEY_OFFSET, lkey);
    }

    /**
     * Operation and number of elements are the caller's, who made the room: the request might become another one
     * meanwhile.
     */
    static void write(
        final MutableDirectBuffer to, final int at, final SendRequest from, final SendOpcode opcode, final int sges) {
        to.putLong(at + WR_ID_OFFSET, from.wrId());
        to.putByte(at + OPCODE_OFFSET, (byte) opcode.ordinal());
        to.putByte(at + FLAGS_OFFSET, (byte) from.flags());
        to.putShort(at + SGES_OFFSET, (short) sges);
        to.putInt(at + IMM_DATA_OFFSET, from.immData());
        to.putLong(at + REMOTE_ADDRESS_OFFSET, from.remoteAddress());
        to.putInt(at + RKEY_OFFSET, from.rkey());
        to.putInt(at + REMOTE_QPN_OFFSET, from.remoteQpn());
        to.putInt(at + REMOTE_QKEY_OFFSET, from.remoteQkey());
        to.putInt(at + INVALIDATE_RKEY_OFFSET, from.invalidateRkey());
        to.putLong(at + COMPARE_ADD_OFFSET, from.compareAdd());
        to.putLong(at + SWAP_OFFSET, from.swap());
        final SgeList list = from.sges();
        for (int i = 0, sge = at + SGE_OFFSET; i < sges; i++, sge += SGE_LENGTH) {
            to.putLong(sge, list.address(i));
            to.putInt(sge + SGE_LENGTH_OFFSET, list.length(i));
            to.putInt(sge + SGE_LKEY_OFFSET, list.lkey(i));
        }
        if (isMasked(opcode)) {
            writeMasks(to, at + masksOffset(sges), from, opcode);
        }
    }

    private static void writeMasks(
        final MutableDirectBuffer to, final int at, final SendRequest from, final SendOpcode opcode) {
        to.putLong(at, opcode == SendOpcode.MASKED_ATOMIC_CMP_AND_SWP ? from.compareMask() : from.fieldBoundary());
        to.putLong(at + SWAP_MASK_OFFSET, from.swapMask());
    }

    static void read(
        final DirectBuffer from, final int at, final int type, final AddressHandle handle, final SendRequest to) {
        to.wrId(from.getLong(at + WR_ID_OFFSET));
        if (type == SEND) {
            readSend(from, at, to);
        } else {
            readRequest(from, at, handle, to);
        }
    }

    private static void readSend(final DirectBuffer from, final int at, final SendRequest to) {
        to.opcode(SendOpcode.SEND)
            .flags(SendRequest.SIGNALED)
            .sge(from.getLong(at + ADDRESS_OFFSET), from.getInt(at + LENGTH_OFFSET), from.getInt(at + LKEY_OFFSET));
    }

    private static void readRequest(
        final DirectBuffer from, final int at, final AddressHandle handle, final SendRequest to) {
        final SendOpcode opcode = OPCODES[from.getByte(at + OPCODE_OFFSET)];
        final int sges = from.getShort(at + SGES_OFFSET);
        to.opcode(opcode)
            .flags(from.getByte(at + FLAGS_OFFSET))
            .immData(from.getInt(at + IMM_DATA_OFFSET))
            .remote(from.getLong(at + REMOTE_ADDRESS_OFFSET), from.getInt(at + RKEY_OFFSET))
            .to(handle, from.getInt(at + REMOTE_QPN_OFFSET), from.getInt(at + REMOTE_QKEY_OFFSET))
            .invalidate(from.getInt(at + INVALIDATE_RKEY_OFFSET))
            .atomic(from.getLong(at + COMPARE_ADD_OFFSET), from.getLong(at + SWAP_OFFSET))
            .clearSges();
        for (int i = 0, sge = at + SGE_OFFSET; i < sges; i++, sge += SGE_LENGTH) {
            to.addSge(from.getLong(sge), from.getInt(sge + SGE_LENGTH_OFFSET), from.getInt(sge + SGE_LKEY_OFFSET));
        }
        if (isMasked(opcode)) {
            readMasks(from, at + masksOffset(sges), to);
        }
    }

    private static void readMasks(final DirectBuffer from, final int at, final SendRequest to) {
        final long mask = from.getLong(at);
        if (to.opcode() == SendOpcode.MASKED_ATOMIC_CMP_AND_SWP) {
            to.maskedCompareSwap(to.compareAdd(), mask, to.swap(), from.getLong(at + SWAP_MASK_OFFSET));
        } else {
            to.maskedAdd(to.compareAdd(), mask);
        }
    }
}
