/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.IoctlRequest;
import io.rdma4j.driver.libc.MappedMemory;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The system calls that this package makes. A seam for tests: a scripted kernel answers the ioctls there, and any call
 * can be made to fail. All throw {@link io.rdma4j.RdmaException} with the errno of the call.
 */
interface VfioSystem {
    /** The kernel. */
    VfioSystem KERNEL = new KernelCalls();

    /** Opens a file for reading and writing. */
    Fd open(String path);

    int ioctl(int fd, IoctlRequest request, long value);

    int ioctl(int fd, IoctlRequest request, DirectBuffer argument);

    int pread(int fd, MutableDirectBuffer dst, int length, long position);

    int pwrite(int fd, DirectBuffer src, int length, long position);

    /** Maps a part of a device, readable and writable. */
    MappedMemory map(int fd, long length, long offset);

    /** A file of memory that is there already, and needs no more when it is mapped or written. */
    Fd memory(long length);

    /** Puts a part of a file in the place of what is mapped there, readable and writable. */
    void mapOver(long address, long length, int fd);

    EventFd eventFd();
}
