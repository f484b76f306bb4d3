/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.hw.pvrdma.cmd.Command;

import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

class DiffScriptTest {
    @Test
    void readsLabelsNamesVerbsAndArguments() {
        final DiffScript script = DiffScript.parse("""
            rdma4j-script 1
            # a comment

            [first] cq0 = CREATE_CQ cqe=16 ctx_handle=0
            CAPS
            """);
        assertThat(script.steps()).containsExactly(
            new DiffStep(4, "first", "cq0", "CREATE_CQ", Map.of("cqe", "16", "ctx_handle", "0")),
            new DiffStep(5, null, null, "CAPS", Map.of()));
    }

    @Test
    void writesWhatItReads() {
        final DiffScript script = DiffScript.standard();
        final DiffScript again = DiffScript.parse(script.toString());
        assertThat(again.steps()).extracting(DiffStep::toString)
            .isEqualTo(script.steps().stream().map(DiffStep::toString).toList());
        assertThat(again.toString()).isEqualTo(script.toString());
    }

    @Test
    void refusesWhatIsNoScript() {
        assertThatThrownBy(() -> DiffScript.parse("CAPS\n")).hasMessageContaining("rdma4j-script 1");
        assertThatThrownBy(() -> DiffScript.parse("")).hasMessageContaining("rdma4j-script 1");
        refuses("[ CAPS", "line 2", "label");
        refuses("a.b = CREATE_PD", "line 2", "'a.b'");
        refuses("create_pd", "line 2", "'create_pd'");
        refuses("FILL x", "line 2", "'x'");
        refuses("FILL x=1 x=2", "line 2", "twice");
    }

    private static void refuses(final String line, final String... words) {
        assertThatThrownBy(() -> DiffScript.parse("rdma4j-script 1\n" + line)).hasMessageContainingAll(words);
    }

    @Test
    void theStandardScriptUsesEveryCommandThatDevicesShare() {
        final Set<String> verbs =
            DiffScript.standard().steps().stream().map(DiffStep::verb).collect(Collectors.toSet());
        for (final Command command : Command.values()) {
            assertThat(verbs.contains(command.name())).as(command.name()).isEqualTo(!command.isExtension());
        }
    }
}
