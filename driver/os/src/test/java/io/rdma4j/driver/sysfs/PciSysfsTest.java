/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import io.rdma4j.RdmaException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PciSysfsTest {
    private static final String PVRDMA = "0000:0b:00.1";
    private static final String VMXNET3 = "0000:0b:00.0";

    private static final int PIPE_BYTES = 65_536;

    @TempDir
    private Path root;

    private FakeMachine machine;
    private PciSysfs sysfs;

    @BeforeEach
    void build() throws IOException {
        machine = new FakeMachine(root)
            .driver("vmxnet3", "15ad:07b0").driver("vmw_pvrdma", "15ad:0820")
            .function(VMXNET3, "15ad:07b0", "020000", 11).bound(VMXNET3, "vmxnet3")
            .function(PVRDMA, "15ad:0820", "028000", 11).bound(PVRDMA, "vmw_pvrdma")
            .function("0000:00:00.0", "8086:29c0", "060000", -1);
        sysfs = sysfs(Duration.ofSeconds(10));
    }

    private PciSysfs sysfs(final Duration deadline) {
        return new PciSysfs(root, machine, deadline,
            name -> Map.of("eth1", List.of("10.0.0.7")).getOrDefault(name, List.of()));
    }

    private String override() {
        return sysfs.driverOverride("bind", find(PVRDMA)).orElse(null);
    }

    private PciFunction find(final String address) {
        return sysfs.find(address).orElseThrow();
    }

    @Test
    void readsWhatTheKernelTellsOfAFunction() throws IOException {
        machine.file("sys/bus/pci/devices/" + PVRDMA + "/subsystem_vendor", "0x1af4\n");
        machine.file("sys/bus/pci/devices/" + PVRDMA + "/subsystem_device", "0x1100\n");
        Files.createDirectories(machine.device(PVRDMA).resolve("infiniband/vmw_pvrdma0"));
        machine.file("sys/bus/pci/devices/" + PVRDMA + "/resource",
            "0x00000000fe000000 0x00000000fe003fff 0x0000000000040200\n"
            + "0x00000000fe004000 0x00000000fe0040ff 0x0000000000040200\n"
            + "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
            + "0x000000000000c000 0x000000000000c01f 0x0000000000040101\n");
        assertThat(find(PVRDMA)).isEqualTo(new PciFunction(PVRDMA, 0x15ad, 0x0820, 0x1af4, 0x1100, 0x028000,
            "vmw_pvrdma", 11, List.of(), List.of("vmw_pvrdma0"), List.of(
                new PciResource(0, 0xfe000000L, 0xfe003fffL, 0x40200),
                new PciResource(1, 0xfe004000L, 0xfe0040ffL, 0x40200),
                new PciResource(3, 0xc000, 0xc01f, 0x40101))));
        assertThat(find(PVRDMA).resources()).extracting(PciResource::size).containsExactly(0x4000L, 0x100L, 0x20L);
        assertThat(find(PVRDMA).resources()).extracting(PciResource::isMemory).containsExactly(true, true, false);
        assertThat(sysfs.configFile(find(PVRDMA))).isEqualTo(machine.device(PVRDMA).resolve("config"));
    }

    @Test
    void listsFunctionsInOrderAndTellsWhichOnesItDrives() {
        assertThat(sysfs.list()).extracting(PciFunction::address)
            .containsExactly("0000:00:00.0", VMXNET3, PVRDMA);
        assertThat(sysfs.list()).filteredOn(PciFunction::isRdmaCapable).extracting(PciFunction::address)
            .containsExactly(PVRDMA);
        assertThat(find("0000:00:00.0").iommuGroup()).isEqualTo(-1);
        assertThat(find("0000:00:00.0").driver()).isNull();
    }

    @Test
    void aGroupIsAllItsFunctions() {
        assertThat(sysfs.group(11)).extracting(PciFunction::address).containsExactly(VMXNET3, PVRDMA);
        assertThat(sysfs.group(12)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "0b:00.1,           0000:0b:00.1",
        "0000:0B:00.1,      0000:0b:00.1",
        "10000:e1:1f.7,     10000:e1:1f.7"
    })
    void completesAddresses(final String text, final String address) {
        assertThat(PciSysfs.normalise(text)).contains(address);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "eth0", "0b:00", "0b:20.0", "0b:00.8", "../0b:00.1", "0000:0b:00.1/..", "000:0b:00.1",
        "0000:0b:00.1\n", "g0:00.0"})
    void refusesWhatIsNoAddress(final String text) {
        assertThat(PciSysfs.normalise(text)).isEmpty();
        assertThatThrownBy(() -> sysfs.find(text)).isInstanceOfSatisfying(RdmaException.class,
            e -> assertThat(e.errno()).isEqualTo(RdmaException.EINVAL)).hasMessageContaining("such as 0000:0b:00.1");
    }

    @Test
    void findsNothingWhereNothingIs() {
        assertThat(sysfs.find("0000:0b:00.7")).isEmpty();
        assertThat(new PciSysfs(root.resolve("nowhere")).list()).isEmpty();
    }

    @Test
    void leavesOutWhatVanishesWhileItIsListed() throws IOException {
        Files.delete(machine.device(PVRDMA).resolve("vendor"));
        Files.createSymbolicLink(machine.device("0000:0c:00.0"), root.resolve("gone"));
        assertThat(sysfs.list()).extracting(PciFunction::address).containsExactly("0000:00:00.0", VMXNET3);
        assertThat(sysfs.group(11)).extracting(PciFunction::address).containsExactly(VMXNET3);
    }

    @Test
    void garbageIsNeverMoreThanAFunctionLess() throws IOException {
        final Random random = new Random(1);
        final String folder = "sys/bus/pci/devices/" + PVRDMA + "/";
        machine.net(PVRDMA, ".", "eth0", 1);
        for (int i = 0; i < 300; i++) {
            for (final String name : List.of("vendor", "device", "class", "resource", "subsystem_vendor")) {
                final byte[] bytes = new byte[random.nextInt(40)];
                random.nextBytes(bytes);
                Files.write(machine.file(folder + name, ""), bytes);
            }
            Files.write(machine.file("proc/net/route", ""), new byte[] {(byte) random.nextInt(), '\t', '\n'});
            assertThat(sysfs.list().size()).isBetween(2, 3);
        }
        machine.file(folder + "vendor", "0x15ad\n");
        machine.file(folder + "device", "0x0820\n");
        machine.file(folder + "resource", "0x1\n0xfffffffffffffffff 2 zz\n\n0x1 0x2 0x3 0x4\n");
        assertThat(find(PVRDMA).resources()).containsExactly(new PciResource(3, 1, 2, 3));
    }

    @Test
    void networkInterfacesAreActiveWhenUpOrOnTheDefaultRoute() throws IOException {
        machine.function("0000:01:00.0", "1af4:1000", "020000", -1)
            .net("0000:01:00.0", "virtio3", "eth0", 0x1003)
            .net(VMXNET3, ".", "eth1", 0x1002).net(VMXNET3, ".", "eth2", 0x1002)
            .net(VMXNET3, ".", "eth3", 0x1002).net(VMXNET3, ".", "eth4", 0x1002);
        machine.file("proc/net/route", "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n"
            + "eth2\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
            + "eth4\t0002000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n");
        final String zeros = "0".repeat(32);
        machine.file("proc/net/ipv6_route",
            zeros + " 00 " + zeros + " 00 " + zeros + " 00000400 00000002 00000000 00000003     eth3\n"
            + zeros + " 00 " + zeros + " 00 " + zeros + " ffffffff 00000001 00000000 00200200       lo\n"
            + zeros + " 00 " + zeros + " 00 " + zeros + " 00000400 00000001 00000000 00000200     eth4\n");
        assertThat(find("0000:01:00.0").netInterfaces()).singleElement()
            .satisfies(eth0 -> assertThat(eth0.state()).isEqualTo("up"));
        assertThat(find(VMXNET3).netInterfaces()).extracting(NetInterface::state)
            .containsExactly("down, 10.0.0.7", "down, default route", "down, default route", "down");
        assertThat(find(VMXNET3).netInterfaces()).extracting(NetInterface::isActive)
            .as("addresses stay where an interface is set down").containsExactly(false, true, true, false);
    }

    @Test
    void tellsWhichDriversKeepAGroup() throws IOException {
        machine.driver("vfio-pci").driver("mlx5_vfio_pci").driver("pci-stub")
            .function("0000:0b:00.2", "15ad:0001", "010000", 11)
            .function("0000:0b:00.3", "15ad:0002", "010000", 11).bound("0000:0b:00.3", "vfio-pci")
            .function("0000:0b:00.4", "15ad:0003", "010000", 11).bound("0000:0b:00.4", "mlx5_vfio_pci")
            .function("0000:0b:00.5", "15ad:0004", "010000", 11).bound("0000:0b:00.5", "pci-stub")
            .function("0000:0b:00.6", "15ad:0005", "060400", 11).bound("0000:0b:00.6", "vmxnet3");
        assertThat(sysfs.group(11)).filteredOn(PciFunction::blocksGroup).extracting(PciFunction::address)
            .containsExactly(VMXNET3, PVRDMA);
        assertThat(sysfs.group(11)).filteredOn(PciFunction::isBoundToVfio).hasSize(2);
    }

    @Test
    void bindsByOverrideUnbindAndProbe() throws IOException {
        machine.driver("vfio-pci");
        final PciFunction after = sysfs.bind(find(PVRDMA), PciFunction.VFIO_PCI);
        assertThat(after.driver()).isEqualTo("vfio-pci");
        assertThat(machine.orders).containsExactly("devices/" + PVRDMA + "/driver_override=vfio-pci",
            "drivers/vmw_pvrdma/unbind=" + PVRDMA, "drivers_probe=" + PVRDMA);
        assertThat(override()).isEqualTo("vfio-pci");
        machine.orders.clear();
        assertThat(sysfs.bind(after, PciFunction.VFIO_PCI)).isEqualTo(after);
        assertThat(machine.orders).isEmpty();
    }

    @Test
    void unbindGivesItBackToTheKernelsDriver() throws IOException {
        machine.driver("vfio-pci");
        final PciFunction bound = sysfs.bind(find(PVRDMA), PciFunction.VFIO_PCI);
        machine.orders.clear();
        assertThat(sysfs.unbind(bound).driver()).isEqualTo("vmw_pvrdma");
        assertThat(machine.orders).containsExactly("devices/" + PVRDMA + "/driver_override=",
            "drivers/vfio-pci/unbind=" + PVRDMA, "drivers_probe=" + PVRDMA);
        assertThat(override()).isNull();
    }

    @Test
    void unbindOfADeviceThatNoDriverWantsAsksUdevForOne() throws IOException {
        machine.driver("vfio-pci").function("0000:05:00.0", "1234:11e8", "00ff00", 3)
            .bound("0000:05:00.0", "vfio-pci");
        assertThat(sysfs.unbind(find("0000:05:00.0")).driver()).isNull();
        assertThat(machine.orders).contains("devices/0000:05:00.0/uevent=add");
    }

    @Test
    void refusesToBindToADriverThatIsNotLoaded() {
        assertThatThrownBy(() -> sysfs.bind(find(PVRDMA), PciFunction.VFIO_PCI))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.ENODEV))
            .hasMessageContainingAll(PVRDMA, "vfio-pci is not loaded", "sudo modprobe vfio-pci");
        assertThat(machine.orders).isEmpty();
    }

    @Test
    void withoutRightsItChangesNothingAndSaysWhatToDo() throws IOException {
        machine.driver("vfio-pci");
        machine.mayWrite = false;
        for (final String operation : List.of("bind", "unbind")) {
            assertThatThrownBy(() -> {
                if (operation.equals("bind")) {
                    sysfs.bind(find(PVRDMA), PciFunction.VFIO_PCI);
                } else {
                    sysfs.unbind(find(PVRDMA));
                }
            }).isInstanceOfSatisfying(RdmaException.class,
                e -> assertThat(e.errno()).isEqualTo(RdmaException.EACCES))
                .hasMessageContaining("run: sudo ./rdma4j " + operation + " " + PVRDMA);
        }
        assertThat(machine.orders).isEmpty();
    }

    @Test
    void aDriverThatDoesNotTakeItLosesItToTheFormerOne() throws IOException {
        machine.driver("vfio-pci").unwilling.add("vfio-pci");
        assertThatThrownBy(() -> sysfs.bind(find(PVRDMA), PciFunction.VFIO_PCI))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.EIO))
            .hasMessageContainingAll("vfio-pci did not take it", "no driver", "dmesg");
        assertThat(machine.driverOf(PVRDMA)).isEqualTo("vmw_pvrdma");
        assertThat(override()).isNull();
    }

    @Test
    void aRefusedOrderIsRolledBackToTheOverrideThatWasThere() throws IOException {
        machine.driver("vfio-pci").file("sys/bus/pci/devices/" + PVRDMA + "/driver_override", "vmw_pvrdma\n");
        machine.errors.put("/vmw_pvrdma/unbind", new IOException("Device or resource busy"));
        assertThatThrownBy(() -> sysfs.bind(find(PVRDMA), PciFunction.VFIO_PCI))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.EBUSY))
            .hasMessageContainingAll("vmw_pvrdma/unbind", "Device or resource busy");
        assertThat(override()).isEqualTo("vmw_pvrdma");
        assertThat(machine.driverOf(PVRDMA)).isEqualTo("vmw_pvrdma");
    }

    @Test
    void aFailingRollBackIsToldWithTheFailure() throws IOException {
        machine.driver("vfio-pci").unwilling.add("vfio-pci");
        machine.errors.put("/drivers_probe", new IOException("No such device"));
        assertThatThrownBy(() -> sysfs.bind(find(PVRDMA), PciFunction.VFIO_PCI))
            .isInstanceOfSatisfying(RdmaException.class, e -> {
                assertThat(e.errno()).isEqualTo(RdmaException.ENODEV);
                assertThat(e.getSuppressed()).hasSize(1);
            });
    }

    @ParameterizedTest
    @ValueSource(strings = {"bind", "unbind"})
    void aDriverThatDoesNotLetGoIsLetBeAfterTheDeadline(final String operation) throws Exception {
        machine.driver("vfio-pci");
        machine.open = new CountDownLatch(1);
        final PciSysfs impatient = sysfs(Duration.ofMillis(50));
        // The second time the lock is held already: nothing is ordered that would come too late.
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> change(impatient, operation)).isInstanceOfSatisfying(RdmaException.class, e -> {
                assertThat(e.errno()).isEqualTo(RdmaException.ETIMEDOUT);
                assertThat(e.getSuppressed()).isEmpty();
            }).hasMessageContainingAll("has not let go within 50 ms", "'sudo ./rdma4j status' names it",
                "then run " + operation + " again");
        }
        assertThat(machine.orders).hasSizeLessThanOrEqualTo(1).allMatch(order -> order.endsWith("=vfio-pci"));
        machine.open.countDown();
        assertThat(change(sysfs, operation).driver()).isEqualTo(operation.equals("bind") ? "vfio-pci" : "vmw_pvrdma");
    }

    private PciFunction change(final PciSysfs at, final String operation) {
        return operation.equals("bind") ? at.bind(find(PVRDMA), PciFunction.VFIO_PCI) : at.unbind(find(PVRDMA));
    }

    @Test
    void aDriverThatPretendsToLetGoIsFoundOut() throws IOException {
        machine.driver("vfio-pci");
        machine.onUnbind = () -> { };
        assertThatThrownBy(() -> sysfs(Duration.ofMillis(50)).bind(find(PVRDMA), PciFunction.VFIO_PCI))
            .hasMessageContaining("it still has the driver vmw_pvrdma");
        assertThat(override()).isNull();
    }

    @Test
    void restoresDriverAndOverrideEvenIfTheKernelWouldChooseOthers() throws IOException {
        machine.driver("vfio-pci").driver("uio_pci_generic");
        final PciFunction without = machine.unbound(PVRDMA, sysfs);
        sysfs.bind(without, PciFunction.VFIO_PCI);
        sysfs.restore(without, Optional.empty());
        assertThat(machine.driverOf(PVRDMA)).isNull();
        assertThat(override()).isNull();
        final PciFunction other = sysfs.bind(without, "uio_pci_generic");
        sysfs.bind(other, PciFunction.VFIO_PCI);
        sysfs.restore(other, Optional.of("pci-stub"));
        assertThat(machine.driverOf(PVRDMA)).isEqualTo("uio_pci_generic");
        assertThat(override()).isEqualTo("pci-stub");
    }

    @Test
    void aFunctionThatIsUnpluggedMeanwhileIsToldSo() throws IOException {
        machine.driver("vfio-pci");
        final PciFunction function = find(PVRDMA);
        machine.onUnbind = () -> {
            try {
                Files.delete(machine.device(PVRDMA).resolve("vendor"));
            } catch (final IOException e) {
                throw new IllegalStateException(e);
            }
        };
        assertThatThrownBy(() -> sysfs.bind(function, PciFunction.VFIO_PCI))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.ENODEV));
        assertThatThrownBy(() -> sysfs.unbind(function)).hasMessageContaining("no such PCI function any more");
    }

    @Test
    void theRealFilesAreReadAndWrittenButNotMade() throws Exception {
        final DeviceAttributes real = DeviceAttributes.ofFiles();
        final Duration limit = Duration.ofSeconds(10);
        final Path missing = root.resolve("missing");
        assertThatThrownBy(() -> real.write(missing, "1", limit)).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> real.read(missing, limit)).isInstanceOf(IOException.class);
        assertThat(missing).doesNotExist();
        assertThat(real.mayWrite(missing)).isFalse();
        final Path file = machine.file("order $(touch x) '", "");
        real.write(file, "a'b \"$(id)\n", limit);
        assertThat(file).hasContent("a'b \"$(id)\n");
        assertThat(real.read(file, limit)).isEqualTo("a'b \"$(id)\n");
    }

    @Test
    void whatTheKernelSaysToAWriteIsTold() {
        assertThatThrownBy(() -> DeviceAttributes.ofFiles().write(Path.of("/dev/full"), "1", Duration.ofSeconds(10)))
            .isInstanceOf(IOException.class).hasMessage("No space left on device");
    }

    /** A pipe that nobody empties, or fills, stands for a kernel that does not return. */
    @Test
    void aRealAccessThatDoesNotReturnIsLeftBehind() throws Exception {
        final Path empty = pipe("empty");
        final Path full = pipe("full");
        final DeviceAttributes real = DeviceAttributes.ofFiles();
        try (FileChannel channel = FileChannel.open(empty, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            assertThatThrownBy(() -> real.read(empty, Duration.ofMillis(50))).isInstanceOf(TimeoutException.class);
            channel.write(ByteBuffer.wrap(new byte[] {'1'}));
        }
        try (FileChannel channel = FileChannel.open(full, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(PIPE_BYTES));
            assertThatThrownBy(() -> real.write(full, "1", Duration.ofMillis(50)))
                .isInstanceOf(TimeoutException.class);
        }
    }

    private Path pipe(final String name) throws Exception {
        final Path pipe = root.resolve(name);
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        return pipe;
    }
}
