/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_READ;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND_WITH_IMM;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND_WITH_INV;
import static io.rdma4j.hw.pvrdma.cmd.CreateMrRequest.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawEvents;
import io.rdma4j.device.raw.RawFastRegion;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawQp.Wqe;
import io.rdma4j.device.raw.RawSrq;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.MrFlags;
import io.rdma4j.hw.pvrdma.Mtu;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.WcFlags;
import io.rdma4j.hw.pvrdma.cmd.AhAttr;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleRequest;
import io.rdma4j.hw.pvrdma.cmd.ModifySrqRequest;
import io.rdma4j.hw.pvrdma.cmd.PortAttr;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.hw.pvrdma.cmd.QpCap;
import io.rdma4j.hw.pvrdma.cmd.QueryPortRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPortResponse;
import io.rdma4j.hw.pvrdma.cmd.SrqAttr;

import java.util.EnumSet;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The device with QEMU 7.2's peculiarities, as far as they are switchable. */
class QuirkTest {
    private final RawPair pair = RawPair.connected("emulated:qemu?quirks=qemu-7.2");
    private final RawDriver driver = pair.driver;

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void knowsNoExtension() {
        assertThat(driver.dsr.get(Dsr.CAPS).get(Caps.DEVICE_CAP_FLAGS2)).isZero();
        assertThat(driver.dsr.get(Dsr.CAPS).get(Caps.MAX_MW)).isZero();
        assertThat(driver.dsr.get(Dsr.CAPS).get(Caps.BMME_FLAGS)).isZero();
        for (Command command : new Command[] {Command.CREATE_MW, Command.DESTROY_MW, Command.RESIZE_CQ_RING}) {
            driver.response.buffer().setMemory(0, 16, (byte) 0);
            assertThat(driver.run(command, b -> { })).as(command.name()).isEqualTo(0xffff);
            assertThat(driver.response.buffer().getInt(8)).as("acknowledge code").isEqualTo(0xcccc_cccc);
        }
        assertThatThrownBy(() -> RawDriver.ready("emulated:qemu2?quirks=qemu-7.2&extensions=true"))
            .isInstanceOf(RdmaException.class).hasMessageContaining("extensions=true");
    }

    @Test
    void overlooksFlagsOfRegionsThatItDoesNotKnow() {
        final long pdir = driver.pdir(driver.page().iova());
        for (int flags : new int[] {2, 4, -2}) {
            assertThat(driver.run(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0).set(PD_HANDLE, driver.pd)
                .set(START, 4096).set(LENGTH, 4096).set(PDIR_DMA, pdir).set(NCHUNKS, 1).set(FLAGS, flags)))
                .as("flags %d", flags).isZero();
        }
        assertThat(driver.run(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0).set(PD_HANDLE, driver.pd)
            .set(NCHUNKS, 1).set(FLAGS, 2))).as("no length").isEqualTo(-22);
    }

    @Test
    void offersNoFastRegistrationWhereItCannotWork() {
        for (String quirk : new String[] {"plain-handles", "only-send"}) {
            try (RawDriver other = RawDriver.ready("emulated:qemu2?quirks=" + quirk)) {
                assertThat(other.dsr.get(Dsr.CAPS).get(Caps.BMME_FLAGS)).as(quirk).isZero();
                assertThat(other.dsr.get(Dsr.CAPS).get(Caps.MAX_FAST_REG_PAGE_LIST_LEN)).as(quirk).isZero();
                assertThat(other.run(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0).set(PD_HANDLE, other.pd)
                    .set(FLAGS, MrFlags.PVRDMA_MR_FLAG_FRMR).set(NCHUNKS, 1))).as(quirk).isEqualTo(-95);
            }
        }
    }

    @Test
    void looksLikeQemu() {
        assertThat(driver.pci.config().read(0x2c, 4)).isEqualTo(0x1100_1af4);
        assertThat(driver.registers.readInt(Bar1.PVRDMA_REG_VERSION)).isEqualTo(17);
        assertThat(driver.dsr.get(Dsr.CAPS).get(Caps.FW_VER)).isEqualTo(14);
        assertThat(driver.dsr.get(Dsr.CAPS).get(Caps.GID_TYPES)).isEqualTo(1);
        assertThat(driver.dsr.get(Dsr.CAPS).get(Caps.MAX_UAR)).isEqualTo(2_097_152);
        assertThat(driver.dsr.get(Dsr.CAPS).get(Caps.MAX_QP_RD_ATOM)).isZero();
        assertThat(driver.dsr.get(Dsr.CAPS).get(Caps.MAX_QP_WR)).isEqualTo(10467);
        assertThat(driver.uar.readInt(0)).isEqualTo(-1);
        assertThat(driver.device().options().quirks()).isEqualTo(EnumSet.allOf(Quirk.class));
    }

    @Test
    void orsTheGidTypesOntoGarbage() {
        try (RawDriver other = new RawDriver("emulated:qemu2?quirks=qemu-7.2")) {
            other.dsr.get(Dsr.CAPS).set(Caps.GID_TYPES, 2);
            assertThat(other.err()).isEqualTo(0xffff);
            other.load();
            assertThat(other.dsr.get(Dsr.CAPS).get(Caps.GID_TYPES)).isEqualTo(3);
            assertThat(other.err()).isEqualTo(0xffff);
            assertThat(other.activate()).isZero();
        }
    }

    @Test
    void lacksAnswersToNoCommand() {
        final int pd = driver.createPd();
        assertThat(driver.destroy(Command.DESTROY_PD, pd)).isZero();
        assertThat(driver.response.buffer().getInt(8)).isEqualTo(0x8000_0003);
        assertThat(driver.destroy(Command.DESTROY_PD, 900)).isZero();
        assertThat(driver.destroy(Command.DESTROY_MR, 900)).isZero();
        assertThat(driver.destroy(Command.DESTROY_CQ, 900)).isEqualTo(-22);
    }

    @Test
    void exchangesModifyAndQueryOfSrqs() {
        final RawSrq srq = driver.createSrq(16, 1);
        assertThat(srq.modifyLimit(5)).isZero();
        assertThat(driver.response.buffer().getInt(8)).isEqualTo(0x8000_0013);
        assertThat(driver.response.buffer().getInt(16)).as("max_wr").isEqualTo(16);
        assertThat(driver.response.buffer().getInt(24)).as("limit").isZero();
        assertThat(driver.run(Command.QUERY_SRQ, b -> new HandleRequest().wrap(b, 0)
            .set(HandleRequest.HANDLE, srq.handle))).isEqualTo(-22);
        assertThat(driver.run(Command.QUERY_SRQ, b -> {
            final ModifySrqRequest request = new ModifySrqRequest()
                .wrap(b, 0).set(ModifySrqRequest.SRQ_HANDLE, srq.handle).set(ModifySrqRequest.ATTR_MASK, 2);
            request.get(ModifySrqRequest.ATTRS).set(SrqAttr.SRQ_LIMIT, 5);
        })).isZero();
        assertThat(driver.response.buffer().getInt(8)).isEqualTo(0x8000_0012);
    }

    @Test
    void countsHandlesFromZeroAndGivesOneRkeyToAll() {
        assertThat(driver.pd).isZero();
        assertThat(pair.cqA.handle).isZero();
        assertThat(pair.from.lkey).isZero();
        assertThat(pair.to.lkey).isEqualTo(1);
        assertThat(pair.from.rkey).isEqualTo(-1);
        assertThat(pair.a.qpn).isEqualTo(pair.a.handle);
    }

    @Test
    void takesWholePagesOnly() {
        final long pdir = driver.pdir(driver.page().iova(), driver.page().iova());
        assertThat(driver.run(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0).set(PD_HANDLE, driver.pd)
            .set(START, 0x1ffe).set(LENGTH, 4).set(PDIR_DMA, pdir).set(NCHUNKS, 2))).isEqualTo(-22);
        assertThat(driver.run(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0).set(PD_HANDLE, driver.pd)
            .set(START, 0x1000).set(LENGTH, 8192).set(PDIR_DMA, pdir).set(NCHUNKS, 2))).isZero();
    }

    @Test
    void sendsWhateverItIsAskedForAndAlwaysTells() {
        pair.b.receive(1, pair.to.start(), 100, pair.to.lkey);
        pair.a.post(w -> w.send(2, PVRDMA_WR_RDMA_READ, 0).sge(pair.from.start(), 100, pair.from.lkey));
        assertThat(pair.cqA.poll().opcode()).isZero();
        assertThat(pair.cqB.poll().byteLen()).isEqualTo(100);
        assertThat(pair.to.bytes(0, 100)).isEqualTo(pair.from.bytes(0, 100));
    }

    @Test
    void losesImmediateData() {
        pair.b.receive(1, new long[0][]);
        pair.a.post(w -> w.send(2, PVRDMA_WR_SEND_WITH_IMM, 0).imm(5));
        final Completion received = pair.cqB.poll();
        assertThat(received.imm()).isZero();
        assertThat(received.flags() & WcFlags.PVRDMA_WC_WITH_IMM).isZero();
    }

    @Test
    void tellsOfARouteHeaderWhereThereIsNone() {
        pair.b.receive(1, pair.to.start(), 100, pair.to.lkey);
        pair.a.post(w -> w.send(2, PVRDMA_WR_SEND, 0).sge(pair.from.start(), 100, pair.from.lkey));
        final Completion received = pair.cqB.poll();
        assertThat(received.byteLen()).isEqualTo(100);
        assertThat(received.flags()).isEqualTo(WcFlags.PVRDMA_WC_GRH);
    }

    @Test
    void tellsOfARouteHeaderBesideAnInvalidation() {
        try (RawPair other = RawPair.connected("emulated:one?quirks=grh-always")) {
            final RawFastRegion region = other.driver.createFastRegion(1);
            region.list(other.driver.page().iova());
            region.register(other.b, 0, 4096, 1, RawPair.ALL);
            assertThat(other.cqB.poll().status()).isZero();
            other.b.receive(1, new long[0][]);
            other.a.post(w -> w.send(2, PVRDMA_WR_SEND_WITH_INV, 0).invalidate(region.rkey));
            final Completion received = other.cqB.poll();
            assertThat(received.imm()).isEqualTo(region.rkey);
            assertThat(received.flags()).isEqualTo(WcFlags.PVRDMA_WC_GRH | WcFlags.PVRDMA_WC_WITH_INVALIDATE);
        }
    }

    @Test
    void armsWithBothBitsOnly() {
        final RawEvents events = new RawEvents(driver);
        pair.cqB.arm();
        exchange();
        assertThat(driver.pci.interrupts().vector(2).fired()).isZero();
        assertThat(events.pollNotification()).as("queued for each completion").isEqualTo(pair.cqB.handle);
        driver.uar.writeInt(Uar.CQ_OFFSET, pair.cqB.handle | Uar.CQ_ARM | Uar.CQ_ARM_SOL);
        exchange();
        exchange();
        assertThat(driver.pci.interrupts().vector(2).fired()).isEqualTo(1);
    }

    private void exchange() {
        pair.b.receive(1, new long[0][]);
        pair.a.post(w -> w.send(2, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
    }

    @Test
    void takesRequestsOutOfTheRingAtTheDoorbell() {
        for (int i = 0; i < 16; i++) {
            final int id = i;
            pair.a.post(w -> w.send(id, PVRDMA_WR_SEND, 0));
        }
        assertThat(pair.a.sendsAreFull()).isFalse();
        assertThat(pair.cqA.poll()).isNull();
        for (int i = 0; i < 16; i++) {
            pair.b.receive(i, new long[0][]);
            assertThat(pair.cqA.poll().wrId()).isEqualTo(i);
            assertThat(pair.cqB.poll().wrId()).isEqualTo(i);
        }
    }

    @Test
    void overwritesTheSgesOfARequest() {
        pair.b.receive(1, pair.to.start(), 100, pair.to.lkey);
        final long[] seen = new long[1];
        final Object[] page = new Object[2];
        pair.a.post(w -> {
            w.send(2, PVRDMA_WR_SEND, 0).sge(pair.from.start(), 100, pair.from.lkey);
            page[0] = w;
        });
        final Wqe wqe = (Wqe) page[0];
        seen[0] = Sge.addr(wqe.page(), SqWqe.sgeOffset(wqe.at(), 0));
        assertThat(seen[0]).isNotEqualTo(pair.from.start());
    }

    @Test
    void remembersErrorAndResetWithoutActing() {
        final RawEvents events = new RawEvents(driver);
        pair.a.receive(1, new long[0][]);
        assertThat(pair.a.modifyState(QpState.PVRDMA_QPS_ERR)).isZero();
        assertThat(pair.cqA.poll()).isNull();
        assertThat(pair.a.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        assertThat(pair.a.modifyState(QpState.PVRDMA_QPS_RESET)).isZero();
        assertThat(pair.a.toInit()).isEqualTo(-5);
        assertThat(events.poll()).isNull();
    }

    @Test
    void takesFewAttributesAndItsOwnValuesForTheRest() {
        try (RawPair other = RawPair.unconnected("emulated:one?quirks=qp-attrs-forced")) {
            for (RawQp qp : new RawQp[] {other.a, other.b}) {
                assertThat(qp.modifyState(QpState.PVRDMA_QPS_INIT)).isZero();
                assertThat(qp.modify(QpAttrMask.PVRDMA_QP_ACCESS_FLAGS, attr -> attr.set(QpAttr.QP_ACCESS_FLAGS, -1)))
                    .as("without a state").isZero();
                assertThat(qp.modify(-1, attr -> {
                    qp.fillRtr(attr, (qp == other.a ? other.b : other.a).qpn, other.driver.gid());
                    attr.set(QpAttr.PATH_MTU, 5).set(QpAttr.MAX_DEST_RD_ATOMIC, 255).set(QpAttr.PKEY_INDEX, 9)
                        .set(QpAttr.CUR_QP_STATE, QpState.PVRDMA_QPS_ERR);
                    attr.get(QpAttr.AH_ATTR).set(AhAttr.PORT_NUM, 7).set(AhAttr.AH_FLAGS, 0);
                })).isZero();
                assertThat(qp.modify(QpAttrMask.PVRDMA_QP_STATE, qp::fillRts)).isZero();
            }
            final QpAttr attr = other.a.query();
            assertThat(attr.get(QpAttr.DEST_QP_NUM)).isEqualTo(other.b.qpn);
            assertThat(attr.get(QpAttr.QP_ACCESS_FLAGS)).isZero();
            assertThat(attr.get(QpAttr.PATH_MTU)).isEqualTo(Mtu.PVRDMA_MTU_1024);
            assertThat(attr.get(QpAttr.MAX_DEST_RD_ATOMIC)).isEqualTo(1);
            assertThat(attr.get(QpAttr.MAX_RD_ATOMIC)).isEqualTo(1);
            assertThat(attr.get(QpAttr.MIN_RNR_TIMER)).isEqualTo(12);
            assertThat(attr.get(QpAttr.TIMEOUT)).isEqualTo(14);
            assertThat(attr.get(QpAttr.RETRY_CNT)).isEqualTo(7);
            assertThat(attr.get(QpAttr.RNR_RETRY)).isEqualTo(7);
            assertThat(attr.get(QpAttr.AH_ATTR).get(AhAttr.GRH_HOP_LIMIT)).isEqualTo(1);
            other.b.receive(1, other.to.start(), 100, other.to.lkey);
            assertThat(other.run(w -> w.send(2, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED)
                .sge(other.from.start(), 100, other.from.lkey))).isZero();
            assertThat(other.to.bytes(0, 100)).isEqualTo(other.from.bytes(0, 100));
        }
    }

    /** Only a step that there is, and a path that is bound, are asked for still. */
    @Test
    void stepsAreRefusedAsOtherwise() {
        try (RawPair other = RawPair.unconnected("emulated:one?quirks=qp-attrs-forced&mtu=512")) {
            assertThat(other.a.modify(-1, other.a::fillRts)).isEqualTo(-22);
            assertThat(other.a.modifyState(QpState.PVRDMA_QPS_INIT)).isZero();
            assertThat(other.a.modify(RawQp.RC_RTR, attr -> {
                other.a.fillRtr(attr, other.b.qpn, other.driver.gid());
                attr.get(QpAttr.AH_ATTR).set(AhAttr.GRH_SGID_INDEX, 3);
            })).isEqualTo(-22);
            assertThat(other.a.toRtr(other.b.qpn, other.driver.gid())).as("the port's MTU is less").isZero();
            assertThat(other.a.query().get(QpAttr.PATH_MTU)).isEqualTo(Mtu.PVRDMA_MTU_512);
        }
    }

    /** On datagram queue pairs, too; their key can be changed in each step. */
    @Test
    void takesTheKeyOfDatagramsWhereverItComes() {
        try (RawPair other = RawPair.datagrams("emulated:one?quirks=qp-attrs-forced")) {
            assertThat(other.a.modify(QpAttrMask.PVRDMA_QP_STATE | QpAttrMask.PVRDMA_QP_QKEY,
                attr -> attr.set(QpAttr.QP_STATE, QpState.PVRDMA_QPS_RTS).set(QpAttr.QKEY, 5))).isZero();
            assertThat(other.a.query().get(QpAttr.QKEY)).isEqualTo(5);
            assertThat(other.b.modify(QpAttrMask.PVRDMA_QP_QKEY, attr -> attr.set(QpAttr.QKEY, 5))).isZero();
            assertThat(other.b.query().get(QpAttr.QKEY)).isEqualTo(RawQp.QKEY);
        }
    }

    @Test
    void answersGarbageBehindTheFirstAttributes() {
        final QpAttr attr = pair.a.query();
        assertThat(attr.get(QpAttr.DEST_QP_NUM)).isEqualTo(pair.b.qpn);
        assertThat(attr.get(QpAttr.CAP).get(QpCap.MAX_SEND_WR)).isNotEqualTo(16);
    }

    @Test
    void reportsItsPortAsDownButTheLinkOfItsHost() {
        final PortAttr port = new QueryPortResponse().wrap(driver.ok(Command.QUERY_PORT,
            b -> new QueryPortRequest().wrap(b, 0)
                .set(QueryPortRequest.PORT_NUM, 1)), 0).get(QueryPortResponse.ATTRS);
        assertThat(port.get(PortAttr.STATE)).isEqualTo(1);
        assertThat(port.get(PortAttr.PHYS_STATE)).isEqualTo(5);
    }

    @Test
    void keepsObjectsOverAReset() {
        driver.reset();
        assertThat(driver.pci.reset()).isFalse();
        exchange();
        assertThat(pair.cqA.poll().wrId()).isEqualTo(2);
    }

    @Test
    void losesInterruptsThatAreMasked() {
        final long fired = driver.pci.interrupts().vector(0).fired();
        driver.registers.writeInt(Bar1.PVRDMA_REG_IMR, 4);
        driver.createPd();
        driver.registers.writeInt(Bar1.PVRDMA_REG_IMR, 0);
        assertThat(driver.pci.interrupts().vector(0).fired()).isEqualTo(fired);
    }

    @Test
    void countsInsteadOfHanging() {
        pair.a.post(w -> {
            w.send(1, PVRDMA_WR_SEND, 0);
            SqWqe.numSge(w.page(), w.at(), 5);
        });
        assertThat(pair.cqA.poll().vendorErr()).isEqualTo(0x205);
        pair.a.post(w -> {
            w.send(1, PVRDMA_WR_SEND, 0);
            SqWqe.gidIndex(w.page(), w.at(), 9);
        });
        assertThat(pair.cqA.poll().vendorErr()).isEqualTo(0x210);
        assertThat(pair.cqA.poll()).isNull();
        assertThat(driver.device().violations()).isEqualTo(2);
    }

    @Test
    void canHaveSingleQuirks() {
        try (RawPair other = RawPair.connected("emulated:one?quirks=no-imm,port-down")) {
            assertThat(other.driver.registers.readInt(0)).isEqualTo(20);
            other.b.receive(1, new long[0][]);
            other.a.post(w -> w.send(2, PVRDMA_WR_SEND_WITH_IMM, 0).imm(5));
            assertThat(other.cqA.poll()).isNull();
            assertThat(other.cqB.poll().imm()).isZero();
        }
    }
}
