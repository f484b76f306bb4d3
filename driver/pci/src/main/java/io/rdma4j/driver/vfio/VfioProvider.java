/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.HostMemory;
import io.rdma4j.driver.dma.PagePreference;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDeviceProvider;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.driver.sysfs.PciFunction;
import io.rdma4j.driver.sysfs.PciSysfs;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Opens PCI functions through Linux VFIO: {@code vfio:0000:0b:00.1}. They have to be bound to vfio-pci, which
 * {@code ./rdma4j bind} does. Functions of one IOMMU group can be opened in one process, at the same time; by several
 * processes only one after the other.
 */
public final class VfioProvider implements PciDeviceProvider {
    private static final String SCHEME = "vfio";
    /** Which pages DMA memory is made of. */
    private static final String PAGES = "pages";
    /** What shall stand between device and memory; only {@link #NONE} can be asked for. */
    private static final String IOMMU = "iommu";
    private static final String NONE = "none";
    private static final Set<String> OPTIONS = Set.of(PAGES, IOMMU);
    private static final System.Logger LOGGER = System.getLogger(VfioProvider.class.getName());
    /** The kernel opens a group once at a time: there is one of these in a process. */
    private static final GroupSessions SESSIONS = new GroupSessions(VfioSystem.KERNEL);

    private final PciSysfs pci;
    private final GroupSessions sessions;

    /** For the service loader. */
    public VfioProvider() {
        this(new PciSysfs(), SESSIONS);
    }

    VfioProvider(final PciSysfs pci, final GroupSessions sessions) {
        this.pci = pci;
        this.sessions = sessions;
    }

    @Override
    public String scheme() {
        return SCHEME;
    }

    @Override
    public String usage() {
        return "vfio:DOMAIN:BUS:DEVICE.FUNCTION[?pages=auto|1G|2M|thp|4K][&iommu=none] - a PCI function bound to "
            + "vfio-pci";
    }

    /** Functions that rdma4j drives and that are bound to vfio-pci. */
    @Override
    public List<DeviceAddress> list() {
        return pci.list().stream()
            .filter(function -> function.isRdmaCapable() && function.isBoundToVfio())
            .map(function -> new DeviceAddress(SCHEME, function.address(), Map.of()))
            .toList();
    }

    @Override
    public PciDevice open(final DeviceAddress address) {
        address.requireOnly(OPTIONS, PciDevices.DRIVER_OPTIONS);
        requireLittleEndian(address);
        final PagePreference pages = PagePreference.parse(address.option(PAGES, "auto"));
        final boolean withoutIommu = isWithoutIommu(address);
        final HostMemory host = withoutIommu ? HostMemory.staying(pages) : new HostMemory(pages);
        final VfioPaths paths = new VfioPaths(pci);
        final OpenFailures failures = new OpenFailures(address, paths);
        final PciFunction function = failures.require(address.path(), withoutIommu);
        final PciDevice device =
            VfioPciDevice.open(address, function, sessions.open(paths, function, failures), host);
        if (withoutIommu) {
            LOGGER.log(System.Logger.Level.WARNING, address + " is used without an IOMMU: the device can read and "
                + "write all memory of this machine, whatever goes wrong; memory that is freed under an open region "
                + "is not taken from it, and pages of 4 KiB may move (docs/vfio.md, \"Without an IOMMU\")");
        }
        return device;
    }

    private static boolean isWithoutIommu(final DeviceAddress address) {
        final String wanted = address.option(IOMMU, "");
        if (!wanted.isEmpty() && !wanted.equals(NONE)) {
            throw RdmaException.of("open device").device(address).detail("option iommu=%s", wanted)
                .errno(RdmaException.EINVAL)
                .hint("iommu=none does without an IOMMU; where there is one it is used, and the option left out")
                .build();
        }
        return wanted.equals(NONE);
    }

    private static void requireLittleEndian(final DeviceAddress address) {
        if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            throw RdmaException.of("open device").device(address)
                .detail("this host is big endian, registers of PCI devices are little endian")
                .errno(RdmaException.EOPNOTSUPP).build();
        }
    }
}
