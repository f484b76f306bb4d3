/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.text;

import org.junit.jupiter.api.Test;

import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class TerminalTest {
    @Test
    void coloursNeedATerminalThatKnowsThem() {
        assertThat(Terminal.wantsColours(Map.of("TERM", "xterm"))).isTrue();
        assertThat(Terminal.wantsColours(Map.of("TERM", "dumb"))).isFalse();
        assertThat(Terminal.wantsColours(Map.of())).isFalse();
    }

    @Test
    void noColorIsHonouredUnlessEmpty() {
        assertThat(Terminal.wantsColours(Map.of("TERM", "xterm", "NO_COLOR", "1"))).isFalse();
        assertThat(Terminal.wantsColours(Map.of("TERM", "xterm", "NO_COLOR", "0"))).isFalse();
        assertThat(Terminal.wantsColours(Map.of("TERM", "xterm", "NO_COLOR", ""))).isTrue();
    }
}
