/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Measured numbers keep what was measured, however small they are. */
class JsonTest {
    @ParameterizedTest
    @CsvSource({
        "0,               0.000",
        "0.000321987654,  0.000321988",
        "-0.000321987654, -0.000321988",
        "0.0000000123456, 1.23456E-8",
        "1.23456789,      1.23457",
        "12.3456789,      12.3457",
        "123.456789,      123.457",
        "123456789.98765, 123456789.988",
        "99.99999,        100.0000"
    })
    void sixDigitsThatMeanSomething(final double value, final String text) {
        assertThat(Json.rounded(value)).hasToString(text);
    }
}
