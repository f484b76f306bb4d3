/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

/**
 * Numbers of the protocol: QEMU's docs/interop/vfio-user.rst; what is named VFIO there is of {@code linux/vfio.h}. All
 * is little-endian. Offsets are those in a message, header included.
 * <pre>
 *    0      2        4        8        12       16
 *   +------+--------+--------+--------+--------+------------
 *   | id   |command | size   | flags  | errno  | payload ...
 *   +------+--------+--------+--------+--------+------------
 * </pre>
 */
final class Protocol {
    static final int ID_OFFSET = 0;
    static final int COMMAND_OFFSET = 2;
    /** Of the message, header included. */
    static final int SIZE_OFFSET = 4;
    static final int FLAGS_OFFSET = 8;
    static final int ERRNO_OFFSET = 12;
    static final int HEADER_LENGTH = 16;

    static final int TYPE_MASK = 0xf;
    static final int TYPE_REPLY = 1;
    static final int NO_REPLY = 0x10;
    static final int ERROR = 0x20;

    static final int VERSION = 1;
    static final int DMA_MAP = 2;
    static final int DMA_UNMAP = 3;
    static final int GET_INFO = 4;
    static final int GET_REGION_INFO = 5;
    static final int GET_IRQ_INFO = 7;
    static final int SET_IRQS = 8;
    static final int REGION_READ = 9;
    static final int REGION_WRITE = 10;
    static final int RESET = 13;

    static final int MAJOR = 0;
    static final int MINOR = 1;
    static final int MAJOR_OFFSET = 16;
    static final int MINOR_OFFSET = 18;
    static final int JSON_OFFSET = 20;

    /** Of each struct that begins with its own length. */
    static final int ARGSZ_OFFSET = 16;
    static final int ARG_FLAGS_OFFSET = 20;

    static final int MAP_FILE_OFFSET = 24;
    static final int MAP_IOVA_OFFSET = 32;
    static final int MAP_SIZE_OFFSET = 40;
    static final int MAP_LENGTH = 48;
    static final int MAP_READ = 1;
    static final int MAP_WRITE = 2;

    static final int UNMAP_IOVA_OFFSET = 24;
    static final int UNMAP_SIZE_OFFSET = 32;
    static final int UNMAP_LENGTH = 40;
    static final int UNMAP_ALL = 2;

    static final int NUM_REGIONS_OFFSET = 24;
    static final int NUM_IRQS_OFFSET = 28;
    static final int INFO_LENGTH = 32;
    static final int DEVICE_RESET = 1;
    static final int DEVICE_PCI = 2;

    static final int REGION_INDEX_OFFSET = 24;
    static final int REGION_CAP_OFFSET_OFFSET = 28;
    static final int REGION_SIZE_OFFSET = 32;
    static final int REGION_FILE_OFFSET_OFFSET = 40;
    static final int REGION_LENGTH = 48;
    static final int REGION_FLAG_READ = 1;
    static final int REGION_FLAG_WRITE = 2;
    static final int REGION_FLAG_MMAP = 4;
    static final int REGION_FLAG_CAPS = 8;
    static final int CAP_SPARSE_MMAP = 1;
    /** A header of id, version and next, then the number of areas: without any. */
    static final int SPARSE_LENGTH = 16;

    static final int BARS = 6;
    static final int CONFIG_REGION = 7;
    static final int NUM_REGIONS = 9;

    static final int IRQ_INDEX_OFFSET = 24;
    static final int IRQ_COUNT_OFFSET = 28;
    static final int IRQ_LENGTH = 32;
    static final int IRQ_EVENTFD = 1;
    static final int IRQ_MASKABLE = 2;
    static final int IRQ_AUTOMASKED = 4;
    static final int IRQ_NORESIZE = 8;
    static final int INTX = 0;
    static final int MSI = 1;
    static final int MSIX = 2;
    static final int NUM_IRQS = 5;

    static final int SET_INDEX_OFFSET = 24;
    static final int SET_START_OFFSET = 28;
    static final int SET_COUNT_OFFSET = 32;
    static final int SET_DATA_OFFSET = 36;
    static final int DATA_NONE = 1;
    static final int DATA_BOOL = 2;
    static final int DATA_EVENTFD = 4;
    static final int ACTION_MASK = 8;
    static final int ACTION_UNMASK = 0x10;
    static final int ACTION_TRIGGER = 0x20;

    static final int ACCESS_OFFSET_OFFSET = 16;
    static final int ACCESS_REGION_OFFSET = 24;
    static final int ACCESS_COUNT_OFFSET = 28;
    static final int ACCESS_DATA_OFFSET = 32;

    /** Bytes of one access to a region, as the client is told; QEMU's are 256 at most. */
    static final int MAX_DATA = 64 * 1024;
    static final int MAX_MESSAGE = ACCESS_DATA_OFFSET + MAX_DATA;
    /** As many as QEMU takes. */
    static final int MAX_FILES = 16;

    private Protocol() {
    }
}
