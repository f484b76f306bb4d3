/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.pvrdma.device.PvrdmaDevice;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Doorbells that are mapped memory, and such that are calls. */
@Timeout(60)
class DoorbellTest {
    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final int PAGE = 4096;

    private final UnsafeBuffer uar = new UnsafeBuffer(ByteBuffer.allocateDirect(PAGE));
    private OtherPlatform platform;
    private PvrdmaContext context;

    private Peer open(final boolean mapped) {
        return open(mapped, "");
    }

    private Peer open(final boolean mapped, final String options) {
        platform = new OtherPlatform(PciDevices.open(
            DeviceAddress.parse("emulated:doorbell" + NAMES.incrementAndGet() + options)));
        platform.mappedUar = mapped ? uar : null;
        context = new PvrdmaContext("emulated:", PvrdmaDevice.open(platform));
        context.bindGid(0, Gid.linkLocal(context.device.caps().nodeGuid()));
        final Peer a = Peer.rc(context);
        a.connect(Peer.rc(context));
        return a;
    }

    @AfterEach
    void close() {
        context.close();
    }

    private int cqWordAfterPolls(final Peer peer, final int polls) {
        uar.putInt(Uar.CQ_OFFSET, 0);
        for (int i = 0; i < polls; i++) {
            assertThat(peer.cq.poll(completion -> { }, 1)).isZero();
        }
        return uar.getInt(Uar.CQ_OFFSET);
    }

    @Test
    void whatPollsInVainAsksTheDeviceNowAndThen() {
        final Peer a = open(true);
        assertThat(cqWordAfterPolls(a, 1000)).isEqualTo(Uar.cqPoll(((PvrdmaCq) a.cq).handle));
    }

    @Test
    void itIsAskedAtEachSoManiethPollAndNotBefore() {
        final Peer a = open(true);
        final int interval = context.traits.pokeInterval;
        assertThat(interval).isGreaterThan(1);
        for (int round = 0; round < 3; round++) {
            assertThat(cqWordAfterPolls(a, interval - 1)).as("round %d", round).isZero();
            assertThat(cqWordAfterPolls(a, 1)).as("round %d", round)
                .isEqualTo(Uar.cqPoll(((PvrdmaCq) a.cq).handle));
        }
    }

    @Test
    void aQueueIsAskedForWhatIsLeftBeforeItIsClosedAndNotAfterwards() {
        open(true);
        final PvrdmaCq cq = (PvrdmaCq) context.createCq(4);
        assertThat(uar.getInt(Uar.CQ_OFFSET)).isZero();
        cq.poke();
        assertThat(uar.getInt(Uar.CQ_OFFSET)).isEqualTo(Uar.cqPoll(cq.handle));
        uar.putInt(Uar.CQ_OFFSET, 0);
        cq.close();
        assertThat(uar.getInt(Uar.CQ_OFFSET)).isEqualTo(Uar.cqPoll(cq.handle));
        uar.putInt(Uar.CQ_OFFSET, 0);
        cq.poke();
        assertThat(uar.getInt(Uar.CQ_OFFSET)).isZero();
    }

    /** QEMU's device stops for ever when it is asked while it interrupts. */
    @Test
    void aDeviceThatDeadlocksIsAskedOnlyWhileNothingIsArmed() throws InterruptedException {
        final Peer a = open(true, "?quirks=qemu-7.2");
        assertThat(cqWordAfterPolls(a, 1000)).isZero();
        a.cq.requestNotify(false);
        uar.putInt(Uar.CQ_OFFSET, 0);
        assertThat(a.cq.awaitEvent(Duration.ofMillis(300))).as("nothing completes").isFalse();
        ((PvrdmaCq) a.cq).poke();
        assertThat(uar.getInt(Uar.CQ_OFFSET)).isZero();
    }

    /** The device writes a completion, interrupts, and only then lets go of the request. */
    @Test
    void aDeviceThatRacesIsDoneWithACompletionBeforeItsQpIsDestroyed() {
        final Peer a = open(false, "?quirks=qemu-7.2");
        final CqEvent event = ((PvrdmaCq) a.cq).event;
        a.cq.requestNotify(false);
        a.qp.close();
        assertThat(event.isArmed()).as("nothing completed, so there is no interrupt to wait for").isTrue();

        final Peer b = Peer.rc(context);
        final CqEvent next = ((PvrdmaCq) b.cq).event;
        b.cq.requestNotify(false);
        sendToItself(b);
        assertThat(next.isArmed()).as("nobody listens").isTrue();
        b.qp.close();
        assertThat(next.isArmed()).as("the interrupt has come").isFalse();
        assertThat(b.cq.awaitEvent(Duration.ZERO)).as("and the event is not lost").isTrue();
    }

    /** Whoever listened would take the notice of the other queue, too. */
    @Test
    void aDeviceThatRacesIsNotWaitedForWhereAllCompletedBeforeTheEventWasAskedFor() {
        open(false, "?quirks=qemu-7.2");
        final Peer b = Peer.rc(context);
        sendToItself(b);
        b.cq.requestNotify(false);
        final Peer other = Peer.rc(context);
        other.cq.requestNotify(false);
        sendToItself(other);
        b.qp.close();
        assertThat(((PvrdmaCq) other.cq).event.isArmed()).as("nobody listens").isTrue();
    }

    private static void sendToItself(final Peer peer) {
        QpConnector.connect(peer.qp, peer.qp.localAddress());
        assertThat(peer.qp.postReceive(1, peer.at(0), 8, peer.lkey())).isEqualTo(ReturnCode.OK);
        assertThat(peer.qp.postSend(2, peer.at(8), 8, peer.lkey())).isEqualTo(ReturnCode.OK);
        Completions.await(peer.cq, 2);
    }

    @Test
    void aDeviceThatRacesIsAskedBeforeAQpIsDestroyed() {
        final Peer a = open(true, "?quirks=qemu-7.2");
        assertThat(uar.getInt(Uar.CQ_OFFSET)).isZero();
        a.qp.close();
        assertThat(uar.getInt(Uar.CQ_OFFSET)).isEqualTo(Uar.cqPoll(((PvrdmaCq) a.cq).handle));
    }

    @Test
    void aMappedDoorbellIsAStoreOfHandleAndBits() {
        final Peer a = open(true);
        final int qp = ((PvrdmaQp) a.qp).handle;

        assertThat(a.qp.postReceive(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.OK);
        assertThat(uar.getInt(Uar.QP_OFFSET)).isEqualTo(Uar.qpRecv(qp));
        assertThat(a.qp.postSend(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.OK);
        assertThat(uar.getInt(Uar.QP_OFFSET)).isEqualTo(Uar.qpSend(qp));
        a.cq.requestNotify(false);
        assertThat(uar.getInt(Uar.CQ_OFFSET)).isEqualTo(Uar.cqArm(((PvrdmaCq) a.cq).handle));
        for (int i = Uar.SRQ_OFFSET; i < PAGE; i += 4) {
            assertThat(uar.getInt(i)).as("offset %d", i).isZero();
        }
    }

    /** A store to a mapped window arrives some time later; who arms must not find the CQ empty before it has. */
    @Test
    void armingOverAMappedWindowWaitsUntilTheDeviceKnows() {
        final Peer a = open(true);
        final int before = platform.registerReads;
        a.qp.postReceive(1, a.at(0), 8, a.lkey());
        assertThat(platform.registerReads).as("posting does not wait").isEqualTo(before);
        assertThat(a.cq.requestNotify(false)).isEqualTo(ReturnCode.OK);
        assertThat(platform.registerReads).isEqualTo(before + 1);
    }

    @Test
    void aTrappedDoorbellIsThereWhenTheCallReturns() {
        final Peer a = open(false);
        final int before = platform.registerReads;
        assertThat(a.cq.requestNotify(false)).isEqualTo(ReturnCode.OK);
        assertThat(platform.registerReads).isEqualTo(before);
    }

    /** A poster may have looked whether the queue is open and ring when it is not any more; it finds plain memory. */
    @Test
    void postersMayRaceCloseOnAMappedWindow() throws InterruptedException {
        for (int round = 0; round < 30; round++) {
            final Peer a = open(true);
            final Peer b = Peer.rc(context);
            b.connect(Peer.rc(context));
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            final CountDownLatch posting = new CountDownLatch(2);
            final Thread[] posters = {poster(a, posting, failure), poster(b, posting, failure)};
            Patience.await(posting, "two who post");
            context.close();
            for (final Thread poster : posters) {
                Patience.join(poster);
            }
            assertThat(failure.get()).isNull();
            uar.setMemory(0, PAGE, (byte) 0);
            assertThat(a.qp.postSend(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.CLOSED);
            assertThat(a.qp.postReceive(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.CLOSED);
            assertThat(a.cq.requestNotify(false)).isEqualTo(ReturnCode.CLOSED);
            assertThat(a.cq.poll(c -> { }, 1)).isEqualTo(ReturnCode.CLOSED);
            for (int i = 0; i < PAGE; i += 4) {
                assertThat(uar.getInt(i)).as("rung after close, offset %d", i).isZero();
            }
        }
    }

    /** Posts until the queue is closed; nothing completes, as the device does not see this memory. */
    private static Thread poster(
        final Peer peer, final CountDownLatch posting, final AtomicReference<Throwable> failure) {
        final Thread thread = new Thread(() -> {
            final long deadline = System.nanoTime() + Patience.nanos();
            int code = ReturnCode.OK;
            while (code != ReturnCode.CLOSED && System.nanoTime() < deadline) {
                peer.qp.postReceive(1, peer.at(0), 8, peer.lkey());
                code = peer.qp.postSend(1, peer.at(0), 8, peer.lkey());
                peer.cq.poll(c -> { }, 4);
                peer.cq.requestNotify(false);
                posting.countDown();
            }
            if (code != ReturnCode.CLOSED) {
                throw new AssertionError("never closed: " + code);
            }
        });
        thread.setUncaughtExceptionHandler((dead, e) -> failure.set(e));
        thread.start();
        return thread;
    }

    @Test
    void aDoorbellThatCannotBeRungFailsTheDeviceInsteadOfThrowing() {
        final Peer a = open(false);
        platform.refusedDoorbells = RdmaException.of("write register").detail("no such file")
            .errno(RdmaException.EBADFD).build();

        assertThat(a.qp.postSend(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.OK);

        assertThat(context.failure()).contains("a doorbell could not be rung", "no such file");
        assertThat(a.qp.postSend(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(a.cq.poll(c -> { }, 1)).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(context.awaitAsyncEvent(Patience.duration()).type()).isEqualTo(AsyncEventType.DEVICE_FATAL);
    }
}
