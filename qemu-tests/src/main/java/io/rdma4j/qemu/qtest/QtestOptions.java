/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an address {@code qtest:SOCKET?ram=FILE&mad=SOCKET&at=DEVICE.FUNCTION&timeout=MILLISECONDS} says.
 *
 * @param socket   QEMU's qtest socket.
 * @param ram      the file behind the machine's RAM.
 * @param mad      the socket of pvrdma's mad-chardev; null if nobody answers it.
 * @param device   number on bus 0.
 * @param function number in the device.
 * @param timeout  longest wait for an answer.
 */
record QtestOptions(Path socket, Path ram, Path mad, int device, int function, Duration timeout) {
    private static final Pattern FUNCTION = Pattern.compile("([0-9a-f]{1,2})\\.([0-7])");
    /** A reset of QEMU's pvrdma waits for a thread that looks up every 5 s. */
    private static final long DEFAULT_TIMEOUT_MILLIS = 30_000;
    private static final long LONGEST_TIMEOUT_MILLIS = 600_000;
    private static final int LAST_DEVICE = 0x1f;

    static QtestOptions of(final DeviceAddress address) {
        address.requireOnly(Set.of("ram", "mad", "at", "timeout"));
        final String ram = address.option("ram", "");
        if (address.path().isEmpty() || ram.isEmpty()) {
            throw invalid(address, "it must name QEMU's qtest socket and the file of its RAM");
        }
        final String at = address.option("at", "10.1");
        final Matcher function = FUNCTION.matcher(at);
        if (!function.matches() || Integer.parseInt(function.group(1), 16) > LAST_DEVICE) {
            throw invalid(address, "at=" + at + " is not DEVICE.FUNCTION from 0.0 to 1f.7");
        }
        final String mad = address.option("mad", "");
        return new QtestOptions(Path.of(address.path()), Path.of(ram), mad.isEmpty() ? null : Path.of(mad),
            Integer.parseInt(function.group(1), 16), Integer.parseInt(function.group(2)),
            Duration.ofMillis(address.option("timeout", DEFAULT_TIMEOUT_MILLIS, 1, LONGEST_TIMEOUT_MILLIS)));
    }

    private static RdmaException invalid(final DeviceAddress address, final String why) {
        return RdmaException.of("open device").device(address).detail("%s", why).errno(RdmaException.EINVAL)
            .hint("write %s", QtestProvider.USAGE).build();
    }
}
