/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import io.rdma4j.base.LiveKind;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.verbs.pvrdma.live.DeviceKind;

import java.util.List;
import java.util.Map;

/**
 * What is to be shown of a device: how much there is of everything, and how fast it grew since the last look.
 *
 * @param device   which.
 * @param seconds  since the last look; NaN if this is the first.
 * @param sums     now; in the order in which they are shown.
 * @param previous then.
 * @param objects  the queues, caches and regions that are open.
 * @param before   what was open at the last look, by id.
 * @param troubles what could not be read at this look.
 */
record Frame(
    Device device, double seconds, Map<Key, Long> sums, Map<Key, Long> previous, List<LiveObject> objects,
    Map<Long, LiveObject> before, List<String> troubles) {
    /**
     * A device.
     *
     * @param pid          whose.
     * @param address      as it was opened by.
     * @param number       which of those that the process opened.
     * @param description  what it is.
     * @param openedMillis when it was opened.
     * @param state        0 works, 1 failed, 2 closing.
     */
    record Device(long pid, String address, int number, String description, long openedMillis, long state) {
        String stateName() {
            return DeviceKind.STATES.of((int) state);
        }
    }

    boolean hasRates() {
        return seconds > 0;
    }

    /** Growth per second of a number; NaN where there is none. A number that is new began at 0. */
    double rate(final Key key) {
        return key.isGauge() ? Double.NaN : rate(sums.getOrDefault(key, 0L), previous.getOrDefault(key, 0L));
    }

    /** Growth per second of a counter of a queue. */
    double rate(final LiveObject object, final Metric metric) {
        final LiveObject then = before.get(object.id());
        return rate(metric.of(object), then == null ? 0 : metric.of(then));
    }

    private double rate(final long now, final long then) {
        return hasRates() ? Math.max(0, now - then) / seconds : Double.NaN;
    }

    /** The open objects of a kind. */
    List<LiveObject> objects(final LiveKind kind) {
        return objects.stream().filter(object -> object.kind() == kind).toList();
    }
}
