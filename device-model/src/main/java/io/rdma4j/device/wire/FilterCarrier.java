/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A carrier that looks at the frames of another one, or does something to them. It owns that one. */
abstract class FilterCarrier implements Carrier {
    private final Carrier carrier;
    private final Map<Lane, Lane> lanes = new ConcurrentHashMap<>();
    private int lanesEpoch;

    FilterCarrier(Carrier carrier) {
        this.carrier = carrier;
    }

    /** {@return the carrier behind this one} */
    final Carrier carrier() {
        return carrier;
    }

    /** Makes a lane in front of another one. */
    abstract Lane filter(Gid source, Gid dest, Lane lane);

    @Override
    public final Lane lane(Gid source, Gid dest) {
        final Lane lane = carrier.lane(source, dest);
        if (lane == null) {
            return null;
        }
        final Lane known = lanes.get(lane);
        return known != null ? known : newLane(source, dest, lane);
    }

    private synchronized Lane newLane(Gid source, Gid dest, Lane lane) {
        final int now = carrier.epoch();
        if (now != lanesEpoch) {
            lanes.keySet().removeIf(each -> !each.isOpen());
            lanesEpoch = now;
        }
        return lanes.computeIfAbsent(lane, each -> filter(source, dest, each));
    }

    @Override
    public int mtu() {
        return carrier.mtu();
    }

    @Override
    public int maxFrame() {
        return carrier.maxFrame();
    }

    @Override
    public List<Gid> gids() {
        return carrier.gids();
    }

    @Override
    public boolean bind(Gid gid) {
        return carrier.bind(gid);
    }

    @Override
    public void unbind(Gid gid) {
        carrier.unbind(gid);
    }

    @Override
    public boolean reaches(Gid dest) {
        return carrier.reaches(dest);
    }

    @Override
    public boolean isOrdered() {
        return carrier.isOrdered();
    }

    @Override
    public int epoch() {
        return carrier.epoch();
    }

    @Override
    public boolean isLonely() {
        return carrier.isLonely();
    }

    @Override
    public boolean hasMore() {
        return carrier.hasMore();
    }

    @Override
    public void seek() {
        carrier.seek();
    }

    @Override
    public void flush() {
        carrier.flush();
    }

    @Override
    public void await(long nanos) {
        carrier.await(nanos);
    }

    @Override
    public void withdraw() {
        carrier.withdraw();
    }

    @Override
    public void wakeUp() {
        carrier.wakeUp();
    }

    @Override
    public void close() {
        carrier.close();
    }
}
