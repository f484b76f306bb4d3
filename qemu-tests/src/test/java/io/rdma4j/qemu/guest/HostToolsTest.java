/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HostToolsTest {
    @Test
    void namesWhatIsMissingAndTheCommandThatInstallsIt() {
        assertThatThrownBy(() -> HostTools.require("/nonexistent/qemu-system-x86_64"))
            .isInstanceOf(GuestException.class)
            .hasMessageContaining("/nonexistent/qemu-system-x86_64")
            .hasMessageContaining("sudo apt-get install -y").hasMessageContaining("qemu-system-x86");
    }

    @Test
    void findsProgramsByNameAndByPath() {
        assertThat(HostTools.find("sh")).isExecutable();
        assertThat(HostTools.find("/bin/sh")).isExecutable();
        assertThat(HostTools.find("no-such-program")).isNull();
    }
}
