/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertBusy;
import static io.rdma4j.verbs.pvrdma.Refusals.assertClosed;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static io.rdma4j.verbs.pvrdma.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.device.common.Counter;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.ResizeCqRingResponse;
import io.rdma4j.testing.Patience;
import io.rdma4j.testing.TestBudget;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WcStatus;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

class CqResizeTest {
    private static final Duration LONG = Patience.duration();

    @RegisterExtension
    final Devices devices = new Devices();
    @RegisterExtension
    final Crew crew = new Crew();

    private PvrdmaContext device;
    private CompletionQueue cq;
    private Peer near;
    private Peer far;
    private long sent;
    private long polled;

    private void open(final int capacity, final int reserved) {
        open(devices.open(), capacity, reserved);
    }

    /** The near end completes into the queue under test: so many sends, and one receive. */
    private void open(final PvrdmaContext opened, final int capacity, final int reserved) {
        device = opened;
        cq = device.createCq(capacity);
        near = new Peer(device, device.allocatePd(), cq, new QpOptions().maxSendWr(reserved).maxReceiveWr(1));
        far = new Peer(devices.open(), new QpOptions().maxReceiveWr(256));
        near.connect(far);
    }

    private void send(final int count) {
        for (int i = 0; i < count; i++) {
            assertThat(far.qp.postReceive(sent, far.at(0), 8, far.lkey())).isZero();
            assertThat(near.qp.postSend(sent++, near.at(0), 8, near.lkey())).isZero();
        }
        Completions.await(far.cq, count);
    }

    private void check(final Completion c) {
        assertThat(c.status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(c.wrId()).isEqualTo(polled++);
        assertThat(c.queuePair()).isSameAs(near.qp);
    }

    private void poll(final int count) {
        final long end = polled + count;
        final long deadline = System.nanoTime() + LONG.toNanos();
        while (polled < end) {
            final int got = cq.poll(this::check, (int) (end - polled));
            assertThat(got).isNotNegative();
            assertThat(System.nanoTime() - deadline).as("%d of %d polled", polled, end).isNegative();
            if (got == 0) {
                Thread.yield();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {32, 64, 1000})
    void keepsWhatIsInTheQueueInItsOrder(final int size) {
        open(64, 16);
        send(16);
        poll(13);
        send(13);

        cq.resize(size);

        assertThat(cq.capacity()).isEqualTo(Math.max(32, Integer.highestOneBit(size * 2 - 1)));
        poll(16);
        for (int i = 0; i < 200; i++) {
            send(15);
            poll(15);
        }
        Completions.assertNone(cq);
        assertThat(cq.dropped()).isZero();
    }

    @Test
    void growsAndShrinksAtAnyPlaceOfTheRing() {
        open(64, 16);
        for (int i = 0; i < TestBudget.rounds(40, 100); i++) {
            send(1 + i % 15);
            poll(i % (1 + i % 15));
            cq.resize(i % 2 == 0 ? 32 : 64 << i % 5);
            poll((int) (sent - polled));
        }
        assertThat(cq.dropped()).isZero();
        assertThat(Devices.emulated(device).counters().get(Counter.CQ_OVERFLOWS)).isZero();
    }

    @Test
    void theSizeThatItHasIsNothingToAskTheDeviceFor() {
        open(64, 16);
        final long before = device.counters().get("commands");
        cq.resize(64);
        cq.resize(33);
        assertThat(device.counters().get("commands")).isEqualTo(before);
        cq.resize(65);
        assertThat(device.counters().get("commands")).isGreaterThan(before);
    }

    @Test
    void refusesASizeBelowWhatIsReserved() {
        open(64, 16);
        assertInvalid(() -> cq.resize(16), "16 entries", "17 reserved for [" + near.qp + "] [EINVAL]");
        assertThat(cq.capacity()).isEqualTo(64);
        send(16);
        poll(16);
        near.qp.close();
        cq.resize(1);
        assertThat(cq.capacity()).isEqualTo(1);
        assertInvalid(() -> near.pd.createQp(new QpOptions().cq(cq).maxSendWr(4).maxReceiveWr(4)), "1 entries");
        cq.resize(8);
        near.pd.createQp(new QpOptions().cq(cq).maxSendWr(4).maxReceiveWr(4)).close();
    }

    @Test
    void refusesASizeBelowWhatIsInTheQueue() {
        device = devices.open();
        cq = device.createCq(64);
        near = new Peer(device, device.allocatePd(), cq,
            new QpOptions().maxSendWr(64).maxReceiveWr(1).reserveCq(false));
        far = new Peer(devices.open(), new QpOptions().maxReceiveWr(256));
        near.connect(far);
        send(17);
        assertInvalid(() -> cq.resize(16), "16 entries", "the 17 completions");
        poll(1);
        cq.resize(16);
        poll(16);
    }

    @Test
    void countsWhatClosedQpsLeft() {
        open(64, 10);
        send(3);
        poll(3);
        cq.resize(128);
        send(10);
        near.qp.close();
        final var next = near.pd.createQp(new QpOptions().cq(cq).maxSendWr(8).maxReceiveWr(8));
        assertInvalid(() -> cq.resize(16), "16 reserved", "10 left by closed QPs");
        cq.resize(32);
        Completions.assertNone(cq);
        cq.resize(16);
        next.close();
    }

    @Test
    void stillPassesOverWhatClosedQpsLeft() {
        device = devices.open();
        far = new Peer(devices.open(), new QpOptions().maxReceiveWr(256));
        final var pd = device.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(4, 1);
        cq = device.createCq(64);
        near = new Peer(device, pd, cq, new QpOptions().maxSendWr(8).srq(srq));
        near.connect(far);
        for (int i = 0; i < 4; i++) {
            srq.postReceive(i, near.at(0), 8, near.lkey());
            far.qp.postSend(i, far.at(0), 8, far.lkey());
        }
        Completions.await(far.cq, 4);
        assertThat(cq.poll(c -> { }, 1)).isEqualTo(1);
        near.qp.close();
        final var other = pd.createQp(new QpOptions().cq(cq).maxSendWr(8).maxReceiveWr(8));
        cq.resize(256);
        QpConnector.connect(other, other.localAddress());
        other.postReceive(77, near.at(0), 8, near.lkey());
        other.postSend(78, near.at(0), 8, near.lkey());
        assertThat(Completions.await(cq, 2)).extracting(Completions.Copy::wrId).containsExactlyInAnyOrder(77L, 78L);
        Completions.assertNone(cq);
        assertThat(cq.dropped()).isZero();
        for (int i = 0; i < 4; i++) {
            assertThat(srq.postReceive(i, near.at(0), 8, near.lkey())).as("%d of %s", i, srq).isZero();
        }
    }

    @Test
    void leavesNoCompletionWithoutTheEventThatWasAskedFor() {
        open(64, 16);
        assertThat(cq.requestNotify(false)).isZero();
        cq.resize(128);
        send(1);
        assertThat(cq.awaitEvent(LONG)).isTrue();
        poll(1);
        assertThat(cq.requestNotify(false)).isZero();
        assertThat(cq.poll(this::check, 1)).isZero();
        send(1);
        assertThat(cq.awaitEvent(LONG)).as("asked for after the resizing").isTrue();
        poll(1);
    }

    /** Who polled while the ring was replaced found nothing, though there may have been something. */
    @Test
    void raisesTheEventThatWasAskedForSoThatNobodySleepsOverWhatItHeldUp() {
        open(64, 16);
        assertThat(cq.requestNotify(false)).isZero();
        cq.resize(128);
        assertThat(cq.awaitEvent(Duration.ZERO)).isTrue();
        assertThat(cq.requestNotify(false)).isZero();
        assertInvalid(() -> cq.resize(16));
        assertThat(cq.awaitEvent(Duration.ZERO)).as("after a size that was refused").isTrue();
    }

    @Test
    void makesNoEventThatNobodyAskedFor() {
        open(64, 16);
        cq.resize(128);
        send(1);
        assertThat(cq.awaitEvent(Duration.ZERO)).isFalse();
        poll(1);
    }

    /** Another thread polls all the time, and one waits for events, while the queue goes up and down. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void losesNothingToAThreadThatPollsMeanwhile(final boolean waits) throws InterruptedException {
        open(64, 16);
        final AtomicBoolean done = new AtomicBoolean();
        final Thread poller = crew.start(() -> pollUntil(done, waits));
        for (int i = 0; i < 40; i++) {
            cq.resize(i % 2 == 0 ? 32 : 64 << i % 4);
        }
        done.set(true);
        poller.join(LONG.toMillis() * 2);
        assertThat(poller.isAlive()).isFalse();
        assertThat(polled).as("sent and polled").isPositive().isEqualTo(sent);
        assertThat(cq.dropped()).isZero();
        assertThat(Devices.emulated(device).counters().get(Counter.CQ_OVERFLOWS)).isZero();
    }

    private void pollUntil(final AtomicBoolean done, final boolean waits) {
        for (int round = 0; !done.get() && !crew.hasFailed(); round++) {
            final int count = 1 + round % 16;
            if (waits) {
                assertThat(cq.requestNotify(false)).isZero();
            }
            send(count);
            if (waits) {
                assertThat(cq.awaitEvent(LONG)).isTrue();
            }
            poll(count);
        }
    }

    @Test
    void refusesToWaitForEverForAHandler() {
        open(devices.open("timeout=300"), 64, 16);
        send(2);
        final AtomicReference<RuntimeException> refusal = new AtomicReference<>();
        assertThat(cq.poll(c -> {
            check(c);
            try {
                cq.resize(128);
            } catch (final RdmaException e) {
                refusal.set(e);
            }
        }, 1)).isEqualTo(1);
        assertThat(refusal.get()).hasMessageContaining("in poll").hasMessageContaining("handler");
        assertThat(cq.capacity()).isEqualTo(64);
        poll(1);
        cq.resize(128);
        send(16);
        poll(16);
    }

    @Test
    void waitsForAHandlerOfAnotherThread() throws InterruptedException {
        open(64, 16);
        send(3);
        final CountDownLatch inHandler = new CountDownLatch(1);
        final CountDownLatch go = new CountDownLatch(1);
        final AtomicReference<Integer> handed = new AtomicReference<>();
        final Thread poller = crew.start(() -> handed.set(cq.poll(c -> {
            check(c);
            inHandler.countDown();
            Patience.awaitUninterruptibly(go, "the other thread");
        }, 3)));
        Patience.awaitUninterruptibly(inHandler, "the other thread");
        final Thread resizer = crew.start(() -> cq.resize(256));
        Crew.awaitSleep(resizer);
        assertThat(cq.capacity()).isEqualTo(64);
        go.countDown();
        resizer.join(LONG.toMillis());
        poller.join(LONG.toMillis());
        assertThat(cq.capacity()).isEqualTo(256);
        assertThat(handed.get()).as("the rest waits until the queue is resized").isEqualTo(1);
        poll(2);
    }

    @Test
    void givesTheOldMemoryBack() throws InterruptedException {
        open(64, 16);
        cq.resize(4096);
        final int large = usedPages();
        cq.resize(64);
        final int small = usedPages();
        assertThat(small).isLessThan(large);
        for (int i = 0; i < 5; i++) {
            cq.resize(4096);
            cq.resize(64);
        }
        assertThat(usedPages()).isEqualTo(small);
    }

    @Test
    void aRefusedSizeTakesNoMemory() throws InterruptedException {
        open(64, 16);
        final int before = usedPages();
        assertInvalid(() -> cq.resize(16));
        assertThat(usedPages()).isEqualTo(before);
    }

    @Test
    void doesNotWaitForAHandlerOnceTheDeviceFailed() {
        open(64, 16);
        send(1);
        assertThat(cq.poll(c -> {
            final Thread resizer = crew.start(() -> assertClosed(() -> cq.resize(256), "test"));
            Crew.awaitSleep(resizer);
            device.device.fail("test");
            Crew.await("refused", () -> !resizer.isAlive());
        }, 1)).isEqualTo(1);
        assertThat(cq.capacity()).isEqualTo(64);
    }

    @Test
    void doesNotWaitForAHandlerOnceTheDeviceIsBeingClosed() throws InterruptedException {
        open(64, 16);
        send(1);
        final AtomicReference<Thread> closer = new AtomicReference<>();
        assertThat(cq.poll(c -> {
            final Thread resizer = crew.start(() -> assertClosed(() -> cq.resize(256), "closed"));
            Crew.awaitSleep(resizer);
            closer.set(crew.start(device::close));
            Crew.await("refused", () -> !resizer.isAlive());
        }, 1)).isEqualTo(1);
        Patience.join(closer.get());
        assertThat(cq.capacity()).isEqualTo(64);
    }

    /** It has left the old ring, and would wrap elsewhere in the new one. */
    @Test
    void givesADeviceUpThatGrantsFewerEntries() {
        open(64, 16);
        device.device.channel().observer((request, err, response) -> {
            if (request.getInt(CommandHeader.CMD.offset()) == Command.RESIZE_CQ_RING.id()) {
                assertThat(response.getInt(ResizeCqRingResponse.CQE.offset())).isEqualTo(256);
                ((MutableDirectBuffer) response).putInt(ResizeCqRingResponse.CQE.offset(), 128);
            }
        });
        assertRefused(RdmaException.EIO, () -> cq.resize(256), "128 entries granted, not 256");
        assertThat(device.failure()).contains("RESIZE_CQ_RING answered 128 entries when asked for 256");
        assertThat(cq.poll(c -> { }, 1)).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(cq.capacity()).isEqualTo(64);
    }

    private int usedPages() throws InterruptedException {
        Thread.sleep(30);
        device.closedRings.clearOld();
        return device.device.arena().usedPages();
    }

    @Test
    void refusesWhatCannotBe() {
        open(64, 16);
        assertInvalid(() -> cq.resize(0), "cqe is 0");
        assertInvalid(() -> cq.resize(-1));
        assertInvalid(() -> cq.resize(Integer.MIN_VALUE));
        assertInvalid(() -> cq.resize(device.attributes().maxCqe() + 1), "" + device.attributes().maxCqe());
        assertInvalid(() -> cq.resize(Integer.MAX_VALUE));
        final CompletionQueue closed = device.createCq(1);
        closed.close();
        assertClosed(() -> closed.resize(8));
        assertClosed(() -> closed.resize(0));
        device.device.fail("test");
        assertClosed(() -> cq.resize(128), "test");
        assertClosed(() -> cq.resize(64), "test");
    }

    @ParameterizedTest
    @ValueSource(strings = {"extensions=false", Devices.QEMU})
    void saysWhyWhereTheDeviceCannot(final String options) {
        device = devices.open(options);
        cq = device.createCq(16);
        assertThat(device.supports(Feature.CQ_RESIZE)).isFalse();
        assertRefused(RdmaException.EOPNOTSUPP, () -> cq.resize(32), device.whyNot(Feature.CQ_RESIZE));
        assertThat(cq.capacity()).isEqualTo(16);
    }

    @Test
    void survivesADeviceThatDoesNotAnswer() {
        open(devices.open("timeout=200"), 64, 16);
        Devices.emulated(device).faults().commands().loseNextResponse();
        assertRefused(RdmaException.ETIMEDOUT, () -> cq.resize(128));
        assertThat(cq.poll(c -> { }, 1)).isEqualTo(ReturnCode.DEVICE_FAILED);
    }

    @Test
    void closingWaitsForIt() throws InterruptedException {
        for (int i = 0; i < 10; i++) {
            device = devices.open();
            cq = device.createCq(16);
            final Thread resizer = crew.start(() -> {
                try {
                    cq.resize(256);
                } catch (final RdmaException e) {
                    assertThat(e.errno()).isEqualTo(RdmaException.EBADFD);
                }
            });
            if (i % 2 == 0) {
                cq.close();
            } else {
                device.close();
            }
            resizer.join(LONG.toMillis());
            assertThat(resizer.isAlive()).isFalse();
            assertThat(cq.poll(c -> { }, 1)).isEqualTo(ReturnCode.CLOSED);
        }
    }

    /** Who resizes has to be waiting then, and on a busy machine may have given up: then it waits longer. */
    @Test
    void doesNotHinderTheClosingOfAQpInAHandler() {
        final boolean wasWaiting = Patience.cutOff(
            time -> closesAQpWhileAnotherThreadResizes(time.toMillis()), Boolean::booleanValue);
        assertThat(wasWaiting).as("the queue was being resized").isTrue();
    }

    private boolean closesAQpWhileAnotherThreadResizes(final long millis) {
        open(devices.open("timeout=" + millis), 64, 16);
        send(1);
        final boolean[] wasWaiting = new boolean[1];
        assertThat(cq.poll(c -> {
            final Thread resizer = crew.start(() -> assertBusy(() -> cq.resize(256)));
            Crew.await("resizing", () -> resizer.getState() == Thread.State.TIMED_WAITING || !resizer.isAlive());
            near.qp.close();
            wasWaiting[0] = resizer.isAlive();
            Crew.await("refused", () -> !resizer.isAlive());
        }, 1)).isEqualTo(1);
        assertThat(near.qp.isClosed()).isTrue();
        return wasWaiting[0];
    }
}
