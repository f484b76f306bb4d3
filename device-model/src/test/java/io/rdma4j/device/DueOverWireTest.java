/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.testing.Patience;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The thread of a wire is held up: an answer lies there when its time is over, and somebody else polls meanwhile. */
@Timeout(120)
class DueOverWireTest {
    private static final int MANY = 300;
    private static final Duration LONGER_THAN_THE_TIMEOUT = Duration.ofSeconds(100);

    private final RawDriver asker = RawDriver.ready("emulated:dueasker?shortcut=false&wire=shm");
    private final RawDriver answerer =
        RawDriver.ready("emulated:dueanswerer?shortcut=false&wire=shm&progress=poll");
    private final RawCq told = asker.createCq(16);
    private final RawCq asked = asker.createCq(16);
    private final RawCq answered = answerer.createCq(16);
    private final RawQp writer = asker.createQp(RawQp.with().cq(asked));
    private final RawQp target = answerer.createQp(RawQp.with().cq(answered));
    private final RawQp listener = asker.createQp(RawQp.with().cq(told));
    private final RawQp speaker = answerer.createQp(RawQp.with().cq(answered));
    private final RawRegion here = asker.register(500, RawPair.ALL);
    private final RawRegion there = answerer.register(500, RawPair.ALL);

    private final CountDownLatch isHeldUp = new CountDownLatch(1);
    private final CountDownLatch goesOn = new CountDownLatch(1);

    @AfterEach
    void close() {
        goesOn.countDown();
        asker.close();
        answerer.close();
    }

    /** The thread of the wire, in the middle of a message. */
    private void holdUp() {
        isHeldUp.countDown();
        try {
            goesOn.await(Patience.nanos(), TimeUnit.NANOSECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(long wrId) {
        writer.post(w -> w.send(wrId, WrOpcode.PVRDMA_WR_RDMA_WRITE, SendFlags.PVRDMA_SEND_SIGNALED)
            .rdma(there.start(), there.rkey).sge(here.start(), 64, here.lkey));
    }

    private void awaitAnswer(long wrId) {
        assertThat(asked.awaitServing(answerer)).extracting(RawCq.Completion::wrId, RawCq.Completion::status)
            .containsExactly(wrId, WcStatus.PVRDMA_WC_SUCCESS);
    }

    @Test
    void anAnswerThatLiesThereIsTakenBeforeItsTimeIsSaidToBeOver() throws InterruptedException {
        whileAnAnswerLiesThere(asked::pollInVain);
    }

    @Test
    void whoPostsMoreHasNotLookedForItEither() throws InterruptedException {
        whileAnAnswerLiesThere(() -> write(5));
        awaitAnswer(5);
    }

    private void whileAnAnswerLiesThere(Runnable what) throws InterruptedException {
        // 69 s: what is posted meanwhile has time, however long this thread has no processor.
        writer.timeout = 24;
        RawQp.connect(writer, target);
        RawQp.connect(listener, speaker);
        write(1);
        awaitAnswer(1);
        final long before = asker.device().counters().get(Counter.RETRIES);

        listener.receive(2, here.start(), 500, here.lkey);
        told.arm();
        asker.onInterrupt(vector -> holdUp());
        speaker.send(3, there.start(), 8, there.lkey);
        assertThat(isHeldUp.await(Patience.nanos(), TimeUnit.NANOSECONDS)).as(asker.device()::describe).isTrue();
        write(4);
        answerer.device().service();
        asker.device().faults().passTime(LONGER_THAN_THE_TIMEOUT);
        what.run();
        goesOn.countDown();

        awaitAnswer(4);
        assertThat(told.await()).extracting(RawCq.Completion::wrId, RawCq.Completion::opcode)
            .containsExactly(2L, WcOpcode.PVRDMA_WC_RECV);
        assertThat(asker.device().counters().get(Counter.RETRIES)).as(asker.device()::describe).isEqualTo(before);
    }

    /** It lies behind more than are taken at a time. */
    @Test
    void anAnswerMayLieBehindManyOtherPackets() {
        final RawDriver poller = RawDriver.ready("emulated:duepoller?shortcut=false&wire=shm&progress=poll");
        try {
            final RawCq done = poller.createCq(16);
            final RawQp writes = poller.createQp(RawQp.with().cq(done));
            final RawQp deaf = poller.createQp(RawQp.with().ud().cq(done)).connect(0, poller.gid());
            final RawQp chats = answerer.createQp(RawQp.with().ud().cq(answered)).connect(0, answerer.gid());
            RawQp.connect(writes, target);
            final RawRegion from = poller.register(500, RawPair.ALL);
            final Consumer<RawQp.Wqe> write = w -> w.send(1, WrOpcode.PVRDMA_WR_RDMA_WRITE,
                SendFlags.PVRDMA_SEND_SIGNALED).rdma(there.start(), there.rkey).sge(from.start(), 64, from.lkey);
            writes.post(write);
            assertThat(done.awaitServing(answerer, poller).status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
            final long before = poller.device().counters().get(Counter.RETRIES);

            for (int i = 0; i < MANY; i++) {
                chats.post(w -> w.send(2, WrOpcode.PVRDMA_WR_SEND, 0)
                    .datagram(answerer.pd, deaf.qpn, RawQp.QKEY, poller.gid()).sge(there.start(), 8, there.lkey));
            }
            writes.post(write);
            answerer.device().service();
            poller.device().faults().passTime(LONGER_THAN_THE_TIMEOUT);
            assertThat(done.awaitServing(answerer, poller).status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
            assertThat(poller.device().counters().get(Counter.NO_PEER)).as("datagrams without a receive").isZero();
            assertThat(poller.device().counters().get(Counter.RETRIES)).as(poller.device()::describe)
                .isEqualTo(before);
        } finally {
            poller.close();
        }
    }
}
