/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.link.Ack;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawFastRegion;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawSrq;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateBindRequest;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.testing.Background;
import io.rdma4j.testing.Patience;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How often and how long a connection tries, and that it goes on as soon as it can. */
class RetryTest {
    /** 2.4 hours. */
    private static final int AGES = 31;
    /** 4 ms. */
    private static final int SHORT = 10;
    /** 268 ms; a thread of a busy machine may lose its processor for longer than 4. */
    private static final int MIDDLING = 16;

    private final RawPair pair = RawPair.unconnected("emulated:retry?wire=none");

    @AfterEach
    void close() {
        pair.close();
    }

    private void connectSender(int timeout, int retryCnt) {
        pair.a.timeout = timeout;
        pair.a.retryCnt = retryCnt;
        pair.a.connect(pair.b.qpn, pair.driver.gid());
    }

    private void post(long wrId) {
        pair.a.post(w -> w.send(wrId, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
    }

    @Test
    void waitsOneTimeoutMoreThanItHasRetriesForAPeerThatIsNotThere() {
        connectSender(SHORT, 3);
        final long before = System.nanoTime();
        post(1);
        assertThat(pair.cqA.poll()).isNull();

        final Completion late = pair.cqA.await();
        assertThat(late.status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
        assertThat(late.vendorErr()).isEqualTo(Ack.NO_RESPONSE);

        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(4 * (4096L << SHORT));
        assertThat(pair.count(Counter.RETRIES)).isEqualTo(3);
        assertThat(pair.count(Counter.RETRIES_EXCEEDED)).isEqualTo(1);
        assertThat(pair.a.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
    }

    @Test
    void timeThatPassesUsesUpRetriesOneByOne() {
        connectSender(AGES, 2);
        post(1);
        final Duration each = Duration.ofNanos(4096L << AGES);
        for (int retry = 1; retry <= 2; retry++) {
            pair.driver.device().faults().passTime(each.minusMinutes(10));
            pair.cqA.pollInVain();
            assertThat(pair.count(Counter.RETRIES)).as("before its time").isEqualTo(retry - 1);
            pair.driver.device().faults().passTime(Duration.ofMinutes(10));
            pair.cqA.pollInVain();
            assertThat(pair.count(Counter.RETRIES)).isEqualTo(retry);
            assertThat(pair.cqA.poll()).isNull();
        }
        pair.driver.device().faults().passTime(each);
        pair.cqA.pollInVain();
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
    }

    /** Whatever it asks for. */
    @ParameterizedTest
    @ValueSource(ints = {PVRDMA_WR_SEND, WrOpcode.PVRDMA_WR_SEND_WITH_IMM, WrOpcode.PVRDMA_WR_SEND_WITH_INV,
        WrOpcode.PVRDMA_WR_RDMA_WRITE, WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM, WrOpcode.PVRDMA_WR_RDMA_READ,
        WrOpcode.PVRDMA_WR_RDMA_READ_WITH_INV, WrOpcode.PVRDMA_WR_ATOMIC_CMP_AND_SWP,
        WrOpcode.PVRDMA_WR_ATOMIC_FETCH_AND_ADD, WrOpcode.PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP,
        WrOpcode.PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD})
    void aRequestIsNotOverBeforeItIsAnswered(int opcode) {
        connectSender(AGES, 0);
        final RawFastRegion key = pair.driver.createFastRegion(1);
        key.list(pair.driver.page().iova());
        key.register(pair.a, 0, 4096, 1, RawPair.ALL);
        assertThat(pair.cqA.poll().status()).isZero();
        final long before = pair.from.getLong(0);
        pair.a.post(w -> {
            if (opcode >= WrOpcode.PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP) {
                w.maskedAdd(pair.to.start(), pair.to.rkey, 1, 0);
            }
            w.send(1, opcode, PVRDMA_SEND_SIGNALED).sge(pair.from.start(), 8, pair.from.lkey);
            if (opcode == WrOpcode.PVRDMA_WR_RDMA_READ_WITH_INV) {
                w.invalidate(key.rkey);
            }
        });
        assertThat(pair.cqA.poll()).isNull();
        assertThat(pair.from.getLong(0)).isEqualTo(before);
        pair.driver.device().faults().passTime(Duration.ofHours(3));
        pair.cqA.pollInVain();
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
        assertThat(pair.from.getLong(0)).isEqualTo(before);
    }

    /** Who looks after a device sleeps as long. */
    @Test
    void saysHowLongItIsUntilTheNextTry() {
        assertThat(pair.driver.device().service()).as("nothing waits").isEqualTo(Long.MAX_VALUE);
        connectSender(AGES, 7);
        post(1);
        final long all = 4096L << AGES;
        assertThat(pair.driver.device().service()).isBetween(all / 2, all);
        pair.driver.device().faults().passTime(Duration.ofNanos(all / 2));
        assertThat(pair.driver.device().service()).isLessThanOrEqualTo(all / 2);
    }

    @Test
    void givesUpAfterOneTimeoutWithoutRetries() {
        connectSender(SHORT, 0);
        final long before = System.nanoTime();
        post(1);
        assertThat(pair.cqA.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(4096L << SHORT);
        assertThat(pair.count(Counter.RETRIES)).isZero();
        assertThat(pair.count(Counter.NO_PEER)).isEqualTo(1);
    }

    @Test
    void getsThroughToAPeerThatAppearsInTime() {
        connectSender(AGES, 0);
        post(1);
        pair.b.receive(7, new long[0][]);
        pair.b.toInit();
        pair.cqA.pollInVain();
        assertThat(pair.cqA.poll()).isNull();

        pair.b.toRtr(pair.a.qpn, pair.driver.gid());

        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(pair.cqB.poll().wrId()).isEqualTo(7);
        assertThat(pair.count(Counter.RETRIES)).as("tries that were paid for").isZero();
    }

    @Test
    void waitsForEverWithTimeoutZero() {
        connectSender(0, 0);
        post(1);
        for (int retry = 1; retry <= 20; retry++) {
            pair.driver.device().faults().passTime(Duration.ofHours(1));
            pair.cqA.pollInVain();
            assertThat(pair.count(Counter.RETRIES)).isGreaterThanOrEqualTo(retry);
            assertThat(pair.cqA.poll()).isNull();
        }
        pair.b.receive(7, new long[0][]);
        pair.b.connect(pair.a.qpn, pair.driver.gid());
        assertThat(pair.cqA.poll().status()).isZero();
    }

    @Test
    void getsThroughWhenTheGidOfThePeerIsBound() {
        try (RawDriver far = RawDriver.ready("emulated:retry-far")) {
            final RawCq cq = far.createCq(16);
            final RawQp peer = far.createQp(RawQp.with().cq(cq));
            pair.a.timeout = AGES;
            RawQp.connect(pair.a, peer);
            far.unbind(0, far.gid());
            peer.receive(7, new long[0][]);
            post(1);
            assertThat(pair.cqA.poll()).isNull();

            far.ok(Command.CREATE_BIND, b -> new CreateBindRequest().wrap(b, 0).set(CreateBindRequest.MTU, 1024)
                .set(CreateBindRequest.VLAN, 0xfff).set(CreateBindRequest.INDEX, 0)
                .set(CreateBindRequest.NEW_GID, far.gid()).set(CreateBindRequest.GID_TYPE, 2));

            assertThat(pair.cqA.poll().status()).isZero();
            assertThat(cq.poll().wrId()).isEqualTo(7);
        }
    }

    @Test
    void getsThroughWhenThePeerExpectsTheRightSequenceNumber() {
        connectSender(AGES, 7);
        pair.b.toInit();
        pair.b.modify(RawQp.RC_RTR, attr -> {
            pair.b.fillRtr(attr, pair.a.qpn, pair.driver.gid());
            attr.set(QpAttr.RQ_PSN, 0x11);
        });
        pair.b.receive(7, new long[0][]);
        post(1);
        assertThat(pair.cqA.poll()).isNull();

        pair.b.modifyState(QpState.PVRDMA_QPS_RESET);
        pair.b.zeroIndices();
        pair.b.toInit();
        pair.b.receive(8, new long[0][]);
        pair.b.toRtr(pair.a.qpn, pair.driver.gid());

        assertThat(pair.cqA.poll().status()).isZero();
        assertThat(pair.cqB.poll().wrId()).isEqualTo(8);
    }

    @Test
    void isWokenFromItsSleepForARetryThatWasAddedMeanwhile() throws Exception {
        connectSender(SHORT, 1);
        pair.cqA.arm();
        final CompletableFuture<Long> sleeper = CompletableFuture.supplyAsync(() ->
            pair.driver.pci.interrupts().vector(2).await(Patience.nanos()), Background::run);
        post(1);
        assertThat(Patience.get(sleeper)).isEqualTo(1);
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
    }

    @Test
    void holdsUpNobodyElse() {
        final RawQp c = pair.driver.createQp(RawQp.with().cq(pair.cqA));
        final RawQp d = pair.driver.createQp(RawQp.with().cq(pair.cqB));
        RawQp.connect(c, d);
        connectSender(AGES, 7);
        post(1);
        for (int i = 0; i < 100; i++) {
            final int id = 100 + i;
            d.receive(i, new long[0][]);
            c.post(w -> w.send(id, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
            assertThat(pair.cqA.poll().wrId()).isEqualTo(id);
            assertThat(pair.cqB.poll().wrId()).isEqualTo(i);
        }
    }

    @Test
    void keepsTheOrderBehindARequestThatWaits() {
        connectSender(AGES, 7);
        for (int i = 0; i < 5; i++) {
            post(i);
            pair.b.receive(10 + i, new long[0][]);
        }
        pair.b.connect(pair.a.qpn, pair.driver.gid());
        for (int i = 0; i < 5; i++) {
            assertThat(pair.cqA.poll().wrId()).isEqualTo(i);
            assertThat(pair.cqB.poll().wrId()).isEqualTo(10 + i);
        }
    }

    @Test
    void countsRetriesAnewForEachRequest() {
        connectSender(AGES, 0);
        for (int round = 0; round < 3; round++) {
            post(round);
            assertThat(pair.cqA.poll()).isNull();
            pair.b.receive(round, new long[0][]);
            pair.b.toInit();
            final int psn = 0x10 + round;
            assertThat(pair.b.modify(RawQp.RC_RTR, attr -> {
                pair.b.fillRtr(attr, pair.a.qpn, pair.driver.gid());
                attr.set(QpAttr.RQ_PSN, psn);
            })).isZero();
            assertThat(pair.cqA.poll().status()).isZero();
            pair.b.modifyState(QpState.PVRDMA_QPS_RESET);
            pair.b.zeroIndices();
        }
    }

    @Test
    void showsWhatWaitsInItsDump() {
        assertThat(pair.driver.device().describe()).doesNotContain("waits for", "sends wait");
        connectSender(AGES, 7);
        post(1);
        assertThat(pair.driver.device().describe()).contains("tried 1 times, waits for an answer, retries left 7",
            "1 sends wait");
        pair.b.connect(pair.a.qpn, pair.driver.gid());
        assertThat(pair.driver.device().describe()).contains("waits for a receive, rnr retries left without limit");
        pair.a.modifyState(QpState.PVRDMA_QPS_ERR);
        assertThat(pair.driver.device().describe()).doesNotContain("waits for");
    }

    @Test
    void forgetsTheRequestOfAQueuePairThatIsDestroyed() throws InterruptedException {
        connectSender(MIDDLING, 0);
        post(1);
        assertThat(pair.a.destroy()).isZero();
        assertThat(pair.driver.device().describe()).doesNotContain("sends wait");
        pair.b.connect(0x77, pair.driver.gid());
        TimeUnit.MILLISECONDS.sleep(300);
        pair.cqA.pollInVain();
        assertThat(pair.cqA.poll()).isNull();
    }

    /** What is posted afterwards is a request of its own, which waits for nothing. */
    @Test
    void forgetsTheRequestOfAQueuePairThatIsReset() {
        RawQp.connect(pair.a, pair.b);
        post(1);
        assertThat(pair.driver.device().describe()).contains("waits for a receive");
        pair.restart();
        assertThat(pair.driver.device().describe()).doesNotContain("waits for a receive");
        pair.b.receive(7, new long[0][]);
        post(2);
        assertThat(pair.cqA.poll()).isNotNull().extracting(Completion::wrId).isEqualTo(2L);
        assertThat(pair.cqB.poll().wrId()).isEqualTo(7);
    }

    @Test
    void usesUpARetryForEachTimerOfTheReceiver() {
        pair.a.rnrRetry = 3;
        pair.b.minRnrTimer = 14;
        RawQp.connect(pair.a, pair.b);
        final long before = System.nanoTime();
        post(1);
        assertThat(pair.cqA.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RNR_RETRY_EXC_ERR);
        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(TimeUnit.MICROSECONDS.toNanos(3 * 1280));
        assertThat(pair.count(Counter.RNR)).as("the first try and three more").isEqualTo(4);
        assertThat(pair.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_RTS);
    }

    @Test
    void resumesAtOnceForAReceiveWithinTheTimer() {
        pair.a.rnrRetry = 1;
        pair.b.minRnrTimer = 0;
        RawQp.connect(pair.a, pair.b);
        post(1);
        assertThat(pair.cqA.poll()).isNull();
        pair.b.receive(7, new long[0][]);
        assertThat(pair.cqA.poll().status()).isZero();
        post(2);
        pair.b.receive(8, new long[0][]);
        assertThat(pair.cqA.poll().status()).isZero();
    }

    /** No timer here is over before the next step, however long this thread has no processor. */
    private void holdTime() {
        pair.driver.device().faults().passTime(Duration.ofHours(-1));
    }

    /** Who comes second to a receive that woke two tries in vain, which its attributes do not pay for. */
    @Test
    void paysNothingForAReceiveThatAnotherTook() {
        final RawSrq srq = pair.driver.createSrq(16, 1);
        final RawQp[] senders = new RawQp[2];
        for (int i = 0; i < 2; i++) {
            senders[i] = pair.driver.createQp(RawQp.with().cq(pair.cqA));
            final RawQp receiver = pair.driver.createQp(RawQp.with().cq(pair.cqB).srq(srq));
            senders[i].rnrRetry = 1;
            receiver.minRnrTimer = 0;
            RawQp.connect(senders[i], receiver);
        }
        for (int i = 0; i < 6; i++) {
            holdTime();
            senders[0].post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        }
        holdTime();
        senders[1].post(w -> w.send(2, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        for (int i = 0; i < 7; i++) {
            holdTime();
            srq.receive(i, pair.to.start(), 8, pair.to.lkey);
            assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        }
    }

    private RawQp sender(RawSrq srq, int rnrRetry) {
        final RawQp sender = pair.driver.createQp(RawQp.with().cq(pair.cqA));
        sender.rnrRetry = rnrRetry;
        RawQp.connect(sender, pair.driver.createQp(RawQp.with().cq(pair.cqB).srq(srq)));
        return sender;
    }

    private void givesUpAndIsDestroyed(RawSrq srq) {
        final RawQp sender = sender(srq, 0);
        sender.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_RNR_RETRY_EXC_ERR);
        assertThat(sender.destroy()).isZero();
    }

    @Test
    void forgetsWhoGaveUpWaitingForAReceive() {
        final RawSrq srq = pair.driver.createSrq(16, 1);
        for (int i = 0; i < 50; i++) {
            givesUpAndIsDestroyed(srq);
        }
        assertThat(pair.driver.device().describe().lines().filter(line -> line.contains("srq 0x")))
            .singleElement().asString().containsPattern("waiting senders [0-2]$");
    }

    @Test
    void remembersWhoStillWaitsForAReceiveWhenOthersGiveUp() {
        final RawSrq srq = pair.driver.createSrq(16, 1);
        for (int i = 0; i < 5; i++) {
            sender(srq, 7).post(w -> w.send(2, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
            for (int others = 0; others < 9; others++) {
                givesUpAndIsDestroyed(srq);
            }
        }
        assertThat(pair.cqA.poll()).isNull();
        for (int i = 0; i < 5; i++) {
            srq.receive(i, pair.to.start(), 8, pair.to.lkey);
            final Completion sent = pair.cqA.poll();
            assertThat(sent).as(pair.driver.device().describe()).isNotNull();
            assertThat(sent.wrId()).isEqualTo(2);
            assertThat(sent.status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        }
    }

    @Test
    void triesForEverWithSevenRnrRetries() {
        pair.b.minRnrTimer = 1;
        RawQp.connect(pair.a, pair.b);
        post(1);
        for (int hours = 0; hours < 20; hours++) {
            pair.driver.device().faults().passTime(Duration.ofHours(1));
            pair.cqA.pollInVain();
        }
        assertThat(pair.cqA.poll()).isNull();
        pair.b.receive(7, new long[0][]);
        assertThat(pair.cqA.poll().status()).isZero();
    }

    /** Nobody tells the sender that no receive can come any more. */
    @Test
    void waitsForAReceiveOnlyAsLongAsThereIsAPeer() {
        pair.a.timeout = SHORT;
        pair.a.retryCnt = 1;
        RawQp.connect(pair.a, pair.b);
        post(1);
        assertThat(pair.driver.device().describe()).contains("waits for a receive, rnr retries left without limit");
        pair.driver.device().faults().portDown();
        assertThat(pair.cqA.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
    }

    @Test
    void losesWhatIsSentWhileThePortIsDown() {
        pair.a.timeout = SHORT;
        pair.a.retryCnt = 1;
        RawQp.connect(pair.a, pair.b);
        pair.b.receive(7, new long[0][]);
        pair.driver.device().faults().portDown();
        post(1);
        assertThat(pair.cqA.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
        assertThat(pair.cqB.poll()).isNull();
    }

    @Test
    void getsThroughWhenThePortComesUpAgain() {
        pair.a.timeout = AGES;
        RawQp.connect(pair.a, pair.b);
        pair.b.receive(7, new long[0][]);
        pair.driver.device().faults().portDown();
        post(1);
        assertThat(pair.cqA.poll()).isNull();
        pair.driver.device().faults().portUp();
        assertThat(pair.cqA.poll().status()).isZero();
        assertThat(pair.cqB.poll().wrId()).isEqualTo(7);
    }
}
