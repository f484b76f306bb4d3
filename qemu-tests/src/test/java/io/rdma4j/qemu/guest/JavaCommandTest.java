/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

class JavaCommandTest {
    private final List<String> command = JavaCommand.of("/run/guest-share/1", List.of("a.Main", "x"));

    @Test
    void runsThisJvmsOwnJavaAndEndsWithTheProgram() {
        assertThat(command.get(0)).isEqualTo(System.getProperty("java.home") + "/bin/java");
        assertThat(command).endsWith("a.Main", "x").contains("-Drdma4j.qemu.folder=/run/guest-share/1");
    }

    @Test
    void takesTheClassPathAlongWithAbsoluteNames() {
        final String classPath = command.get(command.indexOf("-cp") + 1);
        assertThat(classPath.split(":")).isNotEmpty().allMatch(entry -> entry.startsWith("/"));
        assertThat(classPath).contains("test-classes");
    }

    @Test
    void takesOurOwnPropertiesAlong() {
        System.setProperty("rdma4j.test.marker", "17");
        try {
            assertThat(JavaCommand.of("/f", List.of("M"))).contains("-Drdma4j.test.marker=17");
        } finally {
            System.clearProperty("rdma4j.test.marker");
        }
    }
}
