/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.StreamSupport;

import static io.rdma4j.tools.FakeHost.PVRDMA;
import static org.assertj.core.api.Assertions.assertThat;

/** status on made-up machines. */
class StatusCommandTest {
    @TempDir
    private Path root;

    private FakeHost host;

    @BeforeEach
    void build() throws IOException {
        host = new FakeHost(root);
        Files.setPosixFilePermissions(root.resolve("dev/vfio/vfio"), PosixFilePermissions.fromString("rw-rw-rw-"));
    }

    private Cli.Outcome status(final String... options) {
        final String[] args = new String[options.length + 1];
        args[0] = "status";
        System.arraycopy(options, 0, args, 1, options.length);
        final Cli.Outcome outcome = Cli.runOn(host.machine(), args);
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.err()).isEmpty();
        return outcome;
    }

    private List<String> missing() {
        return StreamSupport.stream(status("--json").json().getAsJsonArray("missing").spliterator(), false)
            .map(finding -> finding.getAsJsonObject().get("code").getAsString()).toList();
    }

    @Test
    void printsDevicesGroupsHostAndWhatIsMissing() throws IOException {
        host.netInterface(FakeHost.VMXNET3, "eth0", true);
        Files.createDirectories(root.resolve("sys/bus/pci/devices/" + PVRDMA + "/infiniband/vmw_pvrdma0"));
        final String rights = "rw-rw-rw- " + Files.getOwner(root.resolve("dev/vfio/vfio")) + " "
            + Files.getAttribute(root.resolve("dev/vfio/vfio"), "posix:group");
        final String out = status().out();
        assertThat(out).isEqualTo(String.join("\n",
            "DEVICE        IDS        NAME                                DRIVER      GROUP  INTERFACES",
            "0000:0b:00.1  15ad:0820  VMware Paravirtual RDMA controller  vmw_pvrdma  11     vmw_pvrdma0",
            "",
            "GROUP  MEMBER        IDS        DRIVER      INTERFACES   FILE  RIGHTS  OPEN IN",
            "11     0000:0b:00.0  15ad:07b0  vmxnet3     eth0 (up)    -     -       -",
            "       0000:0b:00.1  15ad:0820  vmw_pvrdma  vmw_pvrdma0",
            "",
            "HOST                    STATE",
            "kernel                  6.1.0-54-amd64",
            "IOMMU                   on, 3 groups (dmar0)",
            "module vfio-pci         loaded",
            "/dev/vfio/vfio          " + rights + ", usable by this user",
            "VFIO interface          group (no iommufd)",
            "mappings                65535 at most in one container",
            "memlock                 unlimited (hard limit: unlimited)",
            "huge pages of 2 MiB     512, of which 512 can be had",
            "transparent huge pages  madvise",
            "",
            "Missing for vfio: (docs/vfio.md has more):",
            "  - 0000:0b:00.1 is not bound to vfio-pci: the driver vmw_pvrdma has it; if nobody is logged in through "
                + "eth0, run first: sudo ip link set eth0 down.",
            "        sudo ./rdma4j bind --group 0000:0b:00.1",
            ""));
        final String page = Files.readString(Path.of("../docs/vfio.md"));
        assertThat(out.replace(rights, "rw-rw-rw- root root").lines().filter(line -> !line.isEmpty()))
            .allSatisfy(line -> assertThat(page).contains("\n    " + line + "\n"));
    }

    @Test
    void tellsWhichMemberKeepsTheGroupAndWhoHasItOpen() throws IOException {
        Cli.runOn(host.machine(), "bind", PVRDMA);
        assertThat(status().out()).contains("  - IOMMU group 11 cannot be opened while 0000:0b:00.0 (driver vmxnet3) "
            + "has a driver of the kernel.\n        sudo ./rdma4j bind --group 0000:0b:00.1\n");
        host.netInterface(FakeHost.VMXNET3, "eth0", true);
        host.netInterface(FakeHost.VMXNET3, "eth1", true);
        assertThat(status().out()).contains("(driver vmxnet3, eth0 (up), eth1 (up)) has a driver of the kernel; if "
            + "nobody is logged in through eth0, eth1, run first: sudo ip link set eth0 down; sudo ip link set eth1 "
            + "down.\n        sudo ./rdma4j bind --group 0000:0b:00.1\n");
        host.netInterface(FakeHost.VMXNET3, "eth0", false);
        host.netInterface(FakeHost.VMXNET3, "eth1", false);
        Cli.runOn(host.machine(), "bind", "--group", PVRDMA);
        host.open("/dev/vfio/11", 4711, "java");
        assertThat(status().out()).contains("  java (4711)\n").contains("  /dev/vfio/11  rw")
            .endsWith("\n\nReady. Try:\n    ./rdma4j devinfo -d vfio:0000:0b:00.1\n");
        assertThat(missing()).isEmpty();
    }

    @Test
    void theCommandForAGroupNamesTheRdmaDevice() {
        Cli.runOn(host.machine(), "bind", "--force", FakeHost.VMXNET3);
        assertThat(missing()).contains("GROUP_NOT_VIABLE");
        assertThat(status().out()).contains("sudo ./rdma4j bind --group 0000:0b:00.1\n")
            .doesNotContain("bind --group 0000:0b:00.0");
    }

    @Test
    void groupsWithoutAnRdmaDeviceAreNotMissing() throws IOException {
        host.function("0000:06:00.0", "8086:10d3", "020000", "e1000e", 6);
        host.function("0000:06:00.1", "8086:10d3", "020000", "e1000e", 6);
        Cli.runOn(host.machine(), "bind", "--force", "0000:06:00.0");
        Cli.runOn(host.machine(), "bind", "--group", PVRDMA);
        assertThat(status().out()).contains("0000:06:00.1").contains("Ready. Try:");
        assertThat(missing()).isEmpty();
        assertThat(status("--json").json().get("ready").getAsBoolean()).isTrue();
    }

    @Test
    void aMachineWithoutVfioExplainsItself() throws IOException {
        for (final String folder : List.of("sys", "dev", "proc")) {
            host.remove(folder);
        }
        host.file("proc/sys/kernel/osrelease", "6.1.0\n");
        assertThat(status().out()).startsWith("No RDMA devices, and nothing bound to vfio-pci.\n")
            .contains("IOMMU                   off\n", "module vfio-pci         not installed\n",
                "/dev/vfio/vfio          not there\n", "VFIO interface          none\n",
                "memlock                 unknown", "(pvrdma, 15ad:0820)", "./rdma4j pingpong",
                "/lib/modules/6.1.0 does not have it");
        assertThat(missing()).containsExactly("NO_DEVICE", "IOMMU_OFF", "VFIO_PCI_NOT_INSTALLED");
    }

    @Test
    void anIntelMachineIsToldTheKernelArgument() throws IOException {
        host.remove("sys/kernel/iommu_groups");
        host.remove("sys/bus/pci/devices/" + PVRDMA + "/iommu_group");
        assertThat(status().out()).contains("The IOMMU is off, or there is none. It is switched on in the firmware's")
            .doesNotContain("update-grub");
        host.file("proc/cmdline", "quiet\n");
        assertThat(status().out()).contains("without intel_iommu=on",
            "        echo 'GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX intel_iommu=on iommu=pt\"' "
            + "| sudo tee /etc/default/grub.d/iommu.cfg\n        sudo update-grub\n        sudo reboot\n");
        host.file("proc/cpuinfo", "vendor_id\t: AuthenticAMD\nflags\t\t: fpu hypervisor\n");
        assertThat(status().out()).contains("its hypervisor has to offer a virtual IOMMU")
            .doesNotContain("intel_iommu");
    }

    @Test
    void doingWithoutAnIommuIsToldWhereItIsPossible() throws IOException {
        host.remove("sys/kernel/iommu_groups");
        host.remove("sys/bus/pci/devices/" + PVRDMA + "/iommu_group");
        host.file("sys/module/vfio/refcnt", "0");
        assertThat(status().out()).contains("This kernel cannot do without: CONFIG_VFIO_NOIOMMU is not set.",
            "IOMMU                   off\n");
        host.file("sys/module/vfio/parameters/enable_unsafe_noiommu_mode", "N\n");
        assertThat(status().out()).contains("This kernel can do without, unprotected: docs/vfio.md",
            "IOMMU                   off, VFIO can do without\n");
        assertThat(missing()).contains("IOMMU_OFF", "NOT_BOUND");
        host.file("sys/module/vfio/parameters/enable_unsafe_noiommu_mode", "Y\n");
        assertThat(status().out()).contains("off, and VFIO is told to do without\n", "can read and write all memory");
        assertThat(missing()).containsExactly("NO_IOMMU", "NOT_BOUND");
        assertThat(status("--json").json().getAsJsonObject("host").get("no_iommu_mode").getAsBoolean()).isTrue();
    }

    @Test
    void modulesAndFilesThatAreMissingAreToldWithTheCommand() throws IOException {
        host.remove("dev/vfio/vfio");
        assertThat(status().out()).contains("There is no /dev/vfio/vfio, though vfio-pci is loaded",
            "        sudo modprobe vfio\n");
        host.file("dev/iommu", "");
        assertThat(status().out()).contains("none: only iommufd is there, and rdma4j uses the group interface",
            "/dev/iommu is there, which rdma4j does not use");
        host.file("dev/vfio/vfio", "");
        assertThat(status().out()).contains("group (iommufd is there, too, and not used)");
        host.remove("sys/module/vfio_iommu_type1");
        assertThat(missing()).containsExactly("NOT_BOUND");
        host.remove("dev/iommu");
        assertThat(missing()).containsExactly("VFIO_TYPE1_NOT_LOADED", "NOT_BOUND");
        host.remove("sys/module/vfio_pci");
        host.file("lib/modules/6.1.0-54-amd64/modules.dep", "kernel/drivers/vfio/pci/vfio-pci.ko: x\n");
        assertThat(status().out()).contains("module vfio-pci         not loaded\n", "sudo modprobe vfio-pci");
        assertThat(missing()).containsExactly("VFIO_PCI_NOT_LOADED", "NOT_BOUND");
    }

    @Test
    void limitsAndPagesAreAdviceOnly() throws IOException {
        host.file("proc/self/limits", "Max locked memory         8388608              8388608              bytes\n");
        host.file("sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "0\n");
        host.file("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
        Cli.runOn(host.machine(), "bind", "--group", PVRDMA);
        assertThat(missing()).containsExactly("MEMLOCK_LOW", "NO_HUGEPAGES", "THP_NEVER");
        assertThat(status().out()).contains("Ready. Try:\n", "Advised:\n  - This process may lock 8 MiB of memory",
            "memlock unlimited", "echo 512 | sudo tee /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages",
            "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
        host.file("proc/self/status", "CapEff:\t000001ffffffffff\n");
        assertThat(missing()).containsExactly("NO_HUGEPAGES", "THP_NEVER");
        assertThat(status().out()).contains("which does not hold for this process (CAP_IPC_LOCK)");
    }

    @Test
    void devicesThatOthersCallRdmaAreListedAsNotOurs() throws IOException {
        host.function("0000:41:00.0", "15b3:101d", "020700", "mlx5_core", 20);
        Files.createDirectories(root.resolve("sys/bus/pci/devices/0000:41:00.0/infiniband/mlx5_0"));
        assertThat(status().out()).contains("0000:41:00.0  15b3:101d  network controller (no pvrdma)");
        assertThat(missing()).containsExactly("NOT_BOUND");
    }

    @Test
    void devicesOfOthersAreNamedWithWhatCanBeDoneWithThem() throws IOException {
        host.rdmaDevice("0000:41:00.0", "15b3:101d", "020700", "mlx5_0");
        host.rdmaDevice("0000:42:00.0", "1d0f:efa1", "020000", "efa_0");
        host.function("0000:43:00.0", "15b3:1003", "020700", null, 21);
        host.softRdmaDevice("rxe0", "1: CA");
        host.softRdmaDevice("siw0", "4: RNIC");
        assertThat(status().out()).contains(String.join("\n", "",
            "OTHER RDMA  DEVICE        KIND                          OPENS AS",
            "mlx5_0      0000:41:00.0  NVIDIA/Mellanox (mlx4, mlx5)  ibv:mlx5_0",
            "efa_0       0000:42:00.0  Amazon EFA (efa)              ibv:efa_0",
            "-           0000:43:00.0  NVIDIA/Mellanox (mlx4, mlx5)  not at all: no driver of the kernel has it",
            "rxe0        -             rxe: RoCE in software         ibv:rxe0",
            "siw0        -             siw: iWARP in software        ibv:siw0",
            "rdma4j drives pvrdma through VFIO; it opens others as ibv:NAME, through libibverbs and the kernel's "
                + "driver.",
            "Everything works on the emulated device: ./rdma4j pingpong", ""));
        assertThat(missing()).containsExactly("NOT_BOUND");
        final JsonArray others = status("--json").json().getAsJsonArray("other_rdma_devices");
        assertThat(others).hasSize(5);
        assertThat(others.get(3).toString()).contains("\"name\":\"rxe0\",\"address\":null", "\"software\":true",
            "\"opens_as\":\"ibv:rxe0\"");
    }

    @Test
    void aMachineWithSoftwareDevicesOnlySaysSo() throws IOException {
        host.remove("sys/bus/pci/devices");
        host.softRdmaDevice("rxe0", "1: CA");
        assertThat(status().out()).startsWith("No RDMA devices on PCI, and nothing bound to vfio-pci.\n\nOTHER RDMA ")
            .contains("\nrxe0 ");
        assertThat(missing()).contains("NO_DEVICE");
    }

    /** Kernels before 5.11 put rxe below the adapter of its network interface. */
    @Test
    void softwareBelowAnAdapterIsStillSoftware() throws IOException {
        host.rdmaDevice("0000:02:00.0", "8086:10d3", "020000", "rxe0");
        host.file("sys/class/infiniband/rxe0/parent", "eth0\n");
        host.file("sys/class/infiniband/rxe0/node_type", "1: CA\n");
        assertThat(status().out()).contains("rxe0        -       rxe: RoCE in software");
    }

    @Test
    void devinfoRefusesThemByNameAndByAddress() throws IOException {
        host.rdmaDevice("0000:41:00.0", "15b3:101d", "020700", "mlx5_0");
        host.softRdmaDevice("rxe0", "1: CA");
        Files.createDirectories(root.resolve("sys/bus/pci/devices/" + PVRDMA + "/infiniband/vmw_pvrdma0"));
        assertRefused("mlx5_0", "'mlx5_0' is an RDMA device of another kind, NVIDIA/Mellanox (mlx4, mlx5)",
            "EOPNOTSUPP", "-d ibv:mlx5_0");
        assertRefused("vfio:0000:41:00.0?timeout=5", "NVIDIA/Mellanox",
            "rdma4j drives pvrdma through VFIO; it opens others");
        assertRefused("vfio:41:00.0", "NVIDIA/Mellanox");
        assertRefused("rxe0", "rxe: RoCE in software");
        assertRefused("vmw_pvrdma0", "the device at 0000:0b:00.1", "sudo ./rdma4j bind 0000:0b:00.1",
            "vfio:0000:0b:00.1");
        assertRefused("mlx5_9", "there is no scheme", "EINVAL");
    }

    private void assertRefused(final String address, final String... parts) {
        final Cli.Outcome outcome = Cli.runOn(host.machine(), "devinfo", "-d", address);
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.errLines()).singleElement().asString().startsWith("rdma4j: ").contains(parts);
    }

    @Test
    void devinfoSaysWhichItDoesNotList() throws IOException {
        host.rdmaDevice("0000:41:00.0", "15b3:101d", "020700", "mlx5_0");
        assertThat(Cli.runOn(host.machine(), "devinfo", "-l").errLines()).containsExactly(
            "rdma4j: not among them: mlx5_0, NVIDIA/Mellanox (mlx4, mlx5); './rdma4j devinfo -d ibv:mlx5_0' says why");
    }

    @Test
    void jsonHasAllThatTheTablesHave() throws IOException {
        Cli.runOn(host.machine(), "bind", "--group", PVRDMA);
        host.file("sys/bus/pci/devices/" + PVRDMA + "/resource", "0xfe000000 0xfe003fff 0x40200\n");
        host.netInterface(FakeHost.VMXNET3, "eth0", false);
        final JsonObject json = status("--json").json();
        assertThat(json.get("ready").getAsBoolean()).isTrue();
        final JsonObject device = json.getAsJsonArray("devices").get(1).getAsJsonObject();
        assertThat(device.get("opens_as").getAsString()).isEqualTo("vfio:" + PVRDMA);
        assertThat(device.get("driver").getAsString()).isEqualTo("vfio-pci");
        assertThat(device.getAsJsonArray("bars").get(0).getAsJsonObject().get("bytes").getAsInt()).isEqualTo(16384);
        final JsonObject group = json.getAsJsonArray("groups").get(0).getAsJsonObject();
        assertThat(group.get("viable").getAsBoolean()).isTrue();
        assertThat(group.getAsJsonObject("file").get("usable").getAsBoolean()).isTrue();
        final JsonObject member = group.getAsJsonArray("members").get(0).getAsJsonObject();
        assertThat(member.getAsJsonArray("net_interfaces").get(0).getAsJsonObject().get("up").getAsBoolean()).isFalse();
        final JsonObject facts = json.getAsJsonObject("host");
        assertThat(facts.getAsJsonArray("kernel_arguments").toString())
            .isEqualTo("[\"intel_iommu=on\",\"iommu=pt\"]");
        assertThat(facts.getAsJsonObject("memlock").get("soft").getAsLong()).isEqualTo(-1);
        assertThat(facts.getAsJsonObject("memlock").get("enough").getAsBoolean()).isTrue();
        assertThat(facts.getAsJsonArray("huge_pages").get(0).getAsJsonObject().get("available").getAsInt())
            .isEqualTo(512);
        assertThat(facts.get("interface").getAsString()).isEqualTo("group");
    }

    @Test
    void thisMachineExplainsItselfAndExitsWithZero() {
        final Cli.Outcome outcome = Cli.run("status");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.out()).contains("HOST ", "IOMMU ", "memlock ");
    }
}
