/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.DeviceAddress;
import io.rdma4j.device.common.Counters;
import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.device.link.InProcessLink;
import io.rdma4j.device.memory.EmulatedIommu;
import io.rdma4j.device.wire.Carrier;
import io.rdma4j.device.wire.FrameReceiver;
import io.rdma4j.device.wire.Gid;
import io.rdma4j.device.wire.Lane;
import io.rdma4j.testing.Patience;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** What the wire does while nothing comes. */
class WireTest {
    private static final long LONG = 1_000_000_000;

    private final Idle carrier = new Idle();
    private boolean moves;
    private final Counters counters = new Counters();
    private final InProcessLink link = new InProcessLink();
    private final Wire wire = new Wire(new EngineContext(new EngineEnvironment(
        DeviceOptions.of(DeviceAddress.parse("emulated:wires")), counters, new EmulatedIommu(counters), link,
        new NoEvents(), carrier, true), null, () -> { }, queue -> { }), carrier, null);

    /** Brings nothing, and has room for nothing. */
    private static final class Idle implements Carrier {
        private final List<Long> waits = new ArrayList<>();
        private boolean isWoken;

        @Override
        public void await(long nanos) {
            waits.add(nanos);
            final long begun = System.nanoTime();
            while (!isWoken && System.nanoTime() - begun < nanos) {
                Thread.onSpinWait();
            }
        }

        @Override
        public int mtu() {
            return 5;
        }

        @Override
        public int maxFrame() {
            return 4096;
        }

        @Override
        public boolean bind(Gid gid) {
            return true;
        }

        @Override
        public void unbind(Gid gid) {
            // Nobody asks for it.
        }

        @Override
        public Lane lane(Gid source, Gid dest) {
            return null;
        }

        @Override
        public boolean reaches(Gid dest) {
            return false;
        }

        @Override
        public int epoch() {
            return 0;
        }

        @Override
        public int poll(FrameReceiver receiver, int limit) {
            return 0;
        }

        @Override
        public void flush() {
            // Nothing was sent.
        }

        @Override
        public void wakeUp() {
            // Nobody sleeps.
        }

        @Override
        public void close() {
            // It has nothing.
        }
    }

    private void waitForRoom() {
        wire.whenThereIsRoom(this::waitForRoom, moves);
    }

    private void waitOnce() {
        wire.progress();
        wire.await(LONG);
    }

    /** Carriers tell of room; who stops to read for good is not looked after twenty thousand times a second. */
    @Test
    void whoWaitsForRoomInVainWaitsLongerEachTime() {
        waitForRoom();
        for (int i = 0; i < 10; i++) {
            waitOnce();
        }
        assertThat(carrier.waits).startsWith(50_000L, 100_000L, 200_000L, 400_000L).endsWith(10_000_000L, 10_000_000L);
        carrier.isWoken = true;
        // A thread without a processor for 10 ms does not see that it was woken.
        final long deadline = System.nanoTime() + Patience.nanos();
        do {
            carrier.waits.clear();
            waitOnce();
        } while (!carrier.waits.equals(List.of(50_000L)) && System.nanoTime() < deadline);
        assertThat(carrier.waits).as("after something happened").containsExactly(50_000L);
    }

    /** It gives others their turn, and has room: nobody would wake it. */
    @Test
    void whoSendsEachTimeWaitsNoLonger() {
        moves = true;
        waitForRoom();
        for (int i = 0; i < 10; i++) {
            waitOnce();
        }
        assertThat(carrier.waits).containsOnly(50_000L);
    }
}
