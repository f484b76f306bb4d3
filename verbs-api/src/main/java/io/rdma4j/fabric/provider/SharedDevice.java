/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.provider;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

/**
 * The device of a fabric: opened with the first domain, shared by all, closed with the last, because many devices can
 * be opened only once. A device that the application opened stays its own. Thread-safe.
 */
final class SharedDevice {
    private final String address;
    private final RdmaContext given;
    private RdmaContext context;
    private DeviceEvents events;
    private int users;

    /** The context of the application, or null to open one. */
    SharedDevice(final String address, final RdmaContext given) {
        this.address = address;
        this.given = given;
    }

    /** Opening is no matter of moments; but who comes second needs the same device, and waits for it here. */
    synchronized RdmaContext acquire() {
        if (users == 0) {
            context = given == null ? open() : given;
            events = new DeviceEvents(context);
        }
        users++;
        return context;
    }

    private RdmaContext open() {
        try {
            return RdmaDevices.open(address);
        } catch (final RdmaException e) {
            throw FabricException.from("open domain", e);
        }
    }

    /** Of the device that is open. */
    synchronized DeviceEvents events() {
        return events;
    }

    synchronized void release() {
        if (--users > 0) {
            return;
        }
        try {
            events.close();
        } finally {
            if (given == null) {
                context.close();
            }
        }
    }
}
