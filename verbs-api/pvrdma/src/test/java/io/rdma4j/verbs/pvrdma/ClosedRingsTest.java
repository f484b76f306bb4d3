/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.queues.ReceiveQueue;
import io.rdma4j.queues.SendQueue;
import io.rdma4j.queues.SharedReceiveQueue;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WindowType;
import io.rdma4j.verbs.live.SrqKind;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/** The memory of a closed ring is not used for anything else while a thread stands still in the middle of it. */
class ClosedRingsTest {
    private static final long LONGER_THAN_THE_REST_MILLIS = 30;

    @RegisterExtension
    final Devices devices = new Devices();

    private final PvrdmaContext context = devices.open();
    private final Peer peer = Peer.rc(context);
    /** What a doorbell asks, what it is told, and whether it throws. */
    private BooleanSupplier isPosting;
    private boolean posting;
    private boolean fails;
    private int doorbells;

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
            Patience.awaitUninterruptibly(closed, "the other thread");
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

    @Test
    void waitsForAThreadThatIsPostingASharedReceive() throws InterruptedException {
        final int before = usedPages();
        final PvrdmaSrq srq = (PvrdmaSrq) peer.pd.createSrq(16, 1);
        srq.queue.beginPost();
        srq.close();
        assertThat(usedPages()).as("in the middle of a post").isGreaterThan(before);
        srq.queue.endPost();
        assertThat(usedPages()).isEqualTo(before);
    }

    private static UnsafeBuffer ring() {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(2 * 4096).alignedSlice(8));
    }

    private void inADoorbell(final int offset, final int word) {
        doorbells++;
        posting = isPosting.getAsBoolean();
        if (fails) {
            throw new IllegalStateException("doorbell");
        }
    }

    /** The doorbell is rung within the post; one that throws ends it as well. */
    private void assertInUseWhilePosting(final BooleanSupplier inUse, final IntSupplier... posts) {
        isPosting = inUse;
        for (int i = 0; i < posts.length; i++) {
            final IntSupplier post = posts[i];
            posting = false;
            fails = false;
            doorbells = 0;
            assertThat(inUse.getAsBoolean()).as("before post %d", i).isFalse();
            assertThat(post.getAsInt()).as("post %d", i).isNotNegative();
            assertThat(posting).as("within post %d", i).isTrue();
            assertThat(inUse.getAsBoolean()).as("after post %d", i).isFalse();
            fails = true;
            assertThatThrownBy(post::getAsInt).as("post %d", i).hasMessage("doorbell");
            assertThat(inUse.getAsBoolean()).as("after post %d, which threw", i).isFalse();
            assertThat(doorbells).as("of post %d", i).isEqualTo(2);
        }
    }

    @Test
    void aSendIsInTheMiddleFromItsBeginningToItsEnd() {
        final int[] opcodes = Opcodes.of(QpType.RC, context.traits);
        final InlineSlots slots = new InlineSlots(new UnsafeBuffer(ByteBuffer.allocateDirect(16 * 64)), 64, 1);
        final SendPath path = new SendPath(
            new SendQueue(ring(), RingState.TX_OFFSET, RingMemory.ELEMENTS_OFFSET, 16, 1, this::inADoorbell, 1),
            (PvrdmaPd) peer.pd, (PvrdmaCq) peer.cq, false, false, opcodes, slots);
        path.gate(ReturnCode.OK);
        final SendRequest request = new SendRequest();
        final MemoryWindow window = peer.pd.allocateWindow(WindowType.TYPE_1);
        assertInUseWhilePosting(path::isInUse,
            () -> path.post(1, 0, 8, 0),
            () -> path.postInline(2, new UnsafeBuffer(new byte[8]), 0, 8),
            () -> path.post(request),
            () -> path.post(new SendRequest[] {request}, 1),
            () -> path.bindWindow(3, window, null, 0, 0));
    }

    @Test
    void aReceiveIsInTheMiddleFromItsBeginningToItsEnd() {
        final ReceivePath path = new ReceivePath(
            new ReceiveQueue(ring(), RingState.RX_OFFSET, RingMemory.ELEMENTS_OFFSET, 16, 1, this::inADoorbell, 1),
            (PvrdmaCq) peer.cq);
        path.gate(ReturnCode.OK);
        final ReceiveRequest request = new ReceiveRequest();
        assertInUseWhilePosting(path::isInUse,
            () -> path.post(1, 0, 8, 0),
            () -> path.post(request),
            () -> path.post(new ReceiveRequest[] {request}, 1));
    }

    @Test
    void aSharedReceiveIsInTheMiddleFromItsBeginningToItsEnd() {
        final PvrdmaSrq srq = new PvrdmaSrq((PvrdmaPd) peer.pd, 5, new SharedReceiveQueue(ring(),
            RingState.RX_OFFSET, RingMemory.ELEMENTS_OFFSET, 16, 1, this::inADoorbell, 5),
            RingMemory.allocate(context, 2), context.device.live().add(SrqKind.KIND, 5));
        assertInUseWhilePosting(srq.queue::isPosting,
            () -> srq.postReceive(1, 0, 8, 0),
            () -> srq.postReceive(new ReceiveRequest()));
        assertThat(srq.postReceive(null)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(srq.queue.isPosting()).as("after a refusal").isFalse();
        srq.fail();
        assertThat(srq.postReceive(2, 0, 8, 0)).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(srq.postReceive(new ReceiveRequest())).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(srq.queue.isPosting()).as("after a post to a device that failed").isFalse();
    }
}
