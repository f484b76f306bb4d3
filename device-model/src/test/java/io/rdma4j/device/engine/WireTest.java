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

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

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
        private final List<Long> waits = new CopyOnWriteArrayList<>();
        /** How often it is to be looked for a frame until it is found; 0 for none. */
        private int looks;
        /** How often it is to be looked for one that nobody knows of before it is sought. */
        private int hidden;
        private volatile boolean isAsked;
        private volatile boolean isWoken;
        private volatile boolean isHeldUp;
        private final AtomicInteger wakers = new AtomicInteger();
        private final CountDownLatch isBeingWoken = new CountDownLatch(1);
        private final CountDownLatch mayBeWoken = new CountDownLatch(1);

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
            return looks == 0 ? 0 : --looks == 0 ? 1 : 0;
        }

        @Override
        public boolean hasMore() {
            return looks > 0;
        }

        @Override
        public void seek() {
            looks += hidden;
            hidden = 0;
        }

        @Override
        public boolean isLonely() {
            isAsked = true;
            return false;
        }

        @Override
        public void flush() {
            // Nothing was sent.
        }

        @Override
        public void wakeUp() {
            if (wakers.incrementAndGet() == 1 && isHeldUp) {
                isBeingWoken.countDown();
                await(mayBeWoken);
            }
            wakers.decrementAndGet();
        }

        private static void await(CountDownLatch latch) {
            try {
                latch.await(Patience.nanos(), TimeUnit.NANOSECONDS);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
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

    /** A carrier with many peers does not look at each of them each time. */
    @Test
    void whatLiesSomewhereIsTakenBeforeAQueuePairIsReady() {
        carrier.looks = 5;
        wire.takeWhatCame();
        assertThat(carrier.looks).isZero();
    }

    /** A carrier looks for new peers now and then only. */
    @Test
    void whatComesFromSomebodyUnheardOfIsTakenBeforeAQueuePairIsReady() {
        carrier.hidden = 5;
        wire.takeWhatCame();
        assertThat(carrier.hidden + carrier.looks).isZero();
    }

    /** The carrier may be closed by then, and its memory gone. */
    @Test
    void afterItsEndTheCarrierIsNotAskedForWhatCame() {
        assertThat(wire.end(LONG)).isTrue();
        wire.takeWhatCame();
        assertThat(carrier.isAsked).isFalse();
    }

    /** What the carrier is woken by may be gone when it is closed. */
    @Test
    void whoEndsItWaitsForWhoIsAboutToWakeIt() throws Exception {
        carrier.isHeldUp = true;
        final CompletableFuture<Void> sleeps = CompletableFuture.runAsync(() -> wire.await(Patience.nanos()));
        while (carrier.waits.isEmpty()) {
            Thread.onSpinWait();
        }
        final CompletableFuture<Void> wants = CompletableFuture.runAsync(wire::takeWhatCame);
        Idle.await(carrier.isBeingWoken);
        carrier.isWoken = true;
        sleeps.get();
        final CompletableFuture<Boolean> isAlone =
            CompletableFuture.supplyAsync(() -> wire.end(Patience.nanos()) && carrier.wakers.get() == 0);
        final long looked = System.nanoTime();
        while (!isAlone.isDone() && System.nanoTime() - looked < LONG / 5) {
            Thread.onSpinWait();
        }
        carrier.mayBeWoken.countDown();
        assertThat(isAlone.get()).isTrue();
        wants.get();
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
