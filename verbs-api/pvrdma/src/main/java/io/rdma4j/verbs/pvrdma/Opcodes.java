/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.hw.pvrdma.WcOpcode.PVRDMA_WC_RECV;
import static io.rdma4j.hw.pvrdma.WcOpcode.PVRDMA_WC_RECV_RDMA_WITH_IMM;

import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;

import java.util.Set;

/** Numbers of the interface and numbers of the device. They differ in places, so none is ever cast. */
final class Opcodes {
    /** Stands for an operation that the device or the type of QP does not have. */
    static final int NONE = -1;

    /** Completions of sends, by {@link io.rdma4j.hw.pvrdma.WcOpcode}. */
    private static final WcOpcode[] SENDS = {
        WcOpcode.SEND, WcOpcode.RDMA_WRITE, WcOpcode.RDMA_READ, WcOpcode.COMP_SWAP, WcOpcode.FETCH_ADD,
        WcOpcode.BIND_MW, WcOpcode.UNKNOWN, WcOpcode.LOCAL_INV, WcOpcode.FAST_REG_MR, WcOpcode.MASKED_COMP_SWAP,
        WcOpcode.MASKED_FETCH_ADD
    };

    private static final int FLAGS = sameBits(SendRequest.FENCE, SendFlags.PVRDMA_SEND_FENCE)
        | sameBits(SendRequest.SIGNALED, SendFlags.PVRDMA_SEND_SIGNALED)
        | sameBits(SendRequest.SOLICITED, SendFlags.PVRDMA_SEND_SOLICITED);

    private Opcodes() {
    }

    /** The device's number of an operation. */
    static int wire(final SendOpcode opcode) {
        switch (opcode) {
            case SEND:
                return WrOpcode.PVRDMA_WR_SEND;
            case SEND_WITH_IMM:
                return WrOpcode.PVRDMA_WR_SEND_WITH_IMM;
            case SEND_WITH_INV:
                return WrOpcode.PVRDMA_WR_SEND_WITH_INV;
            case RDMA_WRITE:
                return WrOpcode.PVRDMA_WR_RDMA_WRITE;
            case RDMA_WRITE_WITH_IMM:
                return WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM;
            case RDMA_READ:
                return WrOpcode.PVRDMA_WR_RDMA_READ;
            case ATOMIC_CMP_AND_SWP:
                return WrOpcode.PVRDMA_WR_ATOMIC_CMP_AND_SWP;
            case ATOMIC_FETCH_AND_ADD:
                return WrOpcode.PVRDMA_WR_ATOMIC_FETCH_AND_ADD;
            default:
                return wireOfExtended(opcode);
        }
    }

    private static int wireOfExtended(final SendOpcode opcode) {
        switch (opcode) {
            case RDMA_READ_WITH_INV:
                return WrOpcode.PVRDMA_WR_RDMA_READ_WITH_INV;
            case MASKED_ATOMIC_CMP_AND_SWP:
                return WrOpcode.PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP;
            case MASKED_ATOMIC_FETCH_AND_ADD:
                return WrOpcode.PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD;
            case LOCAL_INV:
                return WrOpcode.PVRDMA_WR_LOCAL_INV;
            case FAST_REG_MR:
                return WrOpcode.PVRDMA_WR_FAST_REG_MR;
            case BIND_MW:
                return WrOpcode.PVRDMA_WR_BIND_MW;
            default:
                return NONE;
        }
    }

    /** The device's numbers of those operations that a QP has, by ordinal; {@link #NONE} for the others. */
    static int[] of(final QpType type, final Traits traits) {
        final int[] wire = new int[SendOpcode.values().length];
        for (final SendOpcode opcode : SendOpcode.values()) {
            wire[opcode.ordinal()] = typeHas(type, opcode) && deviceHas(traits, opcode) ? wire(opcode) : NONE;
        }
        return wire;
    }

    /** Datagrams know nothing but messages (InfiniBand specification, transport services). */
    private static boolean typeHas(final QpType type, final SendOpcode opcode) {
        return type == QpType.RC || opcode == SendOpcode.SEND || opcode == SendOpcode.SEND_WITH_IMM;
    }

    private static boolean deviceHas(final Traits traits, final SendOpcode opcode) {
        for (final Feature feature : needs(opcode)) {
            if (!traits.features.has(feature)) {
                return false;
            }
        }
        return true;
    }

    private static Set<Feature> needs(final SendOpcode opcode) {
        switch (opcode) {
            case SEND:
                return Set.of();
            case SEND_WITH_IMM:
                return Set.of(Feature.SEND_WITH_IMM);
            case SEND_WITH_INV:
            case LOCAL_INV:
                return Set.of(Feature.INVALIDATE);
            case RDMA_WRITE:
                return Set.of(Feature.RDMA_WRITE);
            case RDMA_WRITE_WITH_IMM:
                return Set.of(Feature.RDMA_WRITE, Feature.SEND_WITH_IMM);
            case RDMA_READ:
                return Set.of(Feature.RDMA_READ);
            case RDMA_READ_WITH_INV:
                return Set.of(Feature.RDMA_READ, Feature.INVALIDATE);
            case ATOMIC_CMP_AND_SWP:
            case ATOMIC_FETCH_AND_ADD:
                return Set.of(Feature.ATOMICS);
            case MASKED_ATOMIC_CMP_AND_SWP:
            case MASKED_ATOMIC_FETCH_AND_ADD:
                return Set.of(Feature.MASKED_ATOMICS);
            case FAST_REG_MR:
                return Set.of(Feature.FAST_REGISTRATION);
            default:
                return Set.of(Feature.MEMORY_WINDOWS_TYPE_2);
        }
    }

    /** Operations on 8 bytes of the peer's memory, with one element for what was there. */
    static boolean isAtomic(final int wire) {
        switch (wire) {
            case WrOpcode.PVRDMA_WR_ATOMIC_CMP_AND_SWP:
            case WrOpcode.PVRDMA_WR_ATOMIC_FETCH_AND_ADD:
            case WrOpcode.PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP:
            case WrOpcode.PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD:
                return true;
            default:
                return false;
        }
    }

    /** Operations that change what a key names; they have an object of this side's instead of elements. */
    static boolean changesKey(final int wire) {
        return wire == WrOpcode.PVRDMA_WR_BIND_MW || wire == WrOpcode.PVRDMA_WR_FAST_REG_MR;
    }

    /** Operations that read the peer's memory into their elements. */
    static boolean isRead(final int wire) {
        return wire == WrOpcode.PVRDMA_WR_RDMA_READ || wire == WrOpcode.PVRDMA_WR_RDMA_READ_WITH_INV;
    }

    /** Whether an operation carries bytes of this side's to the peer. */
    static boolean takesInline(final int opcode) {
        switch (opcode) {
            case WrOpcode.PVRDMA_WR_SEND:
            case WrOpcode.PVRDMA_WR_SEND_WITH_IMM:
            case WrOpcode.PVRDMA_WR_SEND_WITH_INV:
            case WrOpcode.PVRDMA_WR_RDMA_WRITE:
            case WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM:
                return true;
            default:
                return false;
        }
    }

    private static int sameBits(final int ours, final int device) {
        if (ours != device) {
            throw new ExceptionInInitializerError("flag " + ours + " is " + device + " to the device");
        }
        return ours;
    }

    /** The device's bits for the flags of a request, which are the same bits. */
    static int flags(final int flags) {
        return flags & FLAGS;
    }

    /** Immediate data travels in network order, so that a peer in C reads the same number with ntohl. */
    static int immData(final int value) {
        return Integer.reverseBytes(value);
    }

    /** What a completion completes; {@link WcOpcode#UNKNOWN} for a number that the device made up. */
    static WcOpcode completion(final int opcode) {
        if (opcode >= 0 && opcode < SENDS.length) {
            return SENDS[opcode];
        }
        if (opcode == PVRDMA_WC_RECV) {
            return WcOpcode.RECV;
        }
        return opcode == PVRDMA_WC_RECV_RDMA_WITH_IMM ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.UNKNOWN;
    }

    /** Whether a completion is one of a receive. */
    static boolean isReceive(final int opcode) {
        return (opcode & PVRDMA_WC_RECV) != 0;
    }
}
