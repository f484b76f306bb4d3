/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.hw.layout.Layout;
import org.agrona.DirectBuffer;

/**
 * {@code struct vfio_irq_info}: one kind of interrupt of a device.
 *
 * @param index VFIO_PCI_*_IRQ_INDEX
 * @param flags VFIO_IRQ_INFO_*
 * @param count how many there are of this kind
 */
record IrqInfo(int index, int flags, int count) {
    static final int INDEX_OFFSET = 8;
    static final int COUNT_OFFSET = 12;
    static final int LENGTH = 16;

    /** It can be signalled to an eventfd. */
    static final int VFIO_IRQ_INFO_EVENTFD = 1;
    /** To have more of them, all have to be given up first. */
    static final int VFIO_IRQ_INFO_NORESIZE = 1 << 3;

    static final int VFIO_PCI_INTX_IRQ_INDEX = 0;
    static final int VFIO_PCI_MSI_IRQ_INDEX = 1;
    static final int VFIO_PCI_MSIX_IRQ_INDEX = 2;
    /** The bus reports an error that cannot be mended. */
    static final int VFIO_PCI_ERR_IRQ_INDEX = 3;
    /** The system asks for the device: somebody unbinds or unplugs it, and waits. */
    static final int VFIO_PCI_REQ_IRQ_INDEX = 4;

    static final Layout LAYOUT = Layout.of("vfio_irq_info", LENGTH)
        .u32("argsz", Structs.ARGSZ_OFFSET)
        .u32("flags", Structs.FLAGS_OFFSET)
        .u32("index", INDEX_OFFSET)
        .u32("count", COUNT_OFFSET)
        .build();

    static IrqInfo none(final int index) {
        return new IrqInfo(index, 0, 0);
    }

    static IrqInfo read(final DirectBuffer struct) {
        return new IrqInfo(struct.getInt(INDEX_OFFSET, LITTLE_ENDIAN), Structs.flags(struct),
            Math.max(0, struct.getInt(COUNT_OFFSET, LITTLE_ENDIAN)));
    }

    /** How many of them an eventfd can be given. */
    int usable() {
        return (flags & VFIO_IRQ_INFO_EVENTFD) == 0 ? 0 : count;
    }
}
