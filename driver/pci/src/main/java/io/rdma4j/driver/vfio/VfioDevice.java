/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.MappedMemory;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * An open device of VFIO: regions, interrupts, reset. Thread-safe.
 */
final class VfioDevice implements AutoCloseable {
    private final VfioFile file;
    private final String address;

    VfioDevice(final VfioFile file, final String address) {
        this.file = file;
        this.address = address;
    }

    DeviceInfo info() {
        return DeviceInfo.read(file.query(VfioIoctls.VFIO_DEVICE_GET_INFO));
    }

    RegionInfo region(final int index) {
        return RegionInfo.read(file.query(VfioIoctls.VFIO_DEVICE_GET_REGION_INFO, index));
    }

    /** One kind of interrupt; a device that does not have it is as good as one with none of them. */
    IrqInfo irq(final int index) {
        final UnsafeBuffer struct;
        try {
            struct = file.query(VfioIoctls.VFIO_DEVICE_GET_IRQ_INFO, index);
        } catch (final RdmaException e) {
            if (e.errno() == RdmaException.EINVAL) {
                return IrqInfo.none(index);
            }
            throw e;
        }
        return IrqInfo.read(struct);
    }

    /**
     * Joins interrupts with eventfds.
     *
     * @param index which kind.
     * @param fds   one for each interrupt, from number 0.
     * @return 0 if that was done; else nothing was done, and the platform has only so many.
     */
    int trigger(final int index, final EventFd... fds) {
        final int[] numbers = new int[fds.length];
        for (int i = 0; i < fds.length; i++) {
            numbers[i] = fds[i].fd();
        }
        return file.ioctl(VfioIoctls.VFIO_DEVICE_SET_IRQS, IrqSet.trigger(index, numbers));
    }

    /** Parts all interrupts of a kind from their eventfds. */
    void disable(final int index) {
        file.ioctl(VfioIoctls.VFIO_DEVICE_SET_IRQS, IrqSet.disable(index));
    }

    void reset() {
        file.ioctl(VfioIoctls.VFIO_DEVICE_RESET, 0);
    }

    /** Reads all bytes or fails. */
    void read(final MutableDirectBuffer dst, final int length, final long position) {
        requireAll("read", file.pread(dst, length, position), length, position);
    }

    /** Writes all bytes or fails. */
    void write(final DirectBuffer src, final int length, final long position) {
        requireAll("write", file.pwrite(src, length, position), length, position);
    }

    private void requireAll(final String what, final int done, final int length, final long position) {
        if (done != length) {
            throw RdmaException.of(what + " device").object(address)
                .detail("%d of %d bytes at 0x%x of its file", done, length, position)
                .errno(RdmaException.EIO).build();
        }
    }

    MappedMemory map(final long length, final long position) {
        return file.map(length, position);
    }

    /** Memory of the process, and not of the device. */
    Fd memory(final long length) {
        return file.memory(length);
    }

    void mapOver(final long address, final long length, final Fd memory) {
        file.mapOver(address, length, memory);
    }

    EventFd eventFd() {
        return file.eventFd();
    }

    String address() {
        return address;
    }

    @Override
    public void close() {
        file.close();
    }

    @Override
    public String toString() {
        return "VfioDevice[" + file + ']';
    }
}
