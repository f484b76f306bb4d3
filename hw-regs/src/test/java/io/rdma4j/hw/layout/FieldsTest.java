/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.hw.layout.Fields.BytesField;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Fields.LongField;
import io.rdma4j.hw.layout.Fields.StructField;
import java.util.HexFormat;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class FieldsTest {
    private static final class Inner extends Flyweight<Inner> {
        private static final Fields<Inner> F = Fields.of("inner");
        static final IntField<Inner> BYTE = F.u8("byte");
        static final IntField<Inner> STATE = F.u8("state", v -> "state " + v);
        static final IntField<Inner> HALF = F.u16("half");
        static final Layout LAYOUT = F.build();

        Inner() {
            super(LAYOUT);
        }
    }

    private static final class Outer extends Flyweight<Outer> {
        private static final Fields<Outer> F = Fields.of("outer");
        static final IntField<Outer> WORD = F.u32("word");
        static final StructField<Outer, Inner> IN = F.reserved(4).struct("in", Inner.LAYOUT, Inner::new);
        static final BytesField<Outer> MAC = F.bytes("mac", 6);
        static final LongField<Outer> LITTLE = F.reserved(2).u64("little");
        static final LongField<Outer> BIG = F.be64("big");
        static final Layout LAYOUT = F.build();

        Outer() {
            super(LAYOUT);
        }
    }

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[40]);
    private final Outer outer = new Outer().wrap(buffer, 1);

    @Test
    void offsetsFollowFromTheOrder() {
        assertThat(Outer.LAYOUT.fields().stream().map(f -> f.offset() + " " + f.name())).containsExactly("0 word",
            "4 reserved@4", "8 in.byte", "9 in.state", "10 in.half", "12 mac", "18 reserved@18", "20 little", "28 big");
        assertThat(new int[] {Outer.WORD.offset(), Outer.IN.offset(), Outer.MAC.offset(), Outer.LITTLE.offset(),
            Outer.BIG.offset(), Inner.HALF.offset()}).containsExactly(0, 8, 12, 20, 28, 2);
        assertThat(Outer.LAYOUT.length()).isEqualTo(36);
    }

    @Test
    void writesAndReadsEveryKind() {
        outer.set(Outer.WORD, -2).set(Outer.MAC, new byte[] {1, 2, 3, 4, 5, 6}).set(Outer.LITTLE, 0x0102030405060708L)
            .set(Outer.BIG, 0x8102030405060708L)
            .get(Outer.IN).set(Inner.BYTE, 0x1f0).set(Inner.STATE, 3).set(Inner.HALF, 0x1fffe);

        assertThat(HexFormat.of().formatHex(buffer.byteArray())).isEqualTo("00" + "feffffff" + "00000000" + "f003feff"
            + "010203040506" + "0000" + "0807060504030201" + "8102030405060708" + "000000");
        assertThat(outer.get(Outer.WORD)).isEqualTo(-2);
        assertThat(outer.get(Outer.MAC)).containsExactly(1, 2, 3, 4, 5, 6);
        assertThat(outer.get(Outer.LITTLE)).isEqualTo(0x0102030405060708L);
        assertThat(outer.get(Outer.BIG)).isEqualTo(0x8102030405060708L);
        assertThat(outer.get(Outer.IN).get(Inner.BYTE)).as("unsigned").isEqualTo(0xf0);
        assertThat(outer.get(Outer.IN).get(Inner.HALF)).as("unsigned").isEqualTo(0xfffe);
        assertThat(outer.get(Outer.IN).offset()).isEqualTo(9);
        assertThat(outer).hasToString("""
            outer
              word      0xfffffffe (4294967294)
              in.byte   0xf0 (240)
              in.state  0x3 (state 3)
              in.half   0xfffe (65534)
              mac       010203040506
              little    0x102030405060708 (72623859790382856)
              big       0x8102030405060708 (9295995896645158664)
            """);
    }

    @Test
    void refusesWhatIsNoField() {
        final Fields<Outer> none = Fields.of("none");
        assertThatThrownBy(() -> none.reserved(0)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("none.reserved@0");
        assertThatThrownBy(() -> Outer.MAC.field().number(buffer, 0)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("mac is not a number");
        assertThatThrownBy(() -> Outer.MAC.field().putNumber(buffer, 0, 1))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("mac is not a number");
        assertThatThrownBy(() -> outer.set(Outer.MAC, new byte[5])).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("outer.mac").hasMessageContaining("5 bytes given for 6");
    }
}
