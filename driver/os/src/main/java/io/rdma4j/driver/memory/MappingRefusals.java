/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;

/** Sentences for what the kernel answers to UFFDIO_REGISTER (ioctl_userfaultfd(2)). */
final class MappingRefusals {
    /** It passes by itself. */
    static final String SETTLING = "its pages were given back by madvise a moment ago, and that call may not be "
        + "through; later it can be watched";

    private MappingRefusals() {
    }

    static String of(final int errno, final String area) {
        return switch (errno) {
            case RdmaException.EINVAL -> "this kernel cannot watch this kind of memory, or it is not mapped (" + area
                + "): private anonymous memory can be watched since Linux 5.7, shared memory and hugepages since 5.19, "
                + "files since 6.7";
            case RdmaException.EPERM -> "it is mapped from a file that was opened for reading only or is sealed ("
                + area + ")";
            case RdmaException.EBUSY -> "another userfaultfd of this process watches it already (" + area + ")";
            case RdmaException.ENOMEM -> "the kernel has no room for another mapping, as watching part of one splits "
                + "it: raise vm.max_map_count (" + area + ")";
            case RdmaException.EAGAIN -> SETTLING;
            case RdmaException.EBADFD -> "the watch ends";
            default -> RdmaException.errnoName(errno) + " from the kernel (" + area + ")";
        };
    }
}
