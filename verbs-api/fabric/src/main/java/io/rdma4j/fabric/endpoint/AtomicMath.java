/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicType;

/** What atomics make of a number, by fi_atomic(3). Numbers are the low bits of a long, whatever is above them. */
final class AtomicMath {
    private AtomicMath() {
    }

    /** What the number becomes. */
    static long apply(
        final AtomicOp op, final AtomicType type, final long there, final long here, final long compare) {
        return switch (type) {
            case FLOAT -> ofFloat(op, there, here, compare);
            case DOUBLE -> ofDouble(op, there, here, compare);
            default -> ofInteger(op, type, value(type, there), value(type, here), value(type, compare));
        };
    }

    /** With its sign, or without one; of 64 bits without a sign the bits. */
    private static long value(final AtomicType type, final long bits) {
        return switch (type) {
            case INT8 -> (byte) bits;
            case UINT8 -> bits & 0xff;
            case INT16 -> (short) bits;
            case UINT16 -> bits & 0xffff;
            case INT32 -> (int) bits;
            case UINT32 -> bits & 0xffff_ffffL;
            default -> bits;
        };
    }

    private static int order(final AtomicType type, final long one, final long other) {
        return type == AtomicType.UINT64 ? Long.compareUnsigned(one, other) : Long.compare(one, other);
    }

    private static long ofInteger(
        final AtomicOp op, final AtomicType type, final long there, final long here, final long compare) {
        return switch (op) {
            case MIN -> order(type, here, there) < 0 ? here : there;
            case MAX -> order(type, here, there) > 0 ? here : there;
            case SUM -> there + here;
            case DIFF -> there - here;
            case PROD -> there * here;
            case LOR -> there != 0 || here != 0 ? 1 : 0;
            case LAND -> there != 0 && here != 0 ? 1 : 0;
            case LXOR -> there != 0 ^ here != 0 ? 1 : 0;
            case BOR -> there | here;
            case BAND -> there & here;
            case BXOR -> there ^ here;
            case MSWAP -> here & compare | there & ~compare;
            case ATOMIC_READ -> there;
            case ATOMIC_WRITE -> here;
            default -> holds(op, order(type, compare, there)) ? here : there;
        };
    }

    /** Whether compare stands to what is there as the operation says. */
    private static boolean holds(final AtomicOp op, final int order) {
        return switch (op) {
            case CSWAP -> order == 0;
            case CSWAP_NE -> order != 0;
            case CSWAP_LE -> order <= 0;
            case CSWAP_LT -> order < 0;
            case CSWAP_GE -> order >= 0;
            default -> order > 0;
        };
    }

    private static long ofFloat(final AtomicOp op, final long there, final long here, final long compare) {
        final float one = Float.intBitsToFloat((int) there);
        final float other = Float.intBitsToFloat((int) here);
        return switch (op) {
            case SUM -> Float.floatToRawIntBits(one + other);
            case DIFF -> Float.floatToRawIntBits(one - other);
            case PROD -> Float.floatToRawIntBits(one * other);
            case LOR, LAND, LXOR -> Float.floatToRawIntBits(logic(op, one != 0, other != 0));
            default -> picks(op, one, other, Float.intBitsToFloat((int) compare)) ? here : there;
        };
    }

    private static long ofDouble(final AtomicOp op, final long there, final long here, final long compare) {
        final double one = Double.longBitsToDouble(there);
        final double other = Double.longBitsToDouble(here);
        return switch (op) {
            case SUM -> Double.doubleToRawLongBits(one + other);
            case DIFF -> Double.doubleToRawLongBits(one - other);
            case PROD -> Double.doubleToRawLongBits(one * other);
            case LOR, LAND, LXOR -> Double.doubleToRawLongBits(logic(op, one != 0, other != 0));
            default -> picks(op, one, other, Double.longBitsToDouble(compare)) ? here : there;
        };
    }

    private static float logic(final AtomicOp op, final boolean one, final boolean other) {
        return switch (op) {
            case LOR -> one || other ? 1 : 0;
            case LAND -> one && other ? 1 : 0;
            default -> one ^ other ? 1 : 0;
        };
    }

    /** Whether the operand takes the place of what is there. Nothing is true of what is not a number but NE. */
    private static boolean picks(final AtomicOp op, final double there, final double here, final double compare) {
        return switch (op) {
            case MIN -> here < there;
            case MAX -> here > there;
            case ATOMIC_WRITE -> true;
            case CSWAP -> compare == there;
            case CSWAP_NE -> compare != there;
            case CSWAP_LE -> compare <= there;
            case CSWAP_LT -> compare < there;
            case CSWAP_GE -> compare >= there;
            case CSWAP_GT -> compare > there;
            default -> false;
        };
    }
}
