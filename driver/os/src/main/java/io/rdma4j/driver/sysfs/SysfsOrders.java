/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import io.rdma4j.RdmaException;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** Writes orders, and says what went wrong in the words of a user. */
final class SysfsOrders {
    /** Only strerror's text is told of a write that failed. */
    private static final Map<String, Integer> ERRNOS = Map.of(
        "Operation not permitted", RdmaException.EPERM,
        "Permission denied", RdmaException.EACCES,
        "Device or resource busy", RdmaException.EBUSY,
        "No such device", RdmaException.ENODEV,
        "Invalid argument", RdmaException.EINVAL);

    private final DeviceAttributes attributes;
    private final Duration deadline;

    SysfsOrders(final DeviceAttributes attributes, final Duration deadline) {
        this.attributes = attributes;
        this.deadline = deadline;
    }

    /** The command is what to type with more rights. */
    void requireRights(
        final String operation, final PciFunction function, final Path file, final String command) {
        if (!attributes.mayWrite(file)) {
            throw noRights(operation, function, file, command, null);
        }
    }

    /** Waits no longer than the deadline: the kernel may not return before a process has closed the device. */
    void give(final String operation, final PciFunction function, final SysfsOrder order) {
        final Path file = order.file();
        try {
            // A write of no bytes would not reach the kernel.
            attributes.write(file, order.text().isEmpty() ? "\n" : order.text(), deadline);
        } catch (final AccessDeniedException e) {
            throw noRights(operation, function, file, operation + " " + function.address(), e);
        } catch (final IOException e) {
            throw refused(operation, function, file, e);
        } catch (final TimeoutException e) {
            throw stuck(operation, function, e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw stuck(operation, function, e);
        }
    }

    /** The text of a file that is read under the device's lock; empty if there is none. */
    String ask(final String operation, final PciFunction function, final Path file) {
        try {
            return attributes.read(file, deadline).strip();
        } catch (final IOException e) {
            return "";
        } catch (final TimeoutException e) {
            throw stuck(operation, function, e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw stuck(operation, function, e);
        }
    }

    /** Whether the kernel is still busy with an order, and so has the lock of the device. */
    static boolean isStuck(final RdmaException failure) {
        return failure.getCause() instanceof TimeoutException || failure.getCause() instanceof InterruptedException;
    }

    private RdmaException stuck(final String operation, final PciFunction function, final Exception cause) {
        return RdmaException.of(operation)
            .device(function.address())
            // The kernel shows no driver any more from the moment on that it asks the driver to let go.
            .detail("%s has not let go within %d ms; a process may have the device open",
                function.driver() == null ? "its driver" : "the driver " + function.driver(), deadline.toMillis())
            .errno(RdmaException.ETIMEDOUT)
            .hint("end that process ('sudo ./rdma4j status' names it), then run %s again", operation)
            .cause(cause)
            .build();
    }

    private static RdmaException noRights(final String operation, final PciFunction function, final Path file,
        final String command, final Exception cause) {
        final boolean isReadOnly = isReadOnly(file);
        return RdmaException.of(operation)
            .device(function.address())
            .detail(isReadOnly ? "%s is on a file system that is mounted read-only" : "no right to write %s", file)
            .errno(RdmaException.EACCES)
            .hint(isReadOnly ? "run it on the host, not in a container" : "run: sudo ./rdma4j %s", command)
            .cause(cause)
            .build();
    }

    private static boolean isReadOnly(final Path file) {
        try {
            return Files.getFileStore(file).isReadOnly();
        } catch (final IOException e) {
            return false;
        }
    }

    private static RdmaException refused(
        final String operation, final PciFunction function, final Path file, final IOException cause) {
        return RdmaException.of(operation)
            .device(function.address())
            .detail("the kernel refused a write to %s: %s", file, cause.getMessage())
            .errno(cause instanceof NoSuchFileException ? RdmaException.ENODEV
                : ERRNOS.getOrDefault(String.valueOf(cause.getMessage()), RdmaException.EIO))
            .hint("the last lines of 'dmesg' may say why")
            .cause(cause)
            .build();
    }
}
