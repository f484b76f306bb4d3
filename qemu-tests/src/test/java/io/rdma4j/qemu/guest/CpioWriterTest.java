/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.qemu.process.HostCommand;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

class CpioWriterTest {
    private static final String TRAILER = "070701" + "00000000".repeat(4) + "00000001" + "00000000".repeat(6)
        + "0000000B" + "00000000" + "TRAILER!!!\0" + "\0\0\0";

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private String archive() {
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    @Test
    void writesAFileByteForByte() throws IOException {
        try (CpioWriter cpio = new CpioWriter(out)) {
            cpio.file("init", 0755, "hello".getBytes(StandardCharsets.US_ASCII));
        }
        // ino 1, mode 0100755, uid, gid, nlink 1, mtime, size 5, four device numbers, name size 5, check
        final String header = "070701" + "00000001" + "000081ED" + "00000000" + "00000000" + "00000001" + "00000000"
            + "00000005" + "00000000".repeat(4) + "00000005" + "00000000";
        assertThat(archive()).isEqualTo(header + "init\0" + "\0" + "hello" + "\0\0\0" + TRAILER);
    }

    @Test
    void writesADirectoryAndALink() throws IOException {
        try (CpioWriter cpio = new CpioWriter(out)) {
            cpio.directory("bin").symlink("bin/sh", "busybox");
        }
        assertThat(archive())
            .startsWith("070701" + "00000001" + "000041ED" + "00000000".repeat(2) + "00000002")
            .contains("070701" + "00000002" + "0000A1FF")
            .contains("bin/sh\0" + "\0\0\0" + "busybox");
    }

    @Test
    void startsEveryHeaderAtAMultipleOfFour() throws IOException {
        try (CpioWriter cpio = new CpioWriter(out)) {
            for (int i = 0; i < 9; i++) {
                cpio.file("f".repeat(i + 1), 0644, new byte[i]);
            }
        }
        int found = 0;
        for (int at = archive().indexOf("070701"); at >= 0; at = archive().indexOf("070701", at + 1)) {
            assertThat(at % 4).as("header at %d", at).isZero();
            found++;
        }
        assertThat(found).isEqualTo(10);
    }

    @Test
    void endsTheArchiveOnce() throws IOException {
        final CpioWriter cpio = new CpioWriter(out);
        cpio.close();
        cpio.close();
        assertThat(archive()).isEqualTo(TRAILER);
    }

    @Test
    void refusesAnAbsoluteName() {
        final CpioWriter cpio = new CpioWriter(out);
        assertThatThrownBy(() -> cpio.directory("/bin")).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("/bin");
    }

    @Test
    void isUnpackedByARealCpio() throws IOException {
        final Path busybox = HostTools.find("busybox");
        assumeTrue(busybox != null, "no busybox on this machine to compare with");
        final Path file = folder.resolve("a.cpio");
        try (CpioWriter cpio = new CpioWriter(Files.newOutputStream(file))) {
            cpio.directory("bin").file("bin/tool", 0755, new byte[] {1, 2, 3}).symlink("bin/link", "tool");
        }
        final Path root = Files.createDirectory(folder.resolve("root"));
        final var unpacked = HostCommand.run(root, Duration.ofSeconds(20),
            List.of(busybox.toString(), "cpio", "-i", "-F", file.toString()));
        assertThat(unpacked.succeeded()).as(unpacked.text()).isTrue();
        assertThat(Files.readAllBytes(root.resolve("bin/tool"))).containsExactly(1, 2, 3);
        assertThat(Files.isExecutable(root.resolve("bin/tool"))).isTrue();
        assertThat(Files.readSymbolicLink(root.resolve("bin/link"))).hasToString("tool");
    }
}
