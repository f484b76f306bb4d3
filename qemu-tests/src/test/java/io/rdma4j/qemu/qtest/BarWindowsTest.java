/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.hw.pci.PciConfig;

import org.junit.jupiter.api.Test;

class BarWindowsTest {
    private final FakeMachine machine = new FakeMachine();
    private final QtestConfigSpace config = new QtestConfigSpace(machine, 0x10, 1);

    @Test
    void placesEachWindowAtAMultipleOfItsSize() {
        machine.bar32(0, 0x4000).bar32(1, 0x100).bar32(2, 0x80_0000);
        final BarWindows windows = BarWindows.assign(config);
        assertThat(windows.size(0)).isEqualTo(0x4000);
        assertThat(windows.size(1)).isEqualTo(0x100);
        assertThat(windows.size(2)).isEqualTo(0x80_0000);
        assertThat(windows.size(3)).isZero();
        assertThat(windows.size(-1)).isZero();
        assertThat(windows.address(0)).isEqualTo(0xe000_0000L);
        assertThat(windows.address(1)).isEqualTo(0xe000_4000L);
        assertThat(windows.address(2)).isEqualTo(0xe080_0000L);
        assertThat(config.read(PciConfig.BAR1_OFFSET, 4)).isEqualTo(0xe000_4000);
    }

    @Test
    void aWideBarTakesTwoRegisters() {
        machine.bar64(0, 0x1000).bar32(2, 0x1000);
        final BarWindows windows = BarWindows.assign(config);
        assertThat(windows.size(0)).isEqualTo(0x1000);
        assertThat(windows.size(1)).isZero();
        assertThat(windows.address(2)).isEqualTo(0xe000_1000L);
        assertThat(config.read(PciConfig.BAR0_OFFSET, 4) & ~0xf).isEqualTo(0xe000_0000);
        assertThat(config.read(PciConfig.BAR1_OFFSET, 4)).isZero();
    }

    @Test
    void leavesPortsAlone() {
        machine.ports(0, 0x20).bar32(1, 0x1000);
        final BarWindows windows = BarWindows.assign(config);
        assertThat(windows.size(0)).isZero();
        assertThat(windows.size(1)).isEqualTo(0x1000);
    }

    @Test
    void theFunctionDoesNotDecodeMeanwhile() {
        machine.bar32(0, 0x4000).config.putShort(PciConfig.COMMAND_OFFSET, (short) 0x507);
        BarWindows.assign(config);
        assertThat(machine.command()).isEqualTo(0x500);
    }

    @Test
    void saysWhichWindowDoesNotFit() {
        machine.bar64(0, 0x1_0000_0000L);
        assertThatThrownBy(() -> BarWindows.assign(config)).isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("BAR0").hasMessageContaining("0x100000000");
    }

    @Test
    void configurationSpaceIsReadAndWrittenInItsParts() {
        assertThat(config.read(0, 4)).isEqualTo(0x0820_15ad);
        assertThat(config.read(2, 2)).isEqualTo(0x0820);
        assertThat(config.read(3, 1)).isEqualTo(0x08);
        config.write(PciConfig.COMMAND_OFFSET + 1, 1, 0x04);
        assertThat(machine.command()).isEqualTo(0x400);
        assertThat(new QtestConfigSpace(machine, 0x11, 0).read(0, 2)).isEqualTo(0xffff);
    }

    @Test
    void refusesAccessesThatAreNotAligned() {
        assertThatThrownBy(() -> config.read(2, 4)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> config.read(256, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> config.write(-4, 4, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> config.write(0, 3, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
