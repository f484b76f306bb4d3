/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class SharedLibrariesTest {
    @Test
    void readsWhatLddPrints() {
        assertThat(SharedLibraries.parse("""
            \tlinux-vdso.so.1 (0x00007fe96b21d000)
            \tlibz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x00007fe96b1e5000)
            \tlibgone.so => not found
            \t/lib64/ld-linux-x86-64.so.2 (0x00007fe96b21f000)
            """)).containsExactly(Path.of("/lib/x86_64-linux-gnu/libz.so.1"), Path.of("/lib64/ld-linux-x86-64.so.2"));
    }

    @Test
    void findsWhatTheJvmNeeds() {
        final Path jvm = Path.of(System.getProperty("java.home"), "lib/server/libjvm.so");
        assertThat(SharedLibraries.of(List.of(jvm))).allMatch(Files::exists)
            .anyMatch(library -> library.endsWith("libc.so.6")).anyMatch(library -> library.endsWith("libdl.so.2"))
            .noneMatch(library -> library.endsWith("libjvm.so"));
    }
}
