/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import java.util.Locale;

/** Those of the device's counters that have a name of their own; all others go by their label. */
enum DeviceCounter {
    COMMANDS("commands", "commands", "Commands that the driver sent."),
    COMMANDS_REFUSED("commands refused", "commands refused", "Commands that the device refused."),
    ASYNC_EVENTS("asynchronous events", "asynchronous events", "Asynchronous events that were taken."),
    COMPLETION_NOTICES("completion notices", "completion notices", "Notices of armed completion queues."),
    /** Counted by an emulated device; no other one tells. */
    RNR("device: receiver not ready", "receiver not ready", "Times that a send found no receive."),
    /** Counted by an emulated device; no other one tells. */
    RETRIES("device: sends tried again", "retries", "Sends that were tried again."),
    /** Goes up and down. */
    REACHABLE_BYTES("reachable bytes", "reachable bytes", "Bytes of memory that are pinned for the device.");

    private final String label;
    private final String title;
    private final String help;

    DeviceCounter(final String label, final String title, final String help) {
        this.label = label;
        this.title = title;
        this.help = help;
    }

    static Key keyOf(final String label) {
        for (final DeviceCounter counter : values()) {
            if (counter.label.equals(label)) {
                return counter.key();
            }
        }
        return new Key(Key.Group.DEVICE, label, label);
    }

    Key key() {
        return new Key(isGauge() ? Key.Group.GAUGES : Key.Group.TOTALS, name().toLowerCase(Locale.ROOT), title);
    }

    boolean isGauge() {
        return this == REACHABLE_BYTES;
    }

    /** One sentence. */
    String help() {
        return help;
    }
}
