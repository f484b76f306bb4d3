/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

/** In a checkout whose path has a space. */
class CommandLinesTest {
    @TempDir
    private Path folder;

    @Test
    void copiesAClassPathWithASpace() throws Exception {
        final Path entry =
            Files.writeString(Files.createDirectory(folder.resolve("a b")).resolve("rdma4j-x.jar"), "jar");
        final Path copies = folder.resolve("for everybody");
        final String path = CommandLines.readableClassPath(copies, entry.toString());
        assertThat(path).isEqualTo(copies.resolve("0.jar").toString());
        assertThat(Path.of(path)).hasContent("jar");
    }

    @Test
    void startsAJvmWithAClassPathWithASpace() throws Exception {
        assertThat(CommandLines.java("/x/a b/rdma4j.jar:/y.jar", "Main")).contains(" '/x/a b/rdma4j.jar:/y.jar' ");
        assertThat(CommandLines.system("echo " + CommandLines.java("/x/a b.jar", "Main one two")).out())
            .endsWith("-cp /x/a b.jar Main one two\n");
    }
}
