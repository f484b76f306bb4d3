/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

class Lz4LegacyTest {
    private static final String MAGIC = "02214c18";

    private static String unpack(final String hex, final int length) {
        return new String(Lz4Legacy.unpack(HexFormat.of().parseHex(MAGIC + hex), length), StandardCharsets.US_ASCII);
    }

    @Test
    void copiesLiterals() {
        assertThat(unpack("04000000" + "30616263", 3)).isEqualTo("abc");
    }

    @Test
    void repeatsWhatCameBefore() {
        // "abcdef", then 5 bytes from 6 back, then "!".
        assertThat(unpack("0b000000" + "61616263646566" + "0600" + "1021", 12)).isEqualTo("abcdefabcde!");
    }

    @Test
    void repeatsWhatItIsJustWriting() {
        // "a", then 4 + 15 + 3 bytes from 1 back, then "b".
        assertThat(unpack("07000000" + "1f61" + "0100" + "03" + "1062", 24)).isEqualTo("a".repeat(23) + "b");
    }

    @Test
    void readsLengthsOfSeveralBytes() {
        final String literals = "78".repeat(15 + 255 + 2);
        assertThat(unpack("13010000" + "f0ff02" + literals, 272)).isEqualTo("x".repeat(272));
    }

    @Test
    void readsSeveralBlocks() {
        // The second one reaches back into the first.
        assertThat(unpack("04000000" + "30616263" + "05000000" + "000300" + "1064", 8)).isEqualTo("abcabca" + "d");
    }

    @Test
    void leavesAloneWhatFollows() {
        assertThat(unpack("04000000" + "30616263" + "03000000", 3)).isEqualTo("abc");
    }

    @Test
    void refusesDamage() {
        assertThatThrownBy(() -> unpack("04000000" + "306162", 3)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("3 bytes");
        assertThatThrownBy(() -> unpack("08000000" + "1061" + "0900" + "1062", 6))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("9 before byte 1");
        assertThatThrownBy(() -> Lz4Legacy.unpack(new byte[8], 3)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("legacy format");
    }
}
