/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.ReturnCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** The memory of a closed ring is not used for anything else while a thread stands still in the middle of it. */
class ClosedRingsTest {
    private static final long LONGER_THAN_THE_REST_MILLIS = 30;

    @RegisterExtension
    final Devices devices = new Devices();

    private final PvrdmaContext context = devices.open();
    private final Peer peer = Peer.rc(context);

    private int usedPages() throws InterruptedException {
        Thread.sleep(LONGER_THAN_THE_REST_MILLIS);
        context.closedRings.clearOld();
        return context.device.arena().usedPages();
    }

    @Test
    void aClosedRingGivesItsPagesBack() throws InterruptedException {
        final int before = usedPages();
        final PvrdmaQp qp = newQp();
        assertThat(usedPages()).isGreaterThan(before);
        qp.close();
        assertThat(usedPages()).isEqualTo(before);
    }

    private PvrdmaQp newQp() {
        return (PvrdmaQp) peer.pd.createQp(new QpOptions().cq(peer.cq));
    }

    @Test
    void waitsForAThreadThatIsPostingASend() throws InterruptedException {
        final int before = usedPages();
        final PvrdmaQp qp = newQp();
        qp.sends.queue.beginPost();
        qp.close();
        assertThat(usedPages()).as("in the middle of a post").isGreaterThan(before);
        qp.sends.queue.endPost();
        assertThat(usedPages()).isEqualTo(before);
    }

    @Test
    void waitsForAThreadThatIsPostingAReceive() throws InterruptedException {
        final int before = usedPages();
        final PvrdmaQp qp = newQp();
        qp.receives.queue.beginPost();
        qp.close();
        assertThat(usedPages()).as("in the middle of a post").isGreaterThan(before);
        qp.receives.queue.endPost();
        assertThat(usedPages()).isEqualTo(before);
    }

    @Test
    void waitsForAThreadThatIsPolling() throws InterruptedException {
        final Peer far = Peer.rc(context);
        final int before = usedPages();
        final PvrdmaCq cq = (PvrdmaCq) context.createCq(16);
        final PvrdmaQp qp = (PvrdmaQp) peer.pd.createQp(new QpOptions().cq(cq).maxSendWr(4).maxReceiveWr(4));
        QpConnector.connect(qp, far.qp.localAddress());
        QpConnector.connect(far.qp, qp.localAddress());
        assertThat(far.qp.postReceive(1, far.at(0), 8, far.lkey())).isEqualTo(ReturnCode.OK);
        assertThat(qp.postSend(1, peer.at(0), 8, peer.lkey())).isEqualTo(ReturnCode.OK);
        final CountDownLatch inHandler = new CountDownLatch(1);
        final CountDownLatch closed = new CountDownLatch(1);
        final Thread poller = new Thread(() -> cq.poll(completion -> {
            inHandler.countDown();
            awaitUninterruptibly(closed);
        }, 1));
        poller.start();
        Patience.await(inHandler, "the handler's call");
        qp.close();
        cq.close();
        assertThat(usedPages()).as("in the middle of a poll").isGreaterThan(before);
        closed.countDown();
        Patience.join(poller);
        assertThat(usedPages()).isEqualTo(before);
    }

    private static void awaitUninterruptibly(final CountDownLatch latch) {
        try {
            Patience.await(latch, "the other thread");
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void whatWasGivenBackIsForgottenAndTheEndOfTheDeviceGivesTheRestBack() throws InterruptedException {
        final int before = usedPages();
        final ClosedRings rings = new ClosedRings();
        final AtomicInteger asked = new AtomicInteger();
        rings.bury(context.device.arena().allocate(1), () -> asked.incrementAndGet() < 0);
        rings.bury(context.device.arena().allocate(1), () -> true);
        Thread.sleep(LONGER_THAN_THE_REST_MILLIS);
        rings.clearOld();
        assertThat(asked).hasValue(1);
        assertThat(usedPages()).as("the one in use").isEqualTo(before + 1);
        rings.clearOld();
        assertThat(asked).as("nobody asks for what is gone").hasValue(1);
        rings.clear();
        assertThat(usedPages()).isEqualTo(before);
    }

    @Test
    void aPostThatIsRefusedLeavesNoTrace() {
        assertThat(peer.qp.postReceive(1, peer.at(0), 8, peer.lkey())).isEqualTo(ReturnCode.WRONG_STATE);
        QpConnector.connect(peer.qp, peer.qp.localAddress());
        assertThat(peer.qp.postReceive(1, peer.at(0), -1, peer.lkey())).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(peer.qp.postSend(null)).isEqualTo(ReturnCode.INVALID_REQUEST);
        final PvrdmaQp qp = (PvrdmaQp) peer.qp;
        assertThat(qp.sends.isInUse()).isFalse();
        assertThat(qp.receives.isInUse()).isFalse();
        qp.close();
        assertThat(qp.postReceive(1, peer.at(0), 8, peer.lkey())).isEqualTo(ReturnCode.CLOSED);
        assertThat(qp.receives.isInUse()).isFalse();
    }
}
