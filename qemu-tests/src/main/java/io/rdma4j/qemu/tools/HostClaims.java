/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.rdma4j.DeviceAddress;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.driver.sysfs.PciFunction;
import io.rdma4j.driver.sysfs.PciSysfs;
import io.rdma4j.qemu.tools.CommandLines.Outcome;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.StreamSupport;

import static io.rdma4j.qemu.tools.CommandLines.rdma4j;
import static io.rdma4j.qemu.tools.CommandLines.rdma4jProcess;
import static io.rdma4j.qemu.tools.CommandLines.system;

/**
 * What status, bind and unbind do on a machine that has a network adapter whose second function is {@code edu}, an
 * {@code edu} alone and a bridge: as close to a pvrdma beside its vmxnet3 as it gets without one.
 */
final class HostClaims {
    /** Slot of the network adapter, function 0, and of the device beside it, function 1. */
    static final String SHARED_SLOT = "10";
    /** Slot of the device that has an IOMMU group of its own. */
    static final String SINGLE_SLOT = "11";
    /** Slot of the bridge. */
    static final String BRIDGE_SLOT = "12";

    private static final String NET = "0000:00:" + SHARED_SLOT + ".0";
    private static final String BESIDE = "0000:00:" + SHARED_SLOT + ".1";
    private static final String SINGLE = "0000:00:" + SINGLE_SLOT + ".0";
    private static final String BRIDGE = "0000:00:" + BRIDGE_SLOT + ".0";

    private final PciSysfs sysfs = new PciSysfs();

    private PciFunction function(final String address) {
        return sysfs.find(address).orElseThrow(() -> new IllegalStateException("no " + address + ": " + sysfs.list()));
    }

    private String netInterface() {
        return function(NET).netInterfaces().get(0).name();
    }

    private Path groupFile(final String address) {
        return sysfs.groupFile(function(address).iommuGroup());
    }

    private void requireDriver(final String address, final String driver) {
        final String has = function(address).driver();
        if (!String.valueOf(driver).equals(String.valueOf(has))) {
            throw new IllegalStateException(address + " has the driver " + has + ", not " + driver);
        }
    }

    private static List<String> missing(final Outcome status) {
        return StreamSupport.stream(status.json().getAsJsonArray("missing").spliterator(), false)
            .map(JsonElement::getAsJsonObject).map(finding -> finding.get("code").getAsString()).toList();
    }

    private static void requireMissing(final Outcome status, final String code, final boolean isMissing) {
        status.require(0);
        if (missing(status).contains(code) != isMissing) {
            throw new IllegalStateException(code + (isMissing ? " is not" : " is") + " among " + missing(status));
        }
    }

    String findDevices() {
        if (function(NET).iommuGroup() < 0 || function(NET).iommuGroup() != function(BESIDE).iommuGroup()
            || function(SINGLE).iommuGroup() == function(NET).iommuGroup()) {
            throw new IllegalStateException("groups are not as expected: " + sysfs.list());
        }
        requireDriver(NET, "vmxnet3");
        return function(NET) + ", " + function(BESIDE) + ", " + function(SINGLE) + ", " + function(BRIDGE);
    }

    String untouched() {
        final Outcome status = rdma4j("status --json");
        requireMissing(status, "NO_DEVICE", true);
        requireMissing(status, "IOMMU_OFF", false);
        requireMissing(status, "VFIO_PCI_NOT_LOADED", false);
        requireMissing(status, "VFIO_FILE_MISSING", false);
        return rdma4j("status").require(0, "No RDMA devices", "(dmar0)", "module vfio-pci         loaded",
            "VFIO interface          group", "Missing for vfio:", "./rdma4j pingpong");
    }

    String noRdmaDevice() {
        final String seen = rdma4j("bind " + SINGLE).require(1, "is not an RDMA device that rdma4j drives",
            "EOPNOTSUPP", "sudo ./rdma4j bind " + SINGLE + " --force");
        requireDriver(SINGLE, null);
        return seen;
    }

    String bindAlone() {
        final String seen = rdma4j("bind --force " + SINGLE).require(0, SINGLE + ": no driver -> vfio-pci",
            "can be opened through " + groupFile(SINGLE), "rw------- root root, usable by this user");
        requireDriver(SINGLE, "vfio-pci");
        rdma4j("bind --force " + SINGLE).require(0, "nothing to do");
        rdma4j("status").require(0, SINGLE, "1234:11e8", "vfio-pci", groupFile(SINGLE).toString(),
            "rw------- root root");
        return seen;
    }

    /** A bridge has another layout of its configuration space: vfio-pci is told so, and says no. */
    String rollBack() {
        final String before = function(BRIDGE).driver();
        final String seen = rdma4j("bind --force " + BRIDGE).require(1, "vfio-pci did not take it", "dmesg");
        requireDriver(BRIDGE, before);
        if (sysfs.driverOverride("read", function(BRIDGE)).isPresent()) {
            throw new IllegalStateException("the override is still " + sysfs.driverOverride("read", function(BRIDGE)));
        }
        return before + " again after: " + seen;
    }

    String activeInterface() throws IOException, InterruptedException {
        final String name = netInterface();
        system("ip link set " + name + " up && ip addr add 10.7.7.1/24 dev " + name
            + " && ip route add default via 10.7.7.2").require(0);
        final String seen = rdma4j("bind " + NET).require(1, NET + " carries the active network interface " + name,
            "up, 10.7.7.1", "default route", "EBUSY", "sudo ip link set " + name + " down", "--force");
        requireDriver(NET, "vmxnet3");
        return seen;
    }

    String groupNeedsMore() {
        rdma4j("bind --force " + BESIDE).require(0, BESIDE + ": no driver -> vfio-pci", "cannot be opened yet",
            NET + " (driver vmxnet3, " + netInterface() + " (up, 10.7.7.1", "bind --group " + BESIDE);
        final Outcome status = rdma4j("status --json");
        // There is no RDMA device in it.
        requireMissing(status, "GROUP_NOT_VIABLE", false);
        return rdma4j("bind --group " + BESIDE).require(1, "carries the active network interface");
    }

    String bindGroup() throws IOException, InterruptedException {
        final String name = netInterface();
        system("ip link set " + name + " down").require(0);
        return rdma4j("bind --group " + BESIDE).require(0, NET + ": vmxnet3 -> vfio-pci",
            "can be opened through " + groupFile(NET));
    }

    String nobody() throws IOException, InterruptedException {
        final String open = "setpriv --reuid=65534 --regid=65534 --clear-groups sh -c ': <>" + groupFile(SINGLE) + "'";
        if (system(open).exitCode() == 0) {
            throw new IllegalStateException("nobody may open " + groupFile(SINGLE) + " before it is given to him");
        }
        system("chown nobody " + groupFile(SINGLE)).require(0);
        system(open).require(0);
        final List<Outcome> seen = CommandLines.allAsNobody("status --json", "status", "unbind " + SINGLE);
        final Outcome status = seen.get(0);
        requireMissing(status, "GROUP_FILE_DENIED", false);
        requireMissing(status, "MEMLOCK_LOW", true);
        final JsonObject memlock = status.json().getAsJsonObject("host").getAsJsonObject("memlock");
        if (memlock.get("soft").getAsLong() != 8L << 20 || memlock.get("exempt").getAsBoolean()) {
            throw new IllegalStateException("memlock: " + memlock);
        }
        final String given = seen.get(1).require(0, groupFile(SINGLE) + "  rw------- nobody root",
            groupFile(NET).toString(), "rw------- root root (not for this user)");
        final String refused = seen.get(2)
            .require(1, "no right to write", "EACCES", "run: sudo ./rdma4j unbind " + SINGLE);
        requireDriver(SINGLE, "vfio-pci");
        return refused + " | " + given;
    }

    String open() throws IOException {
        final String seen;
        try (FileChannel group = FileChannel.open(groupFile(SINGLE), StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
            seen = rdma4j("unbind " + SINGLE).require(1, "process " + ProcessHandle.current().pid() + " (java) has "
                + groupFile(SINGLE) + " open", "EBUSY", "sudo ./rdma4j unbind " + SINGLE + " --force");
            requireDriver(SINGLE, "vfio-pci");
            if (!group.isOpen()) {
                throw new IllegalStateException("closed too early");
            }
        }
        return seen;
    }

    /**
     * The kernel does not return from the order to unbind, and has the lock of the device meanwhile. The command is a
     * process of its own: that it ends is the claim.
     */
    String unbindWhileOpen() throws IOException, InterruptedException {
        final String seen;
        try (PciDevice device = PciDevices.open(DeviceAddress.parse("vfio:" + SINGLE))) {
            seen = device + ": " + rdma4jProcess("unbind --force " + SINGLE).require(1,
                "vfio-pci has not let go within 10000 ms", "ETIMEDOUT", "then run unbind again");
            rdma4j("unbind --force " + SINGLE).require(1, "its driver has not let go within 10000 ms");
        }
        rdma4j("unbind " + SINGLE).require(0);
        requireDriver(SINGLE, null);
        rdma4j("bind --force " + SINGLE).require(0, SINGLE + ": no driver -> vfio-pci");
        return seen;
    }

    String unbindGroup() {
        final Path file = groupFile(NET);
        final String seen = rdma4j("unbind --group " + BESIDE).require(0, NET + ": vfio-pci -> vmxnet3",
            BESIDE + ": vfio-pci -> no driver");
        if (Files.exists(file) || function(NET).netInterfaces().isEmpty()) {
            throw new IllegalStateException(file + " is still there, or no interface: " + function(NET));
        }
        rdma4j("unbind " + SINGLE).require(0, SINGLE + ": vfio-pci -> no driver");
        rdma4j("unbind " + SINGLE).require(0, "nothing to do");
        return seen;
    }

    String hugePages() throws IOException, InterruptedException {
        system("echo 8 | tee /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages").require(0);
        final Outcome status = rdma4j("status --json");
        requireMissing(status, "NO_HUGEPAGES", false);
        final String seen = rdma4j("status").require(0, "huge pages of 2 MiB     8, of which 8 can be had");
        system("echo 0 | tee /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages").require(0);
        requireMissing(rdma4j("status --json"), "NO_HUGEPAGES", true);
        return seen;
    }

    /** The last one: the module's file is out of reach in the guest. */
    String modprobe() throws IOException, InterruptedException {
        system("busybox rmmod vfio_pci").require(0);
        requireMissing(rdma4j("status --json"), "VFIO_PCI_NOT_INSTALLED", true);
        return rdma4j("bind --force " + SINGLE).require(1, "the module vfio-pci is not loaded",
            "run: sudo modprobe vfio-pci");
    }
}
