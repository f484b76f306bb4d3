/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rdma4j.RdmaException;
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
    private static final Duration LONG = Duration.ofSeconds(20);

    @RegisterExtension
    final Devices devices = new Devices();

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

        assertThat(device.awaitAsyncEvent(LONG))
            .isEqualTo(new AsyncEvent(AsyncEventType.SRQ_LIMIT_REACHED, srq, ((PvrdmaSrq) srq).handle));
        assertThat(device.pollAsyncEvent()).isNull();
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
        faults.raiseEvent(AsyncEventType.SQ_DRAINED.ordinal(), 0xabcdef);
        faults.raiseEvent(1000, 5);

        assertThat(device.pollAsyncEvent()).isEqualTo(new AsyncEvent(AsyncEventType.COMM_EST, a.qp, qp));
        assertThat(device.pollAsyncEvent().element()).isSameAs(a.cq);
        assertThat(device.pollAsyncEvent()).isEqualTo(new AsyncEvent(AsyncEventType.PORT_ERR, device, 1));
        assertThat(device.pollAsyncEvent()).isEqualTo(new AsyncEvent(AsyncEventType.SQ_DRAINED, null, 0xabcdef));
        assertThat(device.pollAsyncEvent().type()).isEqualTo(AsyncEventType.UNKNOWN);
        assertThat(device.pollAsyncEvent()).isNull();
        assertThat(a.qp.state()).isEqualTo(QpState.RTS);
        faults.raiseEvent(AsyncEventType.QP_FATAL.ordinal(), qp);
        assertThat(device.awaitAsyncEvent(LONG).element()).isSameAs(a.qp);
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
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
            thread.join(30_000);
        }
        assertThat(seen).extracting(AsyncEvent::number).containsExactlyInAnyOrder(10, 11, 12);
    }

    @Test
    void givesTheDeviceUpWhenItSaysSo() {
        final PvrdmaContext device = devices.open();
        Devices.emulated(device).faults().raiseEvent(AsyncEventType.DEVICE_FATAL.ordinal(), 0);
        assertThat(device.awaitAsyncEvent(LONG))
            .isEqualTo(new AsyncEvent(AsyncEventType.DEVICE_FATAL, device, 0));
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
            thread.join(10_000);
            assertThat(thread.isAlive()).as("still waiting, seen: %s", seen).isFalse();
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
