/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

/**
 * A round trip without any device, measured in the same run: before the test and after it, so that a machine which
 * changed its pace meanwhile is found out.
 *
 * @param name   short: {@code cache_line}, {@code agrona_ring} or {@code tcp}.
 * @param title  for people.
 * @param before the round trips before the test.
 * @param after  those after it.
 */
public record Yardstick(String name, String title, Reading before, Reading after) {
    /**
     * Round trips, in nanoseconds.
     *
     * @param count how many.
     * @param p50   the median.
     * @param p99   99 of 100 are not longer.
     * @param p999  999 of 1,000 are not longer.
     */
    public record Reading(long count, double p50, double p99, double p999) {
    }
}
