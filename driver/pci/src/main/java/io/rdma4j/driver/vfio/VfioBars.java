/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.hw.pci.PciConfig;
import java.util.ArrayList;
import java.util.List;

/** The windows of a function, each mapped when it is first asked for. Thread-safe. */
final class VfioBars {
    private final VfioDevice device;
    private final VfioConfigSpace config;
    private final VfioBar[] bars = new VfioBar[PciConfig.BAR_COUNT];
    private boolean closed;

    VfioBars(final VfioDevice device, final VfioConfigSpace config) {
        this.device = device;
        this.config = config;
    }

    synchronized VfioBar get(final int index) {
        if (closed) {
            throw refusal(index, RdmaException.EBADFD).detail("the device is closed").build();
        }
        final boolean known = index >= 0 && index < bars.length;
        if (known && bars[index] == null) {
            bars[index] = map(index);
        }
        if (!known || bars[index] == null) {
            throw refusal(index, RdmaException.ENODEV)
                .detail("the function has no such BAR; it has %s", sizes()).build();
        }
        return bars[index];
    }

    /** Null if the function does not have it. */
    private VfioBar map(final int index) {
        final RegionInfo region = device.region(index);
        return region.exists() && region.isReadable() && region.isWritable()
            ? VfioBar.map(device, region, config.barAddress(index)) : null;
    }

    private RdmaException.Builder refusal(final int index, final int errno) {
        return RdmaException.of("use BAR" + index).device(device.address()).errno(errno);
    }

    private String sizes() {
        final List<String> sizes = new ArrayList<>();
        for (int i = 0; i < bars.length; i++) {
            final long size = device.region(i).size();
            if (size > 0) {
                sizes.add("BAR" + i + " of " + size + " bytes");
            }
        }
        return sizes.isEmpty() ? "none" : String.join(", ", sizes);
    }

    /** From now on no window is the device's. Harmless when called again. */
    synchronized void close() {
        closed = true;
        final Cleanup cleanup = new Cleanup();
        for (final VfioBar bar : bars) {
            if (bar != null) {
                cleanup.run(bar::close);
            }
        }
        cleanup.throwIfFailed();
    }

    @Override
    public synchronized String toString() {
        final List<String> used = new ArrayList<>();
        for (final VfioBar bar : bars) {
            if (bar != null) {
                used.add(bar.toString());
            }
        }
        return used.toString();
    }
}
