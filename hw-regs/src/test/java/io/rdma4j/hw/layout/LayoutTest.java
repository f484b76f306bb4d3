/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class LayoutTest {
    private static final Layout INNER = Layout.of("inner", 4).u16("port", 0).reserved(2).build();
    private static final Layout ALL = Layout.of("all", 44)
        .u8("u8", 0).u8("state", 1, v -> "state " + v).u16("u16", 2).u32("u32", 4).u64("u64", 8).u32("last", 16)
        .nested("in", 20, INNER).u64("wide", 24).bytes("mac", 32, 6).reserved(2).u32("flags", 40, v -> "bits " + v)
        .build();

    @Test
    void printsEveryKindOfFieldAligned() {
        final UnsafeBuffer buffer = buffer("ff", "ff 02 fffe 010000f0 ffffffffffffffff 01020000 3412 0000"
            + "0302000000000000 005056abcdef 0000 07000000");

        assertThat(ALL.format(buffer, 1)).isEqualTo("""
            all
              u8       0xff (255)
              state    0x2 (state 2)
              u16      0xfeff (65279)
              u32      0xf0000001 (4026531841)
              u64      0xffffffffffffffff (18446744073709551615)
              last     0x201 (513)
              in.port  0x1234 (4660)
              wide     0x203 (515)
              mac      005056abcdef
              flags    0x7 (bits 7)
            """);
    }

    /** Here and not in a constant, so that what a builder answers is looked at. */
    @Test
    void isBuiltInOneExpressionOfEveryKind() {
        final Layout inner = Layout.of("inner", 4).u8("a", 0).u8("b", 1).u8("c", 2, v -> "c").u8("d", 3).build();
        final Layout layout = Layout.of("all", 64).u64("u64", 0).u64("wide", 8).u32("u32", 16)
            .u32("bits", 20, v -> "bits").u32("more", 24).nested("in", 28, inner).u16("half", 32).u16("u16", 34)
            .bytes("gid", 36, 16).reserved(4).nested("last", 56, inner).u32("end", 60).build();

        assertThat(layout.fields().stream().map(f -> f.offset() + " " + f.name())).containsExactly("0 u64", "8 wide",
            "16 u32", "20 bits", "24 more", "28 in.a", "29 in.b", "30 in.c", "31 in.d", "32 half", "34 u16", "36 gid",
            "52 reserved@52", "56 last.a", "57 last.b", "58 last.c", "59 last.d", "60 end");
    }

    @Test
    void printsReservedBytesOnlyWhenTheyAreNotZero() {
        final Layout layout = Layout.of("r", 4).u16("a", 0).reserved(2).build();

        assertThat(layout.format(buffer("", "01000000"), 0)).doesNotContain("reserved");
        assertThat(layout.format(buffer("", "01000080"), 0)).contains("reserved@2", "0080");
    }

    @Test
    void findsFieldsByName() {
        assertThat(ALL.field("in.port").offset()).isEqualTo(20);
        assertThat(ALL.field("in.port").kind()).isEqualTo(Layout.Kind.U16);
        assertThatThrownBy(() -> ALL.field("lkey")).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("all").hasMessageContaining("lkey");
    }

    @Test
    void refusesAGap() {
        final Layout.Builder builder = Layout.of("s", 16).u32("a", 0);
        assertThatThrownBy(() -> builder.u64("b", 8)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("s.b").hasMessageContaining("offset 8").hasMessageContaining("ended at 4");
    }

    @Test
    void refusesAnOverlap() {
        final Layout.Builder builder = Layout.of("s", 16).u32("a", 0);
        assertThatThrownBy(() -> builder.u32("b", 2)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesAnOverrun() {
        final Layout.Builder builder = Layout.of("s", 6).u32("a", 0);
        assertThatThrownBy(() -> builder.u32("b", 4)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.reserved(Integer.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.bytes("none", 4, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesAStructThatIsNotFilled() {
        final Layout.Builder builder = Layout.of("s", 6).u32("a", 0);
        assertThatThrownBy(builder::build).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("end at 4").hasMessageContaining("struct at 6");
    }

    @Test
    void saysWhatItIs() {
        assertThat(INNER).hasToString("Layout{inner, length=4, fields=2}");
        assertThat(INNER.name()).isEqualTo("inner");
        assertThat(INNER.length()).isEqualTo(4);
    }

    private static UnsafeBuffer buffer(String before, String hex) {
        return new UnsafeBuffer(HexFormat.of().parseHex((before + hex).replace(" ", "")));
    }
}
