/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.driver.sysfs.PciSysfs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder that looks like the /sys and /dev of a machine with some PCI functions. */
final class FakeMachine {
    static final String FIRST = "0000:0b:00.0";
    static final String SECOND = "0000:0b:00.1";
    static final int GROUP = 12;

    private final Path root;

    /** Two functions of one group, both bound to vfio-pci. */
    FakeMachine(final Path root) {
        this.root = root;
        file("dev/vfio/vfio");
        file("dev/vfio/" + GROUP);
        function(FIRST, GROUP, "vfio-pci");
        function(SECOND, GROUP, "vfio-pci");
    }

    Path root() {
        return root;
    }

    PciSysfs pci() {
        return new PciSysfs(root);
    }

    /** Adds a function, or changes it; group below 0 or driver null for none. */
    void function(final String address, final int group, final String driver) {
        final Path folder = root.resolve("sys/bus/pci/devices").resolve(address);
        write(folder.resolve("vendor"), "0x15ad\n");
        write(folder.resolve("device"), "0x0820\n");
        write(folder.resolve("class"), "0x028000\n");
        link(folder.resolve("driver"), driver == null ? null : root.resolve("sys/bus/pci/drivers").resolve(driver));
        final Path iommuGroup = root.resolve("sys/kernel/iommu_groups/" + group);
        link(folder.resolve("iommu_group"), group < 0 ? null : iommuGroup);
        if (group >= 0) {
            link(iommuGroup.resolve("devices").resolve(address), folder);
        }
    }

    /** The function is offered by its own file, too. */
    void cdev(final String address) {
        directory(root.resolve("sys/bus/pci/devices").resolve(address).resolve("vfio-dev/vfio7"));
    }

    /** VFIO made the group, as there is no IOMMU. */
    void withoutIommu() {
        write(root.resolve("sys/kernel/iommu_groups/" + GROUP + "/name"), "vfio-noiommu\n");
        file("dev/vfio/noiommu-" + GROUP);
        remove("dev/vfio/" + GROUP);
    }

    /** What the platform reserves for the group. */
    void reserves(final String regions) {
        write(root.resolve("sys/kernel/iommu_groups/" + GROUP + "/reserved_regions"), regions);
    }

    void file(final String path) {
        write(root.resolve(path), "");
    }

    void remove(final String path) {
        try {
            Files.delete(root.resolve(path));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A process that has a file open. */
    void process(final int pid, final String file) {
        write(root.resolve("proc/" + pid + "/comm"), "somebody\n");
        try {
            Files.createSymbolicLink(Files.createDirectory(root.resolve("proc/" + pid + "/fd")).resolve("3"),
                Path.of(file));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void link(final Path link, final Path target) {
        try {
            Files.deleteIfExists(link);
            if (target != null) {
                Files.createDirectories(target);
                Files.createDirectories(link.getParent());
                Files.createSymbolicLink(link, target);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void directory(final Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(final Path file, final String text) {
        directory(file.getParent());
        try {
            Files.writeString(file, text);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
