/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import static io.rdma4j.hw.pvrdma.WcOpcode.PVRDMA_WC_RECV;
import static io.rdma4j.verbs.pvrdma.Refusals.assertBusy;
import static io.rdma4j.verbs.pvrdma.Refusals.assertClosed;

import io.rdma4j.device.common.Counter;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.WcFlags;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A CQ with just enough entries loses nothing, although its handler posts anew before the batch is over. */
class TightCqTest {
    private static final int ROUNDS = 400;
    private static final int IMM = 0x1234;

    @RegisterExtension
    final Devices devices = new Devices();

    @RegisterExtension
    final Crew crew = new Crew();

    /** Posts again whatever completes, and checks that it comes in order. */
    private static final class Reposter {
        private final Peer me;
        private long sent;
        private long received;

        Reposter(final Peer me) {
            this.me = me;
        }

        void begin() {
            for (int i = 0; i < me.qp.maxReceiveWr(); i++) {
                assertThat(me.qp.postReceive(i, me.at(64), 8, me.lkey())).isZero();
            }
        }

        void send() {
            for (int i = 0; i < me.qp.maxSendWr(); i++) {
                assertThat(me.qp.postSend(i, me.at(0), 8, me.lkey())).isZero();
            }
        }

        void onCompletion(final Completion c) {
            final WcOpcode opcode = c.opcode();
            assertThat(c.status()).isEqualTo(WcStatus.SUCCESS);
            if (opcode == WcOpcode.RECV) {
                assertThat(c.wrId()).isEqualTo(received);
                assertThat(me.qp.postReceive(received++ + me.qp.maxReceiveWr(), me.at(64), 8, me.lkey())).isZero();
            } else {
                assertThat(c.wrId()).isEqualTo(sent);
                assertThat(me.qp.postSend(sent++ + me.qp.maxSendWr(), me.at(0), 8, me.lkey())).isZero();
            }
            assertThat(c.opcode()).as("after posting").isEqualTo(opcode);
            assertThat(c.byteLength()).as("after posting").isEqualTo(8);
            assertThat(c.status()).as("after posting").isEqualTo(WcStatus.SUCCESS);
        }
    }

    @ParameterizedTest
    @CsvSource({"'', 16, 0, true", "'', 16, 0, false", "'', 32, 4, true", "'', 64, 0, true",
        Devices.QEMU + ", 16, 0, true", Devices.QEMU + ", 32, 4, true"})
    void losesNothingThoughTheHandlerPosts(
        final String options, final int capacity, final int others, final boolean reserve) {
        final PvrdmaContext device = devices.open(options);
        final var pd = device.allocatePd();
        final Peer a = new Peer(device, pd, device.createCq(capacity),
            new QpOptions().maxSendWr(8).maxReceiveWr(8).reserveCq(reserve));
        if (others > 0) {
            pd.createQp(new QpOptions().cq(a.cq).maxSendWr(others).maxReceiveWr(others));
        }
        final Peer b = new Peer(devices.open(), new QpOptions().maxSendWr(64).maxReceiveWr(64));
        a.connect(b);
        final Reposter near = new Reposter(a);
        final Reposter far = new Reposter(b);
        near.begin();
        far.begin();
        near.send();
        far.send();
        final long deadline = System.nanoTime() + Patience.nanos();
        while ((near.sent < ROUNDS * 8L || near.received < ROUNDS * 8L) && System.nanoTime() < deadline) {
            assertThat(a.cq.poll(near::onCompletion, 16)).isNotNegative();
            assertThat(b.cq.poll(far::onCompletion, 64)).isNotNegative();
        }
        assertThat(Devices.emulated(device).counters().get(Counter.CQ_OVERFLOWS)).as("overflows").isZero();
        assertThat(near.sent).isGreaterThanOrEqualTo(ROUNDS * 8L);
        assertThat(near.received).isGreaterThanOrEqualTo(ROUNDS * 8L);
        assertThat(a.cq.dropped()).isZero();
    }

    @Test
    void givesEntriesBackOncePerBatchWhereThereIsRoom() {
        assertThat(consumerIndexSeenByTheHandler(32)).containsExactly(0, 0, 0, 0, 0, 0, 0, 0);
    }

    @Test
    void givesEntriesBackBeforeTheHandlerWhereThereIsNoRoom() {
        assertThat(consumerIndexSeenByTheHandler(16)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
    }

    /** Eight entries that nobody reserved: the batch fills them, and no more. */
    @Test
    void holdsAsManyEntriesAsNobodyReserved() {
        assertThat(consumerIndexSeenByTheHandler(32, 16, 0)).containsExactly(0, 0, 0, 0, 0, 0, 0, 0);
    }

    /** Four entries that nobody reserved: they are given back together when a fifth one is at hand. */
    @Test
    void givesEntriesBackTogetherWhenTheRoomIsFull() {
        assertThat(consumerIndexSeenByTheHandler(32, 16, 2)).containsExactly(0, 0, 0, 0, 4, 4, 4, 4);
    }

    /** What closed QPs left takes room that nobody reserved. */
    @Test
    void givesEntriesBackBeforeTheHandlerWhileThereAreSomeOfClosedQps() {
        final PvrdmaContext device = devices.open();
        final Peer a = new Peer(device, device.allocatePd(), device.createCq(256), new QpOptions().maxSendWr(8));
        final Peer b = Peer.rc(devices.open());
        final Peer closed = new Peer(device, a.pd, a.cq, new QpOptions().maxSendWr(8).maxReceiveWr(8));
        a.connect(b);
        closed.connect(Peer.rc(devices.open()));
        for (int i = 0; i < 3; i++) {
            a.qp.postReceive(i, a.at(0), 8, a.lkey());
            b.qp.postSend(i, b.at(0), 8, b.lkey());
        }
        Completions.await(b.cq, 3);
        closed.qp.postReceive(3, a.at(0), 8, a.lkey());
        closed.qp.modify(QpAttributes.to(QpState.ERR));
        closed.qp.close();
        final UnsafeBuffer ring = ((PvrdmaCq) a.cq).ringBuffer();
        final List<Integer> heads = new ArrayList<>();
        assertThat(a.cq.poll(c -> heads.add(ring.getInt(RingState.RX_CONS_HEAD_OFFSET)), 8)).isEqualTo(3);
        assertThat(heads).containsExactly(1, 2, 3);
        assertThat(ring.getInt(RingState.RX_CONS_HEAD_OFFSET)).as("with the flushed receive of the closed one")
            .isEqualTo(4);
    }

    private List<Integer> consumerIndexSeenByTheHandler(final int capacity) {
        return consumerIndexSeenByTheHandler(capacity, 8, 0);
    }

    private List<Integer> consumerIndexSeenByTheHandler(final int capacity, final int sends, final int others) {
        final PvrdmaContext device = devices.open();
        final Peer a = new Peer(device, device.allocatePd(), device.createCq(capacity),
            new QpOptions().maxSendWr(sends).maxReceiveWr(8));
        if (others > 0) {
            a.pd.createQp(new QpOptions().cq(a.cq).maxSendWr(others).maxReceiveWr(others));
        }
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        for (int i = 0; i < 8; i++) {
            a.qp.postReceive(i, a.at(0), 8, a.lkey());
            b.qp.postSend(new SendRequest().opcode(SendOpcode.SEND_WITH_IMM).immData(70 + i));
        }
        Completions.await(b.cq, 8);
        final UnsafeBuffer ring = ((PvrdmaCq) a.cq).ringBuffer();
        final List<Integer> heads = new ArrayList<>();
        assertThat(a.cq.poll(c -> {
            assertThat(c.immData()).isEqualTo(70 + heads.size());
            heads.add(ring.getInt(RingState.RX_CONS_HEAD_OFFSET));
        }, 8)).isEqualTo(8);
        assertThat(ring.getInt(RingState.RX_CONS_HEAD_OFFSET)).isEqualTo(8);
        return heads;
    }

    /** The device may write over an entry that was given back while its handler is at work. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCompletionStaysWhatItWasWhenItsEntryIsWrittenAgain(final boolean shared) {
        final PvrdmaContext device = devices.open();
        final var pd = device.allocatePd();
        final SharedReceiveQueue srq = shared ? pd.createSrq(8, 1) : null;
        final Peer a = new Peer(device, pd, device.createCq(16),
            new QpOptions().maxSendWr(8).maxReceiveWr(8).srq(srq));
        a.connect(Peer.rc(devices.open()));
        for (int i = 0; i < 2; i++) {
            final int code = shared ? srq.postReceive(i, a.at(0), 8, a.lkey())
                : a.qp.postReceive(i, a.at(0), 8, a.lkey());
            assertThat(code).isZero();
        }
        final Forgery forgery = new Forgery(a.cq);
        for (int i = 0; i < 2; i++) {
            forgery.flags(WcFlags.PVRDMA_WC_WITH_IMM, Opcodes.immData(70 + i));
            forgery.write(a.qp, PVRDMA_WC_RECV, 0, 8, i);
        }
        final UnsafeBuffer ring = ((PvrdmaCq) a.cq).ringBuffer();
        final List<Integer> data = new ArrayList<>();
        assertThat(a.cq.poll(c -> {
            ring.setMemory(RingMemory.ELEMENTS_OFFSET + data.size() * Cqe.LENGTH, Cqe.LENGTH, (byte) 0);
            data.add(c.hasImmData() ? c.immData() : -1);
        }, 2)).isEqualTo(2);
        assertThat(data).containsExactly(70, 71);
    }

    /** Two QPs, of which one uses all of its room in the CQ. */
    private final class Pair {
        private final int each;
        private final Peer near;
        private final Peer far = new Peer(devices.open(), new QpOptions().maxSendWr(64).maxReceiveWr(64));
        private final SendRequest withImm = new SendRequest().opcode(SendOpcode.SEND_WITH_IMM).immData(IMM);

        Pair(final PvrdmaContext device, final ProtectionDomain pd, final CompletionQueue cq, final int each) {
            this.each = each;
            near = new Peer(device, pd, cq, new QpOptions().maxSendWr(each).maxReceiveWr(each));
        }

        Pair begin() {
            near.connect(far);
            for (int i = 0; i < 64; i++) {
                assertThat(far.qp.postReceive(i, far.at(64), 8, far.lkey())).isZero();
            }
            for (int i = 0; i < each; i++) {
                send();
            }
            for (int i = 0; i < each; i++) {
                receive();
            }
            return this;
        }

        private void send() {
            assertThat(near.qp.postSend(1, near.at(0), 8, near.lkey())).isZero();
        }

        private void receive() {
            assertThat(near.qp.postReceive(2, near.at(64), 8, near.lkey())).isZero();
            assertThat(far.qp.postSend(withImm.sge(far.at(0), 8, far.lkey()))).isZero();
        }

        void again(final WcOpcode opcode) {
            if (opcode == WcOpcode.RECV) {
                receive();
            } else {
                send();
            }
        }

        void beginAnew() {
            near.qp.modify(QpAttributes.to(QpState.RESET));
            far.qp.modify(QpAttributes.to(QpState.RESET));
            begin();
        }
    }

    /** QPs reserve half of a CQ's entries, and fill them anew while the poller holds the other half. */
    private final class FullBatch {
        private final PvrdmaContext device;
        private final ProtectionDomain pd;
        private final CompletionQueue cq;
        private final List<Pair> pairs = new ArrayList<>();
        private int handled;

        FullBatch(final int count) {
            this("", count);
        }

        FullBatch(final String options, final int count) {
            device = devices.open(options);
            pd = device.allocatePd();
            cq = device.createCq(64);
            for (int i = 0; i < count; i++) {
                add(16 / count);
            }
        }

        void add(final int each) {
            pairs.add(new Pair(device, pd, cq, each).begin());
        }

        void poll(final Runnable inLastCall) {
            assertThat(cq.poll(c -> {
                pairs.stream().filter(pair -> pair.near.qp == c.queuePair()).forEach(pair -> pair.again(c.opcode()));
                if (++handled == 32) {
                    assertThat(c.immData()).isEqualTo(IMM);
                    inLastCall.run();
                    assertThat(c.hasImmData()).as("afterwards").isTrue();
                    assertThat(c.immData()).as("afterwards").isEqualTo(IMM);
                }
            }, 32)).isEqualTo(32);
        }

        /** While the handler waits, or until it is done. */
        void startInLastCall(final Runnable task) throws InterruptedException {
            poll(() -> {
                final Thread thread = crew.start(task::run);
                Crew.await("it waits", () -> thread.getState() == Thread.State.TIMED_WAITING || !thread.isAlive());
            });
            crew.join();
        }

        void assertLosesNothing(final int left) {
            assertThat(Devices.emulated(device).counters().get(Counter.CQ_OVERFLOWS)).as("overflows").isZero();
            assertThat(Completions.await(cq, left)).allMatch(c -> c.status() == WcStatus.SUCCESS);
            Completions.assertNone(cq);
        }
    }

    @Test
    void makesRoomForAQpThatTheHandlerCreates() {
        final FullBatch batch = new FullBatch(1);
        batch.poll(() -> batch.add(16));
        batch.assertLosesNothing(64);
    }

    @Test
    void whoCreatesAQpElsewhereWaitsUntilTheBatchIsOver() throws InterruptedException {
        final FullBatch batch = new FullBatch(1);
        batch.startInLastCall(() -> batch.add(16));
        batch.assertLosesNothing(64);
    }

    @Test
    void makesRoomForAQpThatTheHandlerResets() {
        final FullBatch batch = new FullBatch(2);
        batch.poll(() -> batch.pairs.get(1).beginAnew());
        batch.assertLosesNothing(32);
    }

    /** Of 64 entries one QP reserved 16, which are in the batch, and the new one 32: 16 are left for the batch. */
    @Test
    void whoCreatesAQpElsewhereDoesNotWaitForABatchThatLeavesRoom() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final CompletionQueue cq = device.createCq(64);
        new Pair(device, pd, cq, 8).begin();
        final List<Thread> creators = new ArrayList<>();
        assertThat(cq.poll(c -> {
            if (creators.isEmpty()) {
                creators.add(crew.start(() ->
                    pd.createQp(new QpOptions().cq(cq).maxSendWr(16).maxReceiveWr(16))));
                Crew.await("the queue pair is there", () -> !creators.get(0).isAlive());
            }
        }, 16)).isEqualTo(16);
    }

    @Test
    void aQpThatIsRefusedAsAHandlerStaysKeepsNoRoom() {
        final FullBatch batch = new FullBatch("timeout=300", 1);
        final QpOptions options = new QpOptions().cq(batch.cq).maxSendWr(16).maxReceiveWr(16);
        batch.poll(() -> {
            final Thread creator =
                crew.start(() -> assertBusy(() -> batch.pd.createQp(options), batch.cq.toString(), "in poll"));
            Crew.await("refused", () -> !creator.isAlive());
        });
        batch.pd.createQp(options);
        batch.assertLosesNothing(32);
    }

    /** What closed QPs left has the entry given back before the handler, which then holds none to give back. */
    @Test
    void aQpThatTheHandlerCreatesLeavesTheCopyOfACompletionAlone() {
        final PvrdmaContext device = devices.open();
        final Peer a = new Peer(device, device.allocatePd(), device.createCq(16),
            new QpOptions().maxSendWr(1).maxReceiveWr(8));
        final Peer closed = new Peer(device, a.pd, a.cq, new QpOptions().maxSendWr(1).maxReceiveWr(1));
        a.connect(Peer.rc(devices.open()));
        final Forgery forgery = new Forgery(a.cq);
        for (int i = 0; i < 7; i++) {
            assertThat(a.qp.postReceive(i, a.at(0), 8, a.lkey())).isZero();
            forgery.flags(WcFlags.PVRDMA_WC_WITH_IMM, Opcodes.immData(70 + i));
            forgery.write(a.qp, PVRDMA_WC_RECV, 0, 8, i);
        }
        forgery.write(closed.qp, PVRDMA_WC_RECV, 0, 8, 0);
        closed.qp.close();
        final UnsafeBuffer ring = ((PvrdmaCq) a.cq).ringBuffer();
        final List<Integer> data = new ArrayList<>();
        assertThat(a.cq.poll(c -> {
            if (data.isEmpty()) {
                assertThat(ring.getInt(RingState.RX_CONS_HEAD_OFFSET)).as("given back").isEqualTo(1);
                ring.setMemory(RingMemory.ELEMENTS_OFFSET, Cqe.LENGTH, (byte) 0);
                a.pd.createQp(new QpOptions().cq(a.cq).maxSendWr(2).maxReceiveWr(4));
            }
            data.add(c.hasImmData() ? c.immData() : -1);
        }, 8)).isEqualTo(7);
        assertThat(data).containsExactly(70, 71, 72, 73, 74, 75, 76);
    }

    /** Who takes a QP out of RESET waits for the handler, which must not wait for the same QP in turn. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theHandlerUsesAQpThatAnotherThreadTakesOutOfReset(final boolean closes) throws InterruptedException {
        final FullBatch batch = new FullBatch(2);
        final QueuePair qp = batch.pairs.get(1).near.qp;
        final QpAttributes init = QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).accessFlags(Set.of());
        batch.poll(() -> {
            qp.modify(QpAttributes.to(QpState.RESET));
            Crew.awaitSleep(crew.start(closes ? () -> assertClosed(() -> qp.modify(init), qp.toString())
                : () -> qp.modify(init)));
            assertThat(qp.query().state()).isEqualTo(QpState.RESET);
            assertBusy(() -> qp.modify(init), qp.toString(), "another thread");
            if (closes) {
                qp.close();
            }
        });
        crew.join();
        assertThat(qp.state()).isEqualTo(closes ? QpState.RESET : QpState.INIT);
        batch.assertLosesNothing(16);
    }

    @Test
    void whoResetsAQpElsewhereWaitsUntilTheBatchIsOver() throws InterruptedException {
        final FullBatch batch = new FullBatch(2);
        batch.startInLastCall(() -> batch.pairs.get(1).beginAnew());
        batch.assertLosesNothing(32);
    }
}
