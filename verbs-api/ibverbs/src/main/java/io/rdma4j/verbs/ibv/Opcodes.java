/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.WcOpcode;

import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Stream;

/** Operations as the library numbers them: {@code enum ibv_wr_opcode} and {@code enum ibv_wc_opcode}. */
final class Opcodes {
    static final int NONE = -1;
    static final int RECV_RDMA_WITH_IMM = 129;
    static final int WITH_IMM = 2;
    static final int WITH_INV = 8;
    static final int WITH_INV_OF_KERNEL = 4;
    static final int GRH = 1;
    static final int INLINE = 8;
    static final int BIND_MW = 8;
    private static final Map<SendOpcode, Integer> NUMBERS = new EnumMap<>(Map.of(
        SendOpcode.RDMA_WRITE, 0,
        SendOpcode.RDMA_WRITE_WITH_IMM, 1,
        SendOpcode.SEND, 2,
        SendOpcode.SEND_WITH_IMM, 3,
        SendOpcode.RDMA_READ, 4,
        SendOpcode.ATOMIC_CMP_AND_SWP, 5,
        SendOpcode.ATOMIC_FETCH_AND_ADD, 6,
        SendOpcode.LOCAL_INV, 7,
        SendOpcode.BIND_MW, BIND_MW,
        SendOpcode.SEND_WITH_INV, 9));

    private static final WcOpcode[] COMPLETIONS =
        Stream.of(SendOpcode.values()).map(Opcodes::completionOf).toArray(WcOpcode[]::new);

    private Opcodes() {
    }

    /** The number of each operation for a queue of this type; NONE where it, the device or the library has none. */
    static int[] of(final QpType type, final Traits traits) {
        final int[] numbers = new int[SendOpcode.values().length];
        for (final SendOpcode opcode : SendOpcode.values()) {
            final boolean has = type == QpType.RC ? traits.features.has(needs(opcode))
                : opcode == SendOpcode.SEND || opcode == SendOpcode.SEND_WITH_IMM;
            numbers[opcode.ordinal()] = has ? NUMBERS.getOrDefault(opcode, NONE) : NONE;
        }
        return numbers;
    }

    private static Feature needs(final SendOpcode opcode) {
        return switch (opcode) {
            case SEND_WITH_INV, LOCAL_INV -> Feature.INVALIDATE;
            case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> Feature.ATOMICS;
            case BIND_MW -> Feature.MEMORY_WINDOWS_TYPE_2;
            case RDMA_READ, RDMA_READ_WITH_INV -> Feature.RDMA_READ;
            case FAST_REG_MR -> Feature.FAST_REGISTRATION;
            case MASKED_ATOMIC_CMP_AND_SWP, MASKED_ATOMIC_FETCH_AND_ADD -> Feature.MASKED_ATOMICS;
            case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> Feature.RDMA_WRITE;
            default -> Feature.SEND_WITH_IMM;
        };
    }

    static boolean isAtomic(final SendOpcode opcode) {
        return opcode == SendOpcode.ATOMIC_CMP_AND_SWP || opcode == SendOpcode.ATOMIC_FETCH_AND_ADD;
    }

    /** Whether its request has elements and perhaps a remote address, and nothing else. */
    static boolean isPlain(final SendOpcode opcode) {
        return opcode == SendOpcode.SEND || opcode == SendOpcode.RDMA_WRITE;
    }

    static boolean takesInline(final SendOpcode opcode) {
        return switch (opcode) {
            case SEND, SEND_WITH_IMM, SEND_WITH_INV, RDMA_WRITE, RDMA_WRITE_WITH_IMM -> true;
            default -> false;
        };
    }

    /** What completes when a request does: the device does not say it of one that failed. */
    static WcOpcode completion(final SendOpcode opcode) {
        return completion(opcode.ordinal());
    }

    /** The same, by the place among all. */
    static WcOpcode completion(final int ordinal) {
        return COMPLETIONS[ordinal];
    }

    private static WcOpcode completionOf(final SendOpcode opcode) {
        return switch (opcode) {
            case SEND, SEND_WITH_IMM, SEND_WITH_INV -> WcOpcode.SEND;
            case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> WcOpcode.RDMA_WRITE;
            case RDMA_READ, RDMA_READ_WITH_INV -> WcOpcode.RDMA_READ;
            case ATOMIC_CMP_AND_SWP -> WcOpcode.COMP_SWAP;
            case ATOMIC_FETCH_AND_ADD -> WcOpcode.FETCH_ADD;
            case LOCAL_INV -> WcOpcode.LOCAL_INV;
            case BIND_MW -> WcOpcode.BIND_MW;
            default -> WcOpcode.UNKNOWN;
        };
    }

    /** Immediate data travel as the application's bytes: the library takes them in network order. */
    static int immData(final int value) {
        return Integer.reverseBytes(value);
    }
}
