/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import io.rdma4j.RdmaException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Gives functions to drivers, through {@code driver_override}, {@code unbind} and {@code drivers_probe} as the kernel's
 * Documentation/ABI/testing/sysfs-bus-pci describes them. The override comes first, so that no other driver can be
 * quicker; and the kernel reports no failure of a probe, so each step is looked at afterwards.
 */
final class DriverBinding {
    private static final String BIND = "bind";
    private static final String UNBIND = "unbind";
    private static final String NO_OVERRIDE = "";
    private static final long POLL_MILLIS = 5;
    private static final Duration MODULE_DEADLINE = Duration.ofSeconds(1);
    /** vfio-pci probes before the order to probe returns; a driver may also do it later. */
    private static final Duration PROBE_DEADLINE = Duration.ofSeconds(1);

    private final PciSysfs sysfs;
    private final SysfsOrders orders;
    private final Duration deadline;

    DriverBinding(final PciSysfs sysfs, final DeviceAttributes attributes, final Duration deadline) {
        this.sysfs = sysfs;
        this.orders = new SysfsOrders(attributes, deadline);
        this.deadline = deadline;
    }

    PciFunction bind(final PciFunction before, final String driver) {
        final PciFunction function = current(BIND, before);
        if (driver.equals(function.driver())) {
            return function;
        }
        if (!sysfs.hasDriver(driver)) {
            throw RdmaException.of(BIND)
                .device(function.address())
                .detail("the driver %s is not loaded", driver)
                .errno(RdmaException.ENODEV)
                .hint("run: sudo modprobe %s", driver)
                .build();
        }
        requireRights(BIND, function, "bind " + function.address());
        final Optional<String> formerOverride = driverOverride(BIND, function);
        try {
            orders.give(BIND, function, override(function, driver));
            release(BIND, function);
            orders.give(BIND, function, probe(function));
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
        final PciFunction function = current(UNBIND, before);
        requireRights(UNBIND, function, "unbind " + function.address());
        // Asked first, so that who runs it again while the device is still open leaves no order behind.
        if (driverOverride(UNBIND, function).isPresent()) {
            orders.give(UNBIND, function, override(function, NO_OVERRIDE));
        }
        release(UNBIND, function);
        orders.give(UNBIND, function, probe(function));
        final PciFunction after = current(UNBIND, function);
        return after.driver() == null ? loadDriver(after) : after;
    }

    /** What {@link #bind} would order, if the function stays as it is. */
    List<SysfsOrder> toBind(final PciFunction function, final String driver) {
        final List<SysfsOrder> plan = new ArrayList<>(List.of(override(function, driver)));
        addRelease(function, plan);
        return plan;
    }

    /** What {@link #unbind} would order, but for what it asks of udev where no driver takes the function. */
    List<SysfsOrder> toUnbind(final PciFunction function) {
        final List<SysfsOrder> plan = new ArrayList<>();
        if (driverOverride(UNBIND, function).isPresent()) {
            plan.add(override(function, NO_OVERRIDE));
        }
        addRelease(function, plan);
        return plan;
    }

    private void addRelease(final PciFunction function, final List<SysfsOrder> plan) {
        if (function.driver() != null) {
            plan.add(unbindOrder(function));
        }
        plan.add(probe(function));
    }

    private SysfsOrder override(final PciFunction function, final String driver) {
        return new SysfsOrder(overrideFile(function), driver);
    }

    private SysfsOrder unbindOrder(final PciFunction function) {
        return new SysfsOrder(sysfs.driverFolder(function.driver()).resolve("unbind"), function.address());
    }

    private SysfsOrder probe(final PciFunction function) {
        return new SysfsOrder(sysfs.driversProbe(), function.address());
    }

    Optional<String> driverOverride(final String operation, final PciFunction function) {
        final String text = orders.ask(operation, function, overrideFile(function));
        return Optional.of(text).filter(name -> !name.isEmpty() && !name.equals("(null)"));
    }

    /** The module of the kernel's driver may not be loaded: udev does that when it hears of a new device. */
    private PciFunction loadDriver(final PciFunction function) {
        final Path uevent = sysfs.folder(function).resolve("uevent");
        if (Files.exists(uevent)) {
            orders.give(UNBIND, function, new SysfsOrder(uevent, "add"));
            await(function, MODULE_DEADLINE, now -> now.driver() != null);
        }
        return current(UNBIND, function);
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

    private void release(final String operation, final PciFunction before) {
        // Whoever had the lock may have taken it from its driver in the meantime.
        final PciFunction function = current(operation, before);
        if (function.driver() == null) {
            return;
        }
        orders.give(operation, function, unbindOrder(function));
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
            final String has = current(BIND, function).driver();
            throw RdmaException.of(BIND)
                .device(function.address())
                .detail("the driver %s did not take it within %d ms: it has %s", driver,
                    PROBE_DEADLINE.toMillis(), has == null ? "no driver" : "the driver " + has)
                .errno(RdmaException.EIO)
                .hint("the last lines of 'dmesg' say why" + (driver.equals(PciFunction.VFIO_PCI)
                    ? "; without an IOMMU it refuses every device" : ""))
                .build();
        }
        return current(BIND, function);
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

    /**
     * What fails here is told together with what led here. A device that the kernel is still busy with is let be:
     * whatever asks it waits, too.
     */
    private void rollBack(
        final PciFunction found, final Optional<String> formerOverride, final RdmaException failure) {
        if (SysfsOrders.isStuck(failure) || !Files.exists(overrideFile(found))) {
            return;
        }
        try {
            restore(found, formerOverride);
        } catch (final RdmaException e) {
            failure.addSuppressed(e);
        }
    }

    /** The driver need not be the one that the kernel would choose: it is named by an override of its own. */
    void restore(final PciFunction found, final Optional<String> formerOverride) {
        final PciFunction now = current(BIND, found);
        RdmaException failure = null;
        try {
            if (!Objects.equals(now.driver(), found.driver())) {
                giveBack(now, found.driver());
            }
        } catch (final RdmaException e) {
            if (SysfsOrders.isStuck(e)) {
                throw e;
            }
            failure = e;
        }
        orders.give(BIND, found, override(found, formerOverride.orElse(NO_OVERRIDE)));
        if (failure != null) {
            throw failure;
        }
    }

    private void giveBack(final PciFunction now, final String formerDriver) {
        if (formerDriver == null) {
            release(BIND, now);
            return;
        }
        orders.give(BIND, now, override(now, formerDriver));
        release(BIND, now);
        orders.give(BIND, now, probe(now));
        awaitDriver(now, formerDriver);
    }

    private Path overrideFile(final PciFunction function) {
        return sysfs.folder(function).resolve("driver_override");
    }
}
