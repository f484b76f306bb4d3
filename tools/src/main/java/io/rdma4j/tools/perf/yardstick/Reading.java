/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf.yardstick;

/**
 * What a yardstick showed, in nanoseconds.
 *
 * @param name  short.
 * @param title for people.
 * @param count round trips.
 * @param p50   the median.
 * @param p99   99 of 100 are not longer.
 * @param p999  999 of 1,000 are not longer.
 */
public record Reading(String name, String title, long count, double p50, double p99, double p999) {
}
