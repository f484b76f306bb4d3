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

/** The thread of a wire is held up: an answer lies there when its time is over, and somebody else polls meanwhile. */
@Timeout(120)
class DueOverWireTest {
    private static final Duration LONGER_THAN_THE_TIMEOUT = Duration.ofMillis(100);

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
        asked.pollInVain();
        goesOn.countDown();

        awaitAnswer(4);
        assertThat(told.await()).extracting(RawCq.Completion::wrId, RawCq.Completion::opcode)
            .containsExactly(2L, WcOpcode.PVRDMA_WC_RECV);
        assertThat(asker.device().counters().get(Counter.RETRIES)).as(asker.device()::describe).isEqualTo(before);
    }
}
