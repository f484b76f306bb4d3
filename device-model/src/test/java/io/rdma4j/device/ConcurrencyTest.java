/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.device.raw.RawSrq;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.testing.Patience;
import io.rdma4j.testing.TestBudget;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many threads, no thread of the device. */
class ConcurrencyTest {
    /** A device that takes requests out of the ring at the doorbell. */
    private static final String EARLY = "?quirks=early-cons-head";
    private static final long PATIENCE = Patience.nanos();

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<?>> running = new ArrayList<>();
    private final long deadline = System.nanoTime() + PATIENCE;
    /** From now on no further round is begun: threads that spin for each other are slow on a machine with others. */
    private final long enough = deadline - PATIENCE / 4 * 3;
    /** How many rounds there are to be; fewer where time is short. */
    private final AtomicLong rounds = new AtomicLong();
    /** Unsynchronized on purpose: it only has to change. */
    private int pauses;

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private void start(Callable<?> work) {
        running.add(threads.submit(work));
    }

    private void joinAll() throws Exception {
        for (Future<?> work : running) {
            work.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
    }

    private void pause(RawDriver driver) {
        Thread.onSpinWait();
        if ((++pauses & 63) == 0) {
            // On a busy machine who sleeps gets a processor before who yields.
            LockSupport.parkNanos(1);
        }
        if (System.nanoTime() - deadline > 0) {
            throw new AssertionError("stuck\n" + driver.device().describe());
        }
    }

    /** Whether the one thread that begins rounds begins this one. */
    private boolean begins(long round) {
        if (System.nanoTime() - enough > 0) {
            rounds.accumulateAndGet(round, Math::min);
        }
        return round < rounds.get();
    }

    /** What completes in a round; -1 if the round was never begun. */
    private long next(RawCq cq, RawDriver driver, long round) {
        long wrId = cq.pollQuick();
        while (wrId < 0 && round < rounds.get()) {
            pause(driver);
            wrId = cq.pollQuick();
        }
        return wrId;
    }

    private void requireRounds() {
        assertThat(rounds.get()).as("rounds").isGreaterThan(100);
    }

    private long next(RawCq cq, RawDriver driver) {
        long wrId = cq.pollQuick();
        while (wrId < 0) {
            pause(driver);
            wrId = cq.pollQuick();
        }
        return wrId;
    }

    /** An interrupt is raised with locks held; one that fails would leave them taken, and close() would hang. */
    @Test
    void interruptsMayBeDisabledUnderTraffic() throws Exception {
        final AtomicBoolean over = new AtomicBoolean();
        try (RawDriver driver = RawDriver.ready("emulated:interrupts")) {
            final RawCq cq = driver.createCq(64);
            final RawQp[] qps = {driver.createQp(RawQp.with().cqs(cq, cq)), driver.createQp(RawQp.with().cqs(cq, cq))};
            RawQp.connect(qps[0], qps[1]);
            start(() -> {
                for (int i = 0; i < 20_000; i++) {
                    driver.pci.interrupts().disable();
                    driver.pci.interrupts().enable(3);
                }
                over.set(true);
                return null;
            });
            for (int i = 0; !over.get(); i++) {
                cq.arm();
                qps[1].receive(i, new long[0][]);
                qps[0].post(w -> w.send(7, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
                next(cq, driver);
                next(cq, driver);
            }
            joinAll();
        }
    }

    @Test
    void playsPingPongBetweenTwoDevicesAndThreads() throws Exception {
        rounds.set(TestBudget.rounds(6_000, 20_000));
        try (RawDriver left = RawDriver.ready("emulated:left"); RawDriver right = RawDriver.ready("emulated:right")) {
            final RawCq[] cqs = {left.createCq(64), right.createCq(64)};
            final RawCq[] sent = {left.createCq(64), right.createCq(64)};
            final RawQp[] qps = {left.createQp(RawQp.with().cqs(sent[0], cqs[0])),
                right.createQp(RawQp.with().cqs(sent[1], cqs[1]))};
            RawQp.connect(qps[0], qps[1]);
            final RawDriver[] drivers = {left, right};
            for (int side = 0; side < 2; side++) {
                final int me = side;
                final RawRegion region = drivers[me].register(128, RawPair.ALL);
                qps[me].receive(0, region.start(), 64, region.lkey);
                start(() -> {
                    for (int i = 0; me == 0 ? begins(i) : i < rounds.get(); i++) {
                        if (me == 0) {
                            bounce(drivers[me], qps[me], sent[me], region, i);
                        }
                        if (next(cqs[me], drivers[me], i) < 0) {
                            break;
                        }
                        assertThat(region.getLong(0)).isEqualTo(i * 7L);
                        assertThat(region.getLong(56)).isEqualTo(~(i * 7L));
                        qps[me].receive(i, region.start(), 64, region.lkey);
                        if (me == 1) {
                            bounce(drivers[me], qps[me], sent[me], region, i);
                        }
                    }
                    return null;
                });
            }
            joinAll();
            requireRounds();
        }
    }

    private void bounce(RawDriver driver, RawQp qp, RawCq sent, RawRegion region, int i) {
        region.putLong(64, i * 7L);
        region.putLong(120, ~(i * 7L));
        qp.send(i, region.start() + 64, 64, region.lkey);
        assertThat(next(sent, driver)).isEqualTo(i);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", EARLY})
    void leavesNoSenderWaitingInAStorm(String options) throws Exception {
        rounds.set(TestBudget.rounds(8_000, 30_000));
        try (RawPair pair = RawPair.connected("emulated:storm" + options)) {
            start(() -> {
                long done = 0;
                for (long posted = 0; done < rounds.get();) {
                    if (begins(posted) && posted - done < 16) {
                        pair.a.send(posted++, pair.from.start(), 8, pair.from.lkey);
                    }
                    for (long id = pair.cqA.pollQuick(); id >= 0; id = pair.cqA.pollQuick()) {
                        assertThat(id).isEqualTo(done++);
                    }
                    pause(pair.driver);
                }
                return null;
            });
            start(() -> {
                for (long i = 0; i < rounds.get(); i++) {
                    pair.b.receive(i, pair.to.start(), 8, pair.to.lkey);
                    assertThat(next(pair.cqB, pair.driver, i)).isIn(i, i < rounds.get() ? i : -1);
                }
                return null;
            });
            joinAll();
            requireRounds();
            assertThat(pair.count(Counter.RNR)).as("sends that had to wait").isPositive();
        }
    }

    /**
     * One send and one receive at the same instant, again and again; nothing else would wake a sender left behind. On a
     * machine that is busy with other things as many rounds as a third of the patience allows.
     */
    @ParameterizedTest
    @ValueSource(strings = {"", EARLY})
    void losesNoWakeUpWhenSendAndReceiveMeet(String options) throws Exception {
        final int rounds = TestBudget.rounds(8_000, 30_000);
        try (RawPair pair = RawPair.connected("emulated:meet" + options)) {
            final AtomicLong round = new AtomicLong(-1);
            final AtomicLong last = new AtomicLong(rounds - 1);
            final long enough = System.nanoTime() + PATIENCE / 3;
            start(() -> {
                for (int i = 0; i <= last.get(); i++) {
                    while (round.get() < i && i <= last.get()) {
                        pause(pair.driver);
                    }
                    if (i > last.get()) {
                        break;
                    }
                    jitter(i * 31 % 97);
                    pair.b.receive(i, pair.to.start(), 8, pair.to.lkey);
                    assertThat(next(pair.cqB, pair.driver)).isEqualTo(i);
                }
                return null;
            });
            start(() -> {
                for (int i = 0; i <= last.get(); i++) {
                    if (System.nanoTime() > enough) {
                        last.set(i);
                    }
                    round.set(i);
                    jitter(i * 17 % 89);
                    pair.a.send(i, pair.from.start(), 8, pair.from.lkey);
                    assertThat(next(pair.cqA, pair.driver)).isEqualTo(i);
                }
                return null;
            });
            joinAll();
            assertThat(round.get()).as("rounds").isEqualTo(last.get()).isGreaterThan(100);
        }
    }

    /** Connections that try for ever, over a port that goes down and up all the time: nothing is lost or doubled. */
    @Test
    void getsEverythingThroughOverAPortThatGoesDownAndUp() throws Exception {
        rounds.set(5_000);
        try (RawDriver left = RawDriver.ready("emulated:flap1"); RawDriver right = RawDriver.ready("emulated:flap2")) {
            final RawCq sent = left.createCq(64);
            final RawCq received = right.createCq(64);
            final RawQp a = left.createQp(RawQp.with().cq(sent));
            final RawQp b = right.createQp(RawQp.with().cq(received));
            a.timeout = 0;
            RawQp.connect(a, b);
            final AtomicBoolean over = new AtomicBoolean();
            start(() -> {
                for (int i = 0; begins(i); i++) {
                    a.send(i, 0, 0, 0);
                    assertThat(sent.await().wrId()).isEqualTo(i);
                }
                return null;
            });
            start(() -> {
                for (long i = 0; i < rounds.get(); i++) {
                    b.receive(i, 0, 0, 0);
                    assertThat(next(received, right, i)).isIn(i, i < rounds.get() ? i : -1);
                }
                over.set(true);
                return null;
            });
            for (int i = 0; !over.get(); i++) {
                final EmulatedFaults faults = ((i & 1) == 0 ? left : right).device().faults();
                faults.portDown();
                jitter(i % 50);
                faults.portUp();
                jitter(1000);
                pause(left);
            }
            joinAll();
            requireRounds();
            assertThat(sent.poll()).isNull();
            assertThat(received.poll()).isNull();
            assertThat(left.device().counters().get(Counter.RETRIES_EXCEEDED)).isZero();
        }
    }

    private static void jitter(int spins) {
        for (int i = 0; i < spins; i++) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", EARLY})
    void servesTwoThreadsThatSendToEachOtherAtOnce(String options) throws Exception {
        final int messages = 20_000;
        try (RawPair pair = RawPair.connected("emulated:cross" + options)) {
            start(() -> exchange(pair, pair.a, pair.cqA, pair.from, messages));
            start(() -> exchange(pair, pair.b, pair.cqB, pair.to, messages));
            joinAll();
        }
    }

    private Void exchange(RawPair pair, RawQp qp, RawCq cq, RawRegion region, int messages) {
        final long receiveBit = 1L << 40;
        long received = 0;
        long sent = 0;
        long postedReceives = 0;
        long postedSends = 0;
        while (received < messages || sent < messages) {
            if (postedReceives < messages && postedReceives - received < 8) {
                qp.receive(receiveBit | postedReceives++, region.start() + 4096, 8, region.lkey);
            }
            if (postedSends < messages && postedSends - sent < 8) {
                qp.send(postedSends++, region.start(), 8, region.lkey);
            }
            for (long id = cq.pollQuick(); id >= 0; id = cq.pollQuick()) {
                if ((id & receiveBit) != 0) {
                    assertThat(id & ~receiveBit).isEqualTo(received++);
                } else {
                    assertThat(id).isEqualTo(sent++);
                }
            }
            pause(pair.driver);
        }
        return null;
    }

    @Test
    void completesEachRequestOnceInOneQueueForMany() throws Exception {
        final int messages = 5_000;
        final int senders = 3;
        try (RawDriver driver = RawDriver.ready("emulated:many")) {
            final RawCq cq = driver.createCq(256);
            final RawSrq srq = driver.createSrq(64, 1);
            final RawRegion region = driver.register(4096, RawPair.ALL);
            final AtomicLong[] sent = new AtomicLong[senders];
            for (int s = 0; s < senders; s++) {
                final int me = s;
                final AtomicLong completed = new AtomicLong();
                sent[me] = completed;
                final RawQp from = driver.createQp(RawQp.with().cq(cq));
                final RawQp to = driver.createQp(RawQp.with().cq(cq).srq(srq));
                RawQp.connect(from, to);
                start(() -> {
                    for (int i = 0; i < messages;) {
                        if (i - completed.get() < 16) {
                            from.send((long) me << 32 | i++, region.start(), 8, region.lkey);
                        }
                        pause(driver);
                    }
                    return null;
                });
            }
            final BitSet seen = new BitSet();
            long receives = 0;
            long posted = 0;
            final long total = (long) senders * messages;
            while (receives < total || seen.cardinality() < total) {
                while (posted < total && posted - receives < 32) {
                    srq.receive(1L << 50 | posted++, region.start() + 64, 8, region.lkey);
                }
                final long id = next(cq, driver);
                if (id >>> 50 != 0) {
                    receives++;
                } else {
                    final int sender = (int) (id >>> 32);
                    final int index = sender * messages + (int) id;
                    assertThat(seen.get(index)).as("completed twice: %s", id).isFalse();
                    seen.set(index);
                    sent[sender].incrementAndGet();
                }
            }
            joinAll();
            assertThat(cq.poll()).isNull();
        }
    }

    @Test
    void writesNothingIntoARegionThatIsGone() throws Exception {
        try (RawDriver writer = RawDriver.ready("emulated:writer");
            RawDriver owner = RawDriver.ready("emulated:owner")) {
            for (int round = 0; round < TestBudget.rounds(21, 60); round++) {
                endUnderWrites(writer, owner, round);
            }
        }
    }

    private void endUnderWrites(RawDriver writer, RawDriver owner, int round) throws Exception {
        final RawCq cqA = writer.createCq(64);
        final RawCq cqB = owner.createCq(64);
        final RawQp a = writer.createQp(RawQp.with().cq(cqA));
        final RawQp b = owner.createQp(RawQp.with().cq(cqB));
        RawQp.connect(a, b);
        final RawRegion from = writer.register(8192, RawPair.ALL);
        final RawRegion to = owner.register(8192, RawPair.ALL);
        from.fill(round);
        final AtomicBoolean started = new AtomicBoolean();
        final Future<Integer> writing = threads.submit(() -> {
            int status = WcStatus.PVRDMA_WC_SUCCESS;
            while (status == WcStatus.PVRDMA_WC_SUCCESS) {
                a.post(w -> w.send(1, PVRDMA_WR_RDMA_WRITE, PVRDMA_SEND_SIGNALED).rdma(to.start(), to.rkey)
                    .sge(from.start(), 8192, from.lkey));
                final Completion completion = cqA.await();
                status = completion.status();
                started.set(true);
            }
            return status;
        });
        while (!started.get()) {
            pause(owner);
        }
        if (round % 3 == 0) {
            assertThat(owner.destroy(Command.DESTROY_MR, to.handle)).isZero();
        } else if (round % 3 == 1) {
            assertThat(b.destroy()).isZero();
        } else {
            to.memory(0).close();
            to.memory(1).close();
        }
        to.fill(round + 1);
        assertThat(Patience.get(writing)).isNotEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        for (int i = 0; i < to.length(); i++) {
            assertThat(to.get(i)).isEqualTo((byte) RawRegion.pattern(round + 1, i));
        }
        a.destroy();
    }

    @Test
    void flushesEachRequestOnceWhenTheStateChangesUnderway() throws Exception {
        for (int round = 0; round < TestBudget.rounds(16, 40); round++) {
            try (RawPair pair = RawPair.connected("emulated:flush")) {
                final int posts = 12;
                final Future<?> posting = threads.submit(() -> {
                    for (int i = 0; i < posts; i++) {
                        final int id = i;
                        pair.a.post(w -> w.send(id, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
                        pair.a.receive(100 + i, new long[0][]);
                    }
                });
                pair.b.receive(1, new long[0][]);
                pair.b.receive(2, new long[0][]);
                assertThat((round & 1) == 0 ? pair.a.modifyState(QpState.PVRDMA_QPS_ERR)
                    : pair.b.modifyState(QpState.PVRDMA_QPS_ERR)).isZero();
                Patience.get(posting);
                final List<Long> ids = new ArrayList<>();
                while (ids.size() < 2 * posts) {
                    ids.add(pair.cqA.await().wrId());
                }
                for (Completion c = pair.cqA.poll(); c != null; c = pair.cqA.poll()) {
                    ids.add(c.wrId());
                }
                assertThat(ids).as(pair.driver.device()::describe).doesNotHaveDuplicates().hasSize(2 * posts);
            }
        }
    }
}
