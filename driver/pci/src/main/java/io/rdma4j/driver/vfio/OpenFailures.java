/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.sysfs.FileUser;
import io.rdma4j.driver.sysfs.PciFunction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Why a device cannot be opened through VFIO, and what to do about it: one message for each reason. */
final class OpenFailures {
    private static final int ENXIO = 6;
    private static final String OPERATION = "open device";
    private static final String DMESG = "the kernel's log says why: dmesg | grep -i -e vfio -e iommu -e dmar";
    private static final String NO_REMAPPING =
        "the IOMMU does not remap interrupts, so that a device could fake them";
    private static final String ENABLE_REMAPPING = "enable interrupt remapping in the firmware and on the kernel's "
        + "command line (without intremap=off); or accept the risk: modprobe vfio_iommu_type1 "
        + "allow_unsafe_interrupts=1";
    private static final String PLATFORM_OWNS_MEMORY =
        "the platform's firmware uses the device for itself and wants its memory mapped 1:1 (RMRR, 'direct')";
    /** What allows it, until the next boot. */
    private static final String NO_IOMMU_MODE = "echo 1 > /sys/module/vfio/parameters/enable_unsafe_noiommu_mode";
    private static final String LET_GO = "switch off in the firmware what uses the device (remote management, shared "
        + "memory), or put the device into another slot";

    private final DeviceAddress address;
    private final VfioPaths paths;

    OpenFailures(final DeviceAddress address, final VfioPaths paths) {
        this.address = address;
        this.paths = paths;
    }

    private RdmaException.Builder failure(final int errno) {
        return RdmaException.of(OPERATION).device(address).errno(errno);
    }

    /** Finds the function, in a state in which its group can be tried. */
    PciFunction require(final String path, final boolean withoutIommu) {
        final PciFunction function = paths.pci().find(path).orElseThrow(() -> failure(RdmaException.ENODEV)
            .detail("there is no PCI function at '%s'", path)
            .hint("./rdma4j status lists those that there are").build());
        if (function.iommuGroup() < 0) {
            throw failure(RdmaException.ENODEV)
                .detail("%s is in no IOMMU group: the IOMMU is off, or there is none", function)
                .hint(withoutIommu ? NO_IOMMU_MODE + "; then bind the device: ./rdma4j bind " + function.address()
                    : "switch it on in the firmware (VT-d, AMD-Vi, SMMU) and on the kernel's command line: "
                    + "intel_iommu=on or amd_iommu=on; then restart the machine; docs/vfio.md says how to do without")
                .build();
        }
        requireModule(function);
        requireBound(function);
        requireAsked(function, withoutIommu);
        requireGroupFile(function);
        return function;
    }

    private void requireModule(final PciFunction function) {
        if (Files.exists(paths.container())) {
            return;
        }
        requireNotOnlyCdev(function);
        throw failure(RdmaException.ENODEV)
            .detail("there is no %s: VFIO is not loaded", paths.container())
            .hint("load it: modprobe vfio-pci; then bind the device: ./rdma4j bind %s", function.address()).build();
    }

    private void requireBound(final PciFunction function) {
        if (!function.isBoundToVfio()) {
            throw failure(RdmaException.ENODEV)
                .detail("the device is bound to %s, not to vfio-pci",
                    function.driver() == null ? "no driver" : "the kernel's driver '" + function.driver() + "'")
                .hint("bind it: ./rdma4j bind %s", function.address()).build();
        }
    }

    /** Doing without an IOMMU takes the kernel's permission and the user's wish; one alone is a mistake. */
    private void requireAsked(final PciFunction function, final boolean withoutIommu) {
        final boolean isWithout = paths.isWithoutIommu(function);
        if (isWithout && !withoutIommu) {
            throw failure(RdmaException.EPERM)
                .detail("%s has no IOMMU in front of it, and could read and write all memory of this machine",
                    function)
                .hint("vfio:%s?iommu=none opens it all the same; docs/vfio.md says what is lost", function.address())
                .build();
        }
        if (!isWithout && withoutIommu) {
            throw failure(RdmaException.EINVAL)
                .detail("iommu=none, but %s is in IOMMU group %d", function, function.iommuGroup())
                .hint("leave the option out: vfio:%s", function.address()).build();
        }
    }

    private void requireGroupFile(final PciFunction function) {
        final Path group = paths.group(function.iommuGroup());
        if (!Files.exists(group)) {
            requireNotOnlyCdev(function);
            throw failure(RdmaException.ENODEV)
                .detail("there is no %s although %s has the device", group, function.driver())
                .hint("in a container, pass it in: --device %s --device %s", paths.container(), group).build();
        }
    }

    /** A kernel may be built without the interface that is used here. */
    private void requireNotOnlyCdev(final PciFunction function) {
        final Path cdev = paths.cdev(function);
        if (cdev != null) {
            throw failure(RdmaException.EOPNOTSUPP)
                .detail("this system offers the device only as %s, through iommufd (%s %s); used here is the group "
                    + "interface, %s and %s", cdev, paths.iommufd(),
                    Files.exists(paths.iommufd()) ? "is there" : "is missing", paths.container(),
                    paths.group(function.iommuGroup()))
                .hint("use a kernel with CONFIG_VFIO_GROUP and CONFIG_VFIO_CONTAINER or "
                    + "CONFIG_IOMMUFD_VFIO_CONTAINER").build();
        }
    }

    /** The group is not viable: says who keeps it. */
    RdmaException notViable(final PciFunction function) {
        final List<PciFunction> members = paths.pci().group(function.iommuGroup());
        final List<String> blocking = members.stream().filter(PciFunction::blocksGroup)
            .map(member -> "./rdma4j bind " + member.address()).toList();
        return failure(RdmaException.EBUSY)
            .detail("IOMMU group %d is not viable: all its devices share one address space, and not all are free of "
                + "the kernel's drivers: %s", function.iommuGroup(),
                members.stream().map(PciFunction::toString).collect(Collectors.joining("; ")))
            .hint("give the whole group to VFIO: ./rdma4j bind --group %s%s", function.address(),
                blocking.isEmpty() ? "" : "; or one by one: " + String.join("; ", blocking)).build();
    }

    RdmaException openHere(final PciFunction function) {
        return failure(RdmaException.EBUSY)
            .detail("%s is open already in this process", function.address())
            .hint("close it first, or share the open device").build();
    }

    /** The kernel refused to open the container's or the group's file. */
    RdmaException cannotOpen(final Path file, final PciFunction function, final RdmaException e) {
        final RdmaException.Builder failure = failure(e.errno()).cause(e);
        switch (e.errno()) {
            case RdmaException.EACCES -> failure.detail("no permission on %s", file)
                .hint("as root: chown USER %s; for good, a udev rule: SUBSYSTEM==\"vfio\", OWNER=\"USER\"", file);
            case RdmaException.EPERM -> failure.detail("%s must not be opened here", file)
                .hint(paths.isWithoutIommu(function)
                    ? "without an IOMMU the process needs CAP_SYS_RAWIO and CAP_SYS_ADMIN: run it as root; "
                        + "in a container, allow it: --device " + file
                    : "in a container, allow it: --device " + file);
            case RdmaException.EBUSY -> failure
                .detail("IOMMU group %d is in use by %s", function.iommuGroup(), users(function.iommuGroup()))
                .hint("end the process that has it, or open all devices of the group in one process");
            case RdmaException.ENODEV, RdmaException.ENOENT, ENXIO -> failure.detail("%s has nothing behind it", file)
                .hint("bind the device again: ./rdma4j bind %s", function.address());
            default -> failure.detail("%s: %s", file, e.getMessage());
        }
        return failure.build();
    }

    private String users(final int group) {
        final List<FileUser> users = paths.users(group);
        return users.isEmpty() ? "another process" : users.stream()
            .map(user -> user.command() + " (process " + user.pid() + ')').collect(Collectors.joining(", "));
    }

    /** The group is open, but the kernel does not give out the device. */
    RdmaException noDevice(final PciFunction function, final RdmaException e) {
        return failure(e.errno()).cause(e)
            .detail("VFIO does not give out %s: %s", function, e.getMessage())
            .hint(e.errno() == RdmaException.EBUSY ? "somebody else has it open; end that process"
                : "bind it again: ./rdma4j bind " + function.address()).build();
    }

    /** The group is open, but the kernel gives it no address space. */
    RdmaException noAddressSpace(final PciFunction function, final RdmaException e) {
        final RdmaException.Builder failure = failure(e.errno()).cause(e);
        final List<String> reserved = paths.reservedRegions(function.iommuGroup());
        final List<String> direct = reserved == null ? List.of()
            : reserved.stream().map(String::strip).filter(line -> line.endsWith(" direct")).toList();
        final Path file = paths.reservedRegionsFile(function.iommuGroup());
        if (paths.isWithoutIommu(function)) {
            return failure.detail("IOMMU group %d, which is without an IOMMU, cannot be used: %s",
                function.iommuGroup(), e.getMessage())
                .hint("it takes CAP_SYS_RAWIO, and %s", NO_IOMMU_MODE).build();
        }
        final boolean refused = e.errno() == RdmaException.EPERM || e.errno() == RdmaException.EINVAL;
        if (refused && !direct.isEmpty()) {
            failure.detail("%s: %s lists %s", PLATFORM_OWNS_MEMORY, file, String.join("; ", direct))
                .hint("%s; %s", LET_GO, DMESG);
        } else if (e.errno() == RdmaException.EPERM && reserved != null) {
            failure.detail("%s (%s names no memory that the platform keeps for itself)", NO_REMAPPING, file)
                .hint("%s; %s", ENABLE_REMAPPING, DMESG);
        } else if (e.errno() == RdmaException.EPERM) {
            failure.detail("%s; or %s, which would be in %s, but that cannot be read", NO_REMAPPING,
                PLATFORM_OWNS_MEMORY, file).hint("%s; in the first case %s, in the second %s", DMESG, ENABLE_REMAPPING,
                    LET_GO);
        } else if (e.errno() == RdmaException.EINVAL) {
            failure.detail("the IOMMU cannot give IOMMU group %d an address space of its own; %s: %s",
                function.iommuGroup(), file, reserved == null ? "cannot be read" : String.join("; ", reserved))
                .hint(DMESG);
        } else {
            failure.detail("IOMMU group %d gets no address space: %s", function.iommuGroup(), e.getMessage())
                .hint(DMESG);
        }
        return failure.build();
    }

    RdmaException unusable(final String what) {
        return failure(RdmaException.EOPNOTSUPP).detail("%s", what).build();
    }
}
