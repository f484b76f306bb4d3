/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRing;
import io.rdma4j.device.raw.RawSrq;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateCqRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateQpRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateUcRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleResponse;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.function.IntSupplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers of queues are places in tables of the driver, of which the device advertises the size. */
class HandlesTest {
    private static final int ENOMEM = -12;
    private static final int EINVAL = -22;
    private static final int LIMIT = 6;

    private RawDriver driver;

    private void open(int version) {
        driver = RawDriver.ready("emulated:handles?max_qp=" + LIMIT + "&max_cq=" + LIMIT + "&max_srq=" + LIMIT
            + "&version=" + version);
    }

    @AfterEach
    void close() {
        assertThat(driver.device().counters().get(Counter.INTERNAL_ERRORS)).isZero();
        driver.close();
    }

    /** Creates all there are, and then destroys the oldest and creates another, several times around. */
    private void cycles(int first, IntSupplier create, IntSupplier oneMore, Command destroy) {
        final Queue<Integer> oldest = new ArrayDeque<>();
        final Set<Integer> all = new HashSet<>();
        for (int i = first; i < LIMIT; i++) {
            final int handle = create.getAsInt();
            assertThat(handle).isBetween(first, LIMIT - 1);
            assertThat(all.add(handle)).isTrue();
            oldest.add(handle);
        }
        assertThat(oneMore.getAsInt()).isEqualTo(ENOMEM);
        for (int i = 0; i < 3 * LIMIT; i++) {
            final int handle = oldest.remove();
            assertThat(driver.destroy(destroy, handle)).isZero();
            assertThat(driver.destroy(destroy, handle)).as("what has no object any more").isEqualTo(EINVAL);
            oldest.add(create.getAsInt());
            assertThat(new HashSet<>(oldest)).isEqualTo(all);
            assertThat(oneMore.getAsInt()).isEqualTo(ENOMEM);
        }
        for (int handle : oldest) {
            assertThat(driver.destroy(destroy, handle)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {18, 20})
    void thoseOfCompletionQueuesAreBelowTheirLimit(int version) {
        open(version);
        final long pdir = driver.pdir(driver.page().iova(), driver.page().iova());
        cycles(1, () -> driver.createCq(16).handle, () -> driver.run(Command.CREATE_CQ, b -> new CreateCqRequest()
            .wrap(b, 0).set(CreateCqRequest.PDIR_DMA, pdir).set(CreateCqRequest.CQE, 16)
            .set(CreateCqRequest.NCHUNKS, 2)), Command.DESTROY_CQ);
        assertThat(driver.dsr.get(Dsr.CAPS).get(Caps.MAX_CQ)).isEqualTo(LIMIT);
    }

    @ParameterizedTest
    @ValueSource(ints = {18, 20})
    void thoseOfSharedReceiveQueuesAreBelowTheirLimit(int version) {
        open(version);
        final long pdir = driver.pdir(driver.page().iova(), driver.page().iova());
        cycles(1, () -> driver.createSrq(16, 1).handle,
            () -> driver.run(Command.CREATE_SRQ, driver.srqRequest(16, 1, pdir, 2)), Command.DESTROY_SRQ);
        assertThat(driver.dsr.get(Dsr.CAPS).get(Caps.MAX_SRQ)).isEqualTo(LIMIT);
    }

    @ParameterizedTest
    @CsvSource({"3, 1, 16, 1, 16, 1, 0", "2, 1, 16, 1, 16, 1, -22", "3, 2, 16, 1, 16, 1, -22",
        "3, 0, 16, 1, 16, 1, -22", "3, 1, 0, 1, 16, 1, -22", "3, 1, 3, 1, 16, 1, -22", "3, 1, 64, 1, 16, 1, -22",
        "3, 1, 16, 0, 16, 1, -22", "3, 1, 16, 17, 16, 1, -22", "3, 1, 16, 1, 0, 1, -22", "3, 1, 16, 1, 256, 1, -22",
        "3, 1, 16, 1, 16, 0, -22", "3, 1, 16, 1, 16, 17, -22", "-1, 1, 16, 1, 16, 1, -22"})
    void queuePairsOfSizesThatDoNotFitAreRefused(final int pages, final int sendPages, final int sends,
        final int sendSge, final int receives, final int receiveSge, final int err) {
        open(20);
        final RawCq cq = driver.createCq(16);
        assertThat(createQp(cq, pages, sendPages, sends, sendSge, receives, receiveSge)).isEqualTo(err);
    }

    private int oneMoreQp(RawCq cq) {
        return createQp(cq, 3, 1, 16, 1, 16, 1);
    }

    private int createQp(RawCq cq, int pages, int sendPages, int sends, int sendSge, int receives, int receiveSge) {
        final long pdir = driver.pdir(driver.page().iova(), driver.page().iova(), driver.page().iova());
        return driver.run(Command.CREATE_QP, b -> new CreateQpRequest().wrap(b, 0)
            .set(CreateQpRequest.PDIR_DMA, pdir).set(CreateQpRequest.PD_HANDLE, driver.pd)
            .set(CreateQpRequest.SEND_CQ_HANDLE, cq.handle).set(CreateQpRequest.RECV_CQ_HANDLE, cq.handle)
            .set(CreateQpRequest.MAX_SEND_WR, sends).set(CreateQpRequest.MAX_SEND_SGE, sendSge)
            .set(CreateQpRequest.MAX_RECV_WR, receives).set(CreateQpRequest.MAX_RECV_SGE, receiveSge)
            .set(CreateQpRequest.TOTAL_CHUNKS, pages).set(CreateQpRequest.SEND_CHUNKS, sendPages)
            .set(CreateQpRequest.QP_TYPE, 2));
    }

    /** The number on the wire is another one, of 24 bits, that does not come back for a long time. */
    @Test
    void thoseOfQueuePairsAreBelowTheirLimit() {
        open(20);
        final RawCq cq = driver.createCq(16);
        final Set<Integer> numbers = new HashSet<>();
        cycles(1, () -> {
            final RawQp qp = driver.createQp(RawQp.with().cq(cq));
            assertThat(qp.qpn).isBetween(LIMIT, (1 << 24) - 1);
            assertThat(numbers.add(qp.qpn)).isTrue();
            return qp.handle;
        }, () -> oneMoreQp(cq), Command.DESTROY_QP);
        assertThat(driver.dsr.get(Dsr.CAPS).get(Caps.MAX_QP)).isEqualTo(LIMIT);
    }

    /** There they are the handles; 0 and 1 are those of the two management queue pairs. */
    @ParameterizedTest
    @ValueSource(ints = {17, 19})
    void numbersOfQueuePairsAreBelowTheirLimitBeforeVersionTwenty(int version) {
        open(version);
        final RawCq cq = driver.createCq(16);
        cycles(2, () -> {
            final RawQp qp = driver.createQp(RawQp.with().cq(cq));
            assertThat(qp.qpn).isEqualTo(qp.handle);
            return qp.handle;
        }, () -> oneMoreQp(cq), Command.DESTROY_QP);
    }

    /** With nothing but one object at a time, a number comes back after all others. */
    @Test
    void whatWasDestroyedIsRefusedUntilAllOtherNumbersWereUsed() {
        open(20);
        final RawCq cq = driver.createCq(16);
        final RawSrq srq = driver.createSrq(16, 1);
        final RawQp qp = driver.createQp(RawQp.with().cq(cq));
        assertThat(driver.destroy(Command.DESTROY_QP, qp.handle)).isZero();
        assertThat(driver.destroy(Command.DESTROY_SRQ, srq.handle)).isZero();
        for (int i = 2; i < LIMIT; i++) {
            final RawQp other = driver.createQp(RawQp.with().cq(cq));
            assertThat(other.handle).isNotEqualTo(qp.handle);
            assertThat(driver.destroy(Command.DESTROY_QP, other.handle)).isZero();
            final RawSrq shared = driver.createSrq(16, 1);
            assertThat(shared.handle).isNotEqualTo(srq.handle);
            assertThat(driver.destroy(Command.DESTROY_SRQ, shared.handle)).isZero();
            assertThat(driver.destroy(Command.DESTROY_QP, qp.handle)).isEqualTo(EINVAL);
            assertThat(driver.destroy(Command.DESTROY_SRQ, srq.handle)).isEqualTo(EINVAL);
        }
        driver.uar.writeInt(Uar.QP_OFFSET, Uar.qpSend(qp.handle));
        driver.uar.writeInt(Uar.SRQ_OFFSET, Uar.srqRecv(srq.handle));
        assertThat(driver.device().counters().get(Counter.BAD_DOORBELLS)).isEqualTo(2);
        assertThat(driver.createQp(RawQp.with().cq(cq)).handle).isEqualTo(qp.handle);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, LIMIT, LIMIT + 1, 0x25000, 0xff_ffff, -1})
    void nothingHasANumberOutOfRange(int handle) {
        open(20);
        final RawCq cq = driver.createCq(16);
        driver.createSrq(16, 1);
        driver.createQp(RawQp.with().cq(cq));
        for (Command destroy : new Command[] {Command.DESTROY_CQ, Command.DESTROY_SRQ, Command.DESTROY_QP}) {
            assertThat(driver.destroy(destroy, handle)).isEqualTo(EINVAL);
        }
    }

    @Test
    void noUserContextHasTheNumberOfTheDriver() {
        open(20);
        final long pfn = driver.uar.busAddress() >>> 12;
        for (int i = 1; i < 20; i++) {
            final long page = pfn + i;
            final int user = new HandleResponse().wrap(driver.ok(Command.CREATE_UC, b -> new CreateUcRequest()
                .wrap(b, 0).set(CreateUcRequest.PFN64, page)), 0).get(HandleResponse.HANDLE);
            assertThat(user).isPositive();
            final RawRing ring = new RawRing(driver, 2);
            final int cq = new HandleResponse().wrap(driver.ok(Command.CREATE_CQ, b -> new CreateCqRequest().wrap(b, 0)
                .set(CreateCqRequest.PDIR_DMA, ring.pdir()).set(CreateCqRequest.CQE, 16)
                .set(CreateCqRequest.NCHUNKS, 2).set(CreateCqRequest.CTX_HANDLE, user)), 0)
                .get(HandleResponse.HANDLE);
            driver.uar.writeInt(i * 4096 + Uar.CQ_OFFSET, Uar.cqArm(cq));
            assertThat(driver.device().counters().get(Counter.BAD_DOORBELLS)).isZero();
            assertThat(driver.destroy(Command.DESTROY_CQ, cq)).isZero();
            if (i % 2 == 0) {
                assertThat(driver.destroy(Command.DESTROY_UC, user)).isZero();
            }
        }
    }
}
