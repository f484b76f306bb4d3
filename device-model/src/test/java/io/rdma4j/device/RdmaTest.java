/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_ATOMIC_CMP_AND_SWP;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_ATOMIC_FETCH_AND_ADD;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_READ;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.WcFlags;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One-sided operations and what protects the memory from them. */
class RdmaTest {
    private final RawPair pair = RawPair.connected("emulated:rdma");

    @AfterEach
    void close() {
        pair.close();
    }

    private int rdma(int opcode, int length, long remote, int rkey) {
        pair.a.post(w -> w.send(1, opcode, PVRDMA_SEND_SIGNALED).imm(5).rdma(remote, rkey)
            .sge(pair.from.start(), length, pair.from.lkey));
        return pair.cqA.poll().status();
    }

    private int atomic(int opcode, long remote, long compareAdd, long swap) {
        pair.a.post(w -> w.send(1, opcode, PVRDMA_SEND_SIGNALED).atomic(remote, pair.to.rkey, compareAdd, swap)
            .sge(pair.from.start(), 8, pair.from.lkey));
        return pair.cqA.poll().status();
    }

    @Test
    void writesToThePeersMemory() {
        assertThat(rdma(PVRDMA_WR_RDMA_WRITE, 9000, pair.to.start() + 500, pair.to.rkey)).isZero();
        assertThat(pair.to.bytes(500, 9000)).isEqualTo(pair.from.bytes(0, 9000));
        assertThat(pair.to.get(499)).isZero();
        assertThat(pair.to.get(9500)).isZero();
        assertThat(pair.cqB.poll()).isNull();
    }

    @Test
    void writesAndTellsWithImmediateData() {
        pair.b.receive(66, new long[0][]);
        assertThat(rdma(PVRDMA_WR_RDMA_WRITE_WITH_IMM, 100, pair.to.start(), pair.to.rkey)).isZero();
        final Completion told = pair.cqB.poll();
        assertThat(told.opcode()).isEqualTo(WcOpcode.PVRDMA_WC_RECV_RDMA_WITH_IMM);
        assertThat(told.flags()).isEqualTo(WcFlags.PVRDMA_WC_WITH_IMM);
        assertThat(told.imm()).isEqualTo(5);
        assertThat(told.byteLen()).isEqualTo(100);
        assertThat(told.wrId()).isEqualTo(66);
        assertThat(pair.to.bytes(0, 100)).isEqualTo(pair.from.bytes(0, 100));
    }

    @Test
    void aWriteWithImmediateLooksAtNoMemoryOfTheReceive() {
        final RawRegion gone = pair.driver.register(100, AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE);
        final RawRegion readOnly = pair.driver.register(100, 0);
        assertThat(pair.driver.destroy(Command.DESTROY_MR, gone.handle)).isZero();
        for (final RawRegion useless : new RawRegion[] {gone, readOnly}) {
            pair.b.receive(66, useless.start(), 100, useless.lkey);
            assertThat(rdma(PVRDMA_WR_RDMA_WRITE_WITH_IMM, 100, pair.to.start(), pair.to.rkey)).isZero();
            assertThat(pair.cqB.poll()).matches(told -> told.opcode() == WcOpcode.PVRDMA_WC_RECV_RDMA_WITH_IMM
                && told.status() == WcStatus.PVRDMA_WC_SUCCESS && told.byteLen() == 100 && told.wrId() == 66);
        }
    }

    @Test
    void aWriteWithImmediateTakesNoReceiveThatBreaksTheRules() {
        pair.b.receiveRaw(w -> RqWqe.header(w.page(), w.at(), 66, 5));
        assertThat(rdma(PVRDMA_WR_RDMA_WRITE_WITH_IMM, 100, pair.to.start(), pair.to.rkey))
            .isEqualTo(WcStatus.PVRDMA_WC_REM_OP_ERR);
        assertThat(pair.cqB.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_QP_OP_ERR);
    }

    @Test
    void waitsForAReceiveThatTellsOfAWrite() {
        pair.a.post(w -> w.send(1, PVRDMA_WR_RDMA_WRITE_WITH_IMM, PVRDMA_SEND_SIGNALED).imm(5)
            .rdma(pair.to.start(), pair.to.rkey).sge(pair.from.start(), 100, pair.from.lkey));
        assertThat(pair.cqA.poll()).isNull();
        assertThat(pair.count(Counter.RNR)).isPositive();
        pair.b.receive(66, new long[0][]);
        assertThat(pair.cqB.poll().wrId()).isEqualTo(66);
        assertThat(pair.cqA.poll().status()).isZero();
        assertThat(pair.to.bytes(0, 100)).isEqualTo(pair.from.bytes(0, 100));
    }

    @Test
    void readsFromThePeersMemory() {
        pair.to.fill(99);
        pair.a.post(w -> w.send(1, PVRDMA_WR_RDMA_READ, PVRDMA_SEND_SIGNALED).rdma(pair.to.start() + 7, pair.to.rkey)
            .sge(pair.from.start(), 100, pair.from.lkey).sge(pair.from.start() + 4000, 8, pair.from.lkey));
        final Completion read = pair.cqA.poll();
        assertThat(read.status()).isZero();
        assertThat(read.opcode()).isEqualTo(WcOpcode.PVRDMA_WC_RDMA_READ);
        assertThat(read.byteLen()).isEqualTo(108);
        assertThat(pair.from.bytes(0, 100)).isEqualTo(pair.to.bytes(7, 100));
        assertThat(pair.from.bytes(4000, 8)).isEqualTo(pair.to.bytes(107, 8));
    }

    @Test
    void swapsIfEqualAndReturnsWhatWasThere() {
        final int aligned = (int) (-pair.to.start() & 7);
        pair.to.putLong(aligned, 41);
        assertThat(atomic(PVRDMA_WR_ATOMIC_CMP_AND_SWP, pair.to.start() + aligned, 40, 9)).isZero();
        assertThat(pair.from.getLong(0)).isEqualTo(41);
        assertThat(pair.to.getLong(aligned)).isEqualTo(41);
        assertThat(atomic(PVRDMA_WR_ATOMIC_CMP_AND_SWP, pair.to.start() + aligned, 41, 9)).isZero();
        assertThat(pair.from.getLong(0)).isEqualTo(41);
        assertThat(pair.to.getLong(aligned)).isEqualTo(9);
    }

    @Test
    void addsAndReturnsWhatWasThere() {
        final int aligned = (int) (-pair.to.start() & 7);
        pair.to.putLong(aligned, -1);
        assertThat(atomic(PVRDMA_WR_ATOMIC_FETCH_AND_ADD, pair.to.start() + aligned, 3, 0)).isZero();
        assertThat(pair.from.getLong(0)).isEqualTo(-1);
        assertThat(pair.to.getLong(aligned)).isEqualTo(2);
    }

    @Test
    void refusesAtomicsOnUnalignedAddresses() {
        final int aligned = (int) (-pair.to.start() & 7);
        assertThat(atomic(PVRDMA_WR_ATOMIC_FETCH_AND_ADD, pair.to.start() + aligned + 4, 3, 0))
            .isEqualTo(WcStatus.PVRDMA_WC_REM_INV_REQ_ERR);
    }

    @ParameterizedTest
    @ValueSource(ints = {PVRDMA_WR_RDMA_WRITE, PVRDMA_WR_RDMA_READ, PVRDMA_WR_RDMA_WRITE_WITH_IMM})
    void refusesTheByteBehindTheEnd(int opcode) {
        pair.b.receive(66, new long[0][]);
        assertThat(rdma(opcode, 10, pair.to.start() + pair.to.length() - 10, pair.to.rkey)).isZero();
        assertThat(rdma(opcode, 10, pair.to.start() + pair.to.length() - 9, pair.to.rkey))
            .isEqualTo(WcStatus.PVRDMA_WC_REM_ACCESS_ERR);
        assertThat(pair.a.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        assertThat(pair.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, -4096, Long.MIN_VALUE, Long.MAX_VALUE, 0})
    void refusesAddressesFarAway(long distance) {
        final long remote = distance == 0 ? 0 : pair.to.start() + distance;
        assertThat(rdma(PVRDMA_WR_RDMA_WRITE, 10, remote, pair.to.rkey)).isEqualTo(WcStatus.PVRDMA_WC_REM_ACCESS_ERR);
    }

    @Test
    void refusesKeysThatAreNotRemoteKeys() {
        for (int key : new int[] {pair.to.lkey, pair.to.rkey + 1, pair.to.rkey ^ 0x100, 0, -1}) {
            try (RawPair fresh = RawPair.connected("emulated:rkeys")) {
                fresh.a.post(w -> w.send(1, PVRDMA_WR_RDMA_WRITE, 0).rdma(fresh.to.start(), key)
                    .sge(fresh.from.start(), 8, fresh.from.lkey));
                assertThat(fresh.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_REM_ACCESS_ERR);
            }
        }
    }

    @Test
    void refusesARegionOfAnotherDomainOrWithoutTheRight() {
        final int other = pair.driver.createPd();
        final RawRegion foreign = pair.driver.register(other, 100, 0, RawPair.ALL);
        assertThat(rdma(PVRDMA_WR_RDMA_WRITE, 10, foreign.start(), foreign.rkey))
            .isEqualTo(WcStatus.PVRDMA_WC_REM_ACCESS_ERR);
        try (RawPair fresh = RawPair.connected("emulated:rights")) {
            final RawRegion readable = fresh.driver.register(100, AccessFlags.PVRDMA_ACCESS_REMOTE_READ);
            fresh.a.post(w -> w.send(1, PVRDMA_WR_RDMA_WRITE, 0).rdma(readable.start(), readable.rkey)
                .sge(fresh.from.start(), 8, fresh.from.lkey));
            assertThat(fresh.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_REM_ACCESS_ERR);
        }
    }

    @Test
    void givesNoRemoteKeyWithoutRemoteRights() {
        assertThat(pair.driver.register(100, AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE).rkey).isZero();
        assertThat(pair.to.rkey).isNotZero().isNotEqualTo(pair.to.lkey);
    }
}
