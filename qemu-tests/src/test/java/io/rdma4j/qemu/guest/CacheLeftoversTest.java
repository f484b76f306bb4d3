/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a run that was killed left half made, a gigabyte at times, goes with the next one that uses the cache. */
class CacheLeftoversTest {
    @TempDir
    private Path cache;

    private Path leave(final String folder) throws IOException {
        final Path left = Files.createDirectories(cache.resolve(folder));
        Files.writeString(Files.createDirectory(left.resolve("debs")).resolve("a.deb"), "half");
        return left;
    }

    @Test
    void ofAKernelThatIsAProgram() throws IOException {
        final Path left = leave("uml/building12");
        final Path built = Files.createDirectories(cache.resolve("uml").resolve(UmlKernel.recipe()));
        Files.writeString(built.resolve("version"), "linux-source-6.1\n");
        assertThat(UmlKernel.prepare(cache).version()).isEqualTo("linux-source-6.1");
        assertThat(left).doesNotExist();
        assertThat(built.resolve("version")).exists();
    }

    @Test
    void ofModules() throws IOException {
        final Path left = leave("vmw-pvrdma/building345");
        final Path built =
            Files.createDirectories(cache.resolve("vmw-pvrdma").resolve("6.1-" + BuiltModules.VMW_PVRDMA.recipe()));
        assertThat(BuiltModules.VMW_PVRDMA.prepare(cache, new GuestKernel(cache, cache, "6.1"))).contains(built);
        assertThat(left).doesNotExist();
        assertThat(built).exists();
    }

    @Test
    void ofPackages() throws IOException {
        final Path left = leave("tools/unpacking6");
        final Path root = Files.createDirectories(cache.resolve("tools/root"));
        Files.writeString(root.resolve("versions.txt"), "");
        assertThat(UnpackedPackages.ofThisRelease(cache, "tools", "rdma4j-no-such-package")).isPresent();
        assertThat(left).doesNotExist();
        assertThat(root).exists();
    }
}
