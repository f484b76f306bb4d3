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
        switch (opcode) {
            case SEND:
                return true;
            case SEND_WITH_IMM:
                return traits.supports(Feature.SEND_WITH_IMM);
            case SEND_WITH_INV:
                return traits.supports(Feature.INVALIDATE);
            case RDMA_WRITE:
                return traits.supports(Feature.RDMA_WRITE);
            case RDMA_WRITE_WITH_IMM:
                return traits.supports(Feature.RDMA_WRITE) && traits.supports(Feature.SEND_WITH_IMM);
            case RDMA_READ:
                return traits.supports(Feature.RDMA_READ);
            case ATOMIC_CMP_AND_SWP:
            case ATOMIC_FETCH_AND_ADD:
                return traits.supports(Feature.ATOMICS);
            default:
                return false;
        }
    }

    /** The device's bits for the flags of a request. */
    static int flags(final int flags) {
        return ((flags & SendRequest.FENCE) != 0 ? SendFlags.PVRDMA_SEND_FENCE : 0)
            | ((flags & SendRequest.SIGNALED) != 0 ? SendFlags.PVRDMA_SEND_SIGNALED : 0)
            | ((flags & SendRequest.SOLICITED) != 0 ? SendFlags.PVRDMA_SEND_SOLICITED : 0);
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
