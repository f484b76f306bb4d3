/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

class GuestKernelTest {
    @TempDir
    private Path root;

    private static byte[] image(final String says) {
        final byte[] image = new byte[0x800];
        image[0x20e] = (byte) 0x80;
        image[0x20f] = 0x03;
        final byte[] text = says.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(text, 0, image, 0x580, text.length);
        return image;
    }

    private Path kernel(final Path folder, final String says) throws IOException {
        Files.createDirectories(folder.resolve("boot"));
        return Files.write(folder.resolve("boot/vmlinuz-6.1.0-56-amd64"), image(says));
    }

    @Test
    void findsImageAndModules() throws IOException {
        final Path image = kernel(root, "6.1.0-56-amd64 (builder@example) #1 SMP");
        final Path modules = Files.createDirectories(root.resolve("lib/modules/6.1.0-56-amd64"));
        assertThat(GuestKernel.at(root)).isEqualTo(new GuestKernel(image, modules, "6.1.0-56-amd64"));
    }

    @Test
    void findsModulesBelowUsr() throws IOException {
        kernel(root, "6.1.0-56-amd64 (builder@example)");
        final Path modules = Files.createDirectories(root.resolve("usr/lib/modules/6.1.0-56-amd64"));
        assertThat(GuestKernel.at(root).modules()).isEqualTo(modules);
    }

    @Test
    void refusesAnImageOfAnotherVersion() throws IOException {
        kernel(root, "6.1.0-5-amd64 (builder@example)");
        Files.createDirectories(root.resolve("lib/modules/6.1.0-56-amd64"));
        assertThatThrownBy(() -> GuestKernel.at(root)).isInstanceOf(GuestException.class)
            .hasMessageContaining("6.1.0-5-amd64").hasMessageContaining("delete " + root);
    }

    @Test
    void refusesAKernelWithoutModules() throws IOException {
        kernel(root, "6.1.0-56-amd64 (builder@example)");
        assertThatThrownBy(() -> GuestKernel.at(root)).isInstanceOf(GuestException.class)
            .hasMessageContaining("no modules");
    }

    @Test
    void refusesAFolderWithoutImage() {
        assertThatThrownBy(() -> GuestKernel.at(root)).isInstanceOf(GuestException.class)
            .hasMessageContaining("vmlinuz-*");
    }

    @Test
    void takesTheCompleteKernelOfTheCacheWithoutAsking() throws IOException {
        final Path complete = root.resolve("kernel/linux-image-6.1.0-56-amd64_6.1.1-1_amd64");
        kernel(complete, "6.1.0-56-amd64 (builder@example)");
        Files.createDirectories(complete.resolve("lib/modules/6.1.0-56-amd64"));
        Files.writeString(complete.resolve("complete"), "");
        final Path left = Files.createDirectories(root.resolve("kernel/unpacking123/root")).getParent();
        assertThat(GuestKernel.prepare(root).image()).startsWith(complete);
        assertThat(left).as("what a run that was killed left").doesNotExist();
    }
}
