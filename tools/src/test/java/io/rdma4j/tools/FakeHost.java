/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.driver.sysfs.DeviceAttributes;
import io.rdma4j.tools.host.Machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;

/** A folder that looks like a server with a pvrdma adapter, and does what is written to its sysfs. */
final class FakeHost implements DeviceAttributes {
    static final String VMXNET3 = "0000:0b:00.0";
    static final String PVRDMA = "0000:0b:00.1";
    static final String EDU = "0000:00:05.0";

    final List<String> orders = new ArrayList<>();
    /** Functions that vfio-pci does not take. */
    final Set<String> refused = new HashSet<>();
    /** Functions that their driver does not let go. */
    final Set<String> held = new HashSet<>();
    boolean mayWrite = true;

    private final Path root;

    FakeHost(final Path root) throws IOException {
        this.root = root;
        function(VMXNET3, "15ad:07b0", "020000", "vmxnet3", 11);
        function(PVRDMA, "15ad:0820", "028000", "vmw_pvrdma", 11);
        function(EDU, "1234:11e8", "00ff00", null, 3);
        function("0000:00:00.0", "8086:29c0", "060000", null, 0);
        file("sys/bus/pci/drivers_probe", "");
        file("sys/class/iommu/dmar0/uevent", "");
        file("sys/bus/pci/drivers/vfio-pci/unbind", "");
        file("sys/module/vfio_pci/refcnt", "0");
        file("sys/module/vfio_iommu_type1/refcnt", "0");
        file("dev/vfio/vfio", "");
        file("proc/sys/kernel/osrelease", "6.1.0-54-amd64\n");
        file("proc/cmdline", "root=/dev/sda1 token=secret intel_iommu=on iommu=pt\n");
        file("proc/cpuinfo", "vendor_id\t: GenuineIntel\nflags\t\t: fpu sse\n");
        file("proc/self/limits", "Max locked memory         unlimited            unlimited            bytes     \n");
        file("proc/self/status", "CapEff:\t0000000000000000\n");
        file("sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "512\n");
        file("sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "512\n");
        file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    }

    Machine machine() {
        return Machine.at(root, this);
    }

    Path file(final String name, final String text) throws IOException {
        final Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    void remove(final String name) throws IOException {
        try (var files = Files.walk(root.resolve(name))) {
            for (final Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }

    void function(final String address, final String ids, final String classCode, final String driver,
        final int group) throws IOException {
        final String folder = "sys/bus/pci/devices/" + address;
        file(folder + "/vendor", "0x" + ids.substring(0, 4) + "\n");
        file(folder + "/device", "0x" + ids.substring(5) + "\n");
        file(folder + "/class", "0x" + classCode + "\n");
        file(folder + "/driver_override", "(null)\n");
        file(folder + "/kernels_choice", driver == null ? "" : driver);
        final Path members = Files.createDirectories(root.resolve("sys/kernel/iommu_groups/" + group + "/devices"));
        Files.createSymbolicLink(device(address).resolve("iommu_group"), members.getParent());
        Files.createSymbolicLink(members.resolve(address), device(address));
        if (driver != null) {
            file("sys/bus/pci/drivers/" + driver + "/unbind", "");
            setDriver(address, driver);
        }
    }

    /** VFIO makes the group when it is given the function. */
    void withoutIommu(final String address) throws IOException {
        remove("sys/kernel/iommu_groups");
        Files.delete(device(address).resolve("iommu_group"));
        file("sys/module/vfio/parameters/enable_unsafe_noiommu_mode", "Y\n");
    }

    /** One that a driver of the kernel has made of a function. */
    void rdmaDevice(final String address, final String ids, final String classCode, final String name)
        throws IOException {
        function(address, ids, classCode, "mlx5_core", 20);
        Files.createDirectories(device(address).resolve("infiniband").resolve(name));
        file("sys/class/infiniband/" + name + "/node_type", "1: CA\n");
        Files.createSymbolicLink(root.resolve("sys/class/infiniband/" + name + "/device"), device(address));
    }

    /** One without hardware. */
    void softRdmaDevice(final String name, final String nodeType) throws IOException {
        file("sys/class/infiniband/" + name + "/node_type", nodeType + "\n");
    }

    void netInterface(final String address, final String name, final boolean isUp) throws IOException {
        Files.createDirectories(device(address).resolve("net").resolve(name));
        file("sys/class/net/" + name + "/flags", isUp ? "0x1003" : "0x1002");
    }

    String driver(final String address) throws IOException {
        final Path link = device(address).resolve("driver");
        return Files.exists(link) ? Files.readSymbolicLink(link).getFileName().toString() : null;
    }

    void takeDriver(final String address) throws IOException {
        Files.delete(device(address).resolve("driver"));
    }

    void open(final String file, final int pid, final String command) throws IOException {
        file("proc/" + pid + "/comm", command + "\n");
        Files.createDirectories(root.resolve("proc/" + pid + "/fd"));
        Files.createSymbolicLink(root.resolve("proc/" + pid + "/fd/9"), Path.of(file));
    }

    private Path device(final String address) {
        return root.resolve("sys/bus/pci/devices").resolve(address);
    }

    private void setDriver(final String address, final String driver) throws IOException {
        Files.createSymbolicLink(device(address).resolve("driver"), root.resolve("sys/bus/pci/drivers/" + driver));
        if (driver.equals("vfio-pci") && !Files.exists(device(address).resolve("iommu_group"))) {
            final Path group = file("sys/kernel/iommu_groups/0/name", "vfio-noiommu\n").getParent();
            Files.createSymbolicLink(device(address).resolve("iommu_group"), group);
            Files.createSymbolicLink(Files.createDirectory(group.resolve("devices")).resolve(address),
                device(address));
            file("dev/vfio/noiommu-0", "");
        } else if (driver.equals("vfio-pci")) {
            file("dev/vfio/" + device(address).resolve("iommu_group").toRealPath().getFileName(), "");
        }
    }

    @Override
    public boolean mayWrite(final Path file) {
        return mayWrite;
    }

    @Override
    public String read(final Path file, final Duration limit) throws IOException {
        return Files.readString(file);
    }

    @Override
    public void write(final Path file, final String text, final Duration limit) throws IOException, TimeoutException {
        if (file.endsWith("unbind") && held.contains(text)) {
            throw new TimeoutException(text);
        }
        orders.add(file.getFileName() + "=" + text.strip());
        switch (file.getFileName().toString()) {
            case "driver_override" -> Files.writeString(file, text.isBlank() ? "(null)\n" : text);
            case "unbind" -> Files.delete(device(text).resolve("driver"));
            case "drivers_probe" -> probe(text);
            default -> throw new IOException("no such order: " + file);
        }
    }

    private void probe(final String address) throws IOException {
        final String override = Files.readString(device(address).resolve("driver_override")).strip();
        final String driver = override.equals("(null)")
            ? Files.readString(device(address).resolve("kernels_choice")) : override;
        if (!driver.isEmpty() && !(driver.equals("vfio-pci") && refused.contains(address))) {
            setDriver(address, driver);
        }
    }
}
