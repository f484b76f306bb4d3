/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;

/** Atomics on some of 64 bits, against a model of what they mean. */
class MaskedAtomicsTest {
    @RegisterExtension
    final Devices devices = new Devices();

    private SendRequest to(final KeyBench bench, final int offset) {
        return new SendRequest().wrId(8).remote(bench.owner.at(offset), bench.owner.region.rkey())
            .sge(bench.user.at(0), 8, bench.user.lkey());
    }

    private static long compareSwap(
        final long was, final long compare, final long compareMask, final long swap, final long swapMask) {
        return ((was ^ compare) & compareMask) == 0 ? was & ~swapMask | swap & swapMask : was;
    }

    /** Bit by bit: a carry stops where a field ends. */
    private static long add(final long was, final long add, final long boundary) {
        long sum = 0;
        long carry = 0;
        for (int bit = 0; bit < 64; bit++) {
            final long ones = (was >>> bit & 1) + (add >>> bit & 1) + carry;
            sum |= (ones & 1) << bit;
            carry = (boundary >>> bit & 1) == 1 ? 0 : ones >>> 1;
        }
        return sum;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void swapsTheBitsOfOneMaskIfThoseOfTheOtherAreEqual(final long seed) {
        final Random random = new Random(seed);
        final KeyBench bench = new KeyBench(devices);
        int swapped = 0;
        for (int i = 0; i < 200; i++) {
            final long was = random.nextLong();
            final long compareMask = random.nextLong() & random.nextLong() & random.nextLong();
            final long compare = random.nextBoolean() ? was & compareMask | random.nextLong() & ~compareMask
                : random.nextLong();
            final long swap = random.nextLong();
            final long swapMask = random.nextLong();
            bench.owner.bytes.putLong(64, was);
            KeyBench.assertRuns(bench.user, to(bench, 64).maskedCompareSwap(compare, compareMask, swap, swapMask),
                WcOpcode.MASKED_COMP_SWAP);
            final long expected = compareSwap(was, compare, compareMask, swap, swapMask);
            assertThat(bench.owner.bytes.getLong(64)).as("seed %d, round %d", seed, i).isEqualTo(expected);
            assertThat(bench.user.bytes.getLong(0)).as("what was there").isEqualTo(was);
            swapped += expected == was ? 0 : 1;
        }
        assertThat(swapped).isBetween(50, 199);
    }

    @ParameterizedTest
    @ValueSource(longs = {4, 5, 6})
    void addsFieldByField(final long seed) {
        final Random random = new Random(seed);
        final KeyBench bench = new KeyBench(devices);
        for (int i = 0; i < 200; i++) {
            final long was = random.nextLong();
            final long add = random.nextLong();
            final long boundary = i % 3 == 0 ? 0x8080_8080_8080_8080L : random.nextLong() & random.nextLong();
            bench.owner.bytes.putLong(64, was);
            KeyBench.assertRuns(bench.user, to(bench, 64).maskedAdd(add, boundary), WcOpcode.MASKED_FETCH_ADD);
            assertThat(bench.owner.bytes.getLong(64)).as("seed %d, round %d: 0x%x + 0x%x, 0x%x", seed, i, was, add,
                boundary).isEqualTo(add(was, add, boundary));
            assertThat(bench.user.bytes.getLong(0)).isEqualTo(was);
        }
    }

    @Test
    void withoutMasksTheyAreThePlainOnes() {
        final KeyBench bench = new KeyBench(devices);
        bench.owner.bytes.putLong(64, 40);
        KeyBench.assertRuns(bench.user, to(bench, 64).maskedAdd(2, 0), WcOpcode.MASKED_FETCH_ADD);
        assertThat(bench.owner.bytes.getLong(64)).isEqualTo(42);
        KeyBench.assertRuns(bench.user, to(bench, 64).maskedCompareSwap(41, -1, 9, -1), WcOpcode.MASKED_COMP_SWAP);
        assertThat(bench.owner.bytes.getLong(64)).isEqualTo(42);
        KeyBench.assertRuns(bench.user, to(bench, 64).maskedCompareSwap(42, -1, 9, -1), WcOpcode.MASKED_COMP_SWAP);
        assertThat(bench.owner.bytes.getLong(64)).isEqualTo(9);
    }

    @ParameterizedTest
    @CsvSource({"1, REM_INV_REQ_ERR", "4, REM_INV_REQ_ERR", "65536, REM_ACCESS_ERR", "-8, REM_ACCESS_ERR"})
    void failAsThePlainOnesDo(final int offset, final WcStatus status) {
        final KeyBench bench = new KeyBench(devices);
        assertThat(KeyBench.run(bench.user, to(bench, offset).maskedAdd(1, 0))).isEqualTo(status);
        assertThat(bench.user.qp.state()).isEqualTo(QpState.ERR);
    }

    @Test
    void needTheRightAtTheRegion() {
        final KeyBench bench = new KeyBench(devices);
        final var region = bench.owner.pd.register(bench.owner.memory, io.rdma4j.verbs.AccessFlag.LOCAL_WRITE,
            io.rdma4j.verbs.AccessFlag.REMOTE_WRITE);
        assertThat(KeyBench.run(bench.user, to(bench, 64).remote(bench.owner.at(64), region.rkey())
            .maskedCompareSwap(0, 0, 1, -1))).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(bench.owner.bytes.getLong(64)).isZero();
    }

    @Test
    void areRefusedWhereTheDeviceHasNone() {
        final Peer peer = Peer.rc(devices.open(Devices.QEMU));
        peer.connect(Peer.rc(devices.open()));
        assertThat(peer.context.supports(Feature.MASKED_ATOMICS)).isFalse();
        assertThat(peer.context.whyNot(Feature.MASKED_ATOMICS)).isNotBlank();
        for (final SendOpcode opcode : new SendOpcode[] {SendOpcode.MASKED_ATOMIC_CMP_AND_SWP,
            SendOpcode.MASKED_ATOMIC_FETCH_AND_ADD}) {
            assertThat(peer.qp.postSend(new SendRequest().opcode(opcode).sge(peer.at(0), 8, peer.lkey())))
                .isEqualTo(ReturnCode.UNSUPPORTED);
        }
        assertThat(devices.open("extensions=false").supports(Feature.MASKED_ATOMICS)).isTrue();
    }
}
