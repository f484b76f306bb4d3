/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;

import org.junit.jupiter.api.Test;

class PciDevicesTest {
    @Test
    void anUnknownSchemeIsNamedTogetherWithTheKnownOnes() {
        assertThatThrownBy(() -> PciDevices.open(DeviceAddress.parse("nosuch:")))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.ENODEV))
            .hasMessageContaining("'nosuch'")
            .hasMessageContaining("use one of: ");
    }

    @Test
    void whatAProviderSaysComesThroughUntouched() {
        assertThatThrownBy(() -> PciDevices.open(DeviceAddress.parse("locked:1"))).isSameAs(LockedProvider.REFUSAL);
    }

    @Test
    void everyProviderServesItsOwnScheme() {
        PciDevices.providers().forEach(provider -> {
            assertThat(provider.scheme()).matches("[a-z][a-z0-9]*");
            assertThat(provider.list()).allMatch(address -> address.scheme().equals(provider.scheme()));
        });
        assertThat(PciDevices.list()).isNotNull();
    }
}
