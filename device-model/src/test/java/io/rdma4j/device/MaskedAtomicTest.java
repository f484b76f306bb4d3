/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_LOC_LEN_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_LOC_QP_OP_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_REM_ACCESS_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_REM_INV_REQ_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_SUCCESS;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawFastRegion;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;

import java.util.Random;
import java.util.function.Consumer;

import org.agrona.UnsafeApi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compare and swap under masks, and addition to fields side by side. */
class MaskedAtomicTest {
    private final RawPair pair = RawPair.connected("emulated:masked");
    private final int aligned = (int) (-pair.to.start() & 7);
    private final long target = pair.to.start() + aligned;

    @AfterEach
    void close() {
        pair.close();
    }

    private Completion run(int opcode, Consumer<RawQp.Wqe> fill) {
        pair.a.post(w -> {
            fill.accept(w.send(1, opcode, PVRDMA_SEND_SIGNALED));
            w.sge(pair.from.start(), 8, pair.from.lkey);
        });
        return pair.cqA.await();
    }

    private Completion swap(long compare, long compareMask, long swap, long swapMask) {
        return run(PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP,
            w -> w.maskedSwap(target, pair.to.rkey, compare, compareMask, swap, swapMask));
    }

    private Completion add(long value, long boundary) {
        return run(PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD,
            w -> w.maskedAdd(target, pair.to.rkey, value, boundary));
    }

    @Test
    void swapsTheBitsOfOneMaskIfThoseOfTheOtherAreEqual() {
        pair.to.putLong(aligned, 0x1111_2222_3333_4444L);
        final Completion done = swap(0xffff_2222_ffff_ffffL, 0x0000_ffff_0000_0000L, 0xaaaa_bbbb_cccc_ddddL,
            0xffff_0000_0000_00ffL);
        assertThat(done.status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(done.opcode()).isEqualTo(WcOpcode.PVRDMA_WC_MASKED_COMP_SWAP);
        assertThat(done.byteLen()).isEqualTo(8);
        assertThat(pair.from.getLong(0)).isEqualTo(0x1111_2222_3333_4444L);
        assertThat(pair.to.getLong(aligned)).isEqualTo(0xaaaa_2222_3333_44ddL);

        assertThat(swap(0x0000_2223_0000_0000L, 0x0000_ffff_0000_0000L, 0, -1).status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pair.from.getLong(0)).isEqualTo(0xaaaa_2222_3333_44ddL);
        assertThat(pair.to.getLong(aligned)).as("not equal under the mask").isEqualTo(0xaaaa_2222_3333_44ddL);

        swap(0x0123, 0, 7, -1);
        assertThat(pair.to.getLong(aligned)).as("nothing to compare").isEqualTo(7);
        swap(7, -1, -1, 0);
        assertThat(pair.to.getLong(aligned)).as("nothing to swap").isEqualTo(7);
    }

    @ParameterizedTest
    @CsvSource({
        "00000000000000ff, 0000000000000001, 0000000000000080, 0000000000000000",
        "00000000000000ff, 0000000000000001, 0000000000000000, 0000000000000100",
        "ffffffffffffffff, 0000000000000001, 0000000000000000, 0000000000000000",
        "ffffffffffffffff, 0000000000000001, 8000000080000000, ffffffff00000000",
        "ffffffff00000000, 0000000100000001, 8000000080000000, 0000000000000001",
        "0f0f0f0f0f0f0f0f, 0101010101010101, 8888888888888888, 0000000000000000",
        "aaaaaaaaaaaaaaaa, ffffffffffffffff, ffffffffffffffff, 5555555555555555"
    })
    void carriesNoFurtherThanAFieldReaches(String before, String value, String boundary, String after) {
        pair.to.putLong(aligned, Long.parseUnsignedLong(before, 16));
        final Completion done = add(Long.parseUnsignedLong(value, 16), Long.parseUnsignedLong(boundary, 16));
        assertThat(done.status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(done.opcode()).isEqualTo(WcOpcode.PVRDMA_WC_MASKED_FETCH_ADD);
        assertThat(pair.from.getLong(0)).isEqualTo(Long.parseUnsignedLong(before, 16));
        assertThat(Long.toHexString(pair.to.getLong(aligned))).isEqualTo(
            Long.toHexString(Long.parseUnsignedLong(after, 16)));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void addsAsABitwiseAdderDoes(long seed) {
        final Random random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            final long before = random.nextLong();
            final long value = random.nextLong();
            final long boundary = random.nextLong() & random.nextLong();
            pair.to.putLong(aligned, before);
            add(value, boundary);
            assertThat(pair.to.getLong(aligned)).as("0x%x + 0x%x fields 0x%x", before, value, boundary)
                .isEqualTo(bitwise(before, value, boundary));
        }
    }

    private static long bitwise(long a, long b, long boundary) {
        long sum = 0;
        long carry = 0;
        for (int i = 0; i < Long.SIZE; i++) {
            final long bits = (a >>> i & 1) + (b >>> i & 1) + carry;
            sum |= (bits & 1) << i;
            carry = (boundary >>> i & 1) != 0 ? 0 : bits >>> 1;
        }
        return sum;
    }

    @ParameterizedTest
    @ValueSource(ints = {PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP, PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD})
    void isRefusedLikeAnyAtomic(int opcode) {
        assertThat(refused(opcode, target + 4, pair.to.rkey, 3)).isEqualTo(PVRDMA_WC_REM_INV_REQ_ERR);
        assertThat(refused(opcode, target, pair.to.rkey ^ 1, 3)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
        assertThat(refused(opcode, target + 16_000, pair.to.rkey, 3)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
        assertThat(refused(opcode, target, pair.to.rkey, 2)).isEqualTo(PVRDMA_WC_LOC_QP_OP_ERR);
        assertThat(refused(opcode, target, pair.to.rkey, 4)).isEqualTo(PVRDMA_WC_LOC_QP_OP_ERR);
        final RawRegion readable = pair.driver.register(pair.driver.pd, 100, 0, AccessFlags.PVRDMA_ACCESS_REMOTE_READ);
        assertThat(refused(opcode, readable.start(), readable.rkey, 3)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
        pair.a.post(w -> w.send(1, opcode, PVRDMA_SEND_SIGNALED).sge(pair.from.start(), 16, pair.from.lkey));
        assertThat(pair.cqA.await().status()).isEqualTo(PVRDMA_WC_LOC_LEN_ERR);
        assertThat(pair.to.getLong(aligned)).isZero();
    }

    /** Both layouts have size and key at the same place. */
    private int refused(int opcode, long remote, int rkey, int log) {
        final int status = run(opcode, w -> SqWqe.maskedCasLogArgSz(
            w.maskedSwap(remote, rkey, 0, 0, -1, -1).page(), w.at(), log)).status();
        assertThat(pair.a.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        pair.restart();
        return status;
    }

    @Test
    void worksOnAFastRegion() {
        final DmaMemory page = pair.driver.page();
        final RawFastRegion region = pair.driver.createFastRegion(1);
        region.list(page.iova());
        region.register(pair.b, 0x1000, 4096, 1, RawPair.ALL);
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(run(PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD, w -> w.maskedAdd(0x1008, region.rkey, 5, 0)).status())
            .isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(page.buffer().getLong(8)).isEqualTo(5);
        region.invalidate(pair.b);
        assertThat(run(PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD, w -> w.maskedAdd(0x1008, region.rkey, 5, 0)).status())
            .isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
        assertThat(page.buffer().getLong(8)).isEqualTo(5);
    }

    @Test
    void losesNoAdditionOfTheCpu() throws InterruptedException {
        final int rounds = 20_000;
        final int place = aligned + 3999;
        final long host = pair.to.memory(place / 4096).address() + place % 4096;
        final Thread cpu = new Thread(() -> {
            for (int i = 0; i < rounds; i++) {
                UnsafeApi.getAndAddLong(null, host, 1L << 32);
            }
        });
        cpu.start();
        for (int i = 0; i < rounds; i++) {
            assertThat(add(1, 1L << 31).status()).isEqualTo(PVRDMA_WC_SUCCESS);
        }
        cpu.join();
        assertThat(pair.to.getLong(aligned)).isEqualTo((long) rounds << 32 | rounds);
    }
}
