/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.link;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.device.wire.Carrier;
import io.rdma4j.device.wire.Gid;
import io.rdma4j.device.wire.Lane;
import io.rdma4j.queues.Padded;

import java.util.HashMap;
import java.util.Map;

/**
 * The link of a device with a wire: devices of this JVM are reached directly or, while their
 * port is down, not at all; all others by packets. A peer of whom
 * there is no lane is looked for each time.
 */
public final class WireLink extends Padded implements Link {
    /** So many peers are known at once; with one more they are looked up anew. */
    private static final int MAX_PEERS = 4096;

    private final InProcessLink jvm;
    private final Carrier carrier;
    private final boolean shortcut;
    private final boolean optional;
    private final Map<Gid, Remote> peers = new HashMap<>();
    private int peersEpoch;

    /**
     * A link.
     *
     * @param jvm      to devices of this JVM.
     * @param carrier  to all others.
     * @param shortcut whether devices of this JVM are reached directly; else they are reached by packets too, as if
     *                 they were elsewhere.
     * @param optional whether a device does without the carrier where another process has its GID.
     */
    public WireLink(InProcessLink jvm, Carrier carrier, boolean shortcut, boolean optional) {
        this.jvm = jvm;
        this.carrier = carrier;
        this.shortcut = shortcut;
        this.optional = optional;
    }

    @Override
    public Port route(long high, long low) {
        return shortcut && jvm.has(high, low) ? jvm.route(high, low) : remote(high, low);
    }

    private synchronized Port remote(long high, long low) {
        final Gid gid = new Gid(high, low);
        if (peersEpoch != carrier.epoch() || peers.size() == MAX_PEERS) {
            peersEpoch = carrier.epoch();
            peers.clear();
        }
        final Remote known = peers.get(gid);
        if (known != null && known.isInUse()) {
            return known;
        }
        if (!carrier.reaches(gid)) {
            peers.remove(gid);
            return null;
        }
        return peers.computeIfAbsent(gid, one -> new Remote(carrier, one));
    }

    /** Each changes only upwards, so the sum changes with either. */
    @Override
    public int epoch() {
        return jvm.epoch() + carrier.epoch();
    }

    @Override
    public boolean bind(Port port, long high, long low) {
        if (!jvm.bind(port, high, low)) {
            return false;
        }
        try {
            carrier.bind(new Gid(high, low));
        } catch (final RdmaException e) {
            if (!optional) {
                jvm.unbind(port, high, low);
                throw e;
            }
        }
        return true;
    }

    @Override
    public void unbind(Port port, long high, long low) {
        new Cleanup().run(() -> carrier.unbind(new Gid(high, low))).run(() -> jvm.unbind(port, high, low))
            .throwIfFailed();
    }

    @Override
    public void reroute() {
        jvm.reroute();
    }

    @Override
    public void whenChanged(Runnable again) {
        jvm.whenChanged(again);
    }

    @Override
    public void forget(Runnable again) {
        jvm.forget(again);
    }

    @Override
    public void changed() {
        jvm.changed();
    }

    @Override
    public Agenda agenda() {
        return jvm.agenda();
    }

    @Override
    public String toString() {
        return "WireLink[" + carrier + (shortcut ? ", " + jvm : "") + "]";
    }

    /** A device of another process or host. */
    private static final class Remote implements Port {
        private final Carrier carrier;
        private final Gid gid;
        /** The lane asked for last, and the GID that it comes from. */
        private volatile Way last = new Way(new Gid(0, 0), null);

        Remote(Carrier carrier, Gid gid) {
            this.carrier = carrier;
            this.gid = gid;
        }

        /** Whether there is a lane: it tells when the peer goes. */
        boolean isInUse() {
            final Lane lane = last.lane;
            return lane != null && lane.isOpen();
        }

        @Override
        public int deliver(Message message) {
            return message.datagram
                ? DatagramFrames.send(lane(message.sourceGidHigh, message.sourceGidLow), message) : Ack.NO_RESPONSE;
        }

        @Override
        public Destination find(int qpn) {
            return null;
        }

        @Override
        public boolean isUp() {
            return true;
        }

        @Override
        public boolean isRemote() {
            return true;
        }

        @Override
        public Lane lane(long sourceHigh, long sourceLow) {
            Way way = last;
            if (way.lane == null || !way.lane.isOpen() || way.source.high() != sourceHigh
                || way.source.low() != sourceLow) {
                final Gid source = new Gid(sourceHigh, sourceLow);
                way = new Way(source, carrier.lane(source, gid));
                last = way;
            }
            return way.lane;
        }
    }

    private record Way(Gid source, Lane lane) {
    }
}
