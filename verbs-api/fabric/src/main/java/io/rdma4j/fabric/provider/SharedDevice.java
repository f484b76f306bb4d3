/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.provider;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The device of a fabric: opened with the first domain, closed with the last, because many devices can be opened only
 * once. All fabrics of this process that were made for one address, or with one context, share it, and who listens to
 * its events. A device that the application opened stays its own. Thread-safe.
 */
final class SharedDevice {
    private static final Map<String, Opening> BY_ADDRESS = new ConcurrentHashMap<>();
    /** Guarded by itself. Who never closes a domain keeps no context by this that nobody else has any more. */
    private static final Map<RdmaContext, WeakReference<Opening>> BY_CONTEXT = new WeakHashMap<>();

    private final String address;
    /** Null if the device is opened here. */
    private final Opening given;

    /** The context of the application, or null to open one. */
    SharedDevice(final String address, final RdmaContext context) {
        this.address = address;
        given = context == null ? null : of(address, context);
    }

    private static Opening of(final String address, final RdmaContext context) {
        synchronized (BY_CONTEXT) {
            final WeakReference<Opening> known = BY_CONTEXT.get(context);
            final Opening last = known == null ? null : known.get();
            if (last != null) {
                return last;
            }
            final Opening made = new Opening(address, context);
            BY_CONTEXT.put(context, new WeakReference<>(made));
            return made;
        }
    }

    /** A device that is or will be open, and how many use it. */
    private static final class Opening {
        private final String address;
        private final RdmaContext given;
        /** Who has it from the map; changed in the map's functions alone. */
        private int holders;
        private int users;
        private RdmaContext context;
        private DeviceEvents events;

        Opening(final String address, final RdmaContext given) {
            this.address = address;
            this.given = given;
        }

        /** Opening is no matter of moments; but who comes second needs the same device, and waits for it here. */
        synchronized RdmaContext acquire() {
            if (users == 0) {
                context = given == null ? RdmaDevices.open(address) : given;
                events = new DeviceEvents(context);
            }
            users++;
            return context;
        }

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

    /** Has a device looked at: the one that is open here, else it is opened for that long. */
    static void look(final String address, final Consumer<RdmaContext> look) {
        final SharedDevice device = new SharedDevice(address, null);
        final RdmaContext context = device.open();
        try {
            look.accept(context);
        } finally {
            device.release();
        }
    }

    RdmaContext acquire() {
        try {
            return open();
        } catch (final RdmaException e) {
            throw FabricException.from("open domain", e);
        }
    }

    private RdmaContext open() {
        if (given != null) {
            return given.acquire();
        }
        final Opening opening = BY_ADDRESS.compute(address, (any, last) -> {
            final Opening one = last == null ? new Opening(address, null) : last;
            one.holders++;
            return one;
        });
        try (Undo undo = new Undo()) {
            undo.add(this::drop);
            final RdmaContext context = opening.acquire();
            undo.forget();
            return context;
        }
    }

    private void drop() {
        BY_ADDRESS.computeIfPresent(address, (any, opening) -> --opening.holders == 0 ? null : opening);
    }

    /** Of the device that is open. */
    DeviceEvents events() {
        return (given == null ? BY_ADDRESS.get(address) : given).events();
    }

    void release() {
        if (given != null) {
            given.release();
            return;
        }
        try {
            BY_ADDRESS.get(address).release();
        } finally {
            drop();
        }
    }
}
