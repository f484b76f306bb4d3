/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.text;

import org.junit.jupiter.api.Test;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class KeyValuesTest {
    @Test
    void valuesStandInOneColumnAndKeysThatAreTooLongKeepATab() {
        final StringWriter text = new StringWriter();
        final PrintWriter out = new PrintWriter(text);
        new KeyValues(out).heading(0, "hca_id", "x").line(1, "max_qp", 1).line(3, "state", 2)
            .line(1, "a_key_that_goes_far_beyond_the_column_of_values", 3).blank();
        out.flush();
        assertThat(text).hasToString("hca_id:\tx\n\tmax_qp:\t\t\t\t1\n\t\t\tstate:\t\t2\n"
            + "\ta_key_that_goes_far_beyond_the_column_of_values:\t3\n\n");
    }

    @Test
    void wordsGoOnBelowEachOther() {
        final StringWriter text = new StringWriter();
        final PrintWriter out = new PrintWriter(text);
        final String word = "a-word-of-27-characters-" + "abc";
        new KeyValues(out).words(1, "none_at_all", List.of()).words(1, "one", List.of("x"))
            .words(1, "three", List.of(word, word, word));
        out.flush();
        assertThat(text).hasToString("\tnone_at_all:\t\t\tnone\n\tone:\t\t\t\tx\n"
            + "\tthree:\t\t\t\t" + word + ", " + word + ",\n\t\t\t\t\t" + word + "\n");
    }
}
