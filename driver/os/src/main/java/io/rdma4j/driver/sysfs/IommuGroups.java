/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import java.nio.file.Path;

/**
 * The groups of PCI functions that go to user space together. A function that is given to VFIO where there is no IOMMU
 * gets a group as well, which has another name, another file, and nothing behind it.
 */
final class IommuGroups {
    /** What VFIO calls a group that it made itself, as no IOMMU did. */
    private static final String NO_IOMMU_NAME = "vfio-noiommu";

    private IommuGroups() {
    }

    static Path folder(final Path root) {
        return root.resolve("sys/kernel/iommu_groups");
    }

    static boolean isWithoutIommu(final Path root, final int group) {
        return NO_IOMMU_NAME.equals(SysFiles.text(folder(root).resolve(group + "/name")));
    }

    /** Name of the group's file below {@code /dev}. */
    static String file(final Path root, final int group) {
        return "vfio/" + (isWithoutIommu(root, group) ? "noiommu-" : "") + group;
    }

    /** How many an IOMMU has made. */
    static int count(final Path root) {
        return (int) SysFiles.names(folder(root)).stream()
            .filter(name -> !isWithoutIommu(root, (int) SysFiles.number(name, -1))).count();
    }
}
