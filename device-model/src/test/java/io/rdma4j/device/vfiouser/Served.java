/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

import io.rdma4j.DeviceAddress;
import io.rdma4j.device.EmulatedDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.testing.Patience;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A device that is served at a socket of its own. */
final class Served implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();

    final EmulatedDevice device;
    final VfioUserServer server;
    final Path folder;
    final Path path;
    final List<String> events = new CopyOnWriteArrayList<>();

    Served() {
        this("");
    }

    Served(String options) {
        try {
            folder = Files.createTempDirectory("vfio-user");
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
        path = folder.resolve("s");
        device = (EmulatedDevice) PciDevices.open(
            DeviceAddress.parse("emulated:served" + COUNT.incrementAndGet() + options));
        server = VfioUserServer.open(path, device, events::add);
    }

    /** Waits until something was told. */
    void awaitEvent(String part) {
        final long deadline = System.nanoTime() + Patience.nanos();
        while (events.stream().noneMatch(event -> event.contains(part))) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("no event says '" + part + "': " + events);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public void close() {
        server.close();
        device.close();
        try {
            Files.deleteIfExists(path);
            Files.delete(folder);
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }
}
