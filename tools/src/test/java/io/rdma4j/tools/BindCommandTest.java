/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonObject;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static io.rdma4j.tools.FakeHost.EDU;
import static io.rdma4j.tools.FakeHost.PVRDMA;
import static io.rdma4j.tools.FakeHost.VMXNET3;
import static org.assertj.core.api.Assertions.assertThat;

/** bind and unbind on a made-up machine. */
class BindCommandTest {
    @TempDir
    private Path root;

    private FakeHost host;

    @BeforeEach
    void build() throws IOException {
        host = new FakeHost(root);
    }

    private Cli.Outcome run(final String line) {
        return Cli.runOn(host.machine(), line.split(" "));
    }

    private void assertRefused(final String line, final String... parts) {
        final Cli.Outcome outcome = run(line);
        assertThat(outcome.exitCode()).as(outcome.toString()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.errLines()).singleElement().asString().startsWith("rdma4j: ").contains(parts);
        assertThat(host.orders).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0000:0b:00.1", "0b:00.1", "0B:00.1", "vfio:0000:0b:00.1"})
    void bindsAndSaysWhatElseTheGroupNeeds(final String address) throws IOException {
        final Cli.Outcome outcome = run("bind " + address);
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.outLines()).containsExactly(
            "0000:0b:00.1: vmw_pvrdma -> vfio-pci",
            "IOMMU group 11 cannot be opened yet, this has to leave its driver too: 0000:0b:00.0 (driver vmxnet3)",
            "Run: sudo ./rdma4j bind --group 0000:0b:00.1");
        assertThat(host.driver(PVRDMA)).isEqualTo("vfio-pci");
        assertThat(host.driver(VMXNET3)).isEqualTo("vmxnet3");
    }

    @Test
    void bindsTheWholeGroupAndThenTellsTheAddress() throws IOException {
        final Cli.Outcome outcome = run("bind --group " + PVRDMA);
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.outLines()).hasSize(4).contains("0000:0b:00.1: vmw_pvrdma -> vfio-pci",
            "0000:0b:00.0: vmxnet3 -> vfio-pci", "Its address for rdma4j: vfio:0000:0b:00.1");
        assertThat(outcome.outLines().get(2)).startsWith("IOMMU group 11 can be opened through /dev/vfio/11 (rw");
        assertThat(host.driver(VMXNET3)).isEqualTo("vfio-pci");
    }

    @Test
    void bindingWhatIsBoundDoesNothing() {
        run("bind " + PVRDMA);
        host.orders.clear();
        final Cli.Outcome outcome = run("bind " + PVRDMA);
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.outLines().get(0)).isEqualTo("0000:0b:00.1: nothing to do, its driver is vfio-pci");
        assertThat(host.orders).isEmpty();
    }

    @Test
    void unbindGivesTheGroupBackInTheOrderThatItsDriversNeed() throws IOException {
        run("bind --group " + PVRDMA);
        final Cli.Outcome outcome = run("unbind --group " + PVRDMA);
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.outLines()).containsExactly("0000:0b:00.0: vfio-pci -> vmxnet3",
            "0000:0b:00.1: vfio-pci -> vmw_pvrdma");
        assertThat(host.driver(PVRDMA)).isEqualTo("vmw_pvrdma");
        assertThat(run("unbind --group " + PVRDMA).outLines())
            .containsExactly("0000:0b:00.1: nothing to do, its driver is vmw_pvrdma");
    }

    @Test
    void unbindGivesBackOneFunctionAndTellsOfTheRest() {
        run("bind --group " + PVRDMA);
        assertThat(run("unbind " + PVRDMA).outLines()).first().isEqualTo("0000:0b:00.1: vfio-pci -> vmw_pvrdma");
    }

    @Test
    void unbindSaysWhenNoDriverWantsTheDevice() {
        run("bind --force " + EDU);
        assertThat(run("unbind " + EDU).outLines()).containsExactly("0000:00:05.0: vfio-pci -> no driver");
    }

    @Test
    void refusesAnActiveNetworkInterface() throws IOException {
        host.netInterface(VMXNET3, "eth0", true);
        assertRefused("bind --group " + PVRDMA, "0000:0b:00.0 carries the active network interface eth0 (up)", "EBUSY",
            "if nobody is logged in through eth0, run first: sudo ip link set eth0 down; if it is meant all the same, "
            + "run: sudo ./rdma4j bind --group 0000:0b:00.1 --force");
        assertThat(run("bind " + PVRDMA).out()).contains("0000:0b:00.0 (driver vmxnet3, eth0 (up))");
        final Cli.Outcome forced = run("bind --group --force " + PVRDMA);
        assertThat(forced.exitCode()).isZero();
        assertThat(forced.errLines()).singleElement().asString().startsWith("rdma4j: warning: ").contains("eth0 (up)");
        assertThat(host.driver(VMXNET3)).isEqualTo("vfio-pci");
    }

    @Test
    void refusesTheDefaultRoute() throws IOException {
        host.netInterface(VMXNET3, "eth0", false);
        assertThat(run("bind --group " + PVRDMA).exitCode()).isZero();
        run("unbind --group " + PVRDMA);
        host.orders.clear();
        host.file("proc/net/route", "eth0 00000000 010200C0 0003 0 0 0 00000000 0 0 0\n");
        assertRefused("bind --group " + PVRDMA, "eth0 (down, default route)");
    }

    @Test
    void refusesWhatIsNoRdmaDevice() throws IOException {
        assertRefused("bind " + EDU, "0000:00:05.0 [1234:11e8] is not an RDMA device that rdma4j drives", "EOPNOTSUPP",
            "bind 0000:00:05.0 --force");
        assertThat(run("bind --force " + EDU).exitCode()).isZero();
        assertThat(host.driver(EDU)).isEqualTo("vfio-pci");
    }

    @Test
    void refusesToTakeADiskOfTheSameGroupAlong() throws IOException {
        host.function("0000:0b:00.2", "8086:2922", "010601", "ahci", 11);
        assertRefused("bind --group " + PVRDMA, "0000:0b:00.2 [8086:2922] is not a network device: its class is 010601,"
            + " its driver ahci");
    }

    @Test
    void leavesBridgesOfTheGroupAlone() throws IOException {
        host.function("0000:0b:01.0", "8086:3420", "060400", "pcieport", 11);
        final Cli.Outcome outcome = run("bind --group " + PVRDMA);
        assertThat(outcome.out()).contains("IOMMU group 11 can be opened").doesNotContain("0000:0b:01.0");
        assertThat(host.driver("0000:0b:01.0")).isEqualTo("pcieport");
    }

    @Test
    void unknownAddressIsToldSo() {
        assertRefused("bind 0000:0c:00.0", "'0000:0c:00.0'", "there is no such PCI function", "ENODEV", "lspci -D");
        assertRefused("unbind 0000:0c:00.0", "there is no such PCI function");
    }

    @Test
    void whereVfioDoesWithoutAnIommuTheGroupComesByBinding() throws IOException {
        host.withoutIommu(PVRDMA);
        final Cli.Outcome outcome = run("bind " + PVRDMA);
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.outLines()).hasSize(3).contains("0000:0b:00.1: vmw_pvrdma -> vfio-pci",
            "Its address for rdma4j: vfio:0000:0b:00.1?iommu=none");
        assertThat(outcome.outLines().get(1))
            .startsWith("Group without an IOMMU 0 can be opened through /dev/vfio/noiommu-0 (rw");
    }

    @Test
    void withoutIommuItSaysWhereToLook() throws IOException {
        Files.delete(root.resolve("sys/bus/pci/devices/" + PVRDMA + "/iommu_group"));
        assertRefused("bind " + PVRDMA, "it is in no IOMMU group: no IOMMU serves it", "./rdma4j status");
        host.remove("sys/kernel/iommu_groups");
        assertRefused("bind " + PVRDMA, "the IOMMU is off, or there is none", "./rdma4j status");
    }

    @Test
    void withoutTheModuleItSaysModprobe() throws IOException {
        host.remove("sys/bus/pci/drivers/vfio-pci");
        assertRefused("bind " + PVRDMA, "the module vfio-pci is not loaded", "run: sudo modprobe vfio-pci");
    }

    @Test
    void withoutRightsItSaysSudo() {
        host.mayWrite = false;
        assertRefused("bind " + PVRDMA, "no right to write ", "/driver_override", "EACCES",
            "run: sudo ./rdma4j bind 0000:0b:00.1");
        assertRefused("bind --force --group " + PVRDMA, "run: sudo ./rdma4j bind --group 0000:0b:00.1 --force");
        assertRefused("bind " + EDU, "run: sudo ./rdma4j bind 0000:00:05.0");
        host.mayWrite = true;
        run("bind " + PVRDMA);
        host.mayWrite = false;
        host.orders.clear();
        assertRefused("unbind " + PVRDMA, "EACCES", "run: sudo ./rdma4j unbind 0000:0b:00.1");
    }

    @Waiting
    @Test
    void whenAMemberFailsTheOthersGoBack() throws IOException {
        host.refused.add(VMXNET3);
        final Cli.Outcome outcome = run("bind --group " + PVRDMA);
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errLines()).singleElement().asString()
            .contains("'0000:0b:00.0'", "vfio-pci did not take it");
        assertThat(host.driver(PVRDMA)).isEqualTo("vmw_pvrdma");
        assertThat(host.driver(VMXNET3)).isEqualTo("vmxnet3");
    }

    @Test
    void refusesToUnbindWhatAProcessHasOpen() throws IOException {
        run("bind --group " + PVRDMA);
        host.orders.clear();
        host.open("/dev/vfio/11", 4711, "java");
        assertRefused("unbind " + PVRDMA, "process 4711 (java) has /dev/vfio/11 open", "EBUSY", "--force");
        assertThat(run("unbind --force " + PVRDMA).exitCode()).isZero();
    }

    @Test
    void refusesToUnbindWhatAProcessHasOpenWithoutAnIommu() throws IOException {
        host.withoutIommu(PVRDMA);
        run("bind " + PVRDMA);
        host.orders.clear();
        host.open("/dev/vfio/noiommu-0", 4711, "java");
        assertRefused("unbind " + PVRDMA, "process 4711 (java) has /dev/vfio/noiommu-0 open", "EBUSY", "--force");
        assertThat(run("unbind --force " + PVRDMA).exitCode()).isZero();
    }

    /** By iommufd a process has a function's own file, and not that of the group. */
    @Test
    void refusesToUnbindWhatAProcessHasOpenByTheFileOfAFunction() throws IOException {
        run("bind --group " + PVRDMA);
        host.orders.clear();
        Files.createDirectories(root.resolve("sys/bus/pci/devices/" + VMXNET3 + "/vfio-dev/vfio7"));
        host.open("/dev/vfio/devices/vfio7", 4711, "qemu");
        assertRefused("unbind --group " + PVRDMA, "process 4711 (qemu) has /dev/vfio/devices/vfio7 open", "EBUSY");
        assertThat(run("unbind " + PVRDMA).exitCode()).isZero();
    }

    @Test
    void refusesToTakeWhatAProcessUsesThroughTheKernel() throws IOException {
        Files.createDirectories(root.resolve("sys/bus/pci/devices/" + PVRDMA + "/infiniband/vmw_pvrdma0"));
        Files.createDirectories(root.resolve("sys/bus/pci/devices/" + PVRDMA + "/infiniband_verbs/uverbs3"));
        host.open("/dev/infiniband/uverbs0", 4710, "other");
        assertThat(run("bind " + PVRDMA).exitCode()).isZero();
        run("unbind " + PVRDMA);
        host.orders.clear();
        host.open("/dev/infiniband/uverbs3", 4711, "ib_send_bw");
        assertRefused("bind --group " + PVRDMA, "process 4711 (ib_send_bw) has /dev/infiniband/uverbs3 open", "EBUSY",
            "bind --group 0000:0b:00.1 --force");
        assertThat(run("bind --force " + PVRDMA).errLines()).singleElement().asString()
            .startsWith("rdma4j: warning: process 4711");
        assertThat(host.driver(PVRDMA)).isEqualTo("vfio-pci");
    }

    @Test
    void unbindOfAFunctionWithoutADriverLetsTheKernelChooseOne() throws IOException {
        host.takeDriver(PVRDMA);
        assertThat(run("unbind " + PVRDMA).outLines()).containsExactly("0000:0b:00.1: no driver -> vmw_pvrdma");
        assertThat(host.driver(PVRDMA)).isEqualTo("vmw_pvrdma");
        host.takeDriver(VMXNET3);
        assertThat(run("unbind --group " + PVRDMA).outLines()).singleElement().asString().contains("nothing to do");
        assertThat(host.driver(VMXNET3)).isNull();
        assertThat(run("unbind " + EDU).outLines())
            .containsExactly("0000:00:05.0: nothing to do, no driver of the kernel wants it");
    }

    @Waiting
    @Test
    void whenAMemberFailsTheOthersAreAsTheyWereFound() throws IOException {
        host.takeDriver(PVRDMA);
        final Path override = host.file("sys/bus/pci/devices/" + PVRDMA + "/driver_override", "uio_pci_generic\n");
        host.refused.add(VMXNET3);
        assertThat(run("bind --group " + PVRDMA).exitCode()).isEqualTo(1);
        assertThat(host.driver(PVRDMA)).isNull();
        assertThat(override).hasContent("uio_pci_generic");
        assertThat(host.driver(VMXNET3)).isEqualTo("vmxnet3");
    }

    @Waiting
    @Test
    void whatCannotBeGivenBackIsTold() throws IOException {
        host.refused.add(VMXNET3);
        host.held.add(PVRDMA);
        host.takeDriver(PVRDMA);
        assertThat(run("bind --group " + PVRDMA).errLines()).hasSize(2).satisfiesExactly(
            warning -> assertThat(warning).startsWith("rdma4j: warning: not as it was: ")
                .contains("'0000:0b:00.1'", "vfio-pci has not let go"),
            error -> assertThat(error).contains("'0000:0b:00.0'", "vfio-pci did not take it"));
    }

    @Test
    void aFailingUnbindTellsWhatItHadDone() {
        run("bind --group " + PVRDMA);
        host.held.add(PVRDMA);
        final Cli.Outcome outcome = run("unbind --group " + PVRDMA);
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.errLines()).satisfiesExactly(
            warning -> assertThat(warning)
                .isEqualTo("rdma4j: warning: done before the failure: 0000:0b:00.0: vfio-pci -> vmxnet3"),
            error -> assertThat(error).contains("'0000:0b:00.1'", "ETIMEDOUT", "then run unbind again"));
        host.held.clear();
        assertThat(run("unbind --group " + PVRDMA).outLines())
            .containsExactly("0000:0b:00.1: vfio-pci -> vmw_pvrdma");
    }

    @Test
    void thePageQuotesWhatIsPrinted() throws IOException {
        final String page = Files.readString(Path.of("../docs/vfio.md"));
        host.netInterface(VMXNET3, "eth0", true);
        for (final String line : List.of("bind " + PVRDMA, "bind --group " + PVRDMA, "unbind --group " + PVRDMA)) {
            assertThat(run(line).out().replaceFirst("\\(rw\\S+ \\S+ \\S+,", "(rw------- root root,").lines())
                .isNotEmpty().allSatisfy(printed -> assertThat(page).contains("\n    " + printed + "\n"));
            host.netInterface(VMXNET3, "eth0", false);
        }
    }

    @Test
    void printsJson() {
        final JsonObject json = run("bind --json " + PVRDMA).json();
        assertThat(json.get("address").getAsString()).isEqualTo(PVRDMA);
        assertThat(json.get("iommu_group").getAsInt()).isEqualTo(11);
        assertThat(json.get("viable").getAsBoolean()).isFalse();
        assertThat(json.getAsJsonArray("blocking").get(0).getAsString()).isEqualTo(VMXNET3);
        final JsonObject change = json.getAsJsonArray("changes").get(0).getAsJsonObject();
        assertThat(change.get("former_driver").getAsString()).isEqualTo("vmw_pvrdma");
        assertThat(change.get("driver").getAsString()).isEqualTo("vfio-pci");
        assertThat(run("unbind --json " + PVRDMA).json().getAsJsonArray("changes")).hasSize(1);
    }

    @Test
    void aDryRunTellsEachWriteAndMakesNone() throws IOException {
        host.mayWrite = false;
        final String sys = root + "/sys/bus/pci/";
        final Cli.Outcome outcome = run("bind --dry-run --group " + PVRDMA);
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.outLines()).containsExactly(
            "0000:0b:00.1: vmw_pvrdma -> vfio-pci",
            "    echo vfio-pci >" + sys + "devices/0000:0b:00.1/driver_override",
            "    echo 0000:0b:00.1 >" + sys + "drivers/vmw_pvrdma/unbind",
            "    echo 0000:0b:00.1 >" + sys + "drivers_probe",
            "0000:0b:00.0: vmxnet3 -> vfio-pci",
            "    echo vfio-pci >" + sys + "devices/0000:0b:00.0/driver_override",
            "    echo 0000:0b:00.0 >" + sys + "drivers/vmxnet3/unbind",
            "    echo 0000:0b:00.0 >" + sys + "drivers_probe",
            "Nothing was changed.");
        assertThat(host.orders).isEmpty();
        assertThat(host.driver(PVRDMA)).isEqualTo("vmw_pvrdma");
    }

    /** What is planned and what is done are told apart nowhere else. */
    @Test
    void aDryRunTellsWhatIsDoneThen() {
        for (final String line : List.of("bind --group " + PVRDMA, "unbind --group " + PVRDMA,
            "bind " + EDU + " --force", "unbind " + EDU)) {
            final List<String> planned = run(line + " --dry-run").outLines().stream()
                .filter(text -> text.startsWith("    echo ")).map(text -> text.replaceFirst("    echo (.*?) ?>.*/(.*)",
                    "$2=$1")).toList();
            assertThat(planned).as(line).isNotEmpty();
            assertThat(host.orders).isEmpty();
            assertThat(run(line).exitCode()).isZero();
            assertThat(host.orders).as(line).isEqualTo(planned);
            host.orders.clear();
        }
    }

    @Test
    void aDryRunOfUnbindGivesJson() {
        run("bind " + PVRDMA);
        host.orders.clear();
        final JsonObject json = run("unbind --dry-run --json " + PVRDMA).json();
        assertThat(json.get("dry_run").getAsBoolean()).isTrue();
        final JsonObject step = json.getAsJsonArray("steps").get(0).getAsJsonObject();
        assertThat(step.get("former_driver").getAsString()).isEqualTo("vfio-pci");
        assertThat(step.get("driver").isJsonNull()).isTrue();
        final JsonObject write = step.getAsJsonArray("writes").get(0).getAsJsonObject();
        assertThat(write.get("file").getAsString()).endsWith(PVRDMA + "/driver_override");
        assertThat(write.get("text").getAsString()).isEmpty();
        assertThat(run("unbind --dry-run " + PVRDMA).outLines())
            .contains("0000:0b:00.1: vfio-pci -> the driver that the kernel chooses")
            .contains("    echo >" + root + "/sys/bus/pci/devices/0000:0b:00.1/driver_override")
            .anyMatch(line -> line.contains("'add' is written to its uevent")).endsWith("Nothing was changed.");
        assertThat(run("bind --dry-run " + PVRDMA).outLines())
            .containsExactly("0000:0b:00.1: nothing to do, its driver is vfio-pci");
        assertThat(host.orders).isEmpty();
    }

    @Test
    void aDryRunRefusesWhatWouldBeRefused() throws IOException {
        host.netInterface(VMXNET3, "eth0", true);
        assertRefused("bind --dry-run --group " + PVRDMA, "carries the active network interface eth0 (up)");
        assertRefused("bind --dry-run " + EDU, "is not an RDMA device that rdma4j drives");
    }
}
