/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicRequest;
import io.rdma4j.fabric.AtomicType;

import java.util.function.Consumer;

/** Atomics of every kind, with numbers whose outcome is written down here. */
final class AtomicKinds {
    private static final int OPERANDS = 64;
    private static final int COMPARE = 128;
    private static final int RESULT = 192;
    private static final int TARGET = 256;
    private static final int NUMBERS = 3;
    private static final int THERE = 12;
    private static final int HERE = 5;

    private AtomicKinds() {
    }

    /** What 12 becomes by 5, and a third operand of 12, by fi_atomic(3). */
    private static int outcome(final AtomicOp op) {
        return switch (op) {
            case MIN, ATOMIC_WRITE, CSWAP, CSWAP_LE, CSWAP_GE -> 5;
            case MAX, ATOMIC_READ, CSWAP_NE, CSWAP_LT, CSWAP_GT -> 12;
            case SUM -> 17;
            case DIFF -> 7;
            case PROD -> 60;
            case LOR, LAND -> 1;
            case LXOR -> 0;
            case BOR -> 13;
            case BAND, MSWAP -> 4;
            case BXOR -> 9;
        };
    }

    private static void put(final FabricMemory memory, final AtomicType type, final int at, final int value) {
        switch (type) {
            case INT8, UINT8 -> memory.buffer().putByte(at, (byte) value);
            case INT16, UINT16 -> memory.buffer().putShort(at, (short) value);
            case INT32, UINT32 -> memory.buffer().putInt(at, value);
            case INT64, UINT64 -> memory.buffer().putLong(at, value);
            case FLOAT -> memory.buffer().putFloat(at, value);
            default -> memory.buffer().putDouble(at, value);
        }
    }

    private static long bits(final FabricMemory memory, final AtomicType type, final int at) {
        return switch (type.size()) {
            case Byte.BYTES -> memory.buffer().getByte(at);
            case Short.BYTES -> memory.buffer().getShort(at);
            case Integer.BYTES -> memory.buffer().getInt(at);
            default -> memory.buffer().getLong(at);
        };
    }

    private static void expect(
        final FabricMemory memory, final AtomicType type, final int at, final int value, final String what) {
        final long got = bits(memory, type, at);
        put(memory, type, at, value);
        Check.equal(bits(memory, type, at), got, "%s, as bits", what);
    }

    /**
     * Tries each operation with each type.
     *
     * @param here  memory of the side that starts them, registered.
     * @param there memory of the other side, registered.
     * @param run   does it, and awaits its completion.
     */
    static void tryAll(
        final ConformanceEnv env, final FabricMemory here, final FabricMemory there,
        final Consumer<AtomicRequest> run) {
        final AtomicRequest request = new AtomicRequest();
        for (final AtomicOp op : AtomicOp.values()) {
            for (final AtomicType type : AtomicType.values()) {
                if (op.takes(type)) {
                    tryOne(op, type, here, there, request, run);
                    env.moved((long) NUMBERS * type.size());
                }
            }
        }
    }

    private static void tryOne(
        final AtomicOp op, final AtomicType type, final FabricMemory here, final FabricMemory there,
        final AtomicRequest request, final Consumer<AtomicRequest> run) {
        final int size = type.size();
        // One number's width from the boundary of 8 bytes on.
        final int target = TARGET + size % Long.BYTES;
        there.guard();
        for (int i = 0; i < NUMBERS; i++) {
            put(here, type, OPERANDS + i * size, HERE);
            put(here, type, COMPARE + i * size, THERE);
            put(there, type, target + i * size, THERE);
        }
        request.operation(op, type).operands(here.at(OPERANDS), NUMBERS, here.region())
            .compare(here.at(COMPARE), here.region()).remote(there.remote(target), there.region().key());
        final boolean fetches = op.compares() || op == AtomicOp.ATOMIC_READ || type.isSigned();
        if (fetches) {
            request.result(here.at(RESULT), here.region());
        }
        run.accept(request);
        for (int i = 0; i < NUMBERS; i++) {
            final String what = op + " of " + type + ", number " + i;
            expect(there, type, target + i * size, outcome(op), what);
            if (fetches) {
                expect(here, type, RESULT + i * size, THERE, "what was there before " + what);
            }
        }
        there.expectGuard(TARGET - Long.BYTES, target, "before " + op + " of " + type);
        there.expectGuard(target + NUMBERS * size, TARGET + 64, "behind " + op + " of " + type);
    }
}
