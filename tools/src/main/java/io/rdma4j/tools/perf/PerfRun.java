/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import io.rdma4j.tools.traffic.BandwidthRow;
import io.rdma4j.tools.traffic.LatencyRow;
import io.rdma4j.tools.traffic.PerfRow;
import io.rdma4j.tools.traffic.PerfTest;

import java.util.List;

/**
 * What a run was and what it found.
 *
 * @param about      what was run, and where.
 * @param rows       one for each size: all {@link LatencyRow}, or all {@link BandwidthRow}.
 * @param yardsticks what was measured beside; possibly nothing.
 */
public record PerfRun(About about, List<PerfRow> rows, List<Yardstick> yardsticks) {
    /**
     * What was run, and where.
     *
     * @param test    the test.
     * @param options the options that shaped it, as on the command line.
     * @param device  address of the device.
     * @param peer    the other device or the other process; null if one device was all.
     * @param place   the machine.
     */
    public record About(PerfTest test, String options, String device, String peer, Place place) {
    }

    /**
     * The machine and the moment.
     *
     * @param created    when, ISO 8601.
     * @param version    of rdma4j.
     * @param java       of the JVM.
     * @param cpu        model of the processor.
     * @param cpus       how many this process may use.
     * @param timerNanos what reading the clock costs; each time of a latency test contains it once a round trip.
     * @param advice     what was found about processors, and what to do; for people.
     */
    public record Place(
        String created, String version, String java, String cpu, int cpus, double timerNanos, List<String> advice) {
    }
}
