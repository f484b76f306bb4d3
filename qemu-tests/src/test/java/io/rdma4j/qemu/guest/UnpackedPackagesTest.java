/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What the archive does not have, or cannot be reached, is told, and leaves nothing; what was unpacked is used. */
@Timeout(120)
class UnpackedPackagesTest {
    @TempDir
    private Path cache;

    @Test
    void packageThatThereIsNotLeavesNothing() throws IOException {
        assertThat(UnpackedPackages.ofThisRelease(cache, "tools", "rdma4j-no-such-package")).isEmpty();
        assertThat(left("tools")).containsExactly("lock");
    }

    /** Also where there is no network. */
    @Test
    void releaseThatThereIsNotLeavesNothing() throws IOException {
        assertThat(UnpackedPackages.ofRelease(cache, "qemu", "rdma4j-no-such-release", "qemu-system-x86")).isEmpty();
        assertThat(left("qemu")).containsExactly("lock");
    }

    private List<String> left(final String folder) throws IOException {
        try (Stream<Path> files = Files.list(cache.resolve(folder))) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Test
    void whatIsUnpackedIsTakenAsItIs() throws IOException {
        final Path root = Files.createDirectories(cache.resolve("tools/root"));
        Files.write(root.resolve("versions.txt"), List.of("qemu-system-x86 1:11.1.2+ds-3", "seabios 1.17.0-1"));
        final UnpackedPackages packages =
            UnpackedPackages.ofThisRelease(cache, "tools", "rdma4j-no-such-package").orElseThrow();
        assertThat(packages.root()).isEqualTo(root);
        assertThat(packages.version("qemu-system-x86")).isEqualTo("1:11.1.2+ds-3");
        assertThat(packages.version("qemu")).isEqualTo("?");
        final ServedParts parts = new ServedParts(packages, null, null);
        assertThat(parts.qemuVersion()).isEqualTo("QEMU " + ServedParts.TRIED);
        assertThat(parts.qemu()).contains("QEMU_MODULE_DIR=" + root.resolve("usr/lib/x86_64-linux-gnu/qemu"));
        Files.write(root.resolve("versions.txt"), List.of("qemu-system-x86 1:12.0"));
        assertThat(new ServedParts(UnpackedPackages.ofThisRelease(cache, "tools", "x").orElseThrow(), null, null)
            .qemuVersion()).isEqualTo("QEMU 1:12.0, not " + ServedParts.TRIED + ", with which it was tried");
    }
}
