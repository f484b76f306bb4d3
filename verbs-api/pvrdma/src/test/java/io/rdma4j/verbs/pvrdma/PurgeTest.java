/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.testing.Loopback;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SharedReceiveQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

/** What closed QPs leave in a CQ. */
class PurgeTest {
    @RegisterExtension
    final Devices devices = new Devices();

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void aCqThatIsClosedUnpolledGivesSharedReceivesBack(final int polled) {
        final PvrdmaContext device = devices.open();
        final Peer far = Peer.rc(devices.open());
        final ProtectionDomain pd = device.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(4, 1);
        final Peer a = new Peer(device, pd, device.createCq(512), new QpOptions().srq(srq));
        a.connect(far);
        for (int i = 0; i < 4; i++) {
            srq.postReceive(i, a.at(0), 8, a.lkey());
            far.qp.postSend(i, far.at(0), 8, far.lkey());
            a.qp.postSend(i, a.at(0), 8, a.lkey());
        }
        Completions.await(far.cq, 4);
        if (polled > 0) {
            Completions.await(a.cq, polled);
        }
        a.qp.close();
        a.cq.close();
        for (int i = 0; i < 4; i++) {
            assertThat(srq.postReceive(i, a.at(0), 8, a.lkey())).as("%d of %s", i, srq).isZero();
        }
        assertThat(srq.postReceive(4, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.QUEUE_FULL);
    }

    /** Two of four shared receives have completed, and two sends of the same QP. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sendsOfAClosedQpGiveNoSharedReceiveBack(final boolean closesTheCq) {
        final PvrdmaContext device = devices.open();
        final Peer far = Peer.rc(devices.open());
        final ProtectionDomain pd = device.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(4, 1);
        final Peer a = new Peer(device, pd, device.createCq(512), new QpOptions().srq(srq));
        a.connect(far);
        for (int i = 0; i < 4; i++) {
            assertThat(srq.postReceive(i, a.at(0), 8, a.lkey())).isZero();
        }
        for (int i = 0; i < 2; i++) {
            assertThat(far.qp.postReceive(i, far.at(0), 8, far.lkey())).isZero();
            assertThat(far.qp.postSend(i, far.at(0), 8, far.lkey())).isZero();
            assertThat(a.qp.postSend(i, a.at(0), 8, a.lkey())).isZero();
        }
        Completions.await(far.cq, 4);
        Crew.await("four completions", () -> ((PvrdmaCq) a.cq).tailPosition() == 4);
        a.qp.close();
        if (closesTheCq) {
            a.cq.close();
        } else {
            Completions.assertNone(a.cq);
        }
        assertThat(((PvrdmaSrq) srq).queue.outstanding()).isEqualTo(2);
    }

    /**
     * Of three shared receives that have completed two are delivered when the queue is closed, the second one still in
     * its handler: by the thread that polls, or by another one.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCqThatIsClosedInAHandlerCountsEachSharedReceiveOnce(final boolean byThePoller) throws Exception {
        final PvrdmaContext device = devices.open();
        final Peer farOfA = Peer.rc(devices.open());
        final Peer farOfB = Peer.rc(devices.open());
        final ProtectionDomain pd = device.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(8, 1);
        final Peer a = new Peer(device, pd, device.createCq(512), new QpOptions().srq(srq));
        final Peer b = new Peer(device, pd, device.createCq(512), new QpOptions().srq(srq));
        a.connect(farOfA);
        b.connect(farOfB);
        for (int i = 0; i < 4; i++) {
            assertThat(srq.postReceive(i, b.at(0), 8, b.lkey())).isZero();
        }
        for (int i = 0; i < 3; i++) {
            assertThat(farOfA.qp.postSend(i, farOfA.at(0), 8, farOfA.lkey())).isZero();
        }
        Completions.await(farOfA.cq, 3);
        final Runnable close = () -> {
            a.qp.close();
            a.cq.close();
        };
        final CountDownLatch inHandler = new CountDownLatch(2);
        final CountDownLatch closed = new CountDownLatch(byThePoller ? 0 : 1);
        final FutureTask<Integer> poll = new FutureTask<>(() -> a.cq.poll(c -> {
            inHandler.countDown();
            if (inHandler.getCount() == 0) {
                if (byThePoller) {
                    close.run();
                }
                await(closed);
            }
        }, 16));
        new Thread(poll).start();
        Patience.await(inHandler, "the second handler");
        if (!byThePoller) {
            close.run();
            closed.countDown();
        }
        assertThat(Patience.get(poll)).as("handed over").isEqualTo(2);
        assertThat(((PvrdmaSrq) srq).queue.outstanding()).as("of %s", srq).isEqualTo(1);
        assertThat(farOfB.qp.postSend(9, farOfB.at(0), 8, farOfB.lkey())).isZero();
        assertThat(Completions.awaitSuccess(b.cq).wrId()).isEqualTo(3);
        assertThat(b.cq.dropped()).isZero();
        assertThat(((PvrdmaSrq) srq).queue.outstanding()).isZero();
    }

    private static void await(final CountDownLatch latch) {
        try {
            Patience.await(latch, "the end of the queue");
        } catch (final InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** With a wire a message may stop in the middle. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSharedReceiveThatWasBegunIsFreeWhenItsQpIsGone(final boolean isReset) {
        final int length = 4 << 20;
        final String wire = "wire=udp&shortcut=false&progress=poll&address=";
        final PvrdmaContext device = devices.open(wire + Loopback.address(60));
        final Peer far = Peer.rc(devices.open(wire + Loopback.address(61)));
        final ProtectionDomain pd = device.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(1, 1);
        final Peer a = new Peer(device, pd, device.createCq(512), new QpOptions().srq(srq));
        a.connect(far);
        final PinnedMemory into = device.allocate(length);
        final MemoryRegion there = pd.register(into, AccessFlag.LOCAL_WRITE);
        assertThat(srq.postReceive(1, into.address(), length, there.lkey())).isZero();
        final PinnedMemory from = far.context.allocate(length);
        from.buffer().setMemory(0, length, (byte) 7);
        assertThat(far.qp.postSend(1, from.address(), length, far.pd.register(from).lkey())).isZero();
        final long deadline = System.nanoTime() + Patience.nanos();
        while (into.buffer().getByte(0) == 0) {
            assertThat(System.nanoTime() - deadline).as("nothing comes").isNegative();
            far.cq.poll(c -> { }, 1);
            assertThat(a.cq.poll(c -> { }, 1)).as("all has come at once").isZero();
        }
        assertThat(srq.postReceive(2, into.address(), length, there.lkey())).isEqualTo(ReturnCode.QUEUE_FULL);
        if (isReset) {
            a.qp.modify(QpAttributes.to(QpState.RESET));
        } else {
            a.qp.close();
        }
        Completions.assertNone(a.cq);
        assertThat(srq.postReceive(2, into.address(), length, there.lkey())).isZero();
    }

    @Test
    void aCqThatIsNeverPolledDoesNotCollectWhatIsKnownOfClosedQps() {
        for (final String options : new String[] {"", Devices.QEMU}) {
            final PvrdmaContext device = devices.open(options);
            final Peer far = Peer.rc(devices.open());
            final ProtectionDomain pd = device.allocatePd();
            final CompletionQueue cq = device.createCq(64);
            final Peer memory = new Peer(device, pd, device.createCq(512), new QpOptions());
            for (int i = 0; i < 100; i++) {
                final QueuePair qp = pd.createQp(new QpOptions().cq(cq).maxSendWr(1).maxReceiveWr(1));
                if (i < 2) {
                    connect(qp, far);
                    far.qp.postReceive(i, far.at(0), 8, far.lkey());
                    assertThat(qp.postSend(i, memory.at(0), 8, memory.lkey())).isZero();
                }
                qp.close();
                assertThat(purges(cq)).as("after %d", i).isLessThanOrEqualTo(2);
            }
            assertThat(purges(cq)).isPositive();
            Completions.assertNone(cq);
            assertThat(purges(cq)).isZero();
        }
    }

    @Test
    void aCqThatIsNeverEmptyForgetsWhatItPassed() {
        final PvrdmaContext device = devices.open();
        final Peer far = Peer.rc(devices.open());
        final ProtectionDomain pd = device.allocatePd();
        final CompletionQueue cq = device.createCq(256);
        final Peer memory = new Peer(device, pd, device.createCq(512), new QpOptions());
        final QueuePair stays = pd.createQp(new QpOptions().cq(cq).maxSendWr(64).maxReceiveWr(1));
        final Peer farOfStays = Peer.rc(devices.open());
        connect(stays, farOfStays);
        send(stays, farOfStays, memory, 0);
        for (int i = 1; i <= 60; i++) {
            final QueuePair qp = pd.createQp(new QpOptions().cq(cq).maxSendWr(1).maxReceiveWr(1));
            connect(qp, far);
            send(qp, far, memory, 1000);
            send(stays, farOfStays, memory, i);
            qp.close();
            // The last one stays there, so the queue never looks empty.
            assertThat(cq.poll(c -> assertThat(c.queuePair()).isSameAs(stays), 2)).isEqualTo(1);
            assertThat(purges(cq)).as("after %d", i).isLessThanOrEqualTo(2);
        }
        assertThat(cq.dropped()).isZero();
    }

    private static void send(final QueuePair qp, final Peer far, final Peer memory, final long wrId) {
        far.qp.postReceive(wrId, far.at(0), 8, far.lkey());
        assertThat(qp.postSend(wrId, memory.at(0), 8, memory.lkey())).isZero();
        Completions.await(far.cq, 1);
    }

    /** The peer's QP takes what comes from the last one that was connected. */
    private static void connect(final QueuePair qp, final Peer far) {
        if (far.qp.state() != QpState.RESET) {
            far.qp.modify(QpAttributes.to(QpState.RESET));
        }
        QpConnector.connect(qp, far.qp.localAddress());
        QpConnector.connect(far.qp, qp.localAddress());
    }

    private static int purges(final CompletionQueue cq) {
        final String dump = ((PvrdmaCq) cq).dump();
        final int from = dump.indexOf("purges=") + "purges=".length();
        return Integer.parseInt(dump.substring(from, dump.indexOf(' ', from)));
    }

    /** The device may give the handle to the next QP at once, and again when that one is closed, too. */
    @Test
    void whatIsPassedOverAnywayIsNotRememberedAgain() {
        final Peer a = Peer.rc(devices.open());
        final Peer far = Peer.rc(devices.open());
        a.connect(far);
        send(a.qp, far, a, 1);
        final PvrdmaCq cq = (PvrdmaCq) a.cq;
        Crew.await("a completion", () -> cq.tailPosition() == 1);
        for (int i = 0; i < 3; i++) {
            cq.purge((PvrdmaQp) a.qp);
        }
        assertThat(purges(cq)).isEqualTo(1);
        Completions.assertNone(cq);
        assertThat(purges(cq)).isZero();
    }

    /** The device may give the handle to the next QP at once: only what it had written before is passed over. */
    @Test
    void passesOverNothingThatIsWrittenAfterwards() {
        final Peer a = Peer.rc(devices.open());
        final Peer far = Peer.rc(devices.open());
        a.connect(far);
        send(a.qp, far, a, 1);
        a.qp.close();
        final Forgery device = new Forgery(a.cq);
        for (int i = 0; i < 3; i++) {
            device.write(a.qp, WcOpcode.PVRDMA_WC_SEND, WcStatus.PVRDMA_WC_SUCCESS, 0, 0);
        }
        final Completions completions = new Completions();
        assertThat(a.cq.poll(completions, 16)).as("%s", completions.list).isZero();
        assertThat(a.cq.dropped()).as("of no QP").isEqualTo(3);
    }
}
