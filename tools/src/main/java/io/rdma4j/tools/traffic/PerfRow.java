/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/** What was found with one size. */
public sealed interface PerfRow permits LatencyRow, BandwidthRow {
    /**
     * Size.
     *
     * @return bytes of a message.
     */
    int bytes();

    /**
     * How often.
     *
     * @return round trips or operations of a latency test, messages of all QPs of a bandwidth test.
     */
    long iterations();

    /**
     * How long.
     *
     * @return seconds from the first to the last.
     */
    double seconds();
}
