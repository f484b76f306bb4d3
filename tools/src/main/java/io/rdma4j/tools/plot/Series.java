/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.plot;

import java.util.List;

/**
 * A line of a chart.
 *
 * @param name   what it is, for the legend and the tool tips.
 * @param colour number of its colour, from 0; lines of one run have one colour.
 * @param dashed whether it is drawn in dashes.
 * @param points in the order in which they are joined.
 */
record Series(String name, int colour, boolean dashed, List<Point> points) {
    Series {
        points = List.copyOf(points);
    }

    /** A point, and what is said of it. */
    record Point(double x, double y, String text) {
    }
}
