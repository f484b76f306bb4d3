/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A folder that looks like a machine, and a kernel that takes orders as the real one does: silently, and holding the
 * lock of a device for as long as its driver does not let go.
 */
final class FakeMachine implements DeviceAttributes {
    final Path root;
    /** What was written, as {@code file=text}, the file without the folders that all have in common. */
    final List<String> orders = Collections.synchronizedList(new ArrayList<>());
    /** Drivers that take nothing that is offered to them. */
    final Set<String> unwilling = new HashSet<>();
    /** Files, by the end of their path, that answer a write with an error. */
    final Map<String, IOException> errors = new HashMap<>();
    boolean mayWrite = true;
    /** Runs instead of letting go of a device. */
    Runnable onUnbind;
    /** A process has the device open until this is counted down, and its driver does not let go before. */
    CountDownLatch open = new CountDownLatch(0);

    private final Semaphore deviceLock = new Semaphore(1);
    private final Map<String, String> driverOfIds = new HashMap<>();

    FakeMachine(final Path root) throws IOException {
        this.root = root;
        Files.createDirectories(root.resolve("sys/bus/pci/devices"));
        file("sys/bus/pci/drivers_probe", "");
    }

    Path file(final String name, final String text) throws IOException {
        final Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    Path device(final String address) {
        return root.resolve("sys/bus/pci/devices").resolve(address);
    }

    FakeMachine function(final String address, final String ids, final String classCode, final int group)
        throws IOException {
        final String folder = "sys/bus/pci/devices/" + address + "/";
        file(folder + "vendor", "0x" + ids.substring(0, 4) + "\n");
        file(folder + "device", "0x" + ids.substring(5) + "\n");
        file(folder + "class", "0x" + classCode + "\n");
        file(folder + "driver_override", "(null)\n");
        file(folder + "uevent", "");
        if (group >= 0) {
            final Path groupFolder = Files.createDirectories(
                root.resolve("sys/kernel/iommu_groups/" + group + "/devices"));
            Files.createSymbolicLink(device(address).resolve("iommu_group"), groupFolder.getParent());
            Files.createSymbolicLink(groupFolder.resolve(address), device(address));
        }
        return this;
    }

    FakeMachine driver(final String name, final String... ids) throws IOException {
        file("sys/bus/pci/drivers/" + name + "/unbind", "");
        for (final String id : ids) {
            driverOfIds.put(id, name);
        }
        return this;
    }

    FakeMachine bound(final String address, final String driver) throws IOException {
        Files.createSymbolicLink(device(address).resolve("driver"), root.resolve("sys/bus/pci/drivers/" + driver));
        return this;
    }

    FakeMachine net(final String address, final String parent, final String name, final int flags) throws IOException {
        Files.createDirectories(device(address).resolve(parent).resolve("net").resolve(name));
        file("sys/class/net/" + name + "/flags", "0x" + Integer.toHexString(flags) + "\n");
        return this;
    }

    /** Takes its driver from a function. */
    PciFunction unbound(final String address, final PciSysfs sysfs) throws IOException {
        Files.delete(device(address).resolve("driver"));
        return sysfs.find(address).orElseThrow();
    }

    String driverOf(final String address) {
        return SysFiles.linkName(device(address).resolve("driver"));
    }

    @Override
    public boolean mayWrite(final Path file) {
        return mayWrite;
    }

    @Override
    public String read(final Path file, final Duration limit)
        throws IOException, TimeoutException, InterruptedException {
        lock(file, limit);
        try {
            return Files.readString(file);
        } finally {
            deviceLock.release();
        }
    }

    @Override
    public void write(final Path file, final String text, final Duration limit)
        throws IOException, TimeoutException, InterruptedException {
        lock(file, limit);
        if (file.endsWith("unbind") && open.getCount() > 0) {
            Files.delete(device(text).resolve("driver"));
            final Thread kernel = new Thread(this::unlockWhenClosed, "fake-kernel");
            kernel.setDaemon(true);
            kernel.start();
            TimeUnit.NANOSECONDS.sleep(limit.toNanos());
            throw new TimeoutException(file.toString());
        }
        try {
            take(file, text);
        } finally {
            deviceLock.release();
        }
    }

    private void lock(final Path file, final Duration limit) throws TimeoutException, InterruptedException {
        if (!deviceLock.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new TimeoutException(file.toString());
        }
    }

    private void unlockWhenClosed() {
        try {
            open.await();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            deviceLock.release();
        }
    }

    private void take(final Path file, final String text) throws IOException {
        final String name = file.toString();
        orders.add(name.replaceFirst(".*/bus/pci/", "") + "=" + text.strip());
        for (final Map.Entry<String, IOException> error : errors.entrySet()) {
            if (name.endsWith(error.getKey())) {
                throw error.getValue();
            }
        }
        if (!Files.exists(file)) {
            throw new AccessDeniedException(name);
        }
        if (name.endsWith("/driver_override")) {
            Files.writeString(file, text.isBlank() ? "(null)\n" : text.strip() + "\n");
        } else if (name.endsWith("/unbind")) {
            if (onUnbind == null) {
                Files.delete(device(text).resolve("driver"));
            } else {
                onUnbind.run();
            }
        } else if (name.endsWith("/drivers_probe")) {
            probe(text);
        }
    }

    private void probe(final String address) throws IOException {
        final String override = Files.readString(device(address).resolve("driver_override")).strip();
        final String ids = Files.readString(device(address).resolve("vendor")).strip().substring(2) + ":"
            + Files.readString(device(address).resolve("device")).strip().substring(2);
        final String driver = override.equals("(null)") ? driverOfIds.get(ids) : override;
        if (driver != null && !unwilling.contains(driver)) {
            bound(address, driver);
        }
    }
}
