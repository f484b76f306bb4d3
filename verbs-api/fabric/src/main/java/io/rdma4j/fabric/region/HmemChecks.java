/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.HmemIface;
import io.rdma4j.fabric.MrFlag;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * Memory that an interface of an accelerator allocated (checklist 13): is the interface here, and the device? By their
 * device nodes, as the kernel drivers of these devices make them: that needs no library of the vendor.
 */
final class HmemChecks {
    private static final String OPERATION = Refusals.REGISTER;
    private static final int FIRST_RENDER_NODE = 128;
    private static final int LARGEST = 0xffff;

    private final Path dev;

    /** The folder is {@code /dev}, but in tests. */
    HmemChecks(final Path dev) {
        this.dev = dev;
    }

    void check(final HmemIface iface, final long device, final Set<MrFlag> flags) {
        final boolean deviceOnly = flags.contains(MrFlag.HMEM_DEVICE_ONLY);
        if (iface == HmemIface.SYSTEM) {
            if (deviceOnly || flags.contains(MrFlag.HMEM_HOST_ALLOC)) {
                throw Refusals.invalid(OPERATION, "flags %s with iface SYSTEM: no accelerator is named", flags)
                    .hint("name it by MrAttributes.iface").build();
            }
            return;
        }
        requireInterface(iface);
        if (!flags.contains(MrFlag.HMEM_HOST_ALLOC)) {
            requireDevice(iface, device);
        }
        if (deviceOnly && !flags.contains(MrFlag.DMABUF)) {
            throw Refusals.of(FiErrno.FI_ENOSYS, OPERATION, "memory that only the device of %s reaches has no address "
                + "that this process could pin", iface).hint("export it as a dma-buf, and use MrFlag.DMABUF").build();
        }
    }

    private void requireInterface(final HmemIface iface) {
        final boolean here = switch (iface) {
            case CUDA -> exists("nvidiactl");
            case ROCR -> exists("kfd");
            case ZE -> any("dri", "renderD*");
            case NEURON -> any("", "neuron*");
            case SYNAPSEAI -> any("accel", "accel*") || any("", "hl[0-9]*");
            default -> true;
        };
        if (!here) {
            throw Refusals.of(FiErrno.FI_ENOSYS, OPERATION, "%s is not on this machine: there is no %s", iface,
                nodes(iface)).hint("load the driver of the accelerator, or use HmemIface.SYSTEM for usual memory")
                .build();
        }
    }

    private String nodes(final HmemIface iface) {
        return switch (iface) {
            case CUDA -> dev.resolve("nvidiactl").toString();
            case ROCR -> dev.resolve("kfd").toString();
            case ZE -> dev.resolve("dri/renderD*").toString();
            case NEURON -> dev.resolve("neuron*").toString();
            default -> dev.resolve("accel/accel*") + " nor " + dev.resolve("hl*");
        };
    }

    private void requireDevice(final HmemIface iface, final long device) {
        // Level Zero: driver in the upper, device in the lower 16 bits (checklist 14).
        final long index = iface == HmemIface.ZE ? device & LARGEST : device;
        if (index < 0 || index > LARGEST || iface == HmemIface.ZE && device >>> 2 * Short.SIZE != 0) {
            throw Refusals.invalid(OPERATION, "device %d of %s is out of range", device, iface).build();
        }
        final boolean here = switch (iface) {
            case CUDA -> exists("nvidia" + index);
            case ROCR, ZE -> exists("dri/renderD" + (FIRST_RENDER_NODE + index));
            case NEURON -> exists("neuron" + index);
            case SYNAPSEAI -> exists("accel/accel" + index) || exists("hl" + index);
            default -> true;
        };
        if (!here) {
            throw Refusals.of(FiErrno.FI_ENODEV, OPERATION, "%s has no device %d on this machine", iface, device)
                .build();
        }
    }

    private boolean exists(final String name) {
        return Files.exists(dev.resolve(name));
    }

    private boolean any(final String folder, final String pattern) {
        final Path path = dev.resolve(folder);
        if (!Files.isDirectory(path)) {
            return false;
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path, pattern)) {
            return entries.iterator().hasNext();
        } catch (final IOException e) {
            return false;
        }
    }
}
