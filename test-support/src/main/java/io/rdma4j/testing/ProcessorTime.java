/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What processors have done for this process, as the kernel counts it. Stateless. */
final class ProcessorTime {
    /** Its own and that of children that ended, as a user's and in the kernel: proc(5), fields 14 to 17 of stat. */
    private static final int FIRST = 14;
    private static final int LAST = 17;
    /** The name, which is the second field, may have spaces in it; behind it comes the third. */
    private static final int BEHIND_NAME = 3;
    /** Linux tells programs of hundredths of a second, however often its clock ticks. */
    private static final int TICK_MILLIS = 10;

    private ProcessorTime() {
    }

    /**
     * All until now.
     *
     * @return milliseconds, those of children too, once they have ended and somebody knows it.
     */
    static long millis() {
        final String stat;
        try {
            stat = Files.readString(Path.of("/proc/self/stat"));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        long ticks = 0;
        for (int field = FIRST; field <= LAST; field++) {
            ticks += Long.parseLong(fields[field - BEHIND_NAME]);
        }
        return ticks * TICK_MILLIS;
    }
}
