/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE;
import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_ATOMIC_CMP_AND_SWP;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_ATOMIC_FETCH_AND_ADD;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_READ;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.device.raw.RawWindow;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** What a peer is asked for by packets, of a device that sends them to itself: it does it, or says why not. */
@Timeout(60)
class OverWireTest {
    private static final int RING = 1024;
    private static final int ENDLESS = 1_000_000;

    private final RawPair pair = RawPair.connected("emulated:overwire?shortcut=false&progress=poll&wire=shm");
    private final long word = pair.to.start() + (-pair.to.start() & 7);

    @AfterEach
    void close() {
        pair.close();
    }

    private int ask(final int opcode, final long remote, final int rkey, final int length) {
        pair.a.post(w -> w.send(1, opcode, PVRDMA_SEND_SIGNALED).rdma(remote, rkey)
            .sge(pair.from.start(), length, pair.from.lkey));
        return pair.cqA.awaitServing(pair.driver).status();
    }

    private int askAtomic(final int opcode, final long remote, final long compareAdd, final long swap) {
        pair.a.post(w -> w.atomic(remote, pair.to.rkey, compareAdd, swap).send(1, opcode, PVRDMA_SEND_SIGNALED)
            .sge(pair.from.start(), 8, pair.from.lkey));
        return pair.cqA.awaitServing(pair.driver).status();
    }

    @Test
    void atomicsAreDoneAndTellWhatWasThere() {
        final int at = (int) (word - pair.to.start());
        pair.to.putLong(at, 40);
        assertThat(askAtomic(PVRDMA_WR_ATOMIC_FETCH_AND_ADD, word, 2, 0)).isZero();
        assertThat(pair.from.getLong(0)).isEqualTo(40);
        assertThat(pair.to.getLong(at)).isEqualTo(42);
        assertThat(askAtomic(PVRDMA_WR_ATOMIC_CMP_AND_SWP, word, 42, 7)).isZero();
        assertThat(pair.from.getLong(0)).isEqualTo(42);
        assertThat(pair.to.getLong(at)).isEqualTo(7);
        assertThat(askAtomic(PVRDMA_WR_ATOMIC_CMP_AND_SWP, word, 42, 9)).isZero();
        assertThat(pair.from.getLong(0)).as("another one was there").isEqualTo(7);
        assertThat(pair.to.getLong(at)).isEqualTo(7);
    }

    /** Requests that are over at once, as fast as a driver can write them: a doorbell carries out a ring of them. */
    @Test
    void noDriverKeepsTheDeviceByRequestsThatNeedNoAnswer() throws InterruptedException {
        final RawWindow window = pair.driver.createMw(1);
        final RawQp qp = pair.driver.createQp(RawQp.with().cq(pair.cqA).sizes(RING, 16, 1));
        RawQp.connect(qp, pair.driver.createQp(RawQp.with().cq(pair.cqB)));
        while (!qp.sendsAreFull()) {
            qp.write(w -> w.send(1, WrOpcode.PVRDMA_WR_BIND_MW, 0).bind(window.rkey, window.rkey, 0, 0, 0, 0));
        }
        final AtomicBoolean isOver = new AtomicBoolean();
        final AtomicInteger more = new AtomicInteger();
        final CountDownLatch begun = new CountDownLatch(1);
        final Thread writes = new Thread(() -> {
            begun.countDown();
            while (!isOver.get() && more.get() < ENDLESS) {
                more.addAndGet(qp.writeAgain());
            }
        });
        writes.start();
        begun.await();
        qp.ringSend();
        isOver.set(true);
        writes.join();
        assertThat(more).as(pair.driver.device()::describe).hasValueLessThanOrEqualTo(RING);
        assertThat(qp.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_RTS);
    }

    @Test
    void whatIsPostedInErrorIsFlushed() {
        assertThat(pair.write(pair.to.start(), 8, pair.to.rkey)).isZero();
        assertThat(pair.a.modifyState(QpState.PVRDMA_QPS_ERR)).isZero();
        pair.a.send(4, pair.from.start(), 8, pair.from.lkey);
        assertThat(pair.cqA.poll()).isNotNull().extracting(Completion::wrId, Completion::status)
            .containsExactly(4L, WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
    }

    @Test
    void atomicsBesideAWordAreNoRequest() {
        assertThat(askAtomic(PVRDMA_WR_ATOMIC_FETCH_AND_ADD, word + 4, 2, 0))
            .isEqualTo(WcStatus.PVRDMA_WC_REM_INV_REQ_ERR);
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 5000", "0, 5001, 5000", "0, -1, 8"})
    void whatIsNotToBeReachedIsRefused(final int keyOff, final int offset, final int length) {
        for (final int opcode : new int[] {PVRDMA_WR_RDMA_WRITE, PVRDMA_WR_RDMA_READ}) {
            assertThat(ask(opcode, pair.to.start() + offset, pair.to.rkey + keyOff * 0x100, length))
                .isEqualTo(WcStatus.PVRDMA_WC_REM_ACCESS_ERR);
            pair.restart();
        }
    }

    /** Of one packet, and of several. */
    @ParameterizedTest
    @ValueSource(ints = {100, 10_000})
    void aWriteWithImmediateLooksAtNoMemoryOfTheReceive(final int length) {
        final RawRegion gone = pair.driver.register(100, PVRDMA_ACCESS_LOCAL_WRITE);
        assertThat(pair.driver.destroy(Command.DESTROY_MR, gone.handle)).isZero();
        pair.b.receive(66, gone.start(), 100, gone.lkey);
        assertThat(ask(PVRDMA_WR_RDMA_WRITE_WITH_IMM, pair.to.start(), pair.to.rkey, length)).isZero();
        assertThat(pair.cqB.poll()).matches(told -> told.opcode() == WcOpcode.PVRDMA_WC_RECV_RDMA_WITH_IMM
            && told.status() == WcStatus.PVRDMA_WC_SUCCESS && told.byteLen() == length && told.wrId() == 66);
        assertThat(pair.to.bytes(0, length)).isEqualTo(pair.from.bytes(0, length));
    }

    @Test
    void bytesOfSeveralPacketsArriveBothWays() {
        assertThat(ask(PVRDMA_WR_RDMA_WRITE, pair.to.start(), pair.to.rkey, 10_000)).isZero();
        assertThat(pair.to.bytes(0, 10_000)).isEqualTo(pair.from.bytes(0, 10_000));
        pair.to.fill(77);
        assertThat(ask(PVRDMA_WR_RDMA_READ, pair.to.start(), pair.to.rkey, 10_000)).isZero();
        assertThat(pair.from.bytes(0, 10_000)).isEqualTo(pair.to.bytes(0, 10_000));
    }
}
