/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rdma4j.RdmaException;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

class AsyncEventTest {
    private static final Duration LONG = Patience.duration();

    @RegisterExtension
    final Devices devices = new Devices();

    /** Checks an event and acknowledges it. */
    static void assertEvent(
        final AsyncEvent event, final AsyncEventType type, final Object element, final int number) {
        assertThat(event).as("awaited: %s of %s", type, element).isNotNull();
        event.acknowledge();
        assertThat(event.type()).as("%s", event).isEqualTo(type);
        assertThat(event.element()).as("%s", event).isSameAs(element);
        assertThat(event.number()).as("%s", event).isEqualTo(number);
    }

    @Test
    void tellsWhenASharedQueueRunsLow() {
        final PvrdmaContext device = devices.open();
        final var pd = device.allocatePd();
        final var srq = pd.createSrq(8, 1);
        final Peer a = Peer.rc(devices.open());
        final Peer b = new Peer(device, pd, device.createCq(512), new QpOptions().srq(srq));
        a.connect(b);
        for (int i = 0; i < 4; i++) {
            srq.postReceive(i, b.at(0), 8, b.lkey());
        }
        srq.armLimit(3);
        a.qp.postSend(1, a.at(0), 8, a.lkey());
        assertThat(device.pollAsyncEvent()).as("3 are left").isNull();
        a.qp.postSend(2, a.at(0), 8, a.lkey());

        assertEvent(device.awaitAsyncEvent(LONG), AsyncEventType.SRQ_LIMIT_REACHED, srq, ((PvrdmaSrq) srq).handle);
        assertThat(device.pollAsyncEvent()).isNull();
        srq.armLimit(2);
        assertThat(device.pollAsyncEvent()).as("2 are left").isNull();
        srq.armLimit(3);
        assertEvent(device.awaitAsyncEvent(LONG), AsyncEventType.SRQ_LIMIT_REACHED, srq, ((PvrdmaSrq) srq).handle);
        assertThat(srq.queryLimit()).isZero();
    }

    @Test
    void namesTheObjectOfEachEvent() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(device);
        a.connect(Peer.rc(devices.open()));
        final var faults = Devices.emulated(device).faults();
        final int qp = ((PvrdmaQp) a.qp).handle;
        faults.raiseEvent(AsyncEventType.COMM_EST.ordinal(), qp);
        faults.raiseEvent(AsyncEventType.CQ_ERR.ordinal(), ((PvrdmaCq) a.cq).handle);
        faults.raiseEvent(AsyncEventType.PORT_ERR.ordinal(), 1);
        assertEvent(device.pollAsyncEvent(), AsyncEventType.COMM_EST, a.qp, qp);
        assertEvent(device.pollAsyncEvent(), AsyncEventType.CQ_ERR, a.cq, ((PvrdmaCq) a.cq).handle);
        assertEvent(device.pollAsyncEvent(), AsyncEventType.PORT_ERR, device, 1);
        assertThat(device.pollAsyncEvent()).isNull();
        assertThat(a.qp.state()).isEqualTo(QpState.RTS);
        faults.raiseEvent(AsyncEventType.QP_FATAL.ordinal(), qp);
        assertEvent(device.awaitAsyncEvent(LONG), AsyncEventType.QP_FATAL, a.qp, qp);
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
    }

    /** Whatever a device makes up, the application sees no half of an event. */
    @Test
    void countsWhatItCannotName() {
        final PvrdmaContext device = devices.open();
        final var faults = Devices.emulated(device).faults();
        for (final int type : new int[] {1000, -2, 19, 20, Integer.MIN_VALUE}) {
            faults.raiseEvent(type, 5);
        }
        for (final AsyncEventType type : AsyncEventType.values()) {
            if (type.name().startsWith("QP") || type.name().startsWith("SRQ") || type.name().startsWith("SQ")
                || type.name().startsWith("CQ")) {
                faults.raiseEvent(type.ordinal(), 0xabcdef);
                faults.raiseEvent(type.ordinal(), -1);
            }
        }
        for (int i = 0; i < 5; i++) {
            assertEvent(device.pollAsyncEvent(), AsyncEventType.UNKNOWN, device, 5);
        }
        assertThat(device.pollAsyncEvent()).isNull();
        assertThat(device.counters())
            .containsEntry("asynchronous events of unknown type", 5L)
            .containsEntry("asynchronous events of objects that are not there", 16L);
        assertThat(device.isFailed()).isFalse();
    }

    @Test
    void wakesEachWaitingThreadOnce() throws InterruptedException {
        final PvrdmaContext device = devices.open();
        final List<AsyncEvent> seen = Collections.synchronizedList(new ArrayList<>());
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            final Thread thread = new Thread(() -> seen.add(device.awaitAsyncEvent(LONG)));
            threads.add(thread);
            thread.start();
        }
        for (int i = 0; i < 3; i++) {
            Thread.sleep(5);
            Devices.emulated(device).faults().raiseEvent(AsyncEventType.PORT_ACTIVE.ordinal(), 10 + i);
        }
        for (final Thread thread : threads) {
            Patience.join(thread);
        }
        assertThat(seen).extracting(AsyncEvent::number).containsExactlyInAnyOrder(10, 11, 12);
    }

    @Test
    void givesTheDeviceUpWhenItSaysSo() {
        final PvrdmaContext device = devices.open();
        Devices.emulated(device).faults().raiseEvent(AsyncEventType.DEVICE_FATAL.ordinal(), 0);
        assertEvent(device.awaitAsyncEvent(LONG), AsyncEventType.DEVICE_FATAL, device, 0);
        assertThat(device.isFailed()).isTrue();
        assertThat(device.pollAsyncEvent()).isNull();
        assertThat(device.awaitAsyncEvent(Duration.ofMillis(5))).isNull();
    }

    @Test
    void waitsForNothingMoreOfAFailedDevice() throws InterruptedException {
        final PvrdmaContext device = devices.open();
        final List<AsyncEvent> seen = Collections.synchronizedList(new ArrayList<>());
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            final Thread thread = new Thread(() -> {
                final AsyncEvent event = device.awaitAsyncEvent(Duration.ofMinutes(10));
                if (event != null) {
                    seen.add(event);
                }
            });
            threads.add(thread);
            thread.start();
        }
        device.device.fail("test");
        for (final Thread thread : threads) {
            Patience.join(thread, () -> "seen: " + seen);
        }
        assertThat(seen).extracting(AsyncEvent::type).containsExactly(AsyncEventType.DEVICE_FATAL);
        final long start = System.nanoTime();
        assertThat(device.awaitAsyncEvent(LONG)).isNull();
        assertThat(System.nanoTime() - start).isLessThan(LONG.toNanos() / 4);
    }

    @Test
    void givesTheDeviceUpForAnEventRingThatCannotBe() {
        final PvrdmaContext device = devices.open();
        Devices.emulated(device).faults().corruptAsyncRing();
        assertThat(device.awaitAsyncEvent(LONG).type()).isEqualTo(AsyncEventType.DEVICE_FATAL);
        assertThat(device.failure()).contains("asynchronous events");
    }

    @Test
    void survivesTheRemovalOfTheDevice() {
        final PvrdmaContext device = devices.open("timeout=200");
        final Peer a = Peer.rc(device);
        a.connect(Peer.rc(devices.open()));
        a.qp.postReceive(1, a.at(0), 8, a.lkey());
        Devices.emulated(device).faults().remove();
        a.qp.postSend(1, a.at(0), 8, a.lkey());
        a.cq.poll(c -> { }, 1);
        assertThat(catchThrowable(device::allocatePd))
            .isInstanceOf(RdmaException.class);
        assertThat(device.isFailed()).isTrue();
        device.close();
        assertThat(a.qp.isClosed()).isTrue();
    }

    @Test
    void givesTheDeviceUpWhenAResponseIsLost() {
        final PvrdmaContext device = devices.open("timeout=100");
        Devices.emulated(device).faults().commands().loseNextResponse();
        Refusals.assertRefused(RdmaException.ETIMEDOUT, device::allocatePd);
        assertThat(device.isFailed()).isTrue();
        assertThat(device.awaitAsyncEvent(LONG).type()).isEqualTo(AsyncEventType.DEVICE_FATAL);
    }
}
