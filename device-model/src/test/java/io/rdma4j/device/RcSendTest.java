/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.WcFlags;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrResponse;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** RC SEND within one device: data, scattering, completions. */
class RcSendTest {
    private final RawDriver driver = RawDriver.ready("emulated:rc");
    private final RawCq cqA = driver.createCq(64);
    private final RawCq cqB = driver.createCq(64);
    private final RawQp a = driver.createQp(RawQp.with().cq(cqA));
    private final RawQp b = driver.createQp(RawQp.with().cq(cqB));

    RcSendTest() {
        RawQp.connect(a, b);
    }

    @AfterEach
    void close() {
        assertThat(driver.device().counters().get(Counter.INTERNAL_ERRORS)).isZero();
        driver.close();
    }

    @Test
    void movesBytesAcrossScatteredPages() {
        final RawRegion from = driver.register(driver.pd, 3 * 4096 + 100, 1000, 0);
        final RawRegion to = driver.register(driver.pd, 3 * 4096 + 100, 3333, PVRDMA_ACCESS_LOCAL_WRITE);
        from.fill(7);
        b.receive(5, to.start(), to.length(), to.lkey);

        a.send(4, from.start(), from.length(), from.lkey);

        final Completion received = cqB.poll();
        assertThat(received.opcode()).isEqualTo(WcOpcode.PVRDMA_WC_RECV);
        assertThat(received.status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(received.byteLen()).isEqualTo(from.length());
        assertThat(received.wrId()).isEqualTo(5);
        assertThat(received.qp()).isEqualTo(b.handle);
        assertThat(received.srcQp()).isEqualTo(a.qpn);
        final Completion sent = cqA.poll();
        assertThat(sent.opcode()).isEqualTo(WcOpcode.PVRDMA_WC_SEND);
        assertThat(sent.status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(sent.wrId()).isEqualTo(4);
        assertThat(sent.qp()).isEqualTo(a.handle);
        assertThat(to.bytes(0, to.length())).isEqualTo(from.bytes(0, from.length()));
    }

    @Test
    void gathersAndScattersSeveralPieces() {
        final RawRegion from = driver.register(9000, 0);
        final RawRegion to = driver.register(9000, PVRDMA_ACCESS_LOCAL_WRITE);
        from.fill(3);
        b.receive(1, new long[] {to.start() + 4090, 10, to.lkey}, new long[] {to.start(), 7, to.lkey},
            new long[] {to.start() + 8000, 0, 0}, new long[] {to.start() + 5000, 100, to.lkey});

        a.post(w -> w.send(2, WrOpcode.PVRDMA_WR_SEND, SendFlags.PVRDMA_SEND_SIGNALED)
            .sge(from.start() + 8190, 5, from.lkey).sge(from.start() + 1, 1, from.lkey)
            .sge(from.start() + 4095, 2, from.lkey).sge(from.start() + 100, 20, from.lkey));

        assertThat(cqB.poll().byteLen()).isEqualTo(28);
        final byte[] sent = new byte[28];
        System.arraycopy(from.bytes(8190, 5), 0, sent, 0, 5);
        System.arraycopy(from.bytes(1, 1), 0, sent, 5, 1);
        System.arraycopy(from.bytes(4095, 2), 0, sent, 6, 2);
        System.arraycopy(from.bytes(100, 20), 0, sent, 8, 20);
        final byte[] got = new byte[28];
        System.arraycopy(to.bytes(4090, 10), 0, got, 0, 10);
        System.arraycopy(to.bytes(0, 7), 0, got, 10, 7);
        System.arraycopy(to.bytes(5000, 11), 0, got, 17, 11);
        assertThat(got).isEqualTo(sent);
        assertThat(to.get(5011)).isZero();
    }

    @Test
    void aReceiveMayHaveMoreRoomThanTheLongestMessage() {
        final RawRegion from = driver.register(64, 0);
        final RawRegion to = driver.registerRepeating(Pdir.MAX_PAGES, PVRDMA_ACCESS_LOCAL_WRITE);
        b.receive(1, new long[] {to.start(), to.length(), to.lkey}, new long[] {to.start(), to.length(), to.lkey});
        from.fill(1);

        a.send(2, from.start(), 8, from.lkey);

        assertThat(cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(cqB.poll()).matches(c -> c.status() == WcStatus.PVRDMA_WC_SUCCESS && c.byteLen() == 8);
        assertThat(to.bytes(0, 8)).isEqualTo(from.bytes(0, 8));
    }

    @Test
    void aMessageThatIsTooLongIsRefusedWithoutAReceive() {
        final RawRegion from = driver.registerRepeating(Pdir.MAX_PAGES, 0);
        a.post(w -> w.send(2, WrOpcode.PVRDMA_WR_SEND, SendFlags.PVRDMA_SEND_SIGNALED)
            .sge(from.start(), from.length(), from.lkey).sge(from.start(), 1, from.lkey));
        assertThat(cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_LEN_ERR);
    }

    @Test
    void sendsNothingAsAMessageOfLengthZero() {
        b.receive(1, new long[0][]);

        a.post(w -> w.send(2, WrOpcode.PVRDMA_WR_SEND, SendFlags.PVRDMA_SEND_SIGNALED));

        assertThat(cqB.poll().byteLen()).isZero();
        assertThat(cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
    }

    @Test
    void deliversImmediateData() {
        b.receive(1, new long[0][]);

        a.post(w -> w.send(2, WrOpcode.PVRDMA_WR_SEND_WITH_IMM, SendFlags.PVRDMA_SEND_SIGNALED).imm(0xcafe_babe));

        final Completion received = cqB.poll();
        assertThat(received.imm()).isEqualTo(0xcafe_babe);
        assertThat(received.flags()).isEqualTo(WcFlags.PVRDMA_WC_WITH_IMM);
    }

    @Test
    void completesOnlySignaledSends() {
        b.receive(1, new long[0][]);
        b.receive(2, new long[0][]);
        a.post(w -> w.send(10, WrOpcode.PVRDMA_WR_SEND, 0));
        assertThat(cqA.poll()).isNull();
        a.post(w -> w.send(11, WrOpcode.PVRDMA_WR_SEND, SendFlags.PVRDMA_SEND_SIGNALED));
        assertThat(cqA.poll().wrId()).isEqualTo(11);
        assertThat(cqB.poll().wrId()).isEqualTo(1);
        assertThat(cqB.poll().wrId()).isEqualTo(2);
    }

    @Test
    void completesEverySendOfAQueuePairMadeSo() {
        final RawQp c = driver.createQp(RawQp.with().cq(cqA).signalAll());
        final RawQp d = driver.createQp(RawQp.with().cq(cqB));
        RawQp.connect(c, d);
        d.receive(1, new long[0][]);

        c.post(w -> w.send(10, WrOpcode.PVRDMA_WR_SEND, 0));

        assertThat(cqA.poll().wrId()).isEqualTo(10);
    }

    @Test
    void executesABatchWithOneDoorbell() {
        for (int i = 0; i < 10; i++) {
            b.receive(i, new long[0][]);
        }
        for (int i = 0; i < 10; i++) {
            final int id = 100 + i;
            a.write(w -> w.send(id, WrOpcode.PVRDMA_WR_SEND, SendFlags.PVRDMA_SEND_SIGNALED));
        }
        assertThat(cqA.poll()).isNull();

        a.ringSend();

        for (int i = 0; i < 10; i++) {
            assertThat(cqA.poll().wrId()).isEqualTo(100 + i);
            assertThat(cqB.poll().wrId()).isEqualTo(i);
        }
    }

    @Test
    void goesRoundTheRingsManyTimes() {
        final RawRegion from = driver.register(64, 0);
        final RawRegion to = driver.register(64, PVRDMA_ACCESS_LOCAL_WRITE);
        for (int i = 0; i < 1000; i++) {
            from.putLong(0, i);
            b.receive(i, to.start(), 64, to.lkey);
            a.send(i, from.start(), 64, from.lkey);
            assertThat(cqA.poll().wrId()).isEqualTo(i);
            assertThat(cqB.poll().wrId()).isEqualTo(i);
            assertThat(to.getLong(0)).isEqualTo(i);
        }
    }

    @Test
    void sendsToItself() {
        final RawQp self = driver.createQp(RawQp.with().cq(cqA));
        self.connect(self.qpn, driver.gid());
        self.receive(1, new long[0][]);

        self.post(w -> w.send(2, WrOpcode.PVRDMA_WR_SEND, SendFlags.PVRDMA_SEND_SIGNALED));

        assertThat(cqA.poll().wrId()).isEqualTo(1);
        assertThat(cqA.poll().wrId()).isEqualTo(2);
    }

    @Test
    void resumesASendWhenAReceiveIsPosted() {
        a.post(w -> w.send(2, WrOpcode.PVRDMA_WR_SEND, SendFlags.PVRDMA_SEND_SIGNALED));
        assertThat(cqA.poll()).isNull();

        b.receive(1, new long[0][]);

        assertThat(cqA.poll().wrId()).isEqualTo(2);
        assertThat(cqB.poll().wrId()).isEqualTo(1);
    }

    @Test
    void reachesAllDmaMemoryThroughARegionOfThatKind() {
        final CreateMrResponse all = new CreateMrResponse().wrap(driver.ok(Command.CREATE_MR,
            x -> new CreateMrRequest().wrap(x, 0).set(CreateMrRequest.PD_HANDLE, driver.pd)
                .set(CreateMrRequest.FLAGS, 1).set(CreateMrRequest.ACCESS_FLAGS, 1)), 0);
        final int lkey = all.get(CreateMrResponse.LKEY);
        final DmaMemory from = driver.allocate(3);
        final DmaMemory to = driver.allocate(3);
        from.buffer().putLong(8000, 42);
        b.receive(1, to.iova(), 3 * 4096, lkey);
        a.send(2, from.iova() + 4, 3 * 4096 - 4, lkey);
        assertThat(cqB.poll().status()).isZero();
        assertThat(to.buffer().getLong(7996)).isEqualTo(42);
        assertThat(cqA.poll().status()).isZero();
        b.receive(1, to.iova(), 3 * 4096, lkey);
        a.send(2, 0x7777_0000L, 100, lkey);
        assertThat(cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_PROT_ERR);
    }

    @Test
    void countsAddressesFromZeroInARegionThatAsksForIt() {
        final RawRegion from = driver.register(driver.pd, 5000, 700, AccessFlags.PVRDMA_ZERO_BASED);
        final RawRegion to = driver.register(5000, PVRDMA_ACCESS_LOCAL_WRITE);
        from.fill(5);
        b.receive(1, to.start(), 5000, to.lkey);
        a.send(2, 0, 5000, from.lkey);
        assertThat(cqA.poll().status()).isZero();
        assertThat(to.bytes(0, 5000)).isEqualTo(from.bytes(0, 5000));
    }
}
