/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.driver.sysfs.FileUser;
import io.rdma4j.driver.sysfs.HostFacts;
import io.rdma4j.driver.sysfs.PciFunction;
import io.rdma4j.driver.sysfs.PciSysfs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Where VFIO's files are. */
final class VfioPaths {
    private final PciSysfs pci;

    VfioPaths(final PciSysfs pci) {
        this.pci = pci;
    }

    PciSysfs pci() {
        return pci;
    }

    Path container() {
        return pci.root().resolve("dev/vfio/vfio");
    }

    Path group(final int number) {
        return pci.groupFile(number);
    }

    /** Whether the function was given to VFIO in the mode that does without an IOMMU. */
    boolean isWithoutIommu(final PciFunction function) {
        return pci.isWithoutIommu(function.iommuGroup());
    }

    Path iommufd() {
        return pci.root().resolve("dev/iommu");
    }

    /** The device's own file, by which newer kernels offer it to iommufd; null if there is none. */
    Path cdev(final PciFunction function) {
        final Path folder = pci.configFile(function).resolveSibling("vfio-dev");
        final List<Path> devices = list(folder);
        return devices.isEmpty() ? null
            : pci.root().resolve("dev/vfio/devices").resolve(devices.get(0).getFileName());
    }

    /**
     * Which bus addresses the platform reserves for a group: a line for each range, its two ends and its kind. Null if
     * that is not told.
     */
    List<String> reservedRegions(final int group) {
        try {
            return Files.readAllLines(reservedRegionsFile(group));
        } catch (final IOException untold) {
            return null;
        }
    }

    Path reservedRegionsFile(final int group) {
        return pci.root().resolve("sys/kernel/iommu_groups/" + group + "/reserved_regions");
    }

    /** Processes that have a group open, as far as this user may see them. */
    List<FileUser> users(final int group) {
        return new HostFacts(pci.root()).groupUsers(group);
    }

    /** Empty for a folder that is not there or must not be read. */
    private static List<Path> list(final Path folder) {
        final List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            entries.forEach(found::add);
        } catch (final IOException | UncheckedIOException | DirectoryIteratorException unreadable) {
            return found;
        }
        return found;
    }
}
