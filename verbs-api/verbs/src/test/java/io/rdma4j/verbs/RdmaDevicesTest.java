/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Opening a device where no provider is on the class path, as here. */
class RdmaDevicesTest {
    @ParameterizedTest
    @ValueSource(strings = {"emulated:", "vfio:0000:0b:00.1"})
    void aSchemeWithoutItsJarNamesTheJar(final String address) {
        assertThatThrownBy(() -> RdmaDevices.open(address))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.ENODEV))
            .hasMessageContaining("no provider for scheme")
            .hasMessageContaining("add io.rdma4j:rdma4j-pvrdma").hasMessageContaining("io.rdma4j:rdma4j brings all");
    }

    @Test
    void theEmulatedDeviceIsInAJarOfItsOwn() {
        assertThat(RdmaDevices.advice("emulated", List.of("vfio:"))).contains("io.rdma4j:rdma4j-device-model");
    }

    @Test
    void anUnknownSchemeGetsThoseThatThereAre() {
        assertThat(RdmaDevices.advice("nowhere", List.of("emulated:", "vfio:"))).isEqualTo(
            "use one of: emulated:, vfio:");
        assertThat(RdmaDevices.advice("nowhere", List.of())).contains("no provider is on the class path");
        assertThat(RdmaDevices.list()).isEmpty();
    }
}
