/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.RdmaException;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * An IOMMU group: {@code /dev/vfio/N}. The kernel lets it be opened once at a time. Thread-safe.
 */
final class VfioGroup implements AutoCloseable {
    private final VfioFile file;
    private final int number;
    private boolean contained;

    private VfioGroup(final VfioFile file, final int number) {
        this.file = file;
        this.number = number;
    }

    static VfioGroup open(final VfioSystem system, final String path, final int number) {
        return new VfioGroup(VfioFile.open(system, path), number);
    }

    /** Whether no device of the group is in the hands of a driver that may start DMA. */
    boolean isViable() {
        final UnsafeBuffer status = Structs.sized(GroupStatus.LENGTH);
        file.ioctl(VfioIoctls.VFIO_GROUP_GET_STATUS, status);
        return (Structs.flags(status) & GroupStatus.VFIO_GROUP_FLAGS_VIABLE) != 0;
    }

    /** Joins the container's address space. */
    synchronized void enter(final VfioContainer container) {
        file.ioctl(VfioIoctls.VFIO_GROUP_SET_CONTAINER, container.file());
        contained = true;
    }

    /** Leaves the container; all its devices are closed. Harmless when called again. */
    synchronized void leave() {
        if (contained) {
            contained = false;
            try {
                file.ioctl(VfioIoctls.VFIO_GROUP_UNSET_CONTAINER, 0);
            } catch (final RdmaException e) {
                // EINVAL: it is in none. The kernel takes it out itself when its last device is unbound.
                if (e.errno() != RdmaException.EINVAL) {
                    throw e;
                }
            }
        }
    }

    /**
     * Opens a device of the group.
     *
     * @param address such as {@code 0000:0b:00.1}.
     * @return the device; the caller closes it.
     * @throws RdmaException as the kernel says.
     */
    VfioDevice device(final String address) {
        final byte[] name = address.getBytes(StandardCharsets.US_ASCII);
        final UnsafeBuffer argument = Structs.allocate(name.length + 1);
        argument.putBytes(0, name);
        final int fd = file.ioctl(VfioIoctls.VFIO_GROUP_GET_DEVICE_FD, argument);
        return new VfioDevice(file.child(fd, "VFIO device " + address), address);
    }

    int number() {
        return number;
    }

    @Override
    public void close() {
        file.close();
    }

    @Override
    public String toString() {
        return "VfioGroup[" + number + ' ' + file + ']';
    }
}
