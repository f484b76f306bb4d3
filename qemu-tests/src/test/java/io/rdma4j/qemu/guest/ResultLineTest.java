/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.qemu.guest.ResultLine.Status;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResultLineTest {
    @Test
    void readsAnOutcomeWithAndWithoutMessage() {
        assertThat(ResultLine.parse("RESULT rc.send64 PASS")).contains(new ResultLine("rc.send64", Status.PASS, ""));
        assertThat(ResultLine.parse("RESULT rc.write SKIP QEMU executes only SEND"))
            .contains(new ResultLine("rc.write", Status.SKIP, "QEMU executes only SEND"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a message", "", "two\nlines", "a \\n that is no line", "back\\slash\\\\", "\\t",
        "\n\\n\n"})
    void carriesAnyMessageOnOneLine(final String message) {
        final ResultLine line = new ResultLine("test", Status.FAIL, message);
        assertThat(line.format()).doesNotContain("\n");
        assertThat(ResultLine.parse(line.format())).contains(line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "RESULT", "RESULT ", "RESULT name", "RESULT name MAYBE", "RESULT  PASS",
        "result n PASS", " RESULT name PASS", "[    1.0] RESULT name PASS"})
    void leavesOtherLinesAlone(final String text) {
        assertThat(ResultLine.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "two words", "tab\there"})
    void refusesANameThatWouldNotBeReadBack(final String name) {
        assertThatThrownBy(() -> new ResultLine(name, Status.PASS, "")).isInstanceOf(IllegalArgumentException.class);
    }
}
