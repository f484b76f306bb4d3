/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.live.LivePublisher;
import io.rdma4j.verbs.pvrdma.live.DeviceKind;

/** What others see of the device itself. Thread-safe. */
final class DeviceEntry implements AutoCloseable {
    private static final long FAILED = 1;
    private static final long CLOSING = 2;

    private final LivePublisher live;
    private final LiveEntry entry;
    private int err;

    DeviceEntry(final LivePublisher live) {
        this.live = live;
        this.entry = live.add(DeviceKind.KIND, 0);
    }

    /** Sets one of {@link DeviceKind} and shows it. */
    synchronized void set(final int place, final long value) {
        entry.set(place, value).publish();
    }

    /** What ERR was read as; it is mostly what it was before. */
    synchronized void err(final int value) {
        if (value != err) {
            err = value;
            set(DeviceKind.ERR, Integer.toUnsignedLong(value));
        }
    }

    /** The device was given up. */
    void failed(final String reason) {
        set(DeviceKind.STATE, FAILED);
        live.error(RdmaException.of("use of the device").detail("it is given up: %s", reason).build());
    }

    void closing() {
        set(DeviceKind.STATE, CLOSING);
    }

    @Override
    public void close() {
        entry.close();
    }
}
