/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class LineSplitterTest {
    private final List<String> lines = new ArrayList<>();
    private final LineSplitter splitter = new LineSplitter(lines::add);

    @Test
    void joinsPiecesAndSplitsLines() {
        splitter.feed("one\ntw");
        splitter.feed("o\n");
        splitter.feed("\nthree");
        assertThat(lines).containsExactly("one", "two", "");
        splitter.end();
        assertThat(lines).containsExactly("one", "two", "", "three");
    }

    @Test
    void removesWhatOnlyATerminalUnderstands() {
        splitter.feed("\u001bc\u001b[?7l\u001b[2Jbooting\r\n\u001b[0mup\r\n");
        assertThat(lines).containsExactly("booting", "up");
    }

    @Test
    void givesUpOnAnEndBeforeMemoryDoes() {
        splitter.feed("x".repeat(20_000));
        assertThat(lines).containsExactly("x".repeat(20_000));
    }
}
