/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_FENCE;
import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_ATOMIC_CMP_AND_SWP;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_ATOMIC_FETCH_AND_ADD;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_READ;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawEvents;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.testing.Patience;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Depths, alignment and fences of atomics and reads, and that atomics are atomic. */
class AtomicTest {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<?>> running = new ArrayList<>();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private void start(Callable<?> work) {
        running.add(threads.submit(work));
    }

    private void joinAll() throws Exception {
        for (Future<?> work : running) {
            Patience.get(work);
        }
    }

    private static void post(RawPair pair, int opcode, long remote) {
        pair.a.post(w -> {
            if (opcode == PVRDMA_WR_RDMA_READ) {
                w.rdma(remote, pair.to.rkey);
            } else {
                w.atomic(remote, pair.to.rkey, 1, 2);
            }
            w.send(1, opcode, PVRDMA_SEND_SIGNALED).sge(pair.from.start(), 8, pair.from.lkey);
        });
    }

    private static long aligned(RawPair pair) {
        return pair.to.start() + (-pair.to.start() & 7);
    }

    private static void connect(RawPair pair, int initiatorDepth, int responderDepth) {
        final byte[] gid = pair.driver.gid();
        pair.a.toInit();
        pair.a.toRtr(pair.b.qpn, gid);
        pair.a.modify(RawQp.RC_RTS, attr -> {
            pair.a.fillRts(attr);
            attr.set(QpAttr.MAX_RD_ATOMIC, initiatorDepth);
        });
        pair.b.toInit();
        pair.b.modify(RawQp.RC_RTR, attr -> {
            pair.b.fillRtr(attr, pair.a.qpn, gid);
            attr.set(QpAttr.MAX_DEST_RD_ATOMIC, responderDepth);
        });
        pair.b.toRts();
    }

    @ParameterizedTest
    @ValueSource(ints = {PVRDMA_WR_RDMA_READ, PVRDMA_WR_ATOMIC_CMP_AND_SWP, PVRDMA_WR_ATOMIC_FETCH_AND_ADD})
    void refusesWhatItsOwnDepthDoesNotAllow(int opcode) {
        try (RawPair pair = RawPair.unconnected("emulated:depth")) {
            connect(pair, 0, 1);
            post(pair, opcode, aligned(pair));
            assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_QP_OP_ERR);
            assertThat(pair.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_RTS);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {PVRDMA_WR_RDMA_READ, PVRDMA_WR_ATOMIC_CMP_AND_SWP, PVRDMA_WR_ATOMIC_FETCH_AND_ADD})
    void isToldThatTheRespondersDepthDoesNotAllowIt(int opcode) {
        try (RawPair pair = RawPair.unconnected("emulated:depth")) {
            connect(pair, 1, 0);
            final RawEvents events = new RawEvents(pair.driver);
            post(pair, opcode, aligned(pair));
            assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_REM_INV_REQ_ERR);
            assertThat(events.poll()).isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_QP_REQ_ERR, pair.b.handle));
            assertThat(pair.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        }
    }

    @Test
    void executesAnyNumberOfReadsWhateverTheDepthAboveZero() {
        try (RawPair pair = RawPair.connected("emulated:depth")) {
            for (int i = 0; i < 16; i++) {
                pair.a.write(w -> w.send(1, PVRDMA_WR_RDMA_READ, PVRDMA_SEND_SIGNALED)
                    .rdma(pair.to.start(), pair.to.rkey).sge(pair.from.start(), 8, pair.from.lkey));
            }
            pair.a.ringSend();
            for (int i = 0; i < 16; i++) {
                assertThat(pair.cqA.poll().status()).isZero();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
    void refusesEachAddressThatIsNotAMultipleOfEight(int offset) {
        for (int opcode : new int[] {PVRDMA_WR_ATOMIC_CMP_AND_SWP, PVRDMA_WR_ATOMIC_FETCH_AND_ADD}) {
            try (RawPair pair = RawPair.connected("emulated:align")) {
                pair.to.fill(3);
                post(pair, opcode, aligned(pair) + offset);
                assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_REM_INV_REQ_ERR);
                assertThat(pair.to.get(20)).isEqualTo((byte) RawRegion.pattern(3, 20));
            }
        }
    }

    /** The address is, but the region counts from 0 and begins at any byte. */
    @Test
    void refusesAWordThatIsNotAlignedInMemory() {
        try (RawPair pair = RawPair.connected("emulated:align")) {
            final RawEvents events = new RawEvents(pair.driver);
            final RawRegion region = pair.driver.register(pair.driver.pd, 64, 4,
                RawPair.ALL | AccessFlags.PVRDMA_ZERO_BASED);
            region.fill(3);
            assertThat(pair.run(w -> w.send(1, PVRDMA_WR_ATOMIC_FETCH_AND_ADD, PVRDMA_SEND_SIGNALED)
                .atomic(8, region.rkey, 1, 0).sge(pair.from.start(), 8, pair.from.lkey)))
                .isEqualTo(WcStatus.PVRDMA_WC_REM_INV_REQ_ERR);
            assertThat(events.poll()).isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_QP_REQ_ERR, pair.b.handle));
            assertThat(region.get(8)).isEqualTo((byte) RawRegion.pattern(3, 8));
        }
    }

    /** With or without the flag: what was read is there when the next request begins. */
    @ParameterizedTest
    @ValueSource(ints = {0, PVRDMA_SEND_FENCE})
    void usesInAWriteWhatTheReadBeforeItFetched(int fence) {
        try (RawPair pair = RawPair.connected("emulated:fence")) {
            pair.to.putLong(1, 0x1234_5678_9abcL);
            pair.a.write(w -> w.send(1, PVRDMA_WR_RDMA_READ, 0).rdma(pair.to.start() + 1, pair.to.rkey)
                .sge(pair.from.start(), 8, pair.from.lkey));
            pair.a.write(w -> w.send(2, PVRDMA_WR_RDMA_WRITE, PVRDMA_SEND_SIGNALED | fence)
                .rdma(pair.to.start() + 17, pair.to.rkey).sge(pair.from.start(), 8, pair.from.lkey));
            pair.a.ringSend();
            assertThat(pair.cqA.poll().wrId()).isEqualTo(2);
            assertThat(pair.to.getLong(17)).isEqualTo(0x1234_5678_9abcL);
        }
    }

    /** Two devices and a thread of the CPU add to one word. */
    @Test
    void addsAtomicallyWithOtherDevicesAndTheCpu() throws Exception {
        final int count = 20_000;
        try (RawDriver owner = RawDriver.ready("emulated:word"); RawDriver left = RawDriver.ready("emulated:adder1");
            RawDriver right = RawDriver.ready("emulated:adder2")) {
            final RawRegion word = owner.register(owner.pd, 64, 0, RawPair.ALL);
            final RawCq unused = owner.createCq(16);
            for (RawDriver adder : List.of(left, right)) {
                final RawQp from = adder.createQp(RawQp.with().cq(adder.createCq(16)));
                start(adder(adder, from, owner.createQp(RawQp.with().cq(unused)), word, count));
            }
            final UnsafeBuffer memory = word.memory(0).buffer();
            start(() -> {
                for (int i = 0; i < count; i++) {
                    memory.getAndAddLong(8, 1_000_000);
                }
                return null;
            });
            joinAll();
            assertThat(word.getLong(8)).isEqualTo(2L * count + 1_000_000L * count);
        }
    }

    private static Callable<?> adder(RawDriver driver, RawQp from, RawQp to, RawRegion word, int count) {
        RawQp.connect(from, to);
        final RawRegion old = driver.register(8, RawPair.ALL);
        return () -> {
            long last = -1;
            for (int i = 0; i < count; i++) {
                from.post(w -> w.send(1, PVRDMA_WR_ATOMIC_FETCH_AND_ADD, 0).atomic(word.start() + 8, word.rkey, 1, 0)
                    .sge(old.start(), 8, old.lkey));
                assertThat(old.getLong(0)).as("what was there before grows").isGreaterThan(last);
                last = old.getLong(0);
            }
            assertThat(from.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_RTS);
            return null;
        };
    }

    /** A lock in remote memory, taken by compare-and-swap, protects a sum that is not atomic. */
    @Test
    void excludesEachOtherByCompareAndSwap() throws Exception {
        final int rounds = 3_000;
        final AtomicBoolean broken = new AtomicBoolean();
        final int[] inside = new int[1];
        final long[] sum = new long[1];
        try (RawDriver owner = RawDriver.ready("emulated:lock"); RawDriver left = RawDriver.ready("emulated:locker1");
            RawDriver right = RawDriver.ready("emulated:locker2")) {
            final RawRegion word = owner.register(owner.pd, 64, 0, RawPair.ALL);
            final RawCq unused = owner.createCq(16);
            for (RawDriver locker : List.of(left, right)) {
                final RawQp from = locker.createQp(RawQp.with().cq(locker.createCq(16)));
                RawQp.connect(from, owner.createQp(RawQp.with().cq(unused)));
                final RawRegion old = locker.register(8, RawPair.ALL);
                start(() -> {
                    for (int i = 0; i < rounds; i++) {
                        while (swap(from, old, word, 0, 1) != 0) {
                            Thread.yield();
                        }
                        broken.compareAndSet(false, inside[0]++ != 0);
                        sum[0]++;
                        inside[0]--;
                        assertThat(swap(from, old, word, 1, 0)).isEqualTo(1);
                    }
                    return null;
                });
            }
            joinAll();
        }
        assertThat(broken).isFalse();
        assertThat(sum[0]).isEqualTo(2L * rounds);
    }

    private static long swap(RawQp from, RawRegion old, RawRegion word, long expected, long value) {
        from.post(w -> w.send(1, PVRDMA_WR_ATOMIC_CMP_AND_SWP, 0).atomic(word.start(), word.rkey, expected, value)
            .sge(old.start(), 8, old.lkey));
        return old.getLong(0);
    }
}
