/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

import io.rdma4j.DeviceAddress;
import io.rdma4j.device.EmulatedDevice;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.testing.Patience;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

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
        server = VfioUserServer.open(path, device, this::told);
    }

    /** Whoever has the monitor of the list keeps the server from going on behind the next event. */
    private void told(String event) {
        events.add(event);
        synchronized (events) {
            assert !events.isEmpty();
        }
    }

    /** Waits until something was told. */
    void awaitEvent(String part) {
        await(() -> events.stream().anyMatch(event -> event.contains(part)), "no event says '" + part + "'");
    }

    /** Waits until each client that was told to have come was told to have gone. */
    void awaitNoClient() {
        await(() -> count("client connected") == count("client gone") + count("client dropped"), "a client stays");
    }

    /** The device, but for what one method of it does. */
    ServedFunction withAnswer(String method, Supplier<Object> answer) {
        final Class<?>[] as = {ServedFunction.class};
        return (ServedFunction) Proxy.newProxyInstance(getClass().getClassLoader(), as,
            (proxy, called, arguments) -> {
                if (called.getName().equals(method)) {
                    final Object given = answer.get();
                    if (given != null) {
                        return given;
                    }
                }
                try {
                    return called.invoke(device, arguments);
                } catch (final InvocationTargetException e) {
                    throw e.getCause();
                }
            });
    }

    private long count(String begin) {
        return events.stream().filter(event -> event.startsWith(begin)).count();
    }

    /** Waits until so many files are open in this process. */
    void awaitOpenFiles(int count) {
        await(() -> Fd.openCount() == count, "not " + count + " files are open");
    }

    void await(BooleanSupplier condition, String complaint) {
        final long deadline = System.nanoTime() + Patience.nanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(complaint + ": " + events + ", " + Fd.openCount() + " files");
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Clients' threads close files when they have a processor: whoever counts files next is not to see them go. */
    private void awaitClientThreads() {
        final String name = "rdma4j-vfio-user-client-" + device.address().path();
        await(() -> Thread.getAllStackTraces().keySet().stream().noneMatch(thread ->
            thread.getName().equals(name) || thread.getName().equals(name + "-turned-away")), "a thread stays");
    }

    @Override
    public void close() {
        server.close();
        awaitClientThreads();
        device.close();
        try {
            Files.deleteIfExists(path);
            Files.delete(folder);
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }
}
