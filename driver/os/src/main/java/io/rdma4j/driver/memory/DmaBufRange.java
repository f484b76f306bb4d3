/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;

/**
 * A part of a dma-buf and what has to be mapped for it: everything up to its end, from the beginning of the dma-buf on.
 * The fault handler of the kernel's drm_gem_shmem_helper.c counts pages from where the mapping begins, and leaves out
 * where in the buffer that is: of vgem, and of the other drivers that use it, a mapping at an offset shows the first
 * pages. (Seen on Linux 6.1 and 6.12. For the same reason the head must not be unmapped again.)
 *
 * @param fd     as the caller named the dma-buf, for messages
 * @param offset of the first byte in the dma-buf
 * @param length bytes
 * @param size   of the whole dma-buf
 */
record DmaBufRange(int fd, long offset, long length, long size) {
    /** As a length: whatever is behind the offset. */
    static final long TO_THE_END = -1;

    /** Checks that the part is within the whole. */
    static DmaBufRange of(final int fd, final long offset, final long length, final long size) {
        final long asked = length == TO_THE_END ? size - offset : length;
        if (offset < 0 || asked <= 0 || offset > size - asked) {
            throw refused(fd, offset, asked, String.format("the dma-buf has %d bytes", size)).build();
        }
        return new DmaBufRange(fd, offset, asked, size);
    }

    static RdmaException.Builder refused(final int fd, final long offset, final long length, final String why) {
        return RdmaException.of("open dma-buf").object("fd " + fd)
            .detail("%s (offset %d, %s)", why, offset, length == TO_THE_END ? "all of it" : "length " + length)
            .errno(RdmaException.EINVAL);
    }

    RdmaException.Builder refused(final String why) {
        return refused(fd, offset, length, why + ", size " + size);
    }

    /** From the beginning of the dma-buf to the last byte; the kernel rounds up to whole pages. */
    long mapLength() {
        return offset + length;
    }

    @Override
    public String toString() {
        return String.format("fd %d, offset %d, length %d of %d", fd, offset, length, size);
    }
}
