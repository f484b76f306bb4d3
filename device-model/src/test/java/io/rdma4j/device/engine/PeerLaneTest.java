/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.DeviceAddress;
import io.rdma4j.device.common.Counters;
import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.device.link.Ack;
import io.rdma4j.device.link.Destination;
import io.rdma4j.device.link.InProcessLink;
import io.rdma4j.device.link.Message;
import io.rdma4j.device.link.Port;
import io.rdma4j.device.memory.EmulatedIommu;
import io.rdma4j.device.wire.Lane;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a peer is looked for: each look may cost files, or a lock of all queues of a device. */
class PeerLaneTest {
    private final End own = new End();
    private final End peer = new End();
    private final QpAttributes attributes = new QpAttributes();
    private PeerLane lane;

    /** A device without queues; it counts how often it is looked for. */
    private static final class End implements Port {
        private boolean remote;
        private Lane way;
        private int looks;

        @Override
        public int deliver(Message message) {
            return Ack.NO_RESPONSE;
        }

        @Override
        public Destination find(int qpn) {
            return null;
        }

        @Override
        public boolean isUp() {
            looks++;
            return true;
        }

        @Override
        public boolean isRemote() {
            return remote;
        }

        @Override
        public Lane lane(long sourceHigh, long sourceLow) {
            return way;
        }
    }

    private static final class Way extends Lane {
        private boolean open = true;

        @Override
        public long claim(int length) {
            return 0;
        }

        @Override
        public void commit(int trafficClass, int flowLabel, int hopLimit) {
            throw new AssertionError("nothing was claimed");
        }

        @Override
        public boolean isOpen() {
            return open;
        }
    }

    @BeforeEach
    void connect() {
        final Counters counters = new Counters();
        final InProcessLink link = new InProcessLink();
        final EngineContext context = new EngineContext(new EngineEnvironment(
            DeviceOptions.of(DeviceAddress.parse("emulated:lanes")), counters, new EmulatedIommu(counters), link,
            new NoEvents(), null, false), own, () -> { }, queue -> { });
        context.gids().bind(0, new GidEntry(1, 1, 2));
        assertThat(link.bind(peer, 1, 2)).isTrue();
        attributes.destGidHigh = 1;
        attributes.destGidLow = 2;
        lane = new PeerLane(context, attributes);
    }

    /** A lack of descriptors or of memory passes, and no route changes with it. */
    @Test
    void aPeerOfWhomThereWasNoLaneIsLookedForAgain() {
        peer.remote = true;
        assertThat(lane.isRemote()).isTrue();
        assertThat(lane.get()).isNull();
        final Way way = new Way();
        peer.way = way;
        assertThat(lane.get()).isSameAs(way);
        final int looks = peer.looks;
        assertThat(lane.get()).isSameAs(way);
        assertThat(lane.isRemote()).isTrue();
        assertThat(peer.looks).as("once there is a lane").isEqualTo(looks);
        way.open = false;
        peer.way = new Way();
        assertThat(lane.get()).isSameAs(peer.way);
    }

    @Test
    void aPeerOfThisJvmIsLookedForOnce() {
        for (int i = 0; i < 3; i++) {
            assertThat(lane.isRemote()).isFalse();
            assertThat(lane.get()).isNull();
        }
        assertThat(peer.looks).isEqualTo(1);
    }

    @Test
    void nobodyIsLookedForOnce() {
        attributes.destGidLow = 3;
        for (int i = 0; i < 3; i++) {
            assertThat(lane.isRemote()).isFalse();
            assertThat(lane.get()).isNull();
        }
        assertThat(own.looks).isEqualTo(1);
    }
}
