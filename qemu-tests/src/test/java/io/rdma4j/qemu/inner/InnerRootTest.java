/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class InnerRootTest {
    @TempDir
    private Path folder;

    @Test
    void startsStationsOneAfterTheOther() {
        final String script = InnerRoot.stations(List.of("/app/0", "/app/agrona-2.jar"), List.of("--add-opens=a/b=C"));
        for (final Station station : Station.ALL) {
            assertThat(script).containsSubsequence("mkfifo -m 0666 /run/inner/" + station.name() + ".jobs",
                " -cp /app/0:/app/agrona-2.jar io.rdma4j.qemu.inner.StationMain " + station.name() + "'",
                "say \"EXIT " + station.name() + " $?\" ) &", "await_ready " + station.name() + ' ');
        }
        assertThat(script).contains("--add-opens=a/b=C");
    }

    @Test
    void limitsLockedMemoryOfThoseWithoutRights() {
        assertThat(Station.POOR.start(List.of())).contains("ulimit -l 64\n").contains("su -s /bin/sh rdma -c");
        assertThat(Station.MAIN.start(List.of())).contains("ulimit -l unlimited\n").doesNotContain("su ");
    }

    @Test
    void killsTheJvmAndNotTheShellAroundIt() {
        assertThat(Station.VICTIM.start(List.of())).contains("echo $$ > /run/inner/victim.pid; exec /jre/bin/java");
        assertThat(Station.VICTIM.kill()).isEqualTo("kill -9 $(cat /run/inner/victim.pid)");
    }

    @Test
    void writesAScriptThatAShellUnderstands() throws IOException, InterruptedException {
        final Path script = folder.resolve("stations.sh");
        Files.writeString(script, InnerRoot.stations(List.of("/app/0"), List.of("-Dx=y")));
        final Process shell = new ProcessBuilder("sh", "-n", script.toString()).redirectErrorStream(true).start();
        final String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(shell.waitFor()).as(said).isZero();
    }

    @Test
    void theMachineHasTheDeviceBehindAnIommu() {
        final List<String> command = InnerMachine.command("qemu", new InnerImage(Path.of("/x")), Path.of("/tmp/s"));
        assertThat(command).containsSequence("-kernel", "/x/vmlinuz", "-initrd", "/x/initramfs.cpio")
            .contains("intel-iommu,intremap=on")
            .anyMatch(word -> word.startsWith("pvrdma,addr=10.1,multifunction=on,"));
    }

    @Test
    void theOtherMachineHasNone() throws IOException {
        Files.createFile(folder.resolve("without-iommu"));
        final InnerImage image = new InnerImage(folder);
        assertThat(image.hasIommu()).isFalse();
        assertThat(String.join(" ", InnerMachine.command("qemu", image, Path.of("/tmp/s")))).contains("pvrdma,")
            .doesNotContain("iommu");
    }
}
