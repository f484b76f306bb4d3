/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.cmd.CreateMrRequest.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.link.InProcessLink;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.device.raw.RawRing;
import io.rdma4j.device.wire.Gid;
import io.rdma4j.device.wire.ShmCarrier;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.AhAttr;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateBindRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateCqRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreatePdRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateUcRequest;
import io.rdma4j.hw.pvrdma.cmd.DestroyBindRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleResponse;
import io.rdma4j.hw.pvrdma.cmd.PortAttr;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.hw.pvrdma.cmd.QpCap;
import io.rdma4j.hw.pvrdma.cmd.QueryPkeyRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPkeyResponse;
import io.rdma4j.hw.pvrdma.cmd.QueryPortRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPortResponse;
import io.rdma4j.hw.pvrdma.cmd.ResponseHeader;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each command by its bytes: layouts, answers, refusals, limits. */
class CommandTest {
    private static final int EINVAL = -22;
    private static final int ENOMEM = -12;
    private static final int EBUSY = -16;
    private static final int EFAULT = -14;
    private static final int EIO = -5;

    private RawDriver driver = RawDriver.ready("emulated:commands?max_pd=5&max_mr=3&max_cq=5&max_qp=3&max_srq=3");

    @AfterEach
    void close() {
        assertThat(driver.device().counters().get(Counter.INTERNAL_ERRORS)).isZero();
        driver.close();
    }

    private void reopen(String options) {
        driver.close();
        driver = RawDriver.ready("emulated:commands?" + options);
    }

    @Test
    void answersWithKeyAndAckAndClearsTheBody() {
        final UnsafeBuffer response = driver.ok(Command.CREATE_PD, b -> new CreatePdRequest().wrap(b, 0));
        assertThat(response.getLong(0)).isEqualTo(driver.lastKey());
        assertThat(response.getInt(8)).isEqualTo(0x8000_0002);
        assertThat(response.getInt(12)).isZero();
        assertThat(response.getInt(16)).isNotZero();
        assertThat(response.getInt(20)).isZero();
        assertThat(response.getInt(24)).as("behind the response").isEqualTo(0xcccc_cccc);
        assertThat(driver.pci.interrupts().vector(0).poll()).isPositive();
    }

    @Test
    void answersAFailureWithItsErrno() {
        final int err = driver.run(Command.CREATE_PD, b -> new CreatePdRequest().wrap(b, 0)
            .set(CreatePdRequest.CTX_HANDLE, 77));
        assertThat(err).isEqualTo(EINVAL);
        final ResponseHeader header = new ResponseHeader().wrap(driver.response.buffer(), 0);
        assertThat(header.get(ResponseHeader.ACK)).isEqualTo(0x8000_0002);
        assertThat(header.get(ResponseHeader.ERR)).isEqualTo(22);
        assertThat(header.get(ResponseHeader.RESPONSE)).isEqualTo(driver.lastKey());
    }

    @Test
    void writesNoResponseToCommandsThatHaveNone() {
        final int handle = driver.createPd();
        final long fired = driver.pci.interrupts().vector(0).fired();
        assertThat(driver.destroy(Command.DESTROY_PD, handle)).isZero();
        assertThat(driver.response.buffer().getLong(0)).isEqualTo(0xcccc_cccc_cccc_ccccL);
        assertThat(driver.pci.interrupts().vector(0).fired()).isEqualTo(fired);
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 21, 22, 1000, -1, Integer.MIN_VALUE})
    void doesNotKnowOtherCommands(int id) {
        assertThat(driver.run(id, b -> { })).isEqualTo(0xffff);
        assertThat(driver.response.buffer().getInt(8)).isEqualTo(0xcccc_cccc);
    }

    @Test
    void describesItsPort() {
        final PortAttr port = new QueryPortResponse().wrap(driver.ok(Command.QUERY_PORT,
            b -> new QueryPortRequest().wrap(b, 0).set(QueryPortRequest.PORT_NUM, 1)), 0).get(QueryPortResponse.ATTRS);
        assertThat(port.get(PortAttr.STATE)).isEqualTo(4);
        assertThat(port.get(PortAttr.ACTIVE_MTU)).isEqualTo(5);
        assertThat(port.get(PortAttr.GID_TBL_LEN)).isEqualTo(128);
        assertThat(port.get(PortAttr.PKEY_TBL_LEN)).isEqualTo(1);
        assertThat(driver.run(Command.QUERY_PORT, b -> new QueryPortRequest().wrap(b, 0)
            .set(QueryPortRequest.PORT_NUM, 2))).isEqualTo(EINVAL);
        assertThat(driver.run(Command.QUERY_PORT, b -> new QueryPortRequest().wrap(b, 0)
            .set(QueryPortRequest.PORT_NUM, 0))).isEqualTo(EINVAL);
    }

    @Test
    void hasOnePkey() {
        assertThat(new QueryPkeyResponse().wrap(driver.ok(Command.QUERY_PKEY,
            b -> new QueryPkeyRequest().wrap(b, 0).set(QueryPkeyRequest.PORT_NUM, 1)
                .set(QueryPkeyRequest.INDEX, 0)), 0).get(QueryPkeyResponse.PKEY)).isEqualTo(0xffff);
        assertThat(driver.run(Command.QUERY_PKEY, b -> new QueryPkeyRequest().wrap(b, 0)
            .set(QueryPkeyRequest.PORT_NUM, 1).set(QueryPkeyRequest.INDEX, 1))).isEqualTo(EINVAL);
    }

    @Test
    void stopsAtTheLimitOfProtectionDomainsAndNeverReusesAHandleAtOnce() {
        final Set<Integer> handles = new HashSet<>();
        for (int i = 1; i < 5; i++) {
            assertThat(handles.add(driver.createPd())).isTrue();
        }
        assertThat(driver.run(Command.CREATE_PD, b -> new CreatePdRequest().wrap(b, 0))).isEqualTo(ENOMEM);
        for (int i = 0; i < 50; i++) {
            final int handle = handles.iterator().next();
            handles.remove(handle);
            assertThat(driver.destroy(Command.DESTROY_PD, handle)).isZero();
            assertThat(driver.destroy(Command.DESTROY_PD, handle)).isEqualTo(EINVAL);
            final int next = driver.createPd();
            assertThat(next).isNotEqualTo(handle);
            handles.add(next);
        }
    }

    @Test
    void doesNotDestroyADomainInUse() {
        final RawRegion region = driver.register(100, 0);
        assertThat(driver.destroy(Command.DESTROY_PD, driver.pd)).isEqualTo(EBUSY);
        assertThat(driver.destroy(Command.DESTROY_MR, region.handle)).isZero();
        assertThat(driver.destroy(Command.DESTROY_PD, driver.pd)).isZero();
    }

    @Test
    void stopsAtTheLimitOfRegionsAndNeverReusesAKeyAtOnce() {
        final Set<Integer> keys = new HashSet<>();
        RawRegion region = driver.register(100, RawPair.ALL);
        driver.register(100, 0);
        driver.register(100, 0);
        assertThat(createMr(new long[] {region.memory(0).iova()}, 0x1000, 4096, 0)).isEqualTo(ENOMEM);
        for (int i = 0; i < 50; i++) {
            assertThat(keys.add(region.lkey)).isTrue();
            assertThat(keys.add(region.rkey)).isTrue();
            driver.destroy(Command.DESTROY_MR, region.handle);
            region = driver.register(100, RawPair.ALL);
        }
    }

    private int createMr(long[] pages, long start, long length, int access) {
        final long pdir = driver.pdir(pages);
        return driver.run(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0).set(PD_HANDLE, driver.pd)
            .set(START, start).set(LENGTH, length).set(ACCESS_FLAGS, access).set(PDIR_DMA, pdir)
            .set(NCHUNKS, pages.length));
    }

    @Test
    void checksTheRangeOfARegion() {
        final long page = driver.page().iova();
        final long other = driver.page().iova();
        assertThat(createMr(new long[] {page, other}, 0x1fff, 2, 0)).isZero();
        assertThat(createMr(new long[] {page}, 0x1fff, 2, 0)).isEqualTo(EINVAL);
        assertThat(createMr(new long[] {page, other}, 0x1000, 4096, 0)).isEqualTo(EINVAL);
        assertThat(createMr(new long[] {page}, 0x1000, 0, 0)).isEqualTo(EINVAL);
        assertThat(createMr(new long[] {page}, 0x1000, -1, 0)).isEqualTo(EINVAL);
        assertThat(createMr(new long[] {page, other}, -4096, 8192, 0)).isEqualTo(EINVAL);
        assertThat(createMr(new long[] {page}, 0x1000, 1L << 40, 0)).isEqualTo(EINVAL);
        assertThat(createMr(new long[] {page}, -4096, 4096, 0)).isZero();
    }

    @Test
    void aRegionMayHaveOneByteAndTheLastOneOfAllAddresses() {
        final long[] page = {driver.page().iova()};
        assertThat(createMr(page, 0x1001, 1, 0)).isZero();
        assertThat(createMr(page, -4096, 4096, 0)).isZero();
        assertThat(createMr(page, -4095, 4096, 0)).as("one byte more").isEqualTo(EINVAL);
    }

    @Test
    void checksTheRightsOfARegion() {
        final long page = driver.page().iova();
        assertThat(createMr(new long[] {page}, 0x1000, 4096, 2)).isEqualTo(EINVAL);
        assertThat(createMr(new long[] {page}, 0x1000, 4096, 8)).isEqualTo(EINVAL);
        assertThat(createMr(new long[] {page}, 0x1000, 4096, 4)).isZero();
        assertThat(createMr(new long[] {page}, 0x1000, 4096, 128)).isEqualTo(EINVAL);
        assertThat(driver.run(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0)
            .set(PD_HANDLE, driver.pd).set(FLAGS, 2).set(NCHUNKS, 1)))
            .isZero();
        assertThat(driver.run(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0)
            .set(PD_HANDLE, driver.pd).set(FLAGS, 2).set(NCHUNKS, 1).set(ACCESS_FLAGS, 1)))
            .isEqualTo(EINVAL);
        assertThat(driver.run(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0)
            .set(PD_HANDLE, driver.pd).set(FLAGS, 1).set(ACCESS_FLAGS, 1)))
            .isZero();
    }

    /** Linux' driver hands on what the application says, such as relaxed ordering, bit 20. */
    @Test
    void overlooksWishesInRights() {
        final long page = driver.page().iova();
        assertThat(createMr(new long[] {page}, 0x1000, 4096, 1 << 20 | 1)).isZero();
        assertThat(createMr(new long[] {page}, 0x1000, 4096, 0x3ff0_0007)).isZero();
        assertThat(createMr(new long[] {page}, 0x1000, 4096, 1 << 20 | 2)).as("needs local write").isEqualTo(EINVAL);
        for (int unknown : new int[] {1 << 7, 1 << 19, 1 << 30, 1 << 31}) {
            assertThat(createMr(new long[] {page}, 0x1000, 4096, unknown)).isEqualTo(EINVAL);
        }
        assertThat(driver.run(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0)
            .set(PD_HANDLE, driver.pd).set(FLAGS, 1).set(ACCESS_FLAGS, 1 << 20 | 1))).isZero();
    }

    @Test
    void overlooksWishesInRightsOfAQueuePair() {
        final RawQp qp = driver.createQp(RawQp.with().cq(driver.createCq(16)));
        for (int unknown : new int[] {1 << 5, 1 << 19, 1 << 30, 1 << 31}) {
            assertThat(init(qp, unknown)).isEqualTo(EINVAL);
        }
        assertThat(init(qp, 0x3ff0_000f)).isZero();
    }

    private static int init(RawQp qp, int access) {
        return qp.modify(QpAttrMask.PVRDMA_QP_STATE | QpAttrMask.PVRDMA_QP_PKEY_INDEX | QpAttrMask.PVRDMA_QP_PORT
            | QpAttrMask.PVRDMA_QP_ACCESS_FLAGS, a -> a.set(QpAttr.QP_STATE, QpState.PVRDMA_QPS_INIT)
                .set(QpAttr.PORT_NUM, 1).set(QpAttr.QP_ACCESS_FLAGS, access));
    }

    @Test
    void refusesPagesThatAreNotThere() {
        final long page = driver.page().iova();
        assertThat(createMr(new long[] {0}, 0x1000, 4096, 0)).isEqualTo(EINVAL);
        assertThat(createMr(new long[] {page + 8}, 0x1000, 4096, 0)).isEqualTo(EINVAL);
        assertThat(createMr(new long[] {0x7777_7000L}, 0x1000, 4096, 0)).isEqualTo(EFAULT);
        assertThat(driver.run(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0).set(PD_HANDLE, driver.pd)
            .set(LENGTH, 4096).set(NCHUNKS, 1).set(PDIR_DMA, 0))).isEqualTo(EINVAL);
        assertThat(driver.run(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0).set(PD_HANDLE, driver.pd)
            .set(LENGTH, 4096).set(NCHUNKS, 1).set(PDIR_DMA, driver.page().iova()))).isEqualTo(EINVAL);
    }

    @Test
    void stopsAtTheLimitOfCompletionQueues() {
        for (int i = 0; i < 4; i++) {
            driver.createCq(16);
        }
        final long page = driver.pdir(driver.page().iova(), driver.page().iova());
        assertThat(createCq(page, 16, 2)).isEqualTo(ENOMEM);
    }

    private int createCq(long pdir, int cqe, int chunks) {
        return driver.run(Command.CREATE_CQ, b -> new CreateCqRequest().wrap(b, 0)
            .set(CreateCqRequest.PDIR_DMA, pdir).set(CreateCqRequest.CQE, cqe).set(CreateCqRequest.NCHUNKS, chunks));
    }

    @Test
    void createsQueuePairsWithNamesThatDiffer() {
        final RawCq cq = driver.createCq(16);
        final RawQp qp = driver.createQp(RawQp.with().cq(cq));
        final RawQp other = driver.createQp(RawQp.with().cq(cq));
        assertThat(qp.qpn).isNotEqualTo(qp.handle).isNotEqualTo(other.qpn).isGreaterThan(1);
        assertThat(driver.response.buffer().getInt(8)).isEqualTo(0x8000_0009);
        assertThat(driver.response.buffer().getInt(24)).isEqualTo(16);
        assertThat(driver.destroy(Command.DESTROY_QP, qp.qpn)).isEqualTo(EINVAL);
        assertThat(driver.destroy(Command.DESTROY_QP, qp.handle)).isZero();
        assertThat(driver.response.buffer().getInt(8)).isEqualTo(0x8000_000c);
        assertThat(driver.response.buffer().getInt(16)).isZero();
    }

    @Test
    void answersInTheOldLayoutBeforeVersionTwenty() {
        reopen("version=19");
        final RawQp qp = driver.createQp(RawQp.with().cq(driver.createCq(16)));
        assertThat(qp.qpn).isEqualTo(qp.handle);
        assertThat(driver.response.buffer().getInt(20)).isEqualTo(16);
        assertThat(driver.response.buffer().getInt(40)).isEqualTo(0xcccc_cccc);
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 18, 19, 20})
    void showsTheVersionAskedFor(int version) {
        reopen("version=" + version);
        assertThat(driver.registers.readInt(0)).isEqualTo(version);
        assertThat(driver.dsr.get(Dsr.CAPS).get(Caps.GID_TYPES)).isEqualTo(version == 17 ? 1 : 2);
        assertThat(driver.dsr.get(Dsr.CAPS).get(Caps.MAX_UAR)).isEqualTo(2048);
    }

    @Test
    void asksForTheAttributesOfEachStep() {
        final RawQp qp = driver.createQp(RawQp.with().cq(driver.createCq(16)));
        assertThat(qp.modifyState(QpState.PVRDMA_QPS_INIT)).isEqualTo(EINVAL);
        assertThat(qp.modifyState(QpState.PVRDMA_QPS_ERR)).isEqualTo(EINVAL);
        assertThat(qp.modifyState(QpState.PVRDMA_QPS_RTS)).isEqualTo(EINVAL);
        assertThat(qp.modifyState(99)).isEqualTo(EINVAL);
        assertThat(qp.toInit()).isZero();
        for (int bit = 1; bit <= RawQp.RC_RTR; bit <<= 1) {
            if ((RawQp.RC_RTR & bit) != 0 && bit != QpAttrMask.PVRDMA_QP_STATE) {
                assertThat(qp.modify(RawQp.RC_RTR & ~bit, a -> qp.fillRtr(a, 5, driver.gid()))).isEqualTo(EINVAL);
            }
        }
        assertThat(qp.toRtr(5, driver.gid())).isZero();
        assertThat(qp.modify(RawQp.RC_RTS & ~QpAttrMask.PVRDMA_QP_SQ_PSN, qp::fillRts)).isEqualTo(EINVAL);
        assertThat(qp.toRts()).isZero();
        assertThat(qp.modifyState(QpState.PVRDMA_QPS_INIT)).isEqualTo(EINVAL);
    }

    /** By the table of Modify QP (InfiniBand 11.2.5.2), as ib_core has it. Type, from, to, required, optional. */
    private static final String STEPS = """
        RC RESET INIT PKEY_INDEX,PORT,ACCESS_FLAGS -
        RC INIT INIT - PKEY_INDEX,PORT,ACCESS_FLAGS
        RC INIT RTR AV,PATH_MTU,DEST_QPN,RQ_PSN,MAX_DEST_RD_ATOMIC,MIN_RNR_TIMER ALT_PATH,ACCESS_FLAGS,PKEY_INDEX
        RC RTR RTS TIMEOUT,RETRY_CNT,RNR_RETRY,SQ_PSN,MAX_QP_RD_ATOMIC \
            CUR_STATE,ALT_PATH,ACCESS_FLAGS,MIN_RNR_TIMER,PATH_MIG_STATE
        RC RTS RTS - CUR_STATE,ALT_PATH,ACCESS_FLAGS,MIN_RNR_TIMER,PATH_MIG_STATE
        RC RTS SQD - EN_SQD_ASYNC_NOTIFY
        RC SQD SQD - PORT,AV,TIMEOUT,RETRY_CNT,RNR_RETRY,MAX_QP_RD_ATOMIC,MAX_DEST_RD_ATOMIC,ALT_PATH,\
        ACCESS_FLAGS,PKEY_INDEX,MIN_RNR_TIMER,PATH_MIG_STATE
        RC SQD RTS - CUR_STATE,ALT_PATH,ACCESS_FLAGS,MIN_RNR_TIMER,PATH_MIG_STATE
        RC RTS ERR - -
        RC ERR ERR - -
        RC ERR RESET - -
        RC RESET RESET - -
        UD RESET INIT PKEY_INDEX,PORT,QKEY -
        UD INIT INIT - PKEY_INDEX,PORT,QKEY
        UD INIT RTR - PKEY_INDEX,QKEY
        UD RTR RTS SQ_PSN CUR_STATE,QKEY
        UD RTS RTS - CUR_STATE,QKEY
        UD RTS SQD - EN_SQD_ASYNC_NOTIFY
        UD SQD SQD - PKEY_INDEX,QKEY
        UD SQD RTS - CUR_STATE,QKEY
        UD RTS SQE - -
        UD SQE RTS - CUR_STATE,QKEY
        UD RTS ERR - -
        UD ERR RESET - -
        GSI RESET INIT PKEY_INDEX,QKEY -
        GSI INIT INIT - PKEY_INDEX,QKEY
        GSI INIT RTR - PKEY_INDEX,QKEY
        GSI RTR RTS SQ_PSN CUR_STATE,QKEY
        GSI RTS RTS - CUR_STATE,QKEY
        GSI RTS SQD - EN_SQD_ASYNC_NOTIFY
        GSI SQD SQD - PKEY_INDEX,QKEY
        GSI SQD RTS - CUR_STATE,QKEY
        """;

    @ParameterizedTest
    @ValueSource(strings = {"RC", "UD", "GSI"})
    void aStepTakesItsAttributesAndNoOthers(String type) {
        final RawQp.Builder shape = RawQp.with().cq(driver.createCq(16));
        final RawQp qp = driver.createQp(type.equals("RC") ? shape : type.equals("UD") ? shape.ud() : shape.gsi());
        for (final String line : STEPS.lines().filter(each -> each.startsWith(type + " ")).toList()) {
            final String[] step = line.split(" +");
            if (step[2].equals("SQE")) {
                // No step of a driver's: a send of memory that there is not.
                qp.post(w -> w.datagram(driver.pd, 5, RawQp.QKEY, driver.gid())
                    .send(1, WrOpcode.PVRDMA_WR_SEND, 0).sge(0x1000, 10, 77));
                assertThat(qp.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_SQE);
                continue;
            }
            final int allowed = QpAttrMask.PVRDMA_QP_STATE | mask(step[3]) | mask(step[4]);
            final byte[] before = bytes(qp.query());
            for (int bit = 1; bit <= QpAttrMask.PVRDMA_QP_DEST_QPN; bit <<= 1) {
                if ((allowed & bit) == 0) {
                    assertThat(step(qp, step, allowed & ~mask(step[4]) | bit)).as("%s with %s", line,
                        QpAttrMask.NAMES.of(bit)).isEqualTo(EINVAL);
                    assertThat(bytes(qp.query())).isEqualTo(before);
                }
            }
            assertThat(step(qp, step, allowed)).as(line).isZero();
        }
    }

    private static int mask(String names) {
        int mask = 0;
        for (int bit = 1; bit <= QpAttrMask.PVRDMA_QP_DEST_QPN; bit <<= 1) {
            mask |= List.of(names.split(",")).contains(QpAttrMask.NAMES.of(bit)) ? bit : 0;
        }
        return mask;
    }

    private static byte[] bytes(QpAttr attr) {
        final byte[] bytes = new byte[QpAttr.LAYOUT.length()];
        attr.buffer().getBytes(attr.offset(), bytes);
        return bytes;
    }

    private int step(RawQp qp, String[] step, int mask) {
        return qp.modify(mask, attr -> {
            qp.fillRtr(attr, 5, driver.gid());
            qp.fillRts(attr);
            attr.set(QpAttr.PORT_NUM, 1).set(QpAttr.QKEY, step[0].equals("GSI") ? RawQp.GSI_QKEY : RawQp.QKEY)
                .set(QpAttr.CUR_QP_STATE, state(step[1])).set(QpAttr.QP_STATE, state(step[2]));
        });
    }

    private static int state(String name) {
        return List.of("RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR").indexOf(name);
    }

    @Test
    void checksTheValuesOfAttributes() {
        final RawQp qp = driver.createQp(RawQp.with().cq(driver.createCq(16)));
        assertThat(qp.modify(QpAttrMask.PVRDMA_QP_STATE | QpAttrMask.PVRDMA_QP_PKEY_INDEX | QpAttrMask.PVRDMA_QP_PORT
            | QpAttrMask.PVRDMA_QP_ACCESS_FLAGS, a -> a.set(QpAttr.QP_STATE, 1)
                .set(QpAttr.PORT_NUM, 2))).isEqualTo(EINVAL);
        qp.toInit();
        assertThat(rtr(qp, a -> a.set(QpAttr.PATH_MTU, 6))).isEqualTo(EINVAL);
        assertThat(rtr(qp, a -> a.set(QpAttr.MIN_RNR_TIMER, 32))).isEqualTo(EINVAL);
        assertThat(rtr(qp, a -> a.set(QpAttr.RQ_PSN, 1 << 24))).isEqualTo(EINVAL);
        assertThat(rtr(qp, a -> a.set(QpAttr.DEST_QP_NUM, 1 << 24))).isEqualTo(EINVAL);
        assertThat(rtr(qp, a -> a.get(QpAttr.AH_ATTR).set(AhAttr.GRH_SGID_INDEX, 1))).isEqualTo(EINVAL);
        assertThat(rtr(qp, a -> a.get(QpAttr.AH_ATTR).set(AhAttr.GRH_SGID_INDEX, -1))).isEqualTo(EINVAL);
        assertThat(rtr(qp, a -> a.get(QpAttr.AH_ATTR).set(AhAttr.AH_FLAGS, 0))).isEqualTo(EINVAL);
        assertThat(rtr(qp, a -> a.set(QpAttr.MAX_DEST_RD_ATOMIC, 200))).isEqualTo(EINVAL);
        assertThat(qp.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_INIT);
        assertThat(rtr(qp, a -> { })).isZero();
    }

    private int rtr(RawQp qp, Consumer<QpAttr> change) {
        return qp.modify(RawQp.RC_RTR, a -> {
            qp.fillRtr(a, 5, driver.gid());
            change.accept(a);
        });
    }

    @Test
    void remembersTheAttributesOfAQueuePair() {
        final RawQp qp = driver.createQp(RawQp.with().cq(driver.createCq(16)));
        qp.connect(0x123, driver.gid());
        final QpAttr attr = qp.query();
        assertThat(attr.get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_RTS);
        assertThat(attr.get(QpAttr.DEST_QP_NUM)).isEqualTo(0x123);
        assertThat(attr.get(QpAttr.PATH_MTU)).isEqualTo(3);
        assertThat(attr.get(QpAttr.AH_ATTR).get(AhAttr.GRH_DGID)).isEqualTo(driver.gid());
        assertThat(attr.get(QpAttr.RNR_RETRY)).isEqualTo(7);
        assertThat(attr.get(QpAttr.CAP).get(QpCap.MAX_SEND_WR)).isEqualTo(16);
        assertThat(attr.get(QpAttr.CAP).get(QpCap.MAX_RECV_SGE)).isEqualTo(4);
        assertThat(qp.modifyState(QpState.PVRDMA_QPS_RESET)).isZero();
        assertThat(qp.query().get(QpAttr.DEST_QP_NUM)).isZero();
    }

    @Test
    void remembersAnAlternativePathBesideTheFirstOne() {
        final RawQp qp = driver.createQp(RawQp.with().cq(driver.createCq(16)));
        qp.toInit();
        final byte[] other = driver.gid();
        other[15] ^= 1;
        assertThat(qp.modify(RawQp.RC_RTR | QpAttrMask.PVRDMA_QP_ALT_PATH, a -> {
            qp.fillRtr(a, 5, driver.gid());
            a.get(QpAttr.ALT_AH_ATTR).set(AhAttr.GRH_DGID, other).set(AhAttr.GRH_HOP_LIMIT, 9);
        })).isZero();
        assertThat(qp.query().get(QpAttr.ALT_AH_ATTR).get(AhAttr.GRH_DGID)).isEqualTo(other);
        assertThat(qp.query().get(QpAttr.ALT_AH_ATTR).get(AhAttr.GRH_HOP_LIMIT)).isEqualTo(9);
        assertThat(qp.query().get(QpAttr.AH_ATTR).get(AhAttr.GRH_DGID)).isEqualTo(driver.gid());
    }

    @Test
    void givesDoorbellPagesToUsers() {
        final long pfn = driver.uar.busAddress() >>> 12;
        final int user = new HandleResponse().wrap(driver.ok(Command.CREATE_UC,
            b -> new CreateUcRequest().wrap(b, 0).set(CreateUcRequest.PFN64, pfn + 3)), 0).get(HandleResponse.HANDLE);
        assertThat(createUc(pfn + 3)).isEqualTo(EINVAL);
        assertThat(createUc(pfn + 2048)).isEqualTo(EINVAL);
        assertThat(createUc(pfn - 1)).isEqualTo(EINVAL);
        final RawRing ring = new RawRing(driver, 2);
        final int cq = new HandleResponse().wrap(driver.ok(Command.CREATE_CQ, b -> new CreateCqRequest().wrap(b, 0)
            .set(CreateCqRequest.PDIR_DMA, ring.pdir()).set(CreateCqRequest.CQE, 16).set(CreateCqRequest.NCHUNKS, 2)
            .set(CreateCqRequest.CTX_HANDLE, user)), 0).get(HandleResponse.HANDLE);
        driver.uar.writeInt(3 * 4096 + 4, Uar.cqArm(cq));
        assertThat(driver.device().counters().get(Counter.BAD_DOORBELLS)).isZero();
        driver.uar.writeInt(2 * 4096 + 4, Uar.cqArm(cq));
        assertThat(driver.device().counters().get(Counter.BAD_DOORBELLS)).isEqualTo(1);
        assertThat(driver.destroy(Command.DESTROY_UC, user)).isZero();
        assertThat(driver.destroy(Command.DESTROY_UC, user)).isEqualTo(EINVAL);
    }

    @Test
    void bindsAndUnbindsGids() {
        assertThat(bind(128, driver.gid(), 2)).isEqualTo(EINVAL);
        assertThat(bind(-1, driver.gid(), 2)).isEqualTo(EINVAL);
        assertThat(bind(1, new byte[16], 2)).isEqualTo(EINVAL);
        assertThat(bind(1, driver.gid(), 1)).isEqualTo(EINVAL);
        assertThat(bind(1, driver.gid(), 2)).isZero();
        assertThat(unbind(1, new byte[16])).isEqualTo(EINVAL);
        assertThat(unbind(1, driver.gid())).isZero();
        assertThat(unbind(1, driver.gid())).isEqualTo(EINVAL);
        assertThat(unbind(127, driver.gid())).isEqualTo(EINVAL);
    }

    /** ERR is all that says so: the command has no response. */
    @Test
    void refusesAGidThatAnotherProcessHas() {
        reopen("wire=shm");
        final byte[] gid = driver.gid();
        gid[15] ^= 1;
        final ByteBuffer words = ByteBuffer.wrap(gid);
        final ShmCarrier other = ShmCarrier.open(false, () -> -1);
        try {
            other.bind(new Gid(words.getLong(), words.getLong()));
            assertThat(bind(1, gid, 2)).isEqualTo(-RdmaException.EADDRINUSE);
        } finally {
            other.close();
        }
        assertThat(bind(1, gid, 2)).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCommandThatFailsWithinIsRefusedAndCounted(boolean byTheJvm) {
        reopen("wire=none");
        InProcessLink.JVM.whenChanged(() -> {
            if (byTheJvm) {
                throw new InternalError("planted");
            }
            throw new IllegalStateException("planted");
        });
        assertThat(bind(1, driver.gid(), 2)).isEqualTo(EIO);
        assertThat(driver.device().counters().get(Counter.INTERNAL_ERRORS)).isOne();
        assertThat(driver.createPd()).isNotZero();
        reopen("");
    }

    private int bind(int index, byte[] gid, int type) {
        return driver.run(Command.CREATE_BIND, b -> new CreateBindRequest().wrap(b, 0)
            .set(CreateBindRequest.INDEX, index).set(CreateBindRequest.NEW_GID, gid)
                .set(CreateBindRequest.GID_TYPE, type));
    }

    private int unbind(int index, byte[] gid) {
        return driver.run(Command.DESTROY_BIND, b -> new DestroyBindRequest().wrap(b, 0)
            .set(DestroyBindRequest.INDEX, index).set(DestroyBindRequest.DEST_GID, gid));
    }

    private int createUc(long pfn) {
        return driver.run(Command.CREATE_UC, b -> new CreateUcRequest().wrap(b, 0).set(CreateUcRequest.PFN64, pfn));
    }

    @Test
    void theFirstDoorbellPageIsForAllAndThereIsNoneBehindTheLast() {
        final long pfn = driver.uar.busAddress() >>> 12;
        final int pages = driver.device().options().limits().maxUar();
        assertThat(createUc(pfn)).isZero();
        assertThat(createUc(pfn)).isZero();
        assertThat(createUc(pfn + pages - 1)).isZero();
        assertThat(createUc(pfn + pages)).isEqualTo(EINVAL);
    }

    @Test
    void forgetsEverythingAtReset() {
        final RawQp qp = driver.createQp(RawQp.with().cq(driver.createCq(16)));
        final RawRegion region = driver.register(100, 0);
        final long pfn = driver.uar.busAddress() >>> 12;
        assertThat(createUc(pfn + 3)).isZero();
        driver.reset();
        assertThat(driver.run(Command.CREATE_PD, b -> new CreatePdRequest().wrap(b, 0))).isEqualTo(0xffff);
        driver.load();
        assertThat(driver.activate()).isZero();
        assertThat(qp.destroy()).isEqualTo(EINVAL);
        assertThat(driver.destroy(Command.DESTROY_MR, region.handle)).isEqualTo(EINVAL);
        assertThat(createUc(pfn + 3)).isZero();
        driver.pd = driver.createPd();
        for (int i = 0; i < 3; i++) {
            driver.register(100, 0);
        }
        assertThat(bind(0, driver.gid(), 2)).isZero();
    }
}
