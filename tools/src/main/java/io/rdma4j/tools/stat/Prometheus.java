/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.verbs.live.CqKind;
import io.rdma4j.verbs.live.MrKind;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/**
 * The text format of Prometheus, version 0.0.4: each metric with its help, its type and one line for each queue. A
 * queue that is closed takes its lines with it, which is how Prometheus learns that it is gone.
 */
final class Prometheus implements StatPrinter {
    private static final String PREFIX = "rdma4j_";
    private static final String TOTAL = "_total";
    private static final String COUNTER = "counter";
    private static final String GAUGE = "gauge";

    /** Stateless. */
    Prometheus() {
        // Nothing to set.
    }

    /** The lines of one metric: equal labels are one line, whose values add up. */
    private static final class Family {
        private final String name;
        private final String help;
        private final String type;
        private final Map<String, Long> lines = new LinkedHashMap<>();

        Family(final String name, final String help, final String type) {
            this.name = PREFIX + name;
            this.help = help;
            this.type = type;
        }

        void add(final Frame.Device device, final long value, final String... more) {
            final StringJoiner labels = new StringJoiner(",", "{", "}");
            labels.add(label("pid", Long.toString(device.pid()))).add(label("device", device.address()))
                .add(label("number", Integer.toString(device.number())));
            for (int i = 0; i < more.length; i += 2) {
                labels.add(label(more[i], more[i + 1]));
            }
            lines.merge(labels.toString(), value, Long::sum);
        }

        void print(final PrintWriter out) {
            if (!lines.isEmpty()) {
                out.print("# HELP " + name + ' ' + help.replace("\\", "\\\\").replace("\n", "\\n") + '\n');
                out.print("# TYPE " + name + ' ' + type + '\n');
                lines.forEach((labels, value) -> out.print(name + labels + ' ' + value + '\n'));
            }
        }
    }

    static String label(final String name, final String value) {
        return name + "=\"" + value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }

    @Override
    public void print(final List<Frame> frames, final Instant now, final PrintWriter out) {
        printDevices(frames, out);
        for (final Metric metric : Metric.values()) {
            // Completions have a status each, see below.
            if (metric != Metric.COMPLETIONS) {
                printMetric(metric, frames, out);
            }
        }
        printCompletions(frames, out);
        printDeviceCounters(frames, out);
        out.flush();
    }

    private static void printDevices(final List<Frame> frames, final PrintWriter out) {
        final Family info = new Family("device_info", "An open device; always 1.", GAUGE);
        final Family troubles = new Family("troubles",
            "What could not be read, so that numbers may be missing; standard error says what.", GAUGE);
        final Family state = new Family("device_state", "0: the device works; 1: failed; 2: is being closed.", GAUGE);
        for (final Frame frame : frames) {
            info.add(frame.device(), 1, "description", frame.device().description());
            state.add(frame.device(), frame.device().state());
            troubles.add(frame.device(), frame.troubles().size());
        }
        info.print(out);
        state.print(out);
        troubles.print(out);
    }

    private static void printMetric(final Metric metric, final List<Frame> frames, final PrintWriter out) {
        final Family family = new Family(metric.key() + (metric.isGauge() ? "" : TOTAL), metric.help(),
            metric.isGauge() ? GAUGE : COUNTER);
        for (final Frame frame : frames) {
            if (metric.has(MrKind.KIND)) {
                family.add(frame.device(), frame.objects().stream().mapToLong(metric::of).sum());
            }
            for (final LiveObject object : frame.objects()) {
                if (metric.has(object.kind()) && object.kind() != MrKind.KIND) {
                    family.add(frame.device(), metric.of(object), kind(object), Queues.name(object));
                }
            }
        }
        family.print(out);
    }

    private static String kind(final LiveObject object) {
        return object.kind().name().toLowerCase(Locale.ROOT);
    }

    private static void printCompletions(final List<Frame> frames, final PrintWriter out) {
        final Family family = new Family(Metric.COMPLETIONS.key() + TOTAL, Metric.COMPLETIONS.help(), COUNTER);
        for (final Frame frame : frames) {
            for (final LiveObject cq : frame.objects(CqKind.KIND)) {
                for (int status = 0; status < CqKind.STATUSES; status++) {
                    final long total = cq.counter(CqKind.STATUS + status);
                    if (total != 0 || status == 0) {
                        family.add(frame.device(), total, kind(cq), Queues.name(cq), "status",
                            Reading.statusName(status));
                    }
                }
            }
        }
        family.print(out);
    }

    private static void printDeviceCounters(final List<Frame> frames, final PrintWriter out) {
        for (final DeviceCounter counter : DeviceCounter.values()) {
            final Key key = counter.key();
            final Family family = new Family(key.name() + (counter.isGauge() ? "" : TOTAL), counter.help(),
                counter.isGauge() ? GAUGE : COUNTER);
            for (final Frame frame : frames) {
                if (frame.sums().containsKey(key)) {
                    family.add(frame.device(), frame.sums().get(key));
                }
            }
            family.print(out);
        }
        final Family events = new Family("device_events" + TOTAL,
            "What the driver, and an emulated device, count besides; the label event says what.", COUNTER);
        for (final Frame frame : frames) {
            frame.sums().forEach((key, value) -> {
                if (key.group() == Key.Group.DEVICE) {
                    events.add(frame.device(), value, "event", key.name());
                }
            });
        }
        events.print(out);
    }
}
