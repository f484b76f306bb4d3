/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.dmabuf;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.memory.DmaBuf;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.driver.sysfs.PciFunction;
import io.rdma4j.driver.sysfs.PciSysfs;
import java.io.IOException;

/** What VFIO's type 1 IOMMU makes of mapped dma-bufs, on a device that need not be driven for that. */
final class VfioClaims {
    private static final String EDU = "0000:00:" + DmaBufMain.EDU_SLOT + ".0";
    private static final int SIZE = 4 * 4096;

    private static PciDevice open() {
        final PciSysfs pci = new PciSysfs();
        final PciFunction function = pci.find(EDU).orElseThrow(() -> new IllegalStateException("no " + EDU));
        if (!PciFunction.VFIO_PCI.equals(function.driver())) {
            pci.bind(function, PciFunction.VFIO_PCI);
        }
        return PciDevices.open(DeviceAddress.parse("vfio:" + EDU));
    }

    private static DmaMapping map(final PciDevice pci, final DmaBuf buffer) {
        try {
            return pci.dma().map(buffer.address(), SIZE, buffer);
        } catch (final RdmaException e) {
            throw buffer.explain(e);
        }
    }

    /**
     * The mapping has no pages that could be pinned but page frame numbers (VM_PFNMAP), and these are taken only of
     * memory that is not the kernel's own (vaddr_get_pfns in vfio_iommu_type1.c).
     */
    String vgem() throws IOException {
        try (PciDevice pci = open(); VgemBuffer vgem = VgemBuffer.create(SIZE); Fd fd = vgem.export(true);
            DmaBuf buffer = DmaBuf.open(fd.fd())) {
            return Vgem.requireRefusal(() -> map(pci, buffer), RdmaException.EFAULT, "VM_PFNMAP", " pf", "emulated:");
        }
    }

    /** Pages of the memfd, which can be pinned until kernels began to map them as page frame numbers, too. */
    String udmabuf() throws IOException {
        try (PciDevice pci = open(); Fd fd = UdmaBuf.create(SIZE); DmaBuf buffer = DmaBuf.open(fd.fd())) {
            final String flags = DmaBufClaims.flags(buffer.address());
            if (flags.contains(" pf")) {
                return Vgem.requireRefusal(() -> map(pci, buffer), RdmaException.EFAULT, "VM_PFNMAP");
            }
            try (DmaMapping mapping = map(pci, buffer)) {
                return "kernel's flags:" + flags + "; " + mapping;
            }
        }
    }
}
