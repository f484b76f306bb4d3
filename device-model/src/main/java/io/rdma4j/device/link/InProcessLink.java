/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.link;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Devices of one JVM. A route is looked up without a lock and without allocation, in a table that is replaced when it
 * changes.
 */
public final class InProcessLink implements Link {
    /** What all devices of this JVM are attached to. */
    public static final InProcessLink JVM = new InProcessLink();

    private final Agenda agenda = new Agenda();
    private final Set<Runnable> unanswered = new LinkedHashSet<>();
    private volatile Routes routes = new Routes(0, 0);

    /** A link of its own, without devices. */
    public InProcessLink() {
        // The fields say it all.
    }

    @Override
    public Port route(long high, long low) {
        final Port port = routes.find(high, low);
        return port != null && port.isUp() ? port : null;
    }

    /** Whether a device of this JVM has the GID, be it down. */
    boolean has(long high, long low) {
        return routes.find(high, low) != null;
    }

    @Override
    public int epoch() {
        return routes.epoch;
    }

    @Override
    public synchronized boolean bind(Port port, long high, long low) {
        final Port holder = routes.find(high, low);
        if (holder == null) {
            routes = routes.with(port, high, low);
        }
        return holder == null || holder == port;
    }

    @Override
    public synchronized void unbind(Port port, long high, long low) {
        if (routes.find(high, low) == port) {
            routes = routes.without(high, low);
        }
    }

    @Override
    public synchronized void reroute() {
        routes = routes.again();
    }

    @Override
    public void whenChanged(Runnable again) {
        synchronized (unanswered) {
            unanswered.add(again);
        }
    }

    @Override
    public void forget(Runnable again) {
        synchronized (unanswered) {
            unanswered.remove(again);
        }
    }

    @Override
    public void changed() {
        synchronized (unanswered) {
            unanswered.forEach(agenda::add);
            unanswered.clear();
        }
    }

    @Override
    public Agenda agenda() {
        return agenda;
    }

    @Override
    public String toString() {
        return "InProcessLink[" + routes.count + " GIDs, epoch " + routes.epoch + "]";
    }

    /** An immutable hash table with open addressing, at most half full. */
    private static final class Routes {
        final int epoch;
        final int count;
        private final long[] highs;
        private final long[] lows;
        private final Port[] ports;

        Routes(int epoch, int count) {
            final int size = Math.max(8, Integer.highestOneBit(Math.max(1, count)) * 4);
            this.epoch = epoch;
            this.count = count;
            this.highs = new long[size];
            this.lows = new long[size];
            this.ports = new Port[size];
        }

        Port find(long high, long low) {
            return ports[slot(high, low)];
        }

        private int slot(long high, long low) {
            final int mask = ports.length - 1;
            int slot = (int) ((high * 31 + low) * 0x9e37_79b9_7f4a_7c15L >>> 40) & mask;
            while (ports[slot] != null && (highs[slot] != high || lows[slot] != low)) {
                slot = slot + 1 & mask;
            }
            return slot;
        }

        private void put(Port port, long high, long low) {
            final int slot = slot(high, low);
            ports[slot] = port;
            highs[slot] = high;
            lows[slot] = low;
        }

        Routes with(Port port, long high, long low) {
            final Routes next = new Routes(epoch + 1, count + 1);
            copyTo(next, -1);
            next.put(port, high, low);
            return next;
        }

        Routes again() {
            final Routes next = new Routes(epoch + 1, count);
            copyTo(next, -1);
            return next;
        }

        Routes without(long high, long low) {
            final Routes next = new Routes(epoch + 1, count - 1);
            copyTo(next, slot(high, low));
            return next;
        }

        private void copyTo(Routes next, int except) {
            for (int i = 0; i < ports.length; i++) {
                if (ports[i] != null && i != except) {
                    next.put(ports[i], highs[i], lows[i]);
                }
            }
        }
    }
}
