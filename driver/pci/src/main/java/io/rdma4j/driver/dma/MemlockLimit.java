/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.Rlimit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * How much memory this process may lock or pin. Asked before pages are pinned, because what the kernel says afterwards
 * is only "no memory". Thread-safe.
 */
public final class MemlockLimit {
    private static final MemlockLimit PROCESS =
        new MemlockLimit(Path.of("/proc/self/status"), Path.of("/proc/self/uid_map"),
            () -> Libc.getrlimit(LibcConstants.RLIMIT_MEMLOCK));
    /** The capability by which the limit does not hold. */
    private static final int CAP_IPC_LOCK = 14;

    private final Path status;
    private final Path uidMap;
    private final Supplier<Rlimit> rlimit;
    /** A process keeps its capabilities; to look again at each registration would cost more than the registration. */
    private volatile boolean knownExempt;

    MemlockLimit(final Path status, final Path uidMap, final Supplier<Rlimit> rlimit) {
        this.status = status;
        this.uidMap = uidMap;
        this.rlimit = rlimit;
    }

    /**
     * The limit of this process.
     *
     * @return the same object each time.
     */
    public static MemlockLimit process() {
        return PROCESS;
    }

    /**
     * Refuses what the kernel would refuse.
     *
     * @param operation what needs the memory, for the message.
     * @param device    the device it is for; may be null.
     * @param bytes     that shall be pinned in addition to what is pinned now.
     * @throws RdmaException ENOMEM with the limit, what is used and what is needed, and how to raise it.
     */
    public void require(final String operation, final Object device, final long bytes) {
        if (knownExempt) {
            return;
        }
        final Rlimit limit = rlimit.get();
        if (limit.isUnlimited()) {
            return;
        }
        final Status now = Status.read(status, uidMap);
        knownExempt = now.exempt;
        if (!now.exempt && bytes > limit.soft() - now.lockedBytes) {
            throw tooLow(operation, device, bytes, limit, now);
        }
    }

    private static RdmaException tooLow(
        final String operation, final Object device, final long bytes, final Rlimit limit, final Status now) {
        final long kib = (now.lockedBytes + bytes + 1023) / 1024;
        return RdmaException.of(operation)
            .device(device)
            .detail("RLIMIT_MEMLOCK allows %s, %s are locked or pinned already, %s more are needed",
                Sizes.text(limit.soft()), Sizes.text(now.lockedBytes), Sizes.text(bytes))
            .errno(RdmaException.ENOMEM)
            .hint("raise the limit to %d KiB or more: 'ulimit -l %d' in the shell%s, 'USER hard memlock %d' and 'USER "
                + "soft memlock %d' in /etc/security/limits.conf and a new login, or LimitMEMLOCK=%dK in the systemd "
                + "unit; a small region of a ByteBuffer locks the %s around it", kib, kib, atMost(limit), kib, kib, kib,
                Sizes.text(Extent.WINDOW))
            .build();
    }

    private static String atMost(final Rlimit limit) {
        return limit.hard() < 0 ? "" : " (up to " + limit.hard() / 1024 + " without rights)";
    }

    /**
     * What the kernel says of this process. {@code mlock} and the pages that VFIO pins are charged to VmLck; VmPin is
     * an account of its own, of the kernel's RDMA drivers among others, and says nothing about the next lock.
     */
    private record Status(long lockedBytes, boolean exempt) {
        static Status read(final Path file, final Path uidMap) {
            long locked = 0;
            boolean exempt = false;
            try {
                for (final String line : Files.readAllLines(file)) {
                    if (line.startsWith("VmLck:")) {
                        locked = Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
                    } else if (line.startsWith("CapEff:")) {
                        exempt = (Long.parseUnsignedLong(line.substring(7).trim(), 16) >>> CAP_IPC_LOCK & 1) != 0;
                    }
                }
            } catch (final IOException e) {
                // Without /proc nothing is known: the kernel has the last word, as it always has.
                return new Status(0, true);
            }
            return new Status(locked, exempt && isInitialNamespace(uidMap));
        }

        /**
         * In a user namespace of its own a process has capabilities over that namespace only, and the kernel asks for
         * this one in the initial namespace. Kernels without user namespaces do not have the file.
         */
        private static boolean isInitialNamespace(final Path uidMap) {
            try {
                return Files.notExists(uidMap) || Files.readString(uidMap).trim().matches("0\\s+0\\s+4294967295");
            } catch (final IOException e) {
                return false;
            }
        }
    }

    @Override
    public String toString() {
        final Rlimit limit = rlimit.get();
        final Status now = Status.read(status, uidMap);
        return "MemlockLimit[" + (limit.isUnlimited() ? "unlimited" : Sizes.text(limit.soft()))
            + (now.exempt ? ", exempt" : "") + ", used " + Sizes.text(now.lockedBytes) + "]";
    }
}
