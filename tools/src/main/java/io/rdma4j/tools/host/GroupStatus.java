/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.host;

import io.rdma4j.driver.sysfs.DeviceFile;
import io.rdma4j.driver.sysfs.FileUser;
import io.rdma4j.driver.sysfs.PciFunction;

import java.util.List;

/**
 * An IOMMU group, as it matters to who wants to open it.
 *
 * @param number  its number.
 * @param iommu   whether an IOMMU made it, else VFIO itself, as there is none.
 * @param file    {@code /dev/vfio/N}, or {@code /dev/vfio/noiommu-N}.
 * @param users   processes that have it open, as far as this user may see them.
 * @param members its PCI functions.
 */
record GroupStatus(int number, boolean iommu, DeviceFile file, List<FileUser> users, List<PciFunction> members) {
    static GroupStatus of(final Machine machine, final int number) {
        return new GroupStatus(number, !machine.sysfs().isWithoutIommu(number), machine.facts().groupFile(number),
            machine.facts().groupUsers(number), machine.sysfs().group(number));
    }

    /** Such as {@code "/dev/vfio/11"}. */
    String fileName() {
        return "/dev/vfio/" + (iommu ? "" : "noiommu-") + number;
    }

    /** What a member's address for rdma4j is. */
    String addressOf(final PciFunction member) {
        return "vfio:" + member.address() + (iommu ? "" : "?iommu=none");
    }

    /** Members whose driver keeps the group from user space. */
    List<PciFunction> blocking() {
        return members.stream().filter(PciFunction::blocksGroup).toList();
    }

    /** Whether VFIO would let a process have it. */
    boolean isViable() {
        return members.stream().anyMatch(PciFunction::isBoundToVfio) && blocking().isEmpty();
    }
}
