/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;


import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceAddressTest {
    @Test
    void readsSchemePathAndOptions() {
        final DeviceAddress address = DeviceAddress.parse("qtest:/run/qt.sock?ram=/dev/shm/ram&trace&n=0x10");

        assertThat(address.scheme()).isEqualTo("qtest");
        assertThat(address.path()).isEqualTo("/run/qt.sock");
        assertThat(address.option("ram", "")).isEqualTo("/dev/shm/ram");
        assertThat(address.option("trace", "no")).isEmpty();
        assertThat(address.option("other", "fallback")).isEqualTo("fallback");
        assertThat(address.option("n", 1, 0, 20)).isEqualTo(16);
        assertThat(address.option("m", 7, 0, 20)).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "emulated:", "emulated:a?version=20", "vfio:0000:0b:00.1", "qtest:/run/qt.sock?ram=/dev/shm/ram&trace",
        "x:?a=b=c"})
    void printsWhatItRead(final String text) {
        assertThat(DeviceAddress.parse(text)).hasToString(text);
    }

    @Test
    void aColonBelongsToThePathAfterTheScheme() {
        assertThat(DeviceAddress.parse("vfio:0000:0b:00.1").path()).isEqualTo("0000:0b:00.1");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "emulated", ":", ":path", "Emulated:", "em ulated:", "1a:", "x:?=1", "x:?a=1&a=2"})
    void refusesWhatIsNoAddress(final String text) {
        assertThatThrownBy(() -> DeviceAddress.parse(text))
            .isInstanceOfSatisfying(RdmaException.class, e -> {
                assertThat(e.errno()).isEqualTo(RdmaException.EINVAL);
                assertThat(e.hint()).contains("scheme:path");
            })
            .hasMessageContaining("'" + text + "'");
    }

    @Test
    void aNameOfTheKernelsIsToldApart() {
        assertThatThrownBy(() -> DeviceAddress.parse("mlx5_0")).hasMessageContaining("'mlx5_0'")
            .hasMessageContaining("RDMA devices of the kernel").hasMessageContaining("emulated:");
    }

    @ParameterizedTest
    @CsvSource({"010, 10", "08, 8", "0x10, 16", "0X0f, 15"})
    void zerosInFrontOfANumberDoNotMakeItOctal(final String text, final long number) {
        assertThat(DeviceAddress.parse("x:?n=" + text).option("n", 1, 0, 20)).isEqualTo(number);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x:?n=21", "x:?n=-1", "x:?n=-0", "x:?n=#10", "x:?n=abc", "x:?n="})
    void refusesNumbersOutOfRange(final String text) {
        final DeviceAddress address = DeviceAddress.parse(text);

        assertThatThrownBy(() -> address.option("n", 1, 0, 20))
            .isInstanceOf(RdmaException.class)
            .hasMessageContaining("n=").hasMessageContaining("from 0 to 20");
    }

    @Test
    void namesAnUnknownOptionAndTheKnownOnes() {
        final DeviceAddress address = DeviceAddress.parse("x:?verison=20");

        assertThatThrownBy(() -> address.requireOnly(Set.of("version", "quirks")))
            .hasMessageContaining("'verison'").hasMessageContaining("[quirks, version]");
        DeviceAddress.parse("x:?version=20").requireOnly(Set.of("version"));
    }

    @Test
    void optionsOfADriverAreRefusedWithoutOneAndListedWithTheOthers() {
        final Set<String> known = Set.of("version");
        final Set<String> ofDriver = Set.of("gid", "timeout");

        assertThatThrownBy(() -> DeviceAddress.parse("x:?version=20&gid=fe80::1").requireOnly(known, ofDriver))
            .hasMessageContaining("option 'gid'").hasMessageContaining("without a driver")
            .hasMessageContaining("leave it out").hasMessageNotContaining("unknown");
        assertThatThrownBy(() -> DeviceAddress.parse("x:?verison=20").requireOnly(known, ofDriver))
            .hasMessageContaining("unknown option 'verison'").hasMessageContaining("[gid, timeout, version]");
        DeviceAddress.parse("x:?version=20").requireOnly(known, ofDriver);
    }

    @Test
    void optionsCannotBeChanged() {
        final DeviceAddress address = DeviceAddress.parse("x:?a=1");

        assertThatThrownBy(() -> address.options().put("b", "2")).isInstanceOf(UnsupportedOperationException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> new DeviceAddress("X", "", Map.of()));
    }
}
