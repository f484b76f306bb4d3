/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.pci.InterruptVector;
import io.rdma4j.driver.pci.Interrupts;

/**
 * The message interrupts of a function: MSI-X, or MSI where the function has only that. Enabling and disabling is for
 * one thread at a time; vectors are for any.
 */
final class VfioInterrupts implements Interrupts {
    private static final VfioVector[] NONE = {};

    private final VfioDevice device;
    private final IrqInfo irq;
    private volatile VfioVector[] vectors = NONE;

    VfioInterrupts(final VfioDevice device) {
        this.device = device;
        final IrqInfo msix = device.irq(IrqInfo.VFIO_PCI_MSIX_IRQ_INDEX);
        irq = msix.usable() > 0 ? msix : device.irq(IrqInfo.VFIO_PCI_MSI_IRQ_INDEX);
    }

    @Override
    public int available() {
        return irq.usable();
    }

    @Override
    public synchronized int enable(final int count) {
        if (count < 1) {
            throw new IllegalArgumentException("at least one vector is to be enabled, not " + count);
        }
        disable();
        int wanted = Math.min(count, available());
        while (wanted > 0) {
            final int possible = tryToEnable(wanted);
            if (possible == 0) {
                return wanted;
            }
            // The kernel has so many vectors left, which is fewer.
            wanted = Math.min(possible, wanted - 1);
        }
        return 0;
    }

    /** Enables all of them and returns 0, or none and returns how many it could be. */
    private int tryToEnable(final int count) {
        final VfioVector[] made = new VfioVector[count];
        final int possible;
        try (Undo undo = new Undo()) {
            for (int i = 0; i < count; i++) {
                made[i] = vector(i, undo);
            }
            possible = Math.max(0, device.trigger(irq.index(), irqs(made)));
            if (possible == 0) {
                undo.forget();
            }
        }
        vectors = possible == 0 ? made : NONE;
        return possible;
    }

    private VfioVector vector(final int index, final Undo undo) {
        final EventFd fd = device.eventFd();
        undo.add(fd::close);
        final EventFd wake = device.eventFd();
        undo.add(wake::close);
        return new VfioVector(index, fd, wake);
    }

    private static EventFd[] irqs(final VfioVector[] made) {
        final EventFd[] fds = new EventFd[made.length];
        for (int i = 0; i < fds.length; i++) {
            fds[i] = made[i].irq();
        }
        return fds;
    }

    @Override
    public InterruptVector vector(final int index) {
        final VfioVector[] enabled = vectors;
        if (index < 0 || index >= enabled.length) {
            throw new IllegalArgumentException("vector " + index + " is not enabled; enabled are " + enabled.length);
        }
        return enabled[index];
    }

    @Override
    public synchronized void disable() {
        final VfioVector[] enabled = vectors;
        vectors = NONE;
        if (enabled.length > 0) {
            final Cleanup cleanup = new Cleanup().run(() -> device.disable(irq.index()));
            for (final VfioVector vector : enabled) {
                cleanup.run(vector::close);
            }
            cleanup.throwIfFailed();
        }
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder(
            irq.index() == IrqInfo.VFIO_PCI_MSIX_IRQ_INDEX ? "MSI-X" : "MSI").append(" of ").append(available());
        for (final VfioVector vector : vectors) {
            text.append(", ").append(vector);
        }
        return text.toString();
    }
}
