/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SOLICITED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND_WITH_IMM;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.driver.pci.InterruptVector;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.testing.Patience;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The completions of sends that are posted together are shown to the receiver a few at a time; none is kept back longer
 * than its doorbell takes, whatever comes behind it, and none comes up when its queue pair is gone.
 */
@Timeout(120)
class SendsInARowTest {
    private static final int LENGTH = 64;
    private static final int DEPTH = 64;

    private final RawDriver driver = RawDriver.ready("emulated:row");
    private final RawRegion from = driver.register(driver.pd, 2048, 8, RawPair.ALL);
    private final RawRegion to = driver.register(driver.pd, 2048, 16, RawPair.ALL);
    private final RawCq sendCq = driver.createCq(4 * DEPTH);
    private final RawCq receiveCq = driver.createCq(4 * DEPTH);
    private final InterruptVector vector = driver.pci.interrupts().vector(2);
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private RawQp a;
    private RawQp b;
    private long sent;

    private void connect(RawCq ofSends) {
        connect(ofSends, receiveCq);
    }

    private void connect(RawCq ofSends, RawCq ofReceives) {
        a = driver.createQp(RawQp.with().cqs(ofSends, receiveCq).sizes(DEPTH, DEPTH, 1));
        b = driver.createQp(RawQp.with().cqs(sendCq, ofReceives).sizes(DEPTH, DEPTH, 1));
        RawQp.connect(a, b);
        // The first message on a connection goes the long way.
        receives(1);
        sends(1, PVRDMA_SEND_SIGNALED);
        a.ringSend();
        expect(ofReceives, 1);
        assertThat(ofSends.poll().status()).isZero();
    }

    @AfterEach
    void close() {
        thread.shutdownNow();
        driver.close();
    }

    private void receives(int count) {
        for (int i = 0; i < count; i++) {
            b.receive(i, to.start(), LENGTH, to.lkey);
        }
    }

    private void sends(int count, int flags) {
        for (int i = 0; i < count; i++) {
            send(LENGTH, flags);
        }
    }

    private void send(int length, int flags) {
        a.write(w -> w.send(++sent, PVRDMA_WR_SEND, flags).sge(from.start(), length, from.lkey));
    }

    /** Now, and not after some time. */
    private void expect(int count) {
        expect(receiveCq, count);
    }

    private void expect(RawCq cq, int count) {
        for (int i = 0; i < count; i++) {
            final Completion completion = cq.poll();
            assertThat(completion).as("completion %d of %d", i, count).isNotNull();
            assertThat(completion.wrId()).isEqualTo(i);
            assertThat(completion.status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
            assertThat(completion.byteLen()).isEqualTo(LENGTH);
            assertThat(completion.qp()).isEqualTo(b.handle);
        }
    }

    @Test
    void allAreThereWhenTheDoorbellHasBeenRung() {
        connect(sendCq);
        for (int count = 1; count <= DEPTH; count++) {
            receives(count);
            sends(count, 0);
            a.ringSend();
            expect(count);
            assertThat(receiveCq.poll()).isNull();
        }
    }

    @Test
    void eachIsPutWhereItsReceiveSays() {
        connect(sendCq);
        from.fill(3);
        for (int i = 0; i < 5; i++) {
            final int at = i * LENGTH;
            b.receive(i, to.start() + 2 * at, LENGTH, to.lkey);
            a.write(w -> w.send(++sent, PVRDMA_WR_SEND, 0).sge(from.start() + at, LENGTH, from.lkey));
        }
        a.ringSend();
        expect(5);
        for (int i = 0; i < 5; i++) {
            assertThat(to.bytes(2 * i * LENGTH, LENGTH)).as("message %d", i)
                .isEqualTo(from.bytes(i * LENGTH, LENGTH));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoSeesASendCompleteFindsWhatWasSentBefore(boolean oneQueue) {
        connect(oneQueue ? receiveCq : sendCq);
        receives(6);
        sends(3, 0);
        sends(1, PVRDMA_SEND_SIGNALED);
        sends(2, 0);
        a.ringSend();
        expect(4);
        if (oneQueue) {
            assertThat(receiveCq.poll().wrId()).as("behind what was sent before").isEqualTo(sent - 2);
        } else {
            assertThat(sendCq.poll().wrId()).isEqualTo(sent - 2);
        }
        assertThat(receiveCq.poll().wrId()).isEqualTo(4);
        assertThat(receiveCq.poll().wrId()).isEqualTo(5);
    }

    @Test
    void aWriteBehindThemShowsThem() {
        connect(sendCq);
        receives(3);
        sends(3, 0);
        a.post(w -> w.send(9, PVRDMA_WR_RDMA_WRITE, 0).rdma(to.start(), to.rkey).sge(from.start(), 8, from.lkey));
        expect(3);
    }

    /** The peer's locks are free for it. */
    @Test
    void whatGoesTheLongWayBehindThemShowsThem() {
        connect(sendCq);
        receives(4);
        sends(3, 0);
        a.write(w -> w.send(++sent, PVRDMA_WR_SEND_WITH_IMM, PVRDMA_SEND_SIGNALED).imm(7)
            .sge(from.start(), LENGTH, from.lkey));
        a.ringSend();
        expect(4);
        assertThat(sendCq.poll().status()).isZero();
    }

    @Test
    void aSendThatFailsBehindThemShowsThem() {
        connect(sendCq);
        receives(4);
        sends(3, 0);
        send(LENGTH + 1, 0);
        a.ringSend();
        expect(3);
        assertThat(receiveCq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_LEN_ERR);
        assertThat(sendCq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_REM_INV_REQ_ERR);
    }

    @Test
    void aSendThatFindsNoReceiveShowsThem() {
        connect(sendCq);
        receives(3);
        sends(5, 0);
        a.ringSend();
        expect(3);
        receives(2);
        expect(2);
    }

    @Test
    void aLongOneIsShownWithThem() {
        connect(sendCq);
        receives(2);
        b.receive(2, to.start(), 1024, to.lkey);
        sends(2, 0);
        send(1024, 0);
        a.ringSend();
        expect(2);
        assertThat(receiveCq.poll().byteLen()).isEqualTo(1024);
    }

    @Test
    void oneInterruptTellsOfAll() {
        connect(sendCq);
        receiveCq.arm();
        receives(5);
        sends(5, 0);
        a.ringSend();
        assertThat(vector.fired()).isEqualTo(1);
        expect(5);
    }

    @Test
    void aSolicitedOneAmongThemIsNotMissed() {
        connect(sendCq);
        receiveCq.armSolicited();
        receives(6);
        sends(3, 0);
        a.ringSend();
        assertThat(vector.fired()).isZero();
        sends(1, PVRDMA_SEND_SOLICITED);
        sends(2, 0);
        a.ringSend();
        assertThat(vector.fired()).isEqualTo(1);
        expect(6);
    }

    @Test
    void theyFitWhereTheQueueIsFullButForThem() {
        connect(sendCq);
        for (int round = 0; round < 4; round++) {
            receives(DEPTH);
            sends(DEPTH, 0);
            a.ringSend();
        }
        for (int round = 0; round < 4; round++) {
            expect(DEPTH);
        }
        assertThat(receiveCq.poll()).isNull();
    }

    /** Rows of eight: the receiver's index is stored that much less often. */
    @Test
    void aRowIsShownAtOnce() throws Exception {
        connect(sendCq);
        final BitSet seen = new BitSet();
        for (int round = 0; round < 200; round++) {
            final int before = index();
            final Future<?> ringing = sendBeside();
            int shown = 0;
            while (shown < DEPTH) {
                shown = index() - before & 8 * DEPTH - 1;
                seen.set(shown);
            }
            Patience.get(ringing);
            expect(DEPTH);
        }
        assertThat(seen.stream()).allMatch(shown -> shown % 8 == 0).contains(DEPTH);
    }

    /** The completions of a row are shown before the interrupt that tells of them, those of the next one after it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 8, 9, 20})
    void anInterruptTellsOfAWholeRow(int count) {
        connect(sendCq);
        final int before = index();
        final List<Integer> shown = new ArrayList<>();
        driver.onInterrupt(number -> shown.add(index() - before));
        receiveCq.arm();
        receives(count);
        sends(count, 0);
        a.ringSend();
        assertThat(shown).containsExactly(Math.min(count, 8));
        expect(count);
    }

    /** A doorbell executes as many as the ring has at most. Here that many end in the middle of a row. */
    @Test
    void allOfADoorbellAreShownThoughOthersWerePostedMeanwhile() {
        connect(sendCq);
        receives(DEPTH);
        sends(3, 0);
        driver.onInterrupt(number -> sends(DEPTH - 1, 0));
        receiveCq.arm();
        a.ringSend();
        expect(DEPTH);
        assertThat(receiveCq.poll()).isNull();
        receives(2);
        a.ringSend();
        expect(2);
    }

    /** Whoever destroys it waits for one message, not for as many as the ring has. */
    @Test
    void aQueuePairThatIsDestroyedWhileItSendsGoesNoFurther() throws Exception {
        connect(sendCq);
        receives(8);
        for (int i = 0; i < 8; i++) {
            sends(1, PVRDMA_SEND_SIGNALED);
        }
        final Thread destroying = new Thread(a::destroy);
        driver.onInterrupt(number -> {
            if (number == 2) {
                destroying.start();
                // It waits for the lock of the queue, which is held here: so it has marked the queue pair before.
                while (destroying.getState() != Thread.State.TIMED_WAITING) {
                    Patience.pause();
                }
            }
        });
        sendCq.arm();
        a.ringSend();
        Patience.join(destroying);
        assertThat(sendCq.poll().status()).isZero();
        assertThat(sendCq.poll()).isNull();
    }

    private int index() {
        return receiveCq.ring.state().getIntAcquire(RingState.RX_PROD_TAIL_OFFSET);
    }

    @Test
    void whatFitsIsShownThoughTheQueueRunsOver() {
        final RawCq small = driver.createCq(4);
        connect(sendCq, small);
        receives(6);
        sends(6, 0);
        a.ringSend();
        expect(small, 4);
        assertThat(small.poll()).isNull();
        assertThat(driver.device().counters().get(Counter.CQ_OVERFLOWS)).isPositive();
        assertThat(b.destroy()).as("nothing is locked").isZero();
        assertThat(a.destroy()).isZero();
        assertThat(driver.destroy(Command.DESTROY_CQ, small.handle)).isZero();
    }

    @Test
    void aQueuePairMaySendToItself() {
        a = driver.createQp(RawQp.with().cq(receiveCq).sizes(DEPTH, DEPTH, 1));
        b = a;
        a.connect(a.qpn, driver.gid());
        receives(1);
        sends(1, 0);
        a.ringSend();
        expect(1);
        receives(DEPTH);
        sends(DEPTH - 1, 0);
        sends(1, PVRDMA_SEND_SIGNALED);
        a.ringSend();
        expect(DEPTH);
        assertThat(receiveCq.poll().wrId()).isEqualTo(sent);
    }

    /** Each holds what the other wants next, for a while; one completion queue is between all. */
    @Test
    void twoThatSendToEachOtherGoOn() throws Exception {
        final int rounds = 500;
        final RawCq all = driver.createCq(8192);
        a = driver.createQp(RawQp.with().cq(all).sizes(DEPTH, DEPTH, 1));
        b = driver.createQp(RawQp.with().cq(all).sizes(DEPTH, DEPTH, 1));
        RawQp.connect(a, b);
        final Future<?> other = thread.submit(() -> rows(b, rounds));
        rows(a, rounds);
        Patience.get(other);
        for (int i = 0; i < 2 * 8 * rounds; i++) {
            assertThat(all.await().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        }
        assertThat(all.poll()).isNull();
    }

    private void rows(RawQp qp, int rounds) {
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < 8; i++) {
                while (qp.sendsAreFull() || qp.receivesAreFull()) {
                    Thread.onSpinWait();
                }
                qp.receive(i, to.start(), LENGTH, to.lkey);
                qp.write(w -> w.send(1, PVRDMA_WR_SEND, 0).sge(from.start(), LENGTH, from.lkey));
            }
            qp.ringSend();
        }
    }

    private Future<?> sendBeside() {
        receives(DEPTH);
        sends(DEPTH, 0);
        return thread.submit(a::ringSend);
    }

    /** Before anything of it has come, or while it is coming; the pauses differ. */
    private int startToReceive(int round) {
        int seen = 0;
        final int wanted = round % 7;
        while (seen < wanted) {
            if (receiveCq.poll() != null) {
                seen++;
            }
            Thread.onSpinWait();
        }
        return seen;
    }

    private int drain() {
        int seen = 0;
        while (receiveCq.poll() != null) {
            seen++;
        }
        return seen;
    }

    /** Of queue pairs that are gone; sends too, as those that found no peer may have given up. */
    private void forget() {
        drain();
        while (sendCq.poll() != null) {
            Thread.onSpinWait();
        }
    }

    @Test
    void nothingComesUpWhenTheQueuePairIsGone() throws Exception {
        for (int round = 0; round < 300; round++) {
            connect(sendCq);
            final Future<?> ringing = sendBeside();
            startToReceive(round);
            assertThat(b.destroy()).isZero();
            drain();
            Patience.get(ringing);
            assertThat(receiveCq.poll()).as("round %d", round).isNull();
            assertThat(a.destroy()).isZero();
            forget();
        }
    }

    @Test
    void nothingComesUpWhenTheQueuePairBeginsAnew() throws Exception {
        for (int round = 0; round < 300; round++) {
            connect(sendCq);
            final Future<?> ringing = sendBeside();
            startToReceive(round);
            assertThat(b.modifyState(QpState.PVRDMA_QPS_RESET)).isZero();
            drain();
            Patience.get(ringing);
            assertThat(receiveCq.poll()).as("round %d", round).isNull();
            assertThat(b.destroy()).isZero();
            assertThat(a.destroy()).isZero();
            forget();
        }
    }

    @Test
    void eachCompletesOnceWhenTheReceiverFails() throws Exception {
        for (int round = 0; round < 300; round++) {
            connect(sendCq);
            final Future<?> ringing = sendBeside();
            int seen = startToReceive(round);
            assertThat(b.modifyState(QpState.PVRDMA_QPS_ERR)).isZero();
            seen += drain();
            assertThat(seen).as("round %d: received, and flushed", round).isEqualTo(DEPTH);
            Patience.get(ringing);
            assertThat(receiveCq.poll()).as("round %d", round).isNull();
            assertThat(b.destroy()).isZero();
            assertThat(a.destroy()).isZero();
            forget();
        }
    }
}
