/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.QpType;
import io.rdma4j.tools.text.Table;
import io.rdma4j.verbs.live.CqKind;
import io.rdma4j.verbs.live.QpKind;
import io.rdma4j.verbs.live.SrqKind;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Tables for people: a block for each device. */
final class StatText implements StatPrinter {
    private static final DateTimeFormatter CLOCK =
        DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneId.systemDefault());
    private static final Set<Metric> ALWAYS = EnumSet.of(Metric.POSTED_SENDS, Metric.POSTED_RECEIVES,
        Metric.SEND_DOORBELLS, Metric.RECEIVE_DOORBELLS, Metric.COMPLETIONS, Metric.POLLS, Metric.EMPTY_POLLS,
        Metric.SENT_BYTES, Metric.RECEIVED_BYTES, Metric.REGISTERED_PAGES);
    private static final String PER_SECOND = "/s";
    private static final double EXACT_BELOW = 100;

    private final boolean verbose;

    StatText(final boolean verbose) {
        this.verbose = verbose;
    }

    @Override
    public void print(final List<Frame> frames, final Instant now, final PrintWriter out) {
        for (final Frame frame : frames) {
            final Frame.Device device = frame.device();
            out.printf("%s  process %d  %s  %s, open for %s%s%n", CLOCK.format(now), device.pid(), device.address(),
                device.description(), age(device.openedMillis(), now),
                device.state() == 0 ? "" : ", " + device.stateName());
            sums(frame).print(out);
            if (verbose) {
                printQueues(frame, out);
            }
            frame.troubles().forEach(trouble -> out.println("! " + trouble));
            out.println();
        }
    }

    private static String age(final long openedMillis, final Instant now) {
        final Duration age = Duration.ofMillis(Math.max(0, now.toEpochMilli() - openedMillis))
            .truncatedTo(ChronoUnit.SECONDS);
        return age.toString().substring(2).toLowerCase(Locale.ROOT);
    }

    private static Table sums(final Frame frame) {
        final Table columns = Table.ofNamedNumbers("", "total", "per second");
        for (final Map.Entry<Key, Long> sum : frame.sums().entrySet()) {
            final Key key = sum.getKey();
            if (sum.getValue() != 0 || isAlwaysShown(key)) {
                final String indent = key.group() == Key.Group.STATUSES ? "- " : "";
                columns.row(indent + key.title(), count(sum.getValue()),
                    key.isGauge() ? "" : rate(frame.rate(key)));
            }
        }
        return columns;
    }

    private static boolean isAlwaysShown(final Key key) {
        return ALWAYS.stream().anyMatch(metric -> metric.key().equals(key.name()));
    }

    private static void printQueues(final Frame frame, final PrintWriter out) {
        final Table qps = Table.ofNamedNumbers("QP", "type", "state", "sends" + PER_SECOND, "doorbells" + PER_SECOND,
            "outstanding", "receives" + PER_SECOND, "doorbells" + PER_SECOND, "outstanding");
        for (final LiveObject qp : frame.objects(QpKind.KIND)) {
            qps.row(Queues.name(qp), QpType.NAMES.of((int) qp.attribute(QpKind.TYPE)),
                QpState.NAMES.of((int) qp.attribute(QpKind.STATE)), rate(frame, qp, Metric.POSTED_SENDS),
                rate(frame, qp, Metric.SEND_DOORBELLS), count(qp, Metric.OUTSTANDING_SENDS),
                rate(frame, qp, Metric.POSTED_RECEIVES), rate(frame, qp, Metric.RECEIVE_DOORBELLS),
                count(qp, Metric.OUTSTANDING_RECEIVES));
        }
        printUnlessEmpty(qps, out);
        final Table srqs = Table.ofNamedNumbers("SRQ", "receives" + PER_SECOND, "doorbells" + PER_SECOND,
            "outstanding");
        for (final LiveObject srq : frame.objects(SrqKind.KIND)) {
            srqs.row(Queues.name(srq), rate(frame, srq, Metric.POSTED_RECEIVES),
                rate(frame, srq, Metric.RECEIVE_DOORBELLS), count(srq, Metric.OUTSTANDING_RECEIVES));
        }
        printUnlessEmpty(srqs, out);
        final Table cqs = Table.ofNamedNumbers("CQ", "completions" + PER_SECOND, "polls" + PER_SECOND,
            "empty" + PER_SECOND, "bytes sent" + PER_SECOND, "bytes received" + PER_SECOND, "dropped");
        for (final LiveObject cq : frame.objects(CqKind.KIND)) {
            cqs.row(Queues.name(cq), rate(frame, cq, Metric.COMPLETIONS), rate(frame, cq, Metric.POLLS),
                rate(frame, cq, Metric.EMPTY_POLLS), rate(frame, cq, Metric.SENT_BYTES),
                rate(frame, cq, Metric.RECEIVED_BYTES), count(cq, Metric.DROPPED_COMPLETIONS));
        }
        printUnlessEmpty(cqs, out);
    }

    private static void printUnlessEmpty(final Table columns, final PrintWriter out) {
        if (!columns.isEmpty()) {
            out.println();
            columns.print(out);
        }
    }

    private static String rate(final Frame frame, final LiveObject object, final Metric metric) {
        return rate(frame.rate(object, metric));
    }

    /** A rate; a dash where there is none yet. */
    private static String rate(final double rate) {
        if (Double.isNaN(rate)) {
            return "-";
        }
        return rate == 0 ? "0" : String.format(Locale.ROOT, rate < EXACT_BELOW ? "%.1f" : "%,.0f", rate);
    }

    private static String count(final LiveObject object, final Metric metric) {
        return count(metric.of(object));
    }

    private static String count(final long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }
}
