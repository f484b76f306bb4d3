/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.rdma4j.base.LiveKind;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.QpType;
import io.rdma4j.tools.text.Json;
import io.rdma4j.verbs.live.CqKind;
import io.rdma4j.verbs.live.QpKind;
import io.rdma4j.verbs.live.SrqKind;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A line of JSON for each look. */
final class StatJson implements StatPrinter {
    private static final int VERSION = 1;
    private static final List<LiveKind> QUEUES = List.of(QpKind.KIND, SrqKind.KIND, CqKind.KIND);

    private final boolean verbose;

    StatJson(final boolean verbose) {
        this.verbose = verbose;
    }

    @Override
    public void print(final List<Frame> frames, final Instant now, final PrintWriter out) {
        final JsonObject line = new JsonObject();
        line.addProperty("rdma4j_stat", VERSION);
        line.addProperty("time", now.toString());
        final JsonArray devices = new JsonArray();
        frames.forEach(frame -> devices.add(device(frame)));
        line.add("devices", devices);
        out.println(new GsonBuilder().disableHtmlEscaping().serializeNulls().create().toJson(line));
    }

    private JsonObject device(final Frame frame) {
        final Frame.Device about = frame.device();
        final JsonObject device = new JsonObject();
        device.addProperty("pid", about.pid());
        device.addProperty("address", about.address());
        device.addProperty("number", about.number());
        device.addProperty("description", about.description());
        device.addProperty("opened", Instant.ofEpochMilli(about.openedMillis()).toString());
        device.addProperty("state", about.stateName());
        addNumber(device, "seconds", frame.seconds());
        for (final Key.Group group : Key.Group.values()) {
            device.add(group.key(), totals(frame, group));
        }
        final JsonObject rates = new JsonObject();
        for (final Key.Group group : Key.Group.values()) {
            if (group != Key.Group.GAUGES) {
                rates.add(group.key(), rates(frame, group));
            }
        }
        device.add("per_second", frame.hasRates() ? rates : JsonNull.INSTANCE);
        if (verbose) {
            device.add("queues", queues(frame));
        }
        final JsonArray troubles = new JsonArray();
        frame.troubles().forEach(troubles::add);
        device.add("troubles", troubles);
        return device;
    }

    private static void addNumber(final JsonObject object, final String name, final double value) {
        object.addProperty(name, Double.isNaN(value) ? null : Json.rounded(value));
    }

    private static JsonObject totals(final Frame frame, final Key.Group group) {
        final JsonObject totals = new JsonObject();
        for (final Map.Entry<Key, Long> sum : frame.sums().entrySet()) {
            if (sum.getKey().group() == group) {
                totals.addProperty(sum.getKey().name(), sum.getValue());
            }
        }
        return totals;
    }

    private static JsonObject rates(final Frame frame, final Key.Group group) {
        final JsonObject rates = new JsonObject();
        for (final Key key : frame.sums().keySet()) {
            if (key.group() == group) {
                addNumber(rates, key.name(), frame.rate(key));
            }
        }
        return rates;
    }

    private static JsonArray queues(final Frame frame) {
        final JsonArray queues = new JsonArray();
        for (final LiveKind kind : QUEUES) {
            frame.objects(kind).forEach(object -> queues.add(queue(frame, object)));
        }
        return queues;
    }

    private static JsonObject queue(final Frame frame, final LiveObject object) {
        final JsonObject queue = new JsonObject();
        queue.addProperty("kind", object.kind().name().toLowerCase(Locale.ROOT));
        queue.addProperty("name", Queues.name(object));
        queue.addProperty("handle", Integer.toUnsignedLong(object.handle()));
        if (object.kind() == QpKind.KIND) {
            queue.addProperty("type", QpType.NAMES.of((int) object.attribute(QpKind.TYPE)));
            queue.addProperty("state", QpState.NAMES.of((int) object.attribute(QpKind.STATE)));
        }
        final JsonObject rates = new JsonObject();
        for (final Metric metric : Metric.values()) {
            if (metric.has(object.kind())) {
                queue.addProperty(metric.key(), metric.of(object));
                if (!metric.isGauge()) {
                    addNumber(rates, metric.key(), frame.rate(object, metric));
                }
            }
        }
        queue.add("per_second", frame.hasRates() ? rates : JsonNull.INSTANCE);
        return queue;
    }
}
