/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.DeviceAddress;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an address says of wires is what the device has. */
class WiresTest {
    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "emulated:wires-test; false",
        "emulated:wires-test?wire=auto; false",
        "emulated:wires-test?wire=shm; false",
        "emulated:wires-test?quirks=; false",
        "emulated:wires-test?wire=none; true",
        "emulated:wires-test?quirks=qemu-7.2; true"
    })
    void anAddressTellsWhetherOtherProcessesReachTheDevice(String address, boolean none) {
        assertThat(Wires.hasNone(DeviceAddress.parse(address))).isEqualTo(none);
        try (RdmaContext device = RdmaDevices.open(address)) {
            assertThat(device.whyUnreachable(Gid.parse("fe80::1")).contains("does not reach others")).isEqualTo(none);
        }
    }

    @ParameterizedTest
    @CsvSource({"vfio:0000:0b:00.1?wire=none", "ibv:rxe0"})
    void otherDevicesHaveNetworks(String address) {
        assertThat(Wires.hasNone(DeviceAddress.parse(address))).isFalse();
    }
}
