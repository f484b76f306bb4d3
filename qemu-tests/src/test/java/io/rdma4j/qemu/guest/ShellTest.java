/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.qemu.process.HostCommand;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

class ShellTest {
    @Test
    void leavesPlainWordsReadable() {
        assertThat(Shell.join(List.of("/usr/bin/java", "-Dname=value", "a.b:c"))).isEqualTo(
            "/usr/bin/java -Dname=value a.b:c");
    }

    @Test
    void aShellReadsBackWhatWasQuoted() {
        final List<String> words = List.of("", "two words", "it's", "$HOME", "`id`", "a\\b", "\"", "*", "é", "a;b&c");
        final var echoed = HostCommand.run(null, Duration.ofSeconds(20),
            List.of("sh", "-c", "printf '<%s>' " + Shell.join(words)));
        assertThat(echoed.text()).isEqualTo("<" + String.join("><", words) + ">");
    }
}
