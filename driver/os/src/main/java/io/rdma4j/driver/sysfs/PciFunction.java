/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import java.util.List;
import java.util.Set;

/**
 * A PCI function as the kernel knew it a moment ago.
 *
 * @param address         {@code DOMAIN:BUS:DEVICE.FUNCTION}, such as {@code 0000:0b:00.1}.
 * @param vendor          vendor id.
 * @param device          device id.
 * @param subsystemVendor subsystem vendor id.
 * @param subsystemDevice subsystem id.
 * @param classCode       class, subclass and programming interface, a byte each.
 * @param driver          name of the kernel's driver that has it; null for none.
 * @param iommuGroup      number of its IOMMU group; -1 for none.
 * @param netInterfaces   network interfaces that it carries, in this network namespace.
 * @param rdmaDevices     the kernel's RDMA devices on it, such as {@code vmw_pvrdma0}.
 * @param resources       its BARs, without those that it does not have.
 */
public record PciFunction(String address, int vendor, int device, int subsystemVendor, int subsystemDevice,
    int classCode, String driver, int iommuGroup, List<NetInterface> netInterfaces, List<String> rdmaDevices,
    List<PciResource> resources) {

    /** Name of the driver that hands a function to user space. */
    public static final String VFIO_PCI = "vfio-pci";

    private static final int PCI_VENDOR_ID_VMWARE = 0x15ad;
    private static final int PCI_DEVICE_ID_VMWARE_PVRDMA = 0x0820;
    private static final int PCI_BASE_CLASS_NETWORK = 0x02;
    private static final int PCI_BASE_CLASS_BRIDGE = 0x06;
    private static final int PCI_CLASS_NETWORK_INFINIBAND = 0x0207;
    private static final int BASE_CLASS_SHIFT = 16;
    private static final int CLASS_SHIFT = 8;
    private static final Set<String> DRIVERS_WITHOUT_DMA = Set.of("pci-stub", "pcieport");

    /**
     * Copies the lists.
     *
     * @param address         its address in full.
     * @param vendor          vendor id.
     * @param device          device id.
     * @param subsystemVendor subsystem vendor id.
     * @param subsystemDevice subsystem id.
     * @param classCode       class, subclass and programming interface.
     * @param driver          the kernel's driver; null for none.
     * @param iommuGroup      number of its IOMMU group; -1 for none.
     * @param netInterfaces   network interfaces.
     * @param rdmaDevices     the kernel's RDMA devices.
     * @param resources       its BARs.
     */
    public PciFunction {
        netInterfaces = List.copyOf(netInterfaces);
        rdmaDevices = List.copyOf(rdmaDevices);
        resources = List.copyOf(resources);
    }

    /**
     * Whether rdma4j has a driver for it.
     *
     * @return true for pvrdma.
     */
    public boolean isRdmaCapable() {
        return vendor == PCI_VENDOR_ID_VMWARE && device == PCI_DEVICE_ID_VMWARE_PVRDMA;
    }

    /**
     * Whether it is a network controller, by its class.
     *
     * @return true for base class 2.
     */
    public boolean isNetworkController() {
        return classCode >>> BASE_CLASS_SHIFT == PCI_BASE_CLASS_NETWORK;
    }

    /**
     * Whether it is an InfiniBand controller, by its class. Others that do RDMA look like any network controller, until
     * a driver of the kernel has made an RDMA device of them.
     *
     * @return true for class 0207.
     */
    public boolean isInfiniband() {
        return classCode >>> CLASS_SHIFT == PCI_CLASS_NETWORK_INFINIBAND;
    }

    /**
     * Whether it is a bridge, which VFIO lets be.
     *
     * @return true for base class 6.
     */
    public boolean isBridge() {
        return classCode >>> BASE_CLASS_SHIFT == PCI_BASE_CLASS_BRIDGE;
    }

    /**
     * Whether a driver of VFIO has it.
     *
     * @return true for vfio-pci and its variants for single vendors.
     */
    public boolean isBoundToVfio() {
        return driver != null && (driver.startsWith("vfio-") || driver.endsWith("-vfio-pci")
            || driver.endsWith("_vfio_pci"));
    }

    /**
     * Whether its driver keeps its whole IOMMU group from user space. VFIO demands that no driver which may start DMA
     * has a member of the group: none, one of VFIO's own, or one that does not do DMA.
     *
     * @return true if another driver has to let go of it before the group can be opened.
     */
    public boolean blocksGroup() {
        return driver != null && !isBoundToVfio() && !isBridge() && !DRIVERS_WITHOUT_DMA.contains(driver);
    }

    /**
     * Vendor and device as lspci prints them.
     *
     * @return such as {@code "15ad:0820"}.
     */
    public String ids() {
        return String.format("%04x:%04x", vendor, device);
    }

    @Override
    public String toString() {
        return address + " [" + ids() + "] driver " + (driver == null ? "none" : driver);
    }
}
