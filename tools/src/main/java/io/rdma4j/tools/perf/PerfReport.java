/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import io.rdma4j.tools.text.Table;
import io.rdma4j.tools.traffic.BandwidthRow;
import io.rdma4j.tools.traffic.LatencyRow;
import io.rdma4j.tools.traffic.PerfRow;
import io.rdma4j.tools.traffic.PerfTest;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What perf prints for people and their scripts: perftest's tables, and what to know about the figures. */
public final class PerfReport {
    private static final String LINE = "-".repeat(87);
    private static final double NANOS_PER_MICRO = 1_000.0;
    /** A machine that is steady measures the same twice within a third. */
    private static final double STEADY = 1.33;
    private static final double SLOW_LINE = 1_000;

    private final PerfRun run;
    private final PerfTest test;
    private final boolean duration;
    private final PrintWriter out;

    /**
     * Makes a report.
     *
     * @param run      what was measured.
     * @param duration whether a time was given, not a number of iterations: perftest prints another table then.
     * @param out      where to.
     */
    public PerfReport(final PerfRun run, final boolean duration, final PrintWriter out) {
        this.run = run;
        this.duration = duration;
        this.out = out;
        test = run.about().test();
    }

    /**
     * Prints all single times of each size, as perftest's options -H and -U do.
     *
     * @param samples the times of each size, in microseconds.
     * @param sorted  from the shortest to the longest, or in the order in which they came.
     */
    public void printSamples(final List<double[]> samples, final boolean sorted) {
        for (final double[] times : samples) {
            final double[] ordered = times.clone();
            if (sorted) {
                Arrays.sort(ordered);
            }
            out.println("#, usec");
            for (int i = 0; i < ordered.length; i++) {
                out.println(i + 1 + ", " + String.format(Locale.ROOT, "%.3f", ordered[i]));
            }
        }
    }

    /**
     * Prints everything else.
     *
     * @param quiet without what was found about processors.
     */
    public void print(final boolean quiet) {
        final PerfRun.About about = run.about();
        out.println(LINE);
        out.println(" ".repeat(20) + test.title());
        out.printf(" Device         : %s%s%n", about.device(), about.peer() == null ? "" : " <-> " + about.peer());
        out.printf(" Connection type: RC, options: %s%n", about.options());
        out.println(LINE);
        table();
        out.println(LINE);
        if (test.isLatency()) {
            explainLatency();
        } else {
            out.println("BW peak is the fastest stretch of as many messages as may be under way; MiB are 2^20 bytes, "
                + "Mpps 10^6 messages a second.");
        }
        yardsticks();
        if (!quiet) {
            about.place().advice().forEach(out::println);
        }
    }

    private void table() {
        final Table table = columns(test.isLatency(), duration);
        for (final PerfRow row : run.rows()) {
            final String bytes = Integer.toString(row.bytes());
            final String iterations = Long.toString(row.iterations());
            if (row instanceof BandwidthRow) {
                final BandwidthRow bandwidth = (BandwidthRow) row;
                table.row(bytes, iterations, decimal(bandwidth.peak()), decimal(bandwidth.average()),
                    String.format(Locale.ROOT, "%.6f", bandwidth.rate()));
            } else if (duration) {
                table.row(bytes, iterations, decimal(((LatencyRow) row).usec().avg()),
                    decimal(row.iterations() / row.seconds()));
            } else {
                final LatencyRow.Times usec = ((LatencyRow) row).usec();
                table.row(bytes, iterations, decimal(usec.min()), decimal(usec.max()),
                    decimal(usec.p50()), decimal(usec.avg()), decimal(usec.stdev()), decimal(usec.p99()),
                    decimal(usec.p999()));
            }
        }
        table.print(out);
    }

    /** The tables that perftest prints. */
    private static Table columns(final boolean latency, final boolean duration) {
        if (!latency) {
            return Table.under(" ", "#bytes", "     ", "#iterations", "    ", "BW peak[MiB/sec]", "    ",
                "BW average[MiB/sec]", "   ", "MsgRate[Mpps]");
        }
        return duration
            ? Table.under(" ", "#bytes", "        ", "#iterations", "       ", "t_avg[usec]", "    ", "tps average")
            : Table.under(" ", "#bytes", " ", "#iterations", "    ", "t_min[usec]", "    ", "t_max[usec]", "  ",
                "t_typical[usec]", "    ", "t_avg[usec]", "    ", "t_stdev[usec]", "   ", "99% percentile[usec]", "   ",
                "99.9% percentile[usec]", " ");
    }

    private void explainLatency() {
        final Table percentiles = Table.ofNumbers("#bytes", "p50[usec]", "p90[usec]", "p99[usec]", "p99.9[usec]",
            "p99.99[usec]", "max[usec]");
        for (final PerfRow row : run.rows()) {
            final LatencyRow.Times usec = ((LatencyRow) row).usec();
            percentiles.row(Integer.toString(row.bytes()), precise(usec.p50()), precise(usec.p90()),
                precise(usec.p99()), precise(usec.p999()), precise(usec.p9999()), precise(usec.max()));
        }
        percentiles.print(out);
        out.printf("A time is %s. Reading the clock takes %.0f ns here, once in each %s.%n", test.timeIs(),
            run.about().place().timerNanos(), test.operation().isMutual() ? "round trip" : "operation");
        out.println("Coordinated omission: " + PerfFile.COORDINATED_OMISSION + ".");
    }

    private void yardsticks() {
        if (run.yardsticks().isEmpty()) {
            return;
        }
        out.println("Yardsticks of the same run: round trips between two threads, in nanoseconds.");
        final double nanos = roundTripNanos();
        final Table table = Table.ofNumbers("yardstick", "p50 before", "p50 after", "p99 before", "p99 after",
            "test / yardstick");
        boolean steady = true;
        for (final Yardstick yardstick : run.yardsticks()) {
            final double before = yardstick.before().p50();
            final double after = yardstick.after().p50();
            steady &= Math.max(before, after) <= STEADY * Math.min(before, after);
            table.row(yardstick.title(), whole(before), whole(after), whole(yardstick.before().p99()),
                whole(yardstick.after().p99()),
                nanos > 0 ? String.format(Locale.ROOT, "%.1f", 2 * nanos / (before + after)) : "-");
        }
        table.print(out);
        if (nanos > 0) {
            out.printf("The test is the p50 of a %s with %d bytes: %s ns.%n",
                test.operation().isMutual() ? "round trip" : "whole operation", run.rows().get(0).bytes(),
                whole(nanos));
        }
        if (run.yardsticks().stream().anyMatch(PerfReport::isSlowLine)) {
            out.println("A cache line takes some tens to hundreds of ns between two processors. Here it took longer "
                + "than " + whole(SLOW_LINE) + ": the two threads seldom ran at the same time, so figures of two "
                + "threads are the scheduler's.");
        }
        if (!steady) {
            out.println("The machine changed its pace during the run: the yardsticks before and after differ by more "
                + "than a third.");
        }
    }

    private static boolean isSlowLine(final Yardstick yardstick) {
        return yardstick.name().equals("cache_line")
            && Math.max(yardstick.before().p50(), yardstick.after().p50()) > SLOW_LINE;
    }

    /** Of the first size; 0 if round trips were not measured. */
    private double roundTripNanos() {
        return test.isLatency() && !run.rows().isEmpty()
            ? ((LatencyRow) run.rows().get(0)).usec().p50() * NANOS_PER_MICRO * test.divisor() : 0;
    }

    private static String decimal(final double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    private static String precise(final double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    private static String whole(final double value) {
        return String.format(Locale.ROOT, "%.0f", value);
    }
}
