/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.dma.Iommu;
import io.rdma4j.driver.dma.IovaAllocator;
import io.rdma4j.driver.dma.PagePins;
import io.rdma4j.driver.dma.PhysicalAddresses;
import io.rdma4j.driver.dma.PinningIommu;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.sysfs.PciFunction;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/**
 * An IOMMU group that this process has open: container, group, and the one address space that all its devices share.
 * Used under the lock of {@link GroupSessions}, apart from what is handed out, which is thread-safe.
 */
final class GroupSession {
    private static final int PAGE_SIZE = 4096;

    private final VfioGroup group;
    private final VfioContainer container;
    private final Iommu iommu;
    private final IovaAllocator iovas;
    private final Set<String> devices = new TreeSet<>();

    private GroupSession(
        final VfioGroup group, final VfioContainer container, final Iommu iommu, final IovaAllocator iovas) {
        this.group = group;
        this.container = container;
        this.iommu = iommu;
        this.iovas = iovas;
    }

    /**
     * Opens the group of a function in a container of its own.
     *
     * @param system   makes the calls.
     * @param paths    where the files are.
     * @param function of the group.
     * @param failures says why not.
     * @return the open group.
     * @throws RdmaException if any of it fails; nothing stays open then.
     */
    static GroupSession open(
        final VfioSystem system, final VfioPaths paths, final PciFunction function, final OpenFailures failures) {
        try (Undo undo = new Undo()) {
            final boolean hasIommu = !paths.isWithoutIommu(function);
            final VfioContainer container = openContainer(system, paths.container(), hasIommu, function, failures);
            undo.add(container::close);
            final VfioGroup group = openGroup(system, paths.group(function.iommuGroup()), function, failures);
            undo.add(group::close);
            undo.add(group::leave);
            enter(group, container, function, failures);
            final GroupSession session = hasIommu ? behindIommu(group, container, function, failures)
                : withoutIommu(group, container, failures);
            undo.forget();
            return session;
        }
    }

    private static GroupSession behindIommu(
        final VfioGroup group, final VfioContainer container, final PciFunction function,
        final OpenFailures failures) {
        final IommuInfo info;
        try {
            info = container.info();
        } catch (final RdmaException e) {
            throw failures.noAddressSpace(function, e);
        }
        requireSmallPages(info, failures);
        return new GroupSession(group, container,
            new VfioIommu(container, "IOMMU group " + group.number(), info), iovas(info, failures));
    }

    private static GroupSession withoutIommu(
        final VfioGroup group, final VfioContainer container, final OpenFailures failures) {
        if (Libc.pageSize() != PAGE_SIZE) {
            throw failures.unusable(String.format("rdma4j needs pages of %d bytes; this system has %d", PAGE_SIZE,
                Libc.pageSize()));
        }
        final String name = "group " + group.number() + ", without an IOMMU";
        return new GroupSession(group, container, new PinningIommu(new PhysicalAddresses(name), PagePins.process()),
            PhysicalAddresses.iovas());
    }

    private static void enter(
        final VfioGroup group, final VfioContainer container, final PciFunction function,
        final OpenFailures failures) {
        try {
            if (group.isViable()) {
                group.enter(container);
                container.setIommu();
                return;
            }
        } catch (final RdmaException e) {
            throw failures.noAddressSpace(function, e);
        }
        throw failures.notViable(function);
    }

    private static IovaAllocator iovas(final IommuInfo info, final OpenFailures failures) {
        try {
            return new IovaAllocator(info.ranges());
        } catch (final IllegalArgumentException e) {
            throw failures.unusable("the IOMMU translates no bus address that could be used: " + info.ranges());
        }
    }

    private static VfioContainer openContainer(
        final VfioSystem system, final Path file, final boolean iommu, final PciFunction function,
        final OpenFailures failures) {
        try {
            return VfioContainer.open(system, file.toString(), iommu);
        } catch (final RdmaException e) {
            throw e.errno() == RdmaException.EOPNOTSUPP ? e : failures.cannotOpen(file, function, e);
        }
    }

    private static VfioGroup openGroup(
        final VfioSystem system, final Path file, final PciFunction function, final OpenFailures failures) {
        try {
            return VfioGroup.open(system, file.toString(), function.iommuGroup());
        } catch (final RdmaException e) {
            throw failures.cannotOpen(file, function, e);
        }
    }

    private static void requireSmallPages(final IommuInfo info, final OpenFailures failures) {
        if (!info.mapsSmallPages() || Libc.pageSize() != PAGE_SIZE) {
            throw failures.unusable(String.format("rdma4j needs pages of %d bytes; this system has %d, its IOMMU 0x%x",
                PAGE_SIZE, Libc.pageSize(), info.pageSizes()));
        }
    }

    VfioDevice open(final PciFunction function, final OpenFailures failures) {
        if (devices.contains(function.address())) {
            throw failures.openHere(function);
        }
        final VfioDevice device;
        try {
            device = group.device(function.address());
        } catch (final RdmaException e) {
            throw failures.noDevice(function, e);
        }
        devices.add(function.address());
        return device;
    }

    /** A device was closed. */
    void closed(final VfioDevice device) {
        devices.remove(device.address());
    }

    boolean isUnused() {
        return devices.isEmpty();
    }

    int number() {
        return group.number();
    }

    Iommu iommu() {
        return iommu;
    }

    IovaAllocator iovas() {
        return iovas;
    }

    /** Closes group and container; the kernel then ends all mappings that are left. */
    void close() {
        new Cleanup().run(group::leave).run(group::close).run(container::close).throwIfFailed();
    }

    @Override
    public String toString() {
        return "GroupSession[" + group + ' ' + devices + ' ' + iommu + ']';
    }
}
