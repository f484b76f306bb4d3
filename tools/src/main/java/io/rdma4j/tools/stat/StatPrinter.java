/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;

/** A form in which counters are printed. */
interface StatPrinter {
    /**
     * Prints one look at all devices.
     *
     * @param frames of each device; may be empty.
     * @param now    when.
     * @param out    where to.
     */
    void print(List<Frame> frames, Instant now, PrintWriter out);
}
