/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParseException;

import org.junit.jupiter.api.Test;
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

    /** It is not the text's fault, and told in other words where the command ends. */
    @Test
    void anErrorOfTheJvmIsNoFaultOfTheText() {
        final Error error = new OutOfMemoryError("Java heap space");
        assertThatThrownBy(() -> Json.whyNone(new JsonParseException("Failed parsing JSON source to Json", error)))
            .isSameAs(error);
    }
}
