/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.IoctlRequest;
import io.rdma4j.driver.libc.MappedMemory;
import java.util.concurrent.locks.StampedLock;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A file of VFIO: the container, a group or a device. Thread-safe. Closing waits for calls that are under way, because
 * a number that is closed under a call may by then be another file's; a call after closing fails with EBADFD.
 */
final class VfioFile implements AutoCloseable {
    private static final int NO_INDEX = -1;
    /** Where the structs that ask for one of several things say which. */
    private static final int INDEX_OFFSET = RegionInfo.INDEX_OFFSET;
    private static final int MAX_INFO = 1 << 20;
    /** What is told may grow between the call that says how much it is and the one that takes it. */
    private static final int MAX_TRIES = 4;

    private final VfioSystem system;
    private final Fd fd;
    private final StampedLock open = new StampedLock();

    VfioFile(final VfioSystem system, final Fd fd) {
        this.system = system;
        this.fd = fd;
    }

    static VfioFile open(final VfioSystem system, final String path) {
        return new VfioFile(system, system.open(path));
    }

    int ioctl(final IoctlRequest request, final long value) {
        final long stamp = open.readLock();
        try {
            return system.ioctl(fd.fd(), request, value);
        } finally {
            open.unlockRead(stamp);
        }
    }

    int ioctl(final IoctlRequest request, final DirectBuffer argument) {
        final long stamp = open.readLock();
        try {
            return system.ioctl(fd.fd(), request, argument);
        } finally {
            open.unlockRead(stamp);
        }
    }

    /** A request whose argument points to the number of another file. */
    void ioctl(final IoctlRequest request, final VfioFile other) {
        final long stamp = other.open.readLock();
        try {
            final UnsafeBuffer argument = Structs.allocate(Integer.BYTES);
            argument.putInt(0, other.fd.fd(), LITTLE_ENDIAN);
            ioctl(request, argument);
        } finally {
            other.open.unlockRead(stamp);
        }
    }

    /** Asks for an info struct with all the capabilities that follow it. */
    UnsafeBuffer query(final IoctlRequest request) {
        return query(request, NO_INDEX);
    }

    /** Asks for an info struct about one of several things. */
    UnsafeBuffer query(final IoctlRequest request, final int index) {
        int length = request.minLength();
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            final UnsafeBuffer struct = Structs.sized(length);
            if (index != NO_INDEX) {
                struct.putInt(INDEX_OFFSET, index, LITTLE_ENDIAN);
            }
            ioctl(request, struct);
            final int needed = Structs.argsz(struct);
            if (needed >= 0 && needed <= length) {
                return struct;
            }
            length = needed < 0 ? MAX_INFO + 1 : needed;
            if (length > MAX_INFO) {
                break;
            }
        }
        throw RdmaException.of("ask VFIO").object(fd)
            .detail("%s wants %s bytes, again and again or too many", request.name(), Integer.toUnsignedString(length))
            .errno(RdmaException.EIO).build();
    }

    int pread(final MutableDirectBuffer dst, final int length, final long position) {
        final long stamp = open.readLock();
        try {
            return system.pread(fd.fd(), dst, length, position);
        } finally {
            open.unlockRead(stamp);
        }
    }

    int pwrite(final DirectBuffer src, final int length, final long position) {
        final long stamp = open.readLock();
        try {
            return system.pwrite(fd.fd(), src, length, position);
        } finally {
            open.unlockRead(stamp);
        }
    }

    MappedMemory map(final long length, final long offset) {
        final long stamp = open.readLock();
        try {
            return system.map(fd.fd(), length, offset);
        } finally {
            open.unlockRead(stamp);
        }
    }

    Fd memory(final long length) {
        return system.memory(length);
    }

    void mapOver(final long address, final long length, final Fd memory) {
        system.mapOver(address, length, memory.fd());
    }

    EventFd eventFd() {
        return system.eventFd();
    }

    /** The file that a request on this one gave. */
    VfioFile child(final int number, final String name) {
        return new VfioFile(system, Fd.of(number, name));
    }

    @Override
    public void close() {
        final long stamp = open.writeLock();
        try {
            fd.close();
        } finally {
            open.unlockWrite(stamp);
        }
    }

    @Override
    public String toString() {
        return fd.toString();
    }
}
