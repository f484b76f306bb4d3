/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.hw.layout.Fields.IntField;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlyweightTest {
    private static final class Pair extends Flyweight<Pair> {
        private static final Fields<Pair> F = Fields.of("pair");
        static final IntField<Pair> A = F.u32("a");
        static final IntField<Pair> B = F.u32("b");
        static final Layout LAYOUT = F.build();

        Pair() {
            super(LAYOUT);
        }
    }

    @Test
    void looksAtMemoryAndKeepsNoCopy() {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[24]);
        final Pair pair = new Pair().wrap(buffer, 16);
        buffer.putInt(20, 7);
        assertThat(pair.get(Pair.B)).isEqualTo(7);
        assertThat(pair.set(Pair.B, 8)).isSameAs(pair);
        assertThat(buffer.getInt(20)).isEqualTo(8);
        assertThat(pair.offset()).isEqualTo(16);
        assertThat(pair.buffer()).isSameAs(buffer);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 17, 24, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void refusesAPlaceWhereItDoesNotFit(int offset) {
        final Pair pair = new Pair();
        assertThatThrownBy(() -> pair.wrap(new UnsafeBuffer(new byte[24]), offset))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("pair of 8 bytes at offset " + offset).hasMessageContaining("24 bytes");
        assertThat(pair.buffer()).as("still looks at nothing").isNull();
    }

    @Test
    void printsAlsoBeforeItLooksAtAnything() {
        assertThat(new Pair()).hasToString("pair (not wrapped)");
        assertThat(new Pair().wrap(new UnsafeBuffer(new byte[8]), 0).set(Pair.B, -1)).hasToString("""
            pair
              a  0x0 (0)
              b  0xffffffff (4294967295)
            """);
    }

    @Test
    void copiesAnotherStruct() {
        final UnsafeBuffer src = new UnsafeBuffer(new byte[] {9, 1, 0, 0, 0, 2, 0, 0, 0, 9});
        final UnsafeBuffer dst = new UnsafeBuffer(new byte[10]);
        assertThat(new Pair().wrap(dst, 1).copyFrom(src, 1).get(Pair.B)).isEqualTo(2);
        assertThat(dst.getByte(0)).isZero();
        assertThat(dst.getByte(9)).isZero();
    }
}
