/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import io.rdma4j.RdmaException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Gives functions to drivers, through {@code driver_override}, {@code unbind} and {@code drivers_probe} as the kernel's
 * Documentation/ABI/testing/sysfs-bus-pci describes them. The override comes first, so that no other driver can be
 * quicker; and the kernel reports no failure of a probe, so each step is looked at afterwards.
 */
final class DriverBinding {
    private static final String NO_OVERRIDE = "\n";
    private static final long POLL_MILLIS = 5;
    private static final Duration MODULE_DEADLINE = Duration.ofSeconds(1);
    /** vfio-pci probes before the order to probe returns; a driver may also do it later. */
    private static final Duration PROBE_DEADLINE = Duration.ofSeconds(1);

    private final PciSysfs sysfs;
    private final SysfsOrders orders;
    private final Duration deadline;

    DriverBinding(final PciSysfs sysfs, final AttributeWriter writer, final Duration deadline) {
        this.sysfs = sysfs;
        this.orders = new SysfsOrders(writer, deadline);
        this.deadline = deadline;
    }

    PciFunction bind(final PciFunction before, final String driver) {
        final PciFunction function = current("bind", before);
        if (driver.equals(function.driver())) {
            return function;
        }
        if (!sysfs.hasDriver(driver)) {
            throw RdmaException.of("bind")
                .device(function.address())
                .detail("the driver %s is not loaded", driver)
                .errno(RdmaException.ENODEV)
                .hint("run: sudo modprobe %s", driver)
                .build();
        }
        requireRights("bind", function, "bind " + function.address());
        final String formerOverride = sysfs.driverOverride(function).orElse(null);
        try {
            orders.give("bind", function, overrideFile(function), driver);
            release("bind", function);
            orders.give("bind", function, sysfs.driversProbe(), function.address());
            return awaitDriver(function, driver);
        } catch (final RdmaException e) {
            rollBack(function, formerOverride, e);
            throw e;
        }
    }

    void requireRights(final String operation, final PciFunction function, final String command) {
        orders.requireRights(operation, function, overrideFile(function), command);
    }

    PciFunction unbind(final PciFunction before) {
        final PciFunction function = current("unbind", before);
        requireRights("unbind", function, "unbind " + function.address());
        orders.give("unbind", function, overrideFile(function), NO_OVERRIDE);
        release("unbind", function);
        orders.give("unbind", function, sysfs.driversProbe(), function.address());
        final PciFunction after = current("unbind", function);
        return after.driver() == null ? loadDriver(after) : after;
    }

    /** The module of the kernel's driver may not be loaded: udev does that when it hears of a new device. */
    private PciFunction loadDriver(final PciFunction function) {
        final Path uevent = sysfs.folder(function).resolve("uevent");
        if (Files.exists(uevent)) {
            orders.give("unbind", function, uevent, "add");
            await(function, MODULE_DEADLINE, now -> now.driver() != null);
        }
        return current("unbind", function);
    }

    private PciFunction current(final String operation, final PciFunction function) {
        return sysfs.find(function.address()).orElseThrow(() -> gone(operation, function));
    }

    private static RdmaException gone(final String operation, final PciFunction function) {
        return RdmaException.of(operation)
            .device(function.address())
            .detail("there is no such PCI function any more")
            .errno(RdmaException.ENODEV)
            .hint("'lspci -D' lists those that there are")
            .build();
    }

    private void release(final String operation, final PciFunction function) {
        if (function.driver() == null) {
            return;
        }
        final Path unbind = sysfs.driverFolder(function.driver()).resolve("unbind");
        orders.giveAndWait(operation, function, unbind, function.address());
        if (!await(function, deadline, now -> now.driver() == null || !now.driver().equals(function.driver()))) {
            throw RdmaException.of(operation)
                .device(function.address())
                .detail("it still has the driver %s, %d ms after that was told to let go", function.driver(),
                    deadline.toMillis())
                .errno(RdmaException.ETIMEDOUT)
                .hint("the last lines of 'dmesg' say why")
                .build();
        }
    }

    private PciFunction awaitDriver(final PciFunction function, final String driver) {
        if (!await(function, PROBE_DEADLINE, now -> driver.equals(now.driver()))) {
            final String has = current("bind", function).driver();
            throw RdmaException.of("bind")
                .device(function.address())
                .detail("the driver %s did not take it within %d ms: it has %s", driver,
                    PROBE_DEADLINE.toMillis(), has == null ? "no driver" : "the driver " + has)
                .errno(RdmaException.EIO)
                .hint("the last lines of 'dmesg' say why; without an IOMMU %s refuses every device", driver)
                .build();
        }
        return current("bind", function);
    }

    /** Waits for a state, or for the function to be gone. */
    private boolean await(final PciFunction function, final Duration limit, final Predicate<PciFunction> reached) {
        final long end = System.nanoTime() + limit.toNanos();
        while (true) {
            final PciFunction now = sysfs.find(function.address()).orElse(null);
            if (now == null || reached.test(now)) {
                return true;
            }
            if (System.nanoTime() - end >= 0 || !pause()) {
                return false;
            }
        }
    }

    private static boolean pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            return true;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** As far as possible; what fails here is told together with what led here. */
    private void rollBack(final PciFunction function, final String formerOverride, final RdmaException failure) {
        try {
            if (!Files.exists(overrideFile(function))) {
                return;
            }
            orders.give("bind", function, overrideFile(function),
                formerOverride == null ? NO_OVERRIDE : formerOverride);
            if (sysfs.find(function.address()).filter(now -> now.driver() == null).isPresent()) {
                orders.give("bind", function, sysfs.driversProbe(), function.address());
            }
        } catch (final RdmaException e) {
            failure.addSuppressed(e);
        }
    }

    private Path overrideFile(final PciFunction function) {
        return sysfs.folder(function).resolve("driver_override");
    }
}
