/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.MappedMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * A memfd that says it is a dma-buf: duplicated, measured and mapped by the system, while its exporter, and what that
 * refuses, are made up.
 */
final class FakeDmaBuf implements DmaBufCalls, AutoCloseable {
    final List<String> log = new ArrayList<>();
    final Fd file;
    String exporter = "fake";
    /** Null for what the kernel says of a memfd. */
    String flags;
    int refuseWritable;
    int refuseReadable;
    RuntimeException refuseSync;
    Runnable duringSync = () -> { };
    private final DmaBufLinux linux = new DmaBufLinux();

    FakeDmaBuf(final long size) {
        file = Fd.of(Libc.memfdCreate("fake-dma-buf", 0), "fake-dma-buf");
        Libc.ftruncate(file.fd(), size);
    }

    DmaBuf open(final long offset, final long length) {
        return DmaBuf.open(this, file.fd(), offset, length);
    }

    @Override
    public int duplicate(final int fd) {
        return FileCalls.duplicate(fd);
    }

    @Override
    public String exporter(final int fd) {
        return exporter;
    }

    @Override
    public String describe(final int fd) {
        return linux.describe(fd);
    }

    @Override
    public long size(final int fd) {
        return linux.size(fd);
    }

    @Override
    public MappedMemory map(final int fd, final long length, final boolean write) {
        log.add(String.format("map %s length %d", write ? "rw" : "r", length));
        final int errno = write ? refuseWritable : refuseReadable;
        if (errno != 0) {
            throw RdmaException.of("mmap").errno(errno).build();
        }
        return linux.map(fd, length, write);
    }

    @Override
    public void sync(final int fd, final long flags) {
        log.add("sync " + flags);
        duringSync.run();
        if (refuseSync != null) {
            throw refuseSync;
        }
    }

    @Override
    public String flags(final long address) {
        return flags == null ? linux.flags(address) : flags;
    }

    @Override
    public void close(final int fd) {
        log.add("close");
        linux.close(fd);
    }

    @Override
    public void close() {
        file.close();
    }
}
