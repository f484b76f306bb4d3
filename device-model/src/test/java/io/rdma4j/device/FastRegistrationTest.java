/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.device.raw.RawPair.ALL;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_MW_BIND;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ZERO_BASED;
import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_LOC_PROT_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_LOC_QP_OP_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_MW_BIND_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_REM_ACCESS_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawFastRegion;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.MrFlags;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;

import java.lang.management.ManagementFactory;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Regions that get their pages by work requests. */
class FastRegistrationTest {
    private static final int EINVAL = -22;
    private static final long IOVA = 0x7777_0000_0123L;
    private static final int OFFSET = 0x123;
    private static final int LENGTH = 3 * 4096 - OFFSET;

    private final RawPair pair = RawPair.connected("emulated:fastreg");
    private final RawDriver driver = pair.driver;
    private final DmaMemory[] pages = {driver.page(), driver.page(), driver.page()};
    private RawFastRegion region;

    @BeforeEach
    void listPagesBackwards() {
        region = driver.createFastRegion(4);
        region.list(pages[2].iova(), pages[1].iova(), pages[0].iova());
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private Completion register(int access) {
        region.register(pair.b, IOVA, LENGTH, 3, access);
        return pair.cqB.await();
    }

    private byte get(int at) {
        final int place = OFFSET + at;
        return pages[2 - place / 4096].buffer().getByte(place % 4096);
    }

    private void holds(int from, int length) {
        for (int i = 0; i < length; i++) {
            assertThat(get(from + i)).as("byte %d", from + i).isEqualTo(pair.from.get(i));
        }
    }

    @Test
    void pagesAreReachedInTheOrderOfTheList() {
        final Completion done = register(ALL);
        assertThat(done.status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(done.opcode()).isEqualTo(WcOpcode.PVRDMA_WC_FAST_REG_MR);
        assertThat(done.byteLen()).isZero();

        assertThat(pair.write(IOVA + 10, 9000, region.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        holds(10, 9000);
        assertThat(pair.write(IOVA + LENGTH - 5, 5, region.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pair.write(IOVA + LENGTH - 5, 6, region.rkey)).as("the byte behind")
            .isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
    }

    @Test
    void receivesAndSendsByItsLocalKey() {
        register(PVRDMA_ACCESS_LOCAL_WRITE);
        pair.b.receive(7, IOVA + 100, 9000, region.lkey);
        pair.a.send(8, pair.from.start(), 9000, pair.from.lkey);
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
        holds(100, 9000);
        pair.a.receive(9, pair.to.start(), 9000, pair.to.lkey);
        pair.b.send(10, IOVA + 100, 9000, region.lkey);
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pair.to.bytes(0, 9000)).isEqualTo(pair.from.bytes(0, 9000));
    }

    /** Bits 20 to 29; the next one is nobody's. */
    @Test
    void overlooksWishesInRights() {
        assertThat(register(ALL | 0x3ff0_0000).status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pair.write(IOVA, 9000, region.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        region.invalidate(pair.b);
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(register(ALL | 1 << 30).status()).isNotEqualTo(PVRDMA_WC_SUCCESS);
    }

    @Test
    void namesNothingBeforeAndAfter() {
        assertThat(pair.write(IOVA, 1, region.rkey)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
        pair.restart();
        register(ALL);
        region.invalidate(pair.b);
        final Completion done = pair.cqB.await();
        assertThat(done.status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(done.opcode()).isEqualTo(WcOpcode.PVRDMA_WC_LOCAL_INV);
        assertThat(pair.write(IOVA, 1, region.rkey)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
        pair.restart();
        pair.b.send(10, IOVA, 1, region.lkey);
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_LOC_PROT_ERR);
    }

    @Test
    void takesOtherPagesUnderAnotherKeyAgainAndAgain() {
        int old = 0;
        for (int i = 0; i < 300; i++) {
            final DmaMemory page = pages[i % 3];
            region.list(page.iova());
            region.register(pair.b, i * 4096L, 4096, 1, ALL);
            assertThat(pair.cqB.await().status()).as("round %d", i).isEqualTo(PVRDMA_WC_SUCCESS);
            pair.from.putLong(0, i);
            assertThat(pair.write(i * 4096L + 8, 8, region.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
            assertThat(page.buffer().getLong(8)).isEqualTo(i);
            assertThat(region.rkey).isNotEqualTo(old);
            old = region.rkey;
            region.invalidate(pair.b);
            assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
        }
        region.register(pair.b, IOVA, 100, 1, ALL);
        pair.cqB.await();
        assertThat(pair.write(IOVA, 8, old)).as("key of the time before").isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
    }

    @Test
    void readsTheListOnlyWhenTheRequestIsExecuted() {
        register(ALL);
        region.list(0, 0, 0);
        assertThat(pair.write(IOVA, 9000, region.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        holds(0, 9000);
    }

    @Test
    void countsFrom0WhereThatIsWanted() {
        register(ALL | PVRDMA_ZERO_BASED);
        assertThat(pair.write(0, 9000, region.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        holds(0, 9000);
        assertThat(pair.write(IOVA, 1, region.rkey)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
    }

    @Test
    void takesASingleByteAndTheLastPageOfAllAddresses() {
        region.list(pages[0].iova());
        region.register(pair.b, 77, 1, 1, ALL);
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pair.write(77, 1, region.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        region.invalidate(pair.b);
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
        region.register(pair.b, -4096, 4096, 1, ALL);
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pair.write(-8, 8, region.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pages[0].buffer().getLong(4088)).isEqualTo(pair.from.getLong(0));
    }

    @Test
    void givesPeersNoRightThatWasNotGiven() {
        register(PVRDMA_ACCESS_LOCAL_WRITE);
        assertThat(pair.write(IOVA, 1, region.rkey)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
    }

    @Test
    void isNotFilledTwice() {
        register(ALL);
        assertThat(register(ALL).status()).isEqualTo(PVRDMA_WC_MW_BIND_ERR);
        assertThat(pair.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
    }

    private void isRefused(Consumer<RawQp.Wqe> change) {
        final long refused = pair.count(Counter.MEMORY_OPERATIONS_REFUSED);
        pair.b.post(w -> change.accept(w.send(5, WrOpcode.PVRDMA_WR_FAST_REG_MR, PVRDMA_SEND_SIGNALED)
            .fastRegister(region.rkey, IOVA, region.pdir, 3, LENGTH, ALL)));
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_MW_BIND_ERR);
        assertThat(pair.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        assertThat(pair.count(Counter.MEMORY_OPERATIONS_REFUSED)).isEqualTo(refused + 1);
        pair.restart();
    }

    @Test
    void refusesRegistrationsThatAreNotRight() {
        final RawFastRegion foreign = driver.createFastRegion(driver.createPd(), 4);
        final int key = region.rkey;
        isRefused(w -> SqWqe.fastRegPageShift(w.page(), w.at(), 13));
        isRefused(w -> SqWqe.fastRegPageShift(w.page(), w.at(), 0));
        isRefused(w -> w.fastRegister(foreign.rkey, IOVA, region.pdir, 3, LENGTH, ALL));
        isRefused(w -> w.fastRegister(key ^ 0x100, IOVA, region.pdir, 3, LENGTH, ALL));
        isRefused(w -> w.fastRegister(pair.to.rkey, IOVA, region.pdir, 3, LENGTH, ALL));
        isRefused(w -> w.fastRegister(driver.createMw(2).rkey, IOVA, region.pdir, 3, LENGTH, ALL));
        isRefused(w -> w.fastRegister(key, IOVA, region.pdir, 3, LENGTH + 1, ALL));
        isRefused(w -> w.fastRegister(key, IOVA, region.pdir, 3, 0, ALL));
        isRefused(w -> w.fastRegister(key, IOVA, region.pdir, 3, -1, ALL));
        isRefused(w -> w.fastRegister(key, -0xedd, region.pdir, 3, LENGTH, ALL));
        isRefused(w -> w.fastRegister(key, IOVA, region.pdir, 0, LENGTH, ALL));
        isRefused(w -> w.fastRegister(key, IOVA, region.pdir, -3, LENGTH, ALL));
        isRefused(w -> w.fastRegister(key, IOVA, region.pdir, 5, LENGTH, ALL));
        isRefused(w -> w.fastRegister(key, IOVA, region.pdir, 4, LENGTH, ALL));
        isRefused(w -> w.fastRegister(key, IOVA, region.pdir, Integer.MAX_VALUE, LENGTH, ALL));
        isRefused(w -> w.fastRegister(key, IOVA, region.pdir, 3, LENGTH, PVRDMA_ACCESS_REMOTE_WRITE));
        isRefused(w -> w.fastRegister(key, IOVA, region.pdir, 3, LENGTH, ALL | PVRDMA_ACCESS_MW_BIND));
        isRefused(w -> w.fastRegister(key, IOVA, region.pdir, 3, LENGTH, 0x80));
        isRefused(w -> w.fastRegister(key, IOVA, 0, 3, LENGTH, ALL));
        isRefused(w -> w.fastRegister(key, IOVA, region.pdir + 8, 3, LENGTH, ALL));
        isRefused(w -> w.fastRegister(key, IOVA, 0x7777_7000L, 3, LENGTH, ALL));
        isRefused(w -> w.fastRegister(key, IOVA, pages[0].iova(), 3, LENGTH, ALL));
        region.list(pages[0].iova() + 8);
        isRefused(w -> { });
        region.list(pages[0].iova(), 0x7777_7000L);
        isRefused(w -> { });
        region.list(pages[0].iova(), pages[1].iova(), pages[2].iova());
        assertThat(register(ALL).status()).as("and yet it is free").isEqualTo(PVRDMA_WC_SUCCESS);
    }

    @Test
    void refusesScatteredRegistrations() {
        pair.b.post(w -> w.send(5, WrOpcode.PVRDMA_WR_FAST_REG_MR, PVRDMA_SEND_SIGNALED)
            .fastRegister(region.rkey, IOVA, region.pdir, 3, LENGTH, ALL).sge(pair.to.start(), 8, pair.to.lkey));
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_LOC_QP_OP_ERR);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 513, Integer.MAX_VALUE})
    void refusesSizesThatNoRegionCanHave(int count) {
        assertThat(driver.run(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0)
            .set(CreateMrRequest.PD_HANDLE, driver.pd)
            .set(CreateMrRequest.FLAGS, MrFlags.PVRDMA_MR_FLAG_FRMR)
            .set(CreateMrRequest.NCHUNKS, count))).isEqualTo(EINVAL);
    }

    @Test
    void takesAsManyPagesAsTheDeviceSays() {
        assertThat(driver.dsr.get(Dsr.CAPS).get(Caps.MAX_FAST_REG_PAGE_LIST_LEN)).isEqualTo(512);
        final RawFastRegion largest = driver.createFastRegion(512);
        final long[] list = new long[512];
        for (int i = 0; i < list.length; i++) {
            list[i] = pages[i % 3].iova();
        }
        largest.list(list);
        largest.register(pair.b, 0, 512 * 4096, 512, ALL);
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pair.write(511 * 4096L + 4088, 8, largest.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pages[511 % 3].buffer().getLong(4088)).isEqualTo(pair.from.getLong(0));
    }

    @Test
    void pagesThatAreUnmappedAreNotReached() {
        register(ALL);
        pages[1].close();
        assertThat(pair.write(IOVA, 1, region.rkey)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
        pair.restart();
        pair.b.send(10, IOVA, 1, region.lkey);
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_LOC_PROT_ERR);
        pair.restart();
        region.invalidate(pair.b);
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(register(ALL).status()).isEqualTo(PVRDMA_WC_MW_BIND_ERR);
    }

    @Test
    void itsKeysEndWithIt() {
        register(ALL);
        assertThat(driver.destroy(Command.DESTROY_MR, region.handle)).isZero();
        assertThat(pair.write(IOVA, 1, region.rkey)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
        pair.restart();
        assertThat(register(ALL).status()).isEqualTo(PVRDMA_WC_MW_BIND_ERR);
    }

    @Test
    void registersAndInvalidatesWithoutAllocating() {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        final Consumer<RawQp.Wqe> fill = w -> w.send(1, WrOpcode.PVRDMA_WR_FAST_REG_MR, 0)
            .fastRegister(region.rkey, IOVA, region.pdir, 3, LENGTH, ALL);
        final Consumer<RawQp.Wqe> empty = w -> w.send(2, WrOpcode.PVRDMA_WR_LOCAL_INV, 0).invalidate(region.rkey);
        final int rounds = 20_000;
        run(rounds, fill, empty);
        final long before = threads.getCurrentThreadAllocatedBytes();
        run(rounds, fill, empty);
        final long wqeObjects = 2L * rounds * 32;
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(wqeObjects + rounds);
        assertThat(pair.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_RTS);
    }

    private void run(int rounds, Consumer<RawQp.Wqe> fill, Consumer<RawQp.Wqe> empty) {
        for (int i = 0; i < rounds; i++) {
            pair.b.post(fill);
            pair.b.post(empty);
        }
    }
}
