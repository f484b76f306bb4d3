/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class HostFactsTest {
    @TempDir
    private Path root;

    private FakeMachine machine;
    private HostFacts facts;

    @BeforeEach
    void build() throws IOException {
        machine = new FakeMachine(root);
        facts = new HostFacts(root);
    }

    @Test
    void anEmptyMachineHasNothing() {
        assertThat(facts.iommuGroupCount()).isZero();
        assertThat(facts.iommus()).isEmpty();
        assertThat(facts.kernelArguments()).isEmpty();
        assertThat(facts.kernelRelease()).isEqualTo("?");
        assertThat(facts.isIntel()).isFalse();
        assertThat(facts.isVirtualMachine()).isFalse();
        assertThat(facts.isModuleLoaded("vfio-pci")).isFalse();
        assertThat(facts.isModuleInstalled("vfio-pci")).isFalse();
        assertThat(facts.containerFile())
            .isEqualTo(new DeviceFile(root.resolve("dev/vfio/vfio"), false, null, null, null, false));
        assertThat(facts.deviceFiles()).isEmpty();
        assertThat(facts.dmaEntryLimit()).isEqualTo(65_535);
        assertThat(facts.hugePagePools()).isEmpty();
        assertThat(facts.transparentHugePages()).isEqualTo("?");
        assertThat(facts.memlock()).isEqualTo(new Memlock(-1, -1, false));
        assertThat(facts.groupUsers(1)).isEmpty();
    }

    @Test
    void tellsOfTheIommuAndOfTheProcessor() throws IOException {
        machine.function("0000:00:01.0", "1234:11e8", "00ff00", 0).function("0000:00:02.0", "1234:11e8", "00ff00", 1)
            .file("sys/class/iommu/dmar0/x", "");
        machine.file("proc/cmdline", "BOOT_IMAGE=/vmlinuz intel_iommu=on  quiet\n");
        machine.file("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu hypervisor\n");
        assertThat(facts.iommuGroupCount()).isEqualTo(2);
        assertThat(facts.iommus()).containsExactly("dmar0");
        assertThat(facts.kernelArguments()).containsExactly("BOOT_IMAGE=/vmlinuz", "intel_iommu=on", "quiet");
        assertThat(facts.isIntel()).isTrue();
        assertThat(facts.isVirtualMachine()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "modules.dep,     kernel/drivers/vfio/pci/vfio-pci.ko.xz: kernel/drivers/vfio/vfio.ko.xz, true",
        "modules.dep,     kernel/drivers/vfio/pci/vfio_pci.ko:,                                   true",
        "modules.builtin, kernel/drivers/vfio/pci/vfio-pci.ko,                                    true",
        "modules.dep,     kernel/drivers/vfio/pci/vfio-pci-core.ko:,                              false",
        "modules.dep,     kernel/x.ko: kernel/drivers/vfio/pci/vfio-pci.ko,                       false"
    })
    void knowsWhichModulesTheKernelCameWith(final String file, final String line, final boolean isThere)
        throws IOException {
        machine.file("proc/sys/kernel/osrelease", "6.1.0-x\n");
        machine.file("lib/modules/6.1.0-x/" + file, "kernel/a.ko:\n" + line + "\n");
        assertThat(facts.isModuleInstalled("vfio-pci")).isEqualTo(isThere);
        machine.file("sys/module/vfio_pci/refcnt", "0\n");
        assertThat(facts.isModuleLoaded("vfio-pci")).isTrue();
    }

    @Test
    void filesForIommufdAreTheFilesAndNotTheClass() throws IOException {
        machine.file("sys/class/vfio-dev/vfio0/dev", "511:0\n");
        assertThat(facts.deviceFiles()).isEmpty();
        machine.file("dev/vfio/devices/vfio0", "");
        machine.file("dev/iommu", "");
        assertThat(facts.deviceFiles()).containsExactly("vfio0");
        assertThat(facts.iommufdFile().exists()).isTrue();
    }

    @Test
    void tellsWhoMayUseADeviceFile() throws IOException {
        final Path file = machine.file("dev/vfio/11", "");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        final DeviceFile device = facts.groupFile(11);
        assertThat(device.exists()).isTrue();
        assertThat(device.mode()).isEqualTo("rw-r-----");
        assertThat(device.owner()).isEqualTo(Files.getOwner(file).getName());
        assertThat(device.isUsable()).isTrue();
    }

    @Test
    void tellsWhoHasAGroupOpen() throws IOException {
        machine.file("proc/self/comm", "me\n");
        machine.file("proc/4711/comm", "ja\u001b[2Jva\n");
        Files.createDirectories(root.resolve("proc/4711/fd"));
        Files.createSymbolicLink(root.resolve("proc/4711/fd/7"), Path.of("/dev/vfio/11"));
        Files.createDirectories(root.resolve("proc/4712/fd"));
        Files.createSymbolicLink(root.resolve("proc/4712/fd/7"), Path.of("/dev/vfio/1"));
        assertThat(facts.groupUsers(11)).containsExactly(new FileUser(4711, "ja?[2Jva"));
    }

    @Test
    void countsHugePagesBySize() throws IOException {
        final String small = "sys/kernel/mm/hugepages/hugepages-2048kB/";
        machine.file(small + "nr_hugepages", "512\n");
        machine.file(small + "free_hugepages", "500\n");
        machine.file(small + "resv_hugepages", "20\n");
        machine.file(small + "surplus_hugepages", "1\n");
        machine.file("sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "what?\n");
        machine.file("sys/kernel/mm/hugepages/garbage/nr_hugepages", "1\n");
        assertThat(facts.hugePagePools()).containsExactly(new HugePagePool(2 << 20, 512, 500, 20, 1),
            new HugePagePool(1 << 30, 0, 0, 0, 0));
        assertThat(facts.hugePagePools().get(0).available()).isEqualTo(480);
        machine.file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
        assertThat(facts.transparentHugePages()).isEqualTo("madvise");
    }

    @Test
    void tellsTheMemlockAndWhetherItHolds() throws IOException {
        machine.file("proc/self/limits", "Limit                     Soft Limit           Hard Limit           Units\n"
            + "Max locked memory         8388608              unlimited            bytes     \n");
        machine.file("proc/self/status", "Name:\tjava\nCapEff:\t0000000000000000\n");
        final Memlock limit = facts.memlock();
        assertThat(limit).isEqualTo(new Memlock(8 << 20, Memlock.UNLIMITED, false));
        assertThat(limit.allows(8 << 20)).isTrue();
        assertThat(limit.allows((8 << 20) + 1)).isFalse();
        machine.file("proc/self/status", "CapEff:\t000001ffffffffff\n");
        assertThat(facts.memlock().allows(Long.MAX_VALUE)).isTrue();
        machine.file("proc/self/status", "CapEff:\t000001ffffffbfff\n");
        assertThat(facts.memlock().isExempt()).isFalse();
    }

    @Test
    void namesOfDevicesComeFromPciIds() throws IOException {
        machine.file("usr/share/misc/pci.ids", "# ids\n1234  Technical Corp.\n\t11e7  other\n\t11e8  Teacher\n"
            + "\t\t1af4 1100  QEMU machine\n1235  X\n\t11e8  wrong\nC 01  Mass\n\t11e9  nothing\n");
        final PciSysfs sysfs = new PciSysfs(root);
        machine.function("0000:00:01.0", "1234:11e8", "00ff00", -1).function("0000:00:02.0", "1234:11e9", "00ff00", -1)
            .function("0000:00:03.0", "15ad:0820", "028000", -1).function("0000:00:04.0", "1234:0001", "020000", -1)
            .function("0000:00:05.0", "1234:0002", "060400", -1);
        final List<PciFunction> functions = sysfs.list();
        final PciNames names = new PciNames(root, functions);
        assertThat(functions).extracting(names::of).containsExactly("Technical Corp. Teacher",
            "device of class 00ff00", "VMware Paravirtual RDMA controller", "network controller", "bridge");
        assertThat(new PciNames(root.resolve("nowhere"), functions).of(functions.get(0)))
            .isEqualTo("device of class 00ff00");
    }

    @Test
    void thisMachineCanBeLookedAtWithoutRights() {
        final HostFacts here = new HostFacts();
        assertThat(here.kernelRelease()).isNotEqualTo("?");
        assertThat(here.memlock().soft()).isNotEqualTo(Memlock.UNKNOWN);
        assertThat(new PciSysfs().list()).allSatisfy(
            function -> assertThat(PciSysfs.normalise(function.address())).contains(function.address()));
        assertThat(here.groupUsers(0)).isNotNull();
    }

    @Test
    void listsTheKernelsRdmaDevices() throws IOException {
        assertThat(facts.rdmaDevices()).isEmpty();
        machine.file("sys/class/infiniband/mlx5_0/node_type", "1: CA\n");
        machine.file("sys/class/infiniband/mlx5_0/device/vendor", "0x15b3\n");
        machine.file("sys/class/infiniband/rxe0/node_type", "1: CA\n");
        machine.file("sys/class/infiniband/rxe1/device/vendor", "0x8086\n");
        machine.file("sys/class/infiniband/rxe1/parent", "eth0\n");
        machine.file("sys/class/infiniband/siw0/node_type", "4: RNIC\n");
        assertThat(facts.rdmaDevices()).containsExactly(new RdmaDevice("mlx5_0", false, false),
            new RdmaDevice("rxe0", true, false), new RdmaDevice("rxe1", true, false),
            new RdmaDevice("siw0", true, true));
    }
}
