/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.testing.Campaign;
import io.rdma4j.testing.CampaignSeeds;

import java.util.Random;

import org.agrona.concurrent.UnsafeBuffer;

/** Garbage: nothing may throw, hang, or touch memory outside of the regions. */
class FuzzTest {
    private static final int GUARD = 0x5a;
    private static final int REQUESTS = 3_000;
    private static final int COMMANDS = 20_000;
    private static final int ROUNDS = 50_000;

    @Campaign(value = "hostile-driver", usual = 8)
    void survivesGarbageInWorkRequests(long seed) {
        final Random random = new Random(seed);
        try (RawPair pair = seed % 2 == 0 ? RawPair.connected("emulated:fuzz") : RawPair.datagrams("emulated:fuzz")) {
            final int[] keys = new int[5];
            final UnsafeBuffer guard = pair.driver.page().buffer();
            guard.setMemory(0, guard.capacity(), (byte) GUARD);
            for (int i = 0; i < REQUESTS; i++) {
                if (i % 100 == 0) {
                    renew(keys, pair);
                }
                pair.b.receiveRaw(w -> garbage(random, w, RqWqe.HEADER_LENGTH, RqWqe.NUM_SGE_OFFSET, pair));
                pair.a.post(w -> {
                    garbage(random, w, SqWqe.HEADER_LENGTH, SqWqe.NUM_SGE_OFFSET, pair);
                    final int opcode = random.nextInt(18) - 1;
                    SqWqe.opcode(w.page(), w.at(), opcode);
                    if (opcode >= WrOpcode.PVRDMA_WR_SEND_WITH_INV) {
                        manageMemory(random, w, keys, pair);
                    }
                    SqWqe.sendFlags(w.page(), w.at(), random.nextInt(8));
                });
                restart(pair);
            }
            for (int i = 0; i < guard.capacity(); i++) {
                assertThat(guard.getByte(i)).isEqualTo((byte) GUARD);
            }
        }
        CampaignSeeds.count("work requests", 2L * REQUESTS);
    }

    private static void garbage(Random random, RawQp.Wqe wqe, int header, int countOffset, RawPair pair) {
        for (int at = 0; at < header; at += 4) {
            wqe.page().putInt(wqe.at() + at, random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(16));
        }
        final int count = random.nextInt(12) == 0 ? random.nextInt() : random.nextInt(5);
        wqe.page().putInt(wqe.at() + countOffset, count);
        for (int i = 0; i < Math.min(4, Math.max(0, count)); i++) {
            Sge.set(wqe.page(), wqe.at() + header + i * Sge.LENGTH,
                random.nextInt(6) == 0 ? random.nextLong() : pair.to.start() + random.nextInt(12_000) - 1000,
                random.nextInt(6) == 0 ? random.nextInt() : random.nextInt(3000),
                random.nextInt(6) == 0 ? random.nextInt() : random.nextBoolean() ? pair.to.lkey : pair.from.lkey);
        }
    }

    /** Keys of fast regions and windows, which requests of the rounds before may have left in any state. */
    private static void renew(int[] keys, RawPair pair) {
        keys[0] = pair.driver.createFastRegion(2).rkey;
        keys[1] = pair.driver.createMw(1).rkey;
        keys[2] = pair.driver.createMw(2).rkey;
        keys[3] = pair.from.lkey;
        keys[4] = pair.to.rkey;
    }

    /** Requests that are nearly right get further. */
    private static void manageMemory(Random random, RawQp.Wqe wqe, int[] keys, RawPair pair) {
        if (random.nextBoolean()) {
            SqWqe.numSge(wqe.page(), wqe.at(), random.nextInt(2));
        }
        for (int at = SqWqe.IMM_DATA_OFFSET; at < SqWqe.HEADER_LENGTH; at += 4) {
            switch (random.nextInt(6)) {
                case 0 -> wqe.page().putInt(wqe.at() + at, keys[random.nextInt(keys.length)] ^ random.nextInt(2));
                case 1 -> wqe.page().putLong(wqe.at() + (at & ~7), pair.from.pdir());
                case 2 -> wqe.page().putInt(wqe.at() + at, random.nextBoolean() ? 12 : 4096);
                case 3 -> wqe.page().putLong(wqe.at() + (at & ~7), pair.from.start() + random.nextInt(10_000));
                default -> {
                }
            }
        }
    }

    private static void restart(RawPair pair) {
        for (Completion c = pair.cqA.poll(); c != null; c = pair.cqA.poll()) {
            assertThat(c.status()).isBetween(0, 21);
        }
        for (Completion c = pair.cqB.poll(); c != null; c = pair.cqB.poll()) {
            assertThat(c.status()).isBetween(0, 21);
        }
        if (pair.a.query().get(QpAttr.QP_STATE) != QpState.PVRDMA_QPS_RTS
            || pair.b.query().get(QpAttr.QP_STATE) != QpState.PVRDMA_QPS_RTS
            || pair.a.sendsAreFull() || pair.b.receivesAreFull()) {
            for (RawQp qp : new RawQp[] {pair.a, pair.b}) {
                assertThat(qp.modifyState(QpState.PVRDMA_QPS_RESET)).isZero();
                qp.zeroIndices();
            }
            RawQp.connect(pair.a, pair.b);
        }
    }

    @Campaign("hostile-driver")
    void survivesGarbageInCommands(long seed) {
        final Random random = new Random(seed);
        try (RawPair pair = RawPair.connected("emulated:fuzzcmd?max_cq=64&max_qp=64&max_mr=64&max_srq=64&max_mw=64")) {
            final long[] good = {pair.from.pdir(), pair.driver.pd, pair.cqA.handle, pair.a.handle, 1, 2, 16, 64, 4096};
            for (int i = 0; i < COMMANDS; i++) {
                pair.driver.run(random.nextInt(4) == 0 ? 64 + random.nextInt(4) : random.nextInt(23), b -> {
                    for (int at = 16; at < Command.REQUEST_MAX; at += 4) {
                        b.putInt(at, random.nextInt(4) == 0 ? random.nextInt()
                            : (int) good[random.nextInt(good.length)]);
                    }
                });
            }
            pair.driver.reset();
            pair.driver.load();
            assertThat(pair.driver.activate()).isZero();
            assertThat(pair.driver.createPd()).isNotZero();
        }
        CampaignSeeds.count("commands", COMMANDS);
    }

    @Campaign(value = "hostile-driver", usual = 3)
    void survivesGarbageInRegistersAndDoorbells(long seed) {
        final Random random = new Random(seed);
        try (RawPair pair = RawPair.connected("emulated:fuzzreg")) {
            for (int i = 0; i < ROUNDS; i++) {
                if (random.nextInt(20) == 0) {
                    pair.driver.registers.writeInt(random.nextInt(64) * 4, random.nextInt(3) - 1);
                } else {
                    pair.driver.uar.writeInt(random.nextInt(3) * 4096 + random.nextInt(4) * 4, random.nextInt());
                }
                pair.a.ring.state().putInt(random.nextInt(4) * 4, random.nextInt(8) == 0 ? random.nextInt()
                    : random.nextInt(40));
                pair.a.ringSend();
                pair.a.ringReceive();
            }
        }
        CampaignSeeds.count("registers, doorbells and indices", 2L * ROUNDS);
    }
}
