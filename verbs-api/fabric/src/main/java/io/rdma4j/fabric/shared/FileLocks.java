/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import io.rdma4j.fabric.FiErrno;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Locks on the file of a vector, which the system takes away from a process that ends, however it ends (fcntl(2)): one
 * byte behind its end for whoever changes it, one that everybody who has it open holds shared, and one for each process
 * that has put addresses into it. tryLock does not close the file when a thread is interrupted, as lock does.
 */
final class FileLocks {
    private static final long WRITER = 1L << 62;
    private static final long PRESENCE = WRITER + 1;
    private static final long OWNERS = WRITER + 2;
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long USUAL_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** A test of what happens in the end need not wait that long. */
    private static volatile long waitNanos = USUAL_NANOS;

    private FileLocks() {
    }

    static void waitAtMost(final Duration time) {
        waitNanos = time.toNanos();
    }

    static void waitAsUsual() {
        waitNanos = USUAL_NANOS;
    }

    static FileLock writer(final FileChannel channel, final Path path, final String operation) throws IOException {
        return await(channel, path, WRITER, false, operation, "changing it");
    }

    static FileLock presence(final FileChannel channel, final Path path) throws IOException {
        return await(channel, path, PRESENCE, true, Troubles.OPEN, "removing it");
    }

    /** As a process that puts addresses into it; null if that owner is another process. Call it as writer. */
    static FileLock owner(final FileChannel channel, final int owner) throws IOException {
        return attempt(channel, OWNERS + owner, false);
    }

    /** Whether nobody else has it open; call it without the own presence, and as writer. */
    static boolean isAbandoned(final FileChannel channel) throws IOException {
        final FileLock lock = attempt(channel, PRESENCE, false);
        if (lock != null) {
            lock.release();
        }
        return lock != null;
    }

    /** Whether a process has it open; does not wait, and does not disturb who closes it. */
    static boolean isOpen(final FileChannel channel) throws IOException {
        final FileLock lock = attempt(channel, WRITER, false);
        if (lock == null) {
            return true;
        }
        try {
            return !isAbandoned(channel);
        } finally {
            lock.release();
        }
    }

    private static FileLock await(
        final FileChannel channel, final Path path, final long at, final boolean shared, final String operation,
        final String others) throws IOException {
        final long longest = waitNanos;
        final long deadline = System.nanoTime() + longest;
        boolean interrupted = false;
        try {
            FileLock lock = attempt(channel, at, shared);
            while (lock == null) {
                if (System.nanoTime() - deadline >= 0) {
                    throw Troubles.of(operation, FiErrno.FI_EAGAIN, "see /proc/locks for which process that is",
                        "another process is %s for %d ms: %s", others, TimeUnit.NANOSECONDS.toMillis(longest), path);
                }
                // Who is interrupted does not park any more.
                interrupted |= Thread.interrupted();
                LockSupport.parkNanos(PAUSE_NANOS);
                lock = attempt(channel, at, shared);
            }
            return lock;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static FileLock attempt(final FileChannel channel, final long at, final boolean shared)
        throws IOException {
        try {
            return channel.tryLock(at, 1, shared);
        } catch (final OverlappingFileLockException e) {
            // Of this process, but not of this class: one that another class loader brought.
            return null;
        }
    }
}
