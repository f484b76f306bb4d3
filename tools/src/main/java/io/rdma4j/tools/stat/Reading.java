/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import io.rdma4j.base.LiveKind;
import io.rdma4j.driver.live.LiveCounter;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.live.LiveView;
import io.rdma4j.fabric.live.CacheKind;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.verbs.live.CqKind;
import io.rdma4j.verbs.live.MrKind;
import io.rdma4j.verbs.live.QpKind;
import io.rdma4j.verbs.live.SrqKind;
import io.rdma4j.verbs.pvrdma.live.DeviceKind;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A device at one moment.
 *
 * @param nanos    when, by the clock that never goes back.
 * @param objects  everything that is counted.
 * @param counters of the driver, and of an emulated device.
 * @param state    {@link DeviceKind#STATE}.
 */
record Reading(long nanos, List<LiveObject> objects, List<LiveCounter> counters, long state) {
    private static final List<LiveKind> COUNTED =
        List.of(QpKind.KIND, SrqKind.KIND, CqKind.KIND, CacheKind.KIND, MrKind.KIND);

    static Reading of(final LiveView view) {
        final List<LiveObject> objects = new ArrayList<>();
        final long now = System.nanoTime();
        COUNTED.forEach(kind -> objects.addAll(view.objects(kind)));
        final long state = view.objects(DeviceKind.KIND).stream().findFirst()
            .map(device -> device.attribute(DeviceKind.STATE)).orElse(0L);
        return new Reading(now, List.copyOf(objects), view.counters(), state);
    }

    /** The numbers of this, but for the counters of queues: they are of the objects that are given. */
    Map<Key, Long> sums(final Iterable<LiveObject> counted) {
        final Map<Key, Long> sums = new LinkedHashMap<>();
        for (final Metric metric : Metric.values()) {
            final Key.Group group = metric.isGauge() ? Key.Group.GAUGES : Key.Group.TOTALS;
            sums.put(new Key(group, metric.key(), metric.title()), sum(metric, metric.isGauge() ? objects : counted));
            if (metric == Metric.COMPLETIONS) {
                addStatuses(counted, sums);
            }
        }
        for (final LiveCounter counter : counters) {
            sums.putIfAbsent(DeviceCounter.keyOf(counter.label()), counter.value());
        }
        return inOrder(sums);
    }

    /** What goes up and down behind what only goes up, and what has no name of its own behind that. */
    private static Map<Key, Long> inOrder(final Map<Key, Long> sums) {
        final List<Key> keys = new ArrayList<>(sums.keySet());
        keys.sort(Comparator.comparing(key -> key.group().place()));
        final Map<Key, Long> ordered = new LinkedHashMap<>();
        keys.forEach(key -> ordered.put(key, sums.get(key)));
        return ordered;
    }

    private static long sum(final Metric metric, final Iterable<LiveObject> counted) {
        long sum = 0;
        for (final LiveObject object : counted) {
            sum += metric.of(object);
        }
        return sum;
    }

    private static void addStatuses(final Iterable<LiveObject> counted, final Map<Key, Long> sums) {
        for (final LiveObject object : counted) {
            for (int status = 0; status < CqKind.STATUSES && object.kind() == CqKind.KIND; status++) {
                final long total = object.counter(CqKind.STATUS + status);
                if (total != 0) {
                    sums.merge(new Key(Key.Group.STATUSES, statusName(status), statusName(status)), total, Long::sum);
                }
            }
        }
    }

    /** All that are not known are counted with the last. */
    static String statusName(final int status) {
        return status == CqKind.STATUSES - 1 ? "other" : WcStatus.NAMES.of(status);
    }
}
