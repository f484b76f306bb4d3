/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.Rlimit;
import io.rdma4j.testing.OtherJvm;
import io.rdma4j.testing.Patience;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemlockLimitTest {
    @TempDir
    Path folder;

    private MemlockLimit limit(final long soft, final long hard, final String... status) throws IOException {
        return new MemlockLimit(Files.write(folder.resolve("status"), List.of(status)), folder.resolve("uid_map"),
            () -> new Rlimit(soft, hard));
    }

    @Test
    void saysWhatIsAllowedUsedAndNeededAndHowToRaiseIt() throws IOException {
        final MemlockLimit tight = limit(64 << 10, 128 << 10, "VmLck:\t      24 kB", "VmPin:\t       8 kB",
            "CapEff:\t0000000000000000");

        assertThatThrownBy(() -> tight.require("register memory", "vfio:0", 2 << 20))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.ENOMEM))
            .hasMessageContaining("register memory failed on 'vfio:0'")
            .hasMessageContaining("RLIMIT_MEMLOCK allows 64 KiB, 24 KiB are locked or pinned already, 2 MiB more")
            .hasMessageContaining("ulimit -l 2072")
            .hasMessageContaining("up to 128 without rights")
            .hasMessageContaining("limits.conf").hasMessageContaining("LimitMEMLOCK=2072K")
            .hasMessageContaining("a small region of a ByteBuffer locks the 256 KiB around it");
    }

    @Test
    void countsToTheByte() throws IOException {
        final MemlockLimit tight = limit(64 << 10, -1, "VmLck:\t 4 kB", "CapEff:\t0000000000000000");

        tight.require("x", null, 60 << 10);
        assertThatThrownBy(() -> tight.require("x", null, (60 << 10) + 1)).hasMessageNotContaining("without rights");
    }

    @Test
    void doesNotHoldForWhoMayLockAnything() throws IOException {
        assertThatCode(() -> limit(0, 0, "VmLck: 4 kB", "CapEff:\t0000000000004000").require("x", null, 1L << 40))
            .doesNotThrowAnyException();
        assertThatCode(() -> limit(-1, -1).require("x", null, 1L << 40)).doesNotThrowAnyException();
        assertThatThrownBy(() -> limit(0, 0, "CapEff:\tffffffffffffbfff").require("x", null, 1))
            .hasMessageContaining("RLIMIT_MEMLOCK allows 0 bytes");
    }

    @Test
    void doesNotCountTheAccountOfPinnedPages() throws IOException {
        limit(64 << 10, -1, "VmLck:\t 4 kB", "VmPin:\t 64 kB", "CapEff:\t0000000000000000")
            .require("x", null, 60 << 10);
    }

    @Test
    void trustsCapabilitiesOnlyOutsideOfUserNamespaces() throws IOException {
        Files.writeString(folder.resolve("uid_map"), "         0          0 4294967295\n");
        limit(0, 0, "CapEff:\t000001ffffffffff").require("x", null, 1);
        Files.writeString(folder.resolve("uid_map"), "         0       1000          1\n");
        assertThatThrownBy(() -> limit(0, 0, "CapEff:\t000001ffffffffff").require("x", null, 1))
            .hasMessageContaining("RLIMIT_MEMLOCK allows 0 bytes");
        Files.writeString(folder.resolve("uid_map"), "0 0 4294967295\n7 7 1\n");
        assertThatThrownBy(() -> limit(0, 0, "CapEff:\t000001ffffffffff").require("x", null, 1))
            .hasMessageContaining("RLIMIT_MEMLOCK allows 0 bytes");
    }

    @Test
    void leavesItToTheKernelWhereNothingIsKnown() {
        new MemlockLimit(folder.resolve("none"), folder.resolve("none"), () -> new Rlimit(0, 0)).require("x", null, 1);
    }

    @Test
    void knowsThisProcess() {
        assertThat(MemlockLimit.process().toString()).startsWith("MemlockLimit[");
    }

    /** Root is exempt from the limit, so the JVM that shows it has given up that right. */
    @Test
    void aTightLimitIsToldBeforeAndLeavesNothingLocked() throws Exception {
        final List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -l 1024 && exec \"$@\"", "sh"));
        if (Libc.geteuid() == 0) {
            assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "root needs setpriv to give up CAP_IPC_LOCK");
            command.addAll(List.of("setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock"));
        }
        command.addAll(OtherJvm.command(List.of("-Xmx32m"), LowMemlockMain.class));
        final Path said = folder.resolve("said");
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile())
            .start();
        try {
            assertThat(Patience.ends(process)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readString(said)).as("exit code %d", process.exitValue())
            .contains("first: locked 900\n")
            .contains("second: lock memory failed: RLIMIT_MEMLOCK allows 1 MiB, 900 KiB are locked or pinned already, "
                + "200 KiB more are needed [ENOMEM]; raise the limit to 1100 KiB or more: 'ulimit -l 1100'")
            .contains("third: 4096 instead of a window, locked 904\n")
            .contains("end: locked 0, mappings 0, pinned 0\n");
    }
}
