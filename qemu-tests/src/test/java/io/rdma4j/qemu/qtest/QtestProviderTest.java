/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The provider against a machine in this JVM that speaks the protocol. */
class QtestProviderTest {
    @TempDir
    private Path folder;

    private final FakeMachine machine = new FakeMachine().bar32(0, 0x4000).bar32(1, 0x100).bar32(2, 0x80_0000);
    private FakeQtestServer server;
    private DeviceAddress address;

    @BeforeEach
    void starts() throws IOException {
        server = new FakeQtestServer(folder.resolve("qt"), FakeQtestServer.of(machine));
        try (RandomAccessFile ram = new RandomAccessFile(folder.resolve("ram").toFile(), "rw")) {
            ram.setLength(4 << 20);
        }
        address = DeviceAddress.parse("qtest:" + folder.resolve("qt") + "?ram=" + folder.resolve("ram"));
    }

    @AfterEach
    void stops() throws IOException {
        server.close();
    }

    private static void assertFailure(final String text, final int errno, final String... words) {
        assertThatThrownBy(() -> PciDevices.open(DeviceAddress.parse(text))).asInstanceOf(type(RdmaException.class))
            .satisfies(e -> assertThat(RdmaException.errnoName(e.errno())).isEqualTo(RdmaException.errnoName(errno)))
            .satisfies(e -> assertThat(List.of(words)).allMatch(e.getMessage()::contains, e.getMessage()));
    }

    @Test
    void opensWithWindowsPlacedAndBusMasteringOn() {
        machine.memory.put(0xe000_4000L, 17);
        try (PciDevice device = PciDevices.open(address)) {
            assertThat(device.address()).isEqualTo(address);
            assertThat(machine.command()).isEqualTo(PciConfig.MEMORY | PciConfig.BUS_MASTER);
            final Bar registers = device.bar(1);
            assertThat(registers.readInt(0)).isEqualTo(17);
            registers.writeInt(8, 99);
            assertThat(machine.memory).containsEntry(0xe000_4008L, 99);
            assertThat(registers.isMapped()).isFalse();
            assertThat(registers.busAddress()).isEqualTo(0xe000_4000L);
            assertThat(device.interrupts().available()).isEqualTo(3);
            assertThat(device.reset()).isFalse();
        }
    }

    @Test
    void checksOffsetsAndBarNumbers() {
        try (PciDevice device = PciDevices.open(address)) {
            final Bar registers = device.bar(1);
            for (final int offset : new int[] {-4, 2, 0x100, Integer.MAX_VALUE}) {
                assertThatThrownBy(() -> registers.readInt(offset)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> registers.writeInt(offset, 0)).isInstanceOf(IllegalArgumentException.class);
            }
            assertThatThrownBy(registers::buffer).isInstanceOf(RdmaException.class).hasMessageContaining("EOPNOTSUPP");
            assertThatThrownBy(() -> device.bar(3)).isInstanceOf(RdmaException.class).hasMessageContaining("ENODEV");
            assertThatThrownBy(() -> device.bar(-1)).isInstanceOf(RdmaException.class).hasMessageContaining("ENODEV");
        }
    }

    @Test
    void closeSwitchesEverythingOffAndTheDeviceCanBeOpenedAgain() {
        final PciDevice device = PciDevices.open(address);
        device.interrupts().enable(3);
        final Bar registers = device.bar(1);
        device.close();
        device.close();
        assertThat(machine.command()).isZero();
        assertThat(machine.config.getShort(FakeMachine.MSIX_AT + 2)).isEqualTo((short) 2);
        assertThatThrownBy(() -> device.bar(1)).isInstanceOf(RdmaException.class).hasMessageContaining("EBADFD");
        assertThatThrownBy(() -> registers.readInt(0)).isInstanceOf(RdmaException.class).hasMessageContaining("EBADFD");
        PciDevices.open(address).close();
    }

    @Test
    void closeIsQuietWhenQemuDied() throws IOException {
        final PciDevice device = PciDevices.open(address);
        server.close();
        device.close();
        assertThat(device.toString()).contains("closed");
    }

    @Test
    void refusesASecondOpenInThisProcess() {
        try (PciDevice device = PciDevices.open(address)) {
            assertFailure(device.address().toString(), RdmaException.EBUSY, "close it first");
        }
    }

    @Test
    void aFailedOpenLeavesTheDeviceFree() {
        assertFailure(address + "&at=3.0", RdmaException.ENODEV, "no PCI function at 00:03.0");
        assertFailure(address + "&mad=" + folder.resolve("nobody"), RdmaException.ENODEV, "nobody");
        assertFailure("qtest:" + folder.resolve("qt") + "?ram=" + folder.resolve("none"), RdmaException.ENOENT, "none");
        PciDevices.open(address).close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"qtest:", "qtest:/run/qt", "qtest:?ram=/r", "qtest:/run/qt?ram=",
        "qtest:/run/qt?ram=/r&rom=1",
        "qtest:/run/qt?ram=/r&at=20.0", "qtest:/run/qt?ram=/r&at=1.8", "qtest:/run/qt?ram=/r&at=x",
        "qtest:/run/qt?ram=/r&timeout=0", "qtest:/run/qt?ram=/r&timeout=soon"})
    void refusesAnAddressThatIsNotComplete(final String text) {
        assertFailure(text, RdmaException.EINVAL);
    }

    @Test
    void saysThatNoQemuIsThere() {
        assertFailure("qtest:" + folder.resolve("none") + "?ram=/r", RdmaException.ENODEV, "-qtest unix:");
    }

    @Test
    void listsNothingAndDescribesItself() {
        final QtestProvider provider = new QtestProvider();
        assertThat(provider.list()).isEmpty();
        assertThat(provider.usage()).startsWith("qtest:");
    }

    @Test
    void aQemuThatDoesNotStartIsReportedWithWhatItSaid() {
        assertThatThrownBy(() -> QtestDevice.start("/bin/echo", folder.resolve("log")))
            .isInstanceOf(GuestException.class).hasMessageContaining("no QEMU for qtest")
            .hasMessageContaining("-machine q35");
    }

    /** The command line, which begins the log, names them. */
    private void assertNoFilesAreLeft() throws IOException {
        final Matcher named = Pattern.compile("mem-path=(/dev/shm/[^,]+),.* unix:(/[^,]+)/qtest.sock,")
            .matcher(Files.readString(folder.resolve("log")));
        assertThat(named.find()).isTrue();
        assertThat(Path.of(named.group(1))).doesNotExist();
        assertThat(Path.of(named.group(2))).doesNotExist();
    }

    @Test
    void aQemuThatIsNotThereIsReportedAndLeavesNoFiles() throws IOException {
        assertThatThrownBy(() -> QtestDevice.start("/nonexistent/qemu", folder.resolve("log")))
            .isInstanceOf(GuestException.class).hasMessageContaining("\"/nonexistent/qemu\"");
        assertNoFilesAreLeft();
    }

    @Test
    void aQemuThatEndsTooEarlyLeavesNoFiles() throws IOException {
        final Path qemu = program("""
            for word in "$@"; do
                case "$word" in *,mem-path=*) ram=${word#*,mem-path=}; : > "${ram%%,*}"; echo "made ${ram%%,*}" ;; esac
            done
            """);
        assertThatThrownBy(() -> QtestDevice.start(qemu.toString(), folder.resolve("log")))
            .isInstanceOf(GuestException.class).hasMessageContaining("made /dev/shm/rdma4j-qtest");
        assertNoFilesAreLeft();
    }

    @Test
    void theVersionIsThatOfTheProgramThatIsRun() throws IOException {
        final String before = System.getProperty(GuestContext.BINARY_PROPERTY);
        System.setProperty(GuestContext.BINARY_PROPERTY,
            program("echo \"QEMU of this test $1\"; echo more").toString());
        try {
            assertThat(QtestDevice.version()).isEqualTo("QEMU of this test --version");
        } finally {
            if (before == null) {
                System.clearProperty(GuestContext.BINARY_PROPERTY);
            } else {
                System.setProperty(GuestContext.BINARY_PROPERTY, before);
            }
        }
    }

    private Path program(final String script) throws IOException {
        final Path program = Files.writeString(folder.resolve("qemu.sh"), "#!/bin/sh\n" + script);
        return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
