/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicType;

import java.math.BigInteger;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each operation against what fi_atomic(3) says, with integers as long as need be. */
class AtomicMathTest {
    private static final long[] EDGES = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 0x7f, 0x80, 0xff, 0x7fff, 0x8000,
        0xffff, 0x7fff_ffff, 0x8000_0000L, 0xffff_ffffL, 0x5555_5555_5555_5555L};

    private static BigInteger value(final AtomicType type, final long bits) {
        final BigInteger modulus = BigInteger.ONE.shiftLeft(type.size() * Byte.SIZE);
        final BigInteger plain = BigInteger.valueOf(bits).mod(modulus);
        return type.isSigned() && plain.testBit(type.size() * Byte.SIZE - 1) ? plain.subtract(modulus) : plain;
    }

    private static BigInteger wanted(
        final AtomicOp op, final BigInteger there, final BigInteger here, final BigInteger compare) {
        final boolean a = there.signum() != 0;
        final boolean b = here.signum() != 0;
        final int order = compare.compareTo(there);
        return switch (op) {
            case MIN -> there.min(here);
            case MAX -> there.max(here);
            case SUM -> there.add(here);
            case DIFF -> there.subtract(here);
            case PROD -> there.multiply(here);
            case LOR -> a || b ? BigInteger.ONE : BigInteger.ZERO;
            case LAND -> a && b ? BigInteger.ONE : BigInteger.ZERO;
            case LXOR -> a != b ? BigInteger.ONE : BigInteger.ZERO;
            case BOR -> there.or(here);
            case BAND -> there.and(here);
            case BXOR -> there.xor(here);
            case ATOMIC_READ -> there;
            case ATOMIC_WRITE -> here;
            case CSWAP -> order == 0 ? here : there;
            case CSWAP_NE -> order != 0 ? here : there;
            case CSWAP_LE -> order <= 0 ? here : there;
            case CSWAP_LT -> order < 0 ? here : there;
            case CSWAP_GE -> order >= 0 ? here : there;
            case CSWAP_GT -> order > 0 ? here : there;
            case MSWAP -> here.and(compare).or(there.andNot(compare));
        };
    }

    @ParameterizedTest
    @EnumSource
    void integers(final AtomicOp op) {
        final Random random = new Random(7);
        for (final AtomicType type : AtomicType.values()) {
            for (int i = 0; !type.isReal() && i < 3_000; i++) {
                final long there = bits(random);
                final long here = random.nextInt(4) == 0 ? there : bits(random);
                final long compare = random.nextInt(3) == 0 ? there : bits(random);
                final BigInteger wanted = wanted(op, value(type, there), value(type, here), value(type, compare));
                final long got = AtomicMath.apply(op, type, there, here, compare);
                assertThat(value(type, got)).as("%s of %s: %x there, %x here, %x to compare", op, type, there, here,
                    compare).isEqualTo(value(type, wanted.longValue()));
            }
        }
    }

    private static long bits(final Random random) {
        return random.nextBoolean() ? EDGES[random.nextInt(EDGES.length)] : random.nextLong();
    }

    @ParameterizedTest
    @EnumSource
    void realNumbers(final AtomicOp op) {
        final double[] values = {0, -0.0, 1, -1, 0.1, 3.5, Double.MAX_VALUE, Double.NEGATIVE_INFINITY, Double.NaN};
        for (final double there : values) {
            for (final double here : values) {
                for (final double compare : values) {
                    if (op.takes(AtomicType.DOUBLE)) {
                        check(op, there, here, compare);
                    }
                }
            }
        }
    }

    private static void check(final AtomicOp op, final double there, final double here, final double compare) {
        final long got = AtomicMath.apply(op, AtomicType.DOUBLE, Double.doubleToRawLongBits(there),
            Double.doubleToRawLongBits(here), Double.doubleToRawLongBits(compare));
        assertThat(Double.longBitsToDouble(got)).as("%s: %s there, %s here, %s to compare", op, there, here, compare)
            .isEqualTo(Double.valueOf(wanted(op, there, here, compare)));
        final long small = AtomicMath.apply(op, AtomicType.FLOAT, Float.floatToRawIntBits((float) there),
            Float.floatToRawIntBits((float) here), Float.floatToRawIntBits((float) compare));
        assertThat(Float.intBitsToFloat((int) small)).as("%s: %s there, %s here, %s to compare", op, there, here,
            compare).isEqualTo(Float.valueOf(switch (op) {
                // Rounded once, not twice.
                case SUM -> (float) there + (float) here;
                case DIFF -> (float) there - (float) here;
                case PROD -> (float) there * (float) here;
                default -> (float) wanted(op, (float) there, (float) here, (float) compare);
            }));
    }

    private static double wanted(final AtomicOp op, final double there, final double here, final double compare) {
        final double yes = 1;
        final boolean a = there != 0;
        final boolean b = here != 0;
        return switch (op) {
            case MIN -> here < there ? here : there;
            case MAX -> here > there ? here : there;
            case SUM -> there + here;
            case DIFF -> there - here;
            case PROD -> there * here;
            case LOR -> a || b ? yes : 0;
            case LAND -> a && b ? yes : 0;
            case LXOR -> a != b ? yes : 0;
            case ATOMIC_WRITE -> here;
            case CSWAP -> compare == there ? here : there;
            case CSWAP_NE -> compare != there ? here : there;
            case CSWAP_LE -> compare <= there ? here : there;
            case CSWAP_LT -> compare < there ? here : there;
            case CSWAP_GE -> compare >= there ? here : there;
            case CSWAP_GT -> compare > there ? here : there;
            default -> there;
        };
    }

    @Test
    void bitsOfRealNumbersAreLeftAlone() {
        assertThat(AtomicOp.BOR.takes(AtomicType.FLOAT)).isFalse();
        assertThat(AtomicOp.MSWAP.takes(AtomicType.DOUBLE)).isFalse();
        assertThat(AtomicOp.MSWAP.takes(AtomicType.UINT8)).isTrue();
        assertThat(AtomicOp.LXOR.takes(AtomicType.DOUBLE)).isTrue();
    }
}
