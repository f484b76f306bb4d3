/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import java.util.ArrayList;
import java.util.List;

/**
 * A table whose headers are given with their blanks, as scripts know them, and whose values begin where their headers
 * do. A value that is too long moves the next one.
 */
final class Columns {
    /** Latency of a number of iterations, as perftest prints it. */
    static final Columns LATENCY = of(" ", "#bytes", " ", "#iterations", "    ", "t_min[usec]", "    ", "t_max[usec]",
        "  ", "t_typical[usec]", "    ", "t_avg[usec]", "    ", "t_stdev[usec]", "   ", "99% percentile[usec]", "   ",
        "99.9% percentile[usec]", " ");
    /** Latency of a duration. */
    static final Columns LATENCY_DURATION = of(" ", "#bytes", "        ", "#iterations", "       ", "t_avg[usec]",
        "    ", "tps average");
    /** Bandwidth. */
    static final Columns BANDWIDTH = of(" ", "#bytes", "     ", "#iterations", "    ", "BW peak[MiB/sec]", "    ",
        "BW average[MiB/sec]", "   ", "MsgRate[Mpps]");

    private final String header;
    private final List<Integer> starts;

    private Columns(final String header, final List<Integer> starts) {
        this.header = header;
        this.starts = starts;
    }

    /** Blanks and headers in turns. */
    private static Columns of(final String... parts) {
        final StringBuilder header = new StringBuilder();
        final List<Integer> starts = new ArrayList<>();
        for (int i = 0; i < parts.length; i++) {
            if (i % 2 == 1) {
                starts.add(header.length());
            }
            header.append(parts[i]);
        }
        return new Columns(header.toString(), starts);
    }

    String header() {
        return header;
    }

    String row(final String... values) {
        final StringBuilder line = new StringBuilder();
        for (int i = 0; i < values.length; i++) {
            line.append(" ".repeat(Math.max(1, starts.get(i) - line.length()))).append(values[i]);
        }
        return line.toString();
    }
}
