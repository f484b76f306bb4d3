/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/** What the end that measures does with one size. For one thread. */
interface Measurement {
    /** Messages of so many bytes will go. */
    void begin(int bytes);

    /**
     * Does it until one of the limits is reached.
     *
     * @return how many messages went.
     */
    long run(Span span);

    /** What was measured by the last {@link #run}. */
    PerfRow row(int bytes);

    /** The single times of the last {@link #run}, if they were kept. */
    double[] samples();
}
