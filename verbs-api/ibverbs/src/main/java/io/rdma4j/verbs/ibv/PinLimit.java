/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.Rlimit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * How much memory this process may have pinned, for messages: the kernel says no more than ENOMEM. Its RDMA drivers
 * charge what they pin to VmPin, an account of its own.
 */
final class PinLimit {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final int KIB = 1024;

    private PinLimit() {
    }

    /** What the limit is, to be put behind what was refused; empty without one. */
    static String state() {
        final Rlimit limit = Libc.getrlimit(LibcConstants.RLIMIT_MEMLOCK);
        return limit.isUnlimited() ? "" : ": RLIMIT_MEMLOCK allows " + limit.soft() / KIB + " KiB, " + pinnedKib()
            + " KiB are pinned already";
    }

    /** How to raise it for so many bytes more. */
    static String hint(final long bytes) {
        if (Libc.getrlimit(LibcConstants.RLIMIT_MEMLOCK).isUnlimited()) {
            return "the device has no more regions, or the machine no more memory";
        }
        final long kib = pinnedKib() + (bytes + KIB - 1) / KIB;
        return String.format(Locale.ROOT, "raise the limit to %1$d KiB or more: 'ulimit -l %1$d' in the shell, 'USER "
            + "hard memlock %1$d' and 'USER soft memlock %1$d' in /etc/security/limits.conf and a new login, or "
            + "LimitMEMLOCK=%1$dK in the systemd unit; if it is high enough, the device has no more regions", kib);
    }

    private static long pinnedKib() {
        try {
            return Files.readAllLines(STATUS).stream().filter(line -> line.startsWith("VmPin:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", ""))).findFirst().orElse(0);
        } catch (final IOException e) {
            return 0;
        }
    }
}
