/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import java.util.Locale;

/**
 * The name of a number.
 *
 * @param group what kind of number it is.
 * @param name  within the group.
 * @param title the name for people.
 */
record Key(Group group, String name, String title) {
    /** Kinds of numbers. */
    enum Group {
        /** Sums over all queues and caches. */
        TOTALS(0),
        /** Completions by status. */
        STATUSES(0),
        /** What the driver, and an emulated device, count. */
        DEVICE(2),
        /** What goes up and down. */
        GAUGES(1);

        private final int place;

        Group(final int place) {
            this.place = place;
        }

        /** Where it is shown; those of one place in the order in which they come. */
        int place() {
            return place;
        }

        String key() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    boolean isGauge() {
        return group == Group.GAUGES;
    }
}
