/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.PollSet;

import java.time.Duration;

/** What poll says of a file descriptor. */
@SuppressWarnings("JavaLangClash") // Nobody here wants characters from a reader.
final class Readable {
    private Readable() {
    }

    /** Whether it is readable, or becomes so in time. */
    static boolean within(final int fd, final Duration time) {
        final PollSet set = new PollSet(1);
        set.add(fd, LibcConstants.POLLIN);
        final long deadline = System.nanoTime() + time.toNanos();
        do {
            if (Libc.poll(set, Math.max(0, deadline - System.nanoTime())) > 0) {
                return true;
            }
        } while (System.nanoTime() - deadline < 0);
        return false;
    }
}
