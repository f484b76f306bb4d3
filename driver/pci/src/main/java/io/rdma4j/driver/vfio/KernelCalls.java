/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.IoctlRequest;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** The system calls as they are. */
final class KernelCalls implements VfioSystem {
    @Override
    public Fd open(final String path) {
        return Fd.open(path, LibcConstants.O_RDWR);
    }

    @Override
    public int ioctl(final int fd, final IoctlRequest request, final long value) {
        return Libc.ioctl(fd, request, value);
    }

    @Override
    public int ioctl(final int fd, final IoctlRequest request, final DirectBuffer argument) {
        return Libc.ioctl(fd, request, argument);
    }

    @Override
    public int pread(final int fd, final MutableDirectBuffer dst, final int length, final long position) {
        return Libc.pread(fd, dst, length, position);
    }

    @Override
    public int pwrite(final int fd, final DirectBuffer src, final int length, final long position) {
        return Libc.pwrite(fd, src, length, position);
    }

    @Override
    public MappedMemory map(final int fd, final long length, final long offset) {
        return MappedMemory.map(0, length, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
            LibcConstants.MAP_SHARED, fd, offset);
    }

    @Override
    public Fd memory(final long length) {
        final Fd memory = Fd.of(Libc.memfdCreate("rdma4j-closed-window", 0), "memory for a closed window");
        try (Undo undo = new Undo()) {
            undo.add(memory::close);
            Libc.ftruncate(memory.fd(), length);
            Libc.fallocate(memory.fd(), 0, length);
            undo.forget();
        }
        return memory;
    }

    @Override
    public void mapOver(final long address, final long length, final int fd) {
        Libc.mmap(address, length, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
            LibcConstants.MAP_SHARED | LibcConstants.MAP_FIXED, fd, 0);
    }

    @Override
    public EventFd eventFd() {
        return EventFd.create();
    }
}
