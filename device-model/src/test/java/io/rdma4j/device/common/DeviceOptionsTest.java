/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.rdma4j.DeviceAddress;

/** Addresses of emulated devices. */
class DeviceOptionsTest {
    private static int mtu(String value) {
        return DeviceOptions.of(DeviceAddress.parse("emulated:?mtu=" + value)).limits().mtu();
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "5, 5", "0x3, 3", "256, 1", "0512, 2", "1024, 3", "2048, 4", "0x1000, 5"})
    void thePathMtuIsBytesOrTheirNumber(String value, int number) {
        assertThat(mtu(value)).isEqualTo(number);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "6", "255", "1500", "8192", "0x100000100", "-256", "#100", "big", ""})
    void otherPathMtusAreRefused(String value) {
        assertThatThrownBy(() -> mtu(value)).hasMessageContaining("option mtu=" + value + " is not")
            .hasMessageContaining("EINVAL");
    }

    @Test
    void bothFormsOfThePathMtuAreNamed() {
        assertThatThrownBy(() -> mtu("1500")).hasMessageContaining("256, 512, 1024, 2048 or 4096 bytes")
            .hasMessageContaining("1 to 5");
    }
}
