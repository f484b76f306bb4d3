/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may do what is injected: the superuser, who may run these tests, may do everything. */
class RightsTest {
    @TempDir
    private Path folder;

    @Test
    void namesTheFileThatMayNotBeUsedAndTheCommandThatGivesTheRight() throws IOException {
        final Path socket = Files.createFile(folder.resolve("qt.sock"));
        final Path ram = Files.createFile(folder.resolve("ram"));
        final DeviceAddress address = DeviceAddress.parse("qtest:" + socket + "?ram=" + ram);
        final QtestOptions options = QtestOptions.of(address);

        assertThatThrownBy(() -> Rights.require(address, options, path -> !path.equals(ram)))
            .isInstanceOfSatisfying(RdmaException.class, e -> {
                assertThat(e.errno()).isEqualTo(RdmaException.EACCES);
                assertThat(e).hasMessageContaining("read and write " + ram);
                assertThat(e.hint()).contains("setfacl", ram.toString());
            });
        assertThatCode(() -> Rights.require(address, options, Rights::readableAndWritable)).doesNotThrowAnyException();
    }

    @Test
    void leavesWhatIsNotThereToWhoeverOpensIt() {
        final DeviceAddress address = DeviceAddress.parse("qtest:" + folder.resolve("none") + "?ram=/dev/shm/none");

        assertThatCode(() -> Rights.require(address, QtestOptions.of(address), path -> false))
            .doesNotThrowAnyException();
    }
}
