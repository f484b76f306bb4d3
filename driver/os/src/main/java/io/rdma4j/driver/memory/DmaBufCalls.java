/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import io.rdma4j.driver.libc.MappedMemory;

/** What a {@link DmaBuf} asks of the system; another implementation stands in where a test has no dma-buf. */
interface DmaBufCalls {
    /** Another descriptor of the same open file. */
    int duplicate(int fd);

    /** Who exported the dma-buf, null if the file is none. */
    String exporter(int fd);

    /** What kind of file it is, for messages. */
    String describe(int fd);

    /** Bytes. */
    long size(int fd);

    /** Maps the beginning, shared. */
    MappedMemory map(int fd, long length, boolean write);

    /** DMA_BUF_IOCTL_SYNC. */
    void sync(int fd, long flags);

    /** What the kernel says about the mapping at an address (VmFlags in proc_pid_smaps(5)); empty if it does not. */
    String flags(long address);

    /** Ends a descriptor. */
    void close(int fd);
}
