/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NumbersTest {
    @ParameterizedTest
    @CsvSource({"0, 0", "7, 7", "0100, 100", "08, 8", "00, 0", "0x0, 0", "0x1ee7, 7911", "0X1Ee7, 7911", "0x0010, 16",
        "4294967295, 4294967295", "999999999999999999, 999999999999999999",
        "0xfffffffffffffff, 1152921504606846975"})
    void numbers(final String text, final long number) {
        assertThat(Numbers.parse(text)).isEqualTo(number);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", " 1", "1 ", "-1", "-0", "+1", "#10", "0x", "x1", "0xg", "1x1", "1a", "1_0",
        "\u0661", "1000000000000000000", "0x1000000000000000"})
    void noNumbers(final String text) {
        assertThat(Numbers.parse(text)).isEqualTo(-1);
    }
}
