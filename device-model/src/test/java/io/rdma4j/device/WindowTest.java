/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_MW_BIND;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_REMOTE_READ;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ZERO_BASED;
import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_LOC_QP_OP_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_MW_BIND_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_REM_ACCESS_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.device.raw.RawWindow;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateMwRequest;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;

import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory windows: what binding opens, what ends it, and what is refused. */
class WindowTest {
    private static final int EINVAL = -22;
    private static final int ENOMEM = -12;
    private static final int EBUSY = -16;
    private static final int READ_WRITE = PVRDMA_ACCESS_REMOTE_READ | PVRDMA_ACCESS_REMOTE_WRITE;

    private final RawPair pair = RawPair.connected("emulated:windows?max_mw=8");
    private final RawDriver driver = pair.driver;
    private RawRegion region;

    @BeforeEach
    void regionWithoutRemoteRights() {
        region = driver.register(driver.pd, 9000, 321, PVRDMA_ACCESS_LOCAL_WRITE | PVRDMA_ACCESS_MW_BIND);
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private Completion bind(RawWindow window, long from, long length, int access) {
        window.bind(pair.b, region, region.start() + from, length, access);
        return pair.cqB.await();
    }

    private int write(RawWindow window, long at, int length) {
        return pair.write(region.start() + at, length, window.rkey);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void opensAPartOfARegionToPeers(int type) {
        final RawWindow window = driver.createMw(type);
        final Completion bound = bind(window, 1000, 5000, READ_WRITE);

        assertThat(region.rkey).as("key of a region without remote rights").isZero();
        assertThat(bound.status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(bound.opcode()).isEqualTo(WcOpcode.PVRDMA_WC_BIND_MW);
        assertThat(bound.byteLen()).isZero();
        assertThat(write(window, 1000, 5000)).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(region.bytes(1000, 5000)).isEqualTo(pair.from.bytes(0, 5000));
        assertThat(region.get(999)).isZero();
        assertThat(region.get(6000)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"1, 999, 1", "1, 6000, 1", "1, 5990, 11", "1, 1000, 5001", "2, 999, 1", "2, 5999, 2", "2, -100000, 8"})
    void opensNoByteMore(int type, long at, int length) {
        final RawWindow window = driver.createMw(type);
        bind(window, 1000, 5000, READ_WRITE);
        assertThat(write(window, at, length)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
        assertThat(pair.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
    }

    @Test
    void opensToReadsAndAtomics() {
        final RawWindow window = driver.createMw(2);
        bind(window, 0, 9000, PVRDMA_ACCESS_REMOTE_READ | PVRDMA_ACCESS_REMOTE_ATOMIC);
        final int aligned = (int) (-region.start() & 7);
        region.putLong(aligned, 40);

        assertThat(pair.run(w -> w.send(1, WrOpcode.PVRDMA_WR_ATOMIC_FETCH_AND_ADD, PVRDMA_SEND_SIGNALED)
            .atomic(region.start() + aligned, window.rkey, 2, 0).sge(pair.from.start(), 8, pair.from.lkey)))
            .isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(region.getLong(aligned)).isEqualTo(42);
        assertThat(read(window, aligned)).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pair.from.getLong(0)).isEqualTo(42);
        assertThat(write(window, 0, 8)).as("write").isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
    }

    private int read(RawWindow window, int at) {
        return pair.run(w -> w.send(1, WrOpcode.PVRDMA_WR_RDMA_READ, PVRDMA_SEND_SIGNALED)
            .rdma(region.start() + at, window.rkey).sge(pair.from.start(), 8, pair.from.lkey));
    }

    @Test
    void refusesWhatTheWindowDoesNotAllow() {
        final RawWindow window = driver.createMw(1);
        bind(window, 0, 9000, PVRDMA_ACCESS_REMOTE_WRITE);
        assertThat(write(window, 0, 8)).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(read(window, 0)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
    }

    @Test
    void showsNothingBeforeItIsBound() {
        final RawWindow window = driver.createMw(1);
        assertThat(write(window, 0, 8)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
    }

    @Test
    void aWindowOfType1IsBoundAgainUnderAnotherKey() {
        final RawWindow window = driver.createMw(1);
        bind(window, 0, 100, READ_WRITE);
        final int old = window.rkey;
        assertThat(bind(window, 200, 100, READ_WRITE).status()).isEqualTo(PVRDMA_WC_SUCCESS);

        assertThat(write(window, 200, 100)).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pair.write(region.start() + 200, 1, old)).as("old key").isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
        pair.restart();
        assertThat(write(window, 0, 1)).as("old place").isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void length0EndsTheBinding(int type) {
        final RawWindow window = driver.createMw(type);
        bind(window, 0, 100, READ_WRITE);
        final int old = window.rkey;
        window.bind(pair.b, null, 0, 0, 0);

        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pair.write(region.start(), 1, old)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
        pair.restart();
        assertThat(write(window, 0, 1)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
        pair.restart();
        bind(window, 0, 100, READ_WRITE);
        assertThat(write(window, 0, 100)).isEqualTo(PVRDMA_WC_SUCCESS);
    }

    @Test
    void aWindowOfType2IsBoundOnlyWhileItIsFree() {
        final RawWindow window = driver.createMw(2);
        assertThat(bind(window, 0, 100, READ_WRITE).status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(bind(window, 0, 100, READ_WRITE).status()).isEqualTo(PVRDMA_WC_MW_BIND_ERR);
    }

    @Test
    void aWindowOfType2IsEndedOnlyByTheQueuePairThatBoundIt() {
        final RawQp other = driver.createQp(RawQp.with().cq(pair.cqA));
        other.connect(pair.b.qpn, driver.gid());
        final RawWindow window = driver.createMw(2);
        bind(window, 0, 100, READ_WRITE);
        final int bound = window.rkey;
        window.bind(other, null, 0, 0, 0);
        assertThat(pair.cqA.await().status()).isEqualTo(PVRDMA_WC_MW_BIND_ERR);
        assertThat(pair.write(region.start(), 100, bound)).isEqualTo(PVRDMA_WC_SUCCESS);
    }

    @Test
    void readsAreShownOfARegionThatItsOwnerMayNotChange() {
        region = driver.register(driver.pd, 9000, 321, PVRDMA_ACCESS_MW_BIND);
        final RawWindow window = driver.createMw(1);
        assertThat(bind(window, 0, 100, PVRDMA_ACCESS_REMOTE_READ).status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(read(window, 0)).isEqualTo(PVRDMA_WC_SUCCESS);
    }

    @Test
    void aWindowOfType2ServesTheQueuePairThatBoundItAlone() {
        final RawQp c = driver.createQp(RawQp.with().cq(pair.cqA));
        final RawQp d = driver.createQp(RawQp.with().cq(pair.cqB));
        RawQp.connect(c, d);
        final RawWindow anybodys = driver.createMw(1);
        final RawWindow own = driver.createMw(2);
        bind(anybodys, 0, 100, READ_WRITE);
        bind(own, 0, 100, READ_WRITE);

        assertThat(writeFrom(c, anybodys.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(writeFrom(pair.a, own.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(writeFrom(c, own.rkey)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
    }

    private int writeFrom(RawQp qp, int rkey) {
        qp.post(w -> w.send(1, WrOpcode.PVRDMA_WR_RDMA_WRITE, PVRDMA_SEND_SIGNALED).rdma(region.start(), rkey)
            .sge(pair.from.start(), 8, pair.from.lkey));
        return pair.cqA.await().status();
    }

    @Test
    void countsFrom0WhereThatIsWanted() {
        final RawWindow window = driver.createMw(2);
        bind(window, 5000, 100, READ_WRITE | PVRDMA_ZERO_BASED);
        assertThat(pair.write(0, 100, window.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(region.bytes(5000, 100)).isEqualTo(pair.from.bytes(0, 100));
        assertThat(pair.write(100, 1, window.rkey)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
    }

    @Test
    void showsARegionThatCountsFrom0() {
        region = driver.register(driver.pd, 9000, 77, PVRDMA_ACCESS_LOCAL_WRITE | PVRDMA_ACCESS_MW_BIND
            | PVRDMA_ZERO_BASED);
        final RawWindow window = driver.createMw(1);
        window.bind(pair.b, region, 4100, 50, READ_WRITE);
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pair.write(4100, 50, window.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(region.bytes(4100, 50)).isEqualTo(pair.from.bytes(0, 50));
    }

    @Test
    void endsWithItsRegionAndCanBeBoundToAnother() {
        for (int type = 1; type <= 2; type++) {
            region = driver.register(driver.pd, 9000, 0, PVRDMA_ACCESS_LOCAL_WRITE | PVRDMA_ACCESS_MW_BIND);
            final RawWindow window = driver.createMw(type);
            bind(window, 0, 9000, READ_WRITE);
            assertThat(driver.destroy(Command.DESTROY_MR, region.handle)).isZero();
            assertThat(write(window, 0, 8)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
            pair.restart();

            region = driver.register(driver.pd, 9000, 0, PVRDMA_ACCESS_LOCAL_WRITE | PVRDMA_ACCESS_MW_BIND);
            assertThat(bind(window, 0, 9000, READ_WRITE).status()).isEqualTo(PVRDMA_WC_SUCCESS);
            assertThat(write(window, 0, 8)).isEqualTo(PVRDMA_WC_SUCCESS);
        }
    }

    @Test
    void itsKeyEndsWithIt() {
        final RawWindow window = driver.createMw(1);
        bind(window, 0, 100, READ_WRITE);
        assertThat(driver.destroy(Command.DESTROY_MW, window.handle)).isZero();
        assertThat(driver.destroy(Command.DESTROY_MW, window.handle)).isEqualTo(EINVAL);
        assertThat(write(window, 0, 8)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
        pair.restart();
        assertThat(bind(window, 0, 100, READ_WRITE).status()).isEqualTo(PVRDMA_WC_MW_BIND_ERR);
    }

    @Test
    void isFreeAgainWhenTheQueuePairThatBoundItIsGone() {
        final RawQp gone = driver.createQp(RawQp.with().cq(pair.cqA));
        gone.connect(pair.b.qpn, driver.gid());
        final RawWindow window = driver.createMw(2);
        window.bind(gone, region, region.start(), 100, READ_WRITE);
        assertThat(pair.cqA.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(gone.destroy()).isZero();
        assertThat(bind(window, 0, 100, READ_WRITE).status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(write(window, 0, 100)).isEqualTo(PVRDMA_WC_SUCCESS);
    }

    /** One wrong thing each; everything else is right. */
    private void isRefused(Consumer<RawQp.Wqe> change) {
        final RawWindow window = driver.createMw(1);
        final long refused = pair.count(Counter.MEMORY_OPERATIONS_REFUSED);
        pair.b.post(w -> change.accept(w.send(5, WrOpcode.PVRDMA_WR_BIND_MW, PVRDMA_SEND_SIGNALED)
            .bind(window.rkey, window.rkey ^ 1, region.lkey, region.start(), 100, READ_WRITE)));
        final Completion done = pair.cqB.await();
        assertThat(done.status()).as(done.toString()).isEqualTo(PVRDMA_WC_MW_BIND_ERR);
        assertThat(pair.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        assertThat(pair.count(Counter.MEMORY_OPERATIONS_REFUSED)).isEqualTo(refused + 1);
        pair.restart();
        assertThat(pair.write(region.start(), 1, window.rkey)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
        pair.restart();
        assertThat(driver.destroy(Command.DESTROY_MW, window.handle)).isZero();
    }

    @Test
    void refusesBindsThatAreNotRight() {
        final RawWindow other = driver.createMw(driver.createPd(), 1);
        final RawRegion foreign = driver.register(driver.createPd(), 9000, 321, PVRDMA_ACCESS_LOCAL_WRITE
            | PVRDMA_ACCESS_MW_BIND);
        final RawRegion readable = driver.register(driver.pd, 9000, 321, PVRDMA_ACCESS_MW_BIND);
        final long start = region.start();
        isRefused(w -> w.bind(other.rkey, other.rkey ^ 1, region.lkey, start, 100, READ_WRITE));
        isRefused(w -> w.bind(0x0123_4567, 0x0123_4568, region.lkey, start, 100, READ_WRITE));
        isRefused(w -> w.bind(pair.to.rkey, pair.to.rkey ^ 1, region.lkey, start, 100, READ_WRITE));
        isRefused(w -> key(w, foreign.lkey, start, 100, READ_WRITE));
        isRefused(w -> key(w, pair.to.lkey, pair.to.start(), 100, READ_WRITE));
        isRefused(w -> key(w, region.lkey ^ 1, start, 100, READ_WRITE));
        isRefused(w -> key(w, readable.lkey, start, 100, PVRDMA_ACCESS_REMOTE_WRITE));
        isRefused(w -> key(w, readable.lkey, start, 100, PVRDMA_ACCESS_REMOTE_ATOMIC));
        isRefused(w -> key(w, region.lkey, start - 1, 100, READ_WRITE));
        isRefused(w -> key(w, region.lkey, start + 8901, 100, READ_WRITE));
        isRefused(w -> key(w, region.lkey, start, 9001, READ_WRITE));
        isRefused(w -> key(w, region.lkey, start + 1, -1, READ_WRITE));
        isRefused(w -> key(w, region.lkey, start, Long.MIN_VALUE, READ_WRITE));
        isRefused(w -> key(w, region.lkey, start, 100, READ_WRITE | PVRDMA_ACCESS_LOCAL_WRITE));
        isRefused(w -> key(w, region.lkey, start, 100, -1));
    }

    private static void key(RawQp.Wqe wqe, int lkey, long address, long length, int access) {
        final int rkey = SqWqe.bindMwRkey(wqe.page(), wqe.at());
        wqe.bind(rkey, rkey ^ 1, lkey, address, length, access);
    }

    @Test
    void onlyTheLowByteOfItsKeyIsChosen() {
        final RawWindow window = driver.createMw(1);
        isRefused(w -> w.bind(window.rkey, window.rkey ^ 0x100, region.lkey, region.start(), 100, READ_WRITE));
        isRefused(w -> w.bind(window.rkey ^ 0x100, window.rkey, region.lkey, region.start(), 100, READ_WRITE));
    }

    @Test
    void isBoundByWhoDoesNotKnowTheLowByteOfItsKey() {
        final RawWindow window = driver.createMw(1);
        bind(window, 0, 100, READ_WRITE);
        final int old = window.rkey;
        window.rkey ^= 0x55;
        assertThat(bind(window, 200, 100, READ_WRITE).status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(write(window, 200, 100)).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pair.write(region.start() + 200, 1, old)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
    }

    @Test
    void refusesScatteredBindsAndBindsOnDatagrams() {
        pair.b.post(w -> w.send(5, WrOpcode.PVRDMA_WR_BIND_MW, PVRDMA_SEND_SIGNALED)
            .sge(region.start(), 8, region.lkey));
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_LOC_QP_OP_ERR);
        try (RawPair datagrams = RawPair.datagrams("emulated:windowsud")) {
            datagrams.a.post(w -> w.send(5, WrOpcode.PVRDMA_WR_BIND_MW, PVRDMA_SEND_SIGNALED));
            assertThat(datagrams.cqA.await().status()).isEqualTo(PVRDMA_WC_LOC_QP_OP_ERR);
        }
    }

    private int createMw(int type) {
        return driver.run(Command.CREATE_MW, b -> new CreateMwRequest().wrap(b, 0)
            .set(CreateMwRequest.PD_HANDLE, driver.pd).set(CreateMwRequest.TYPE, type));
    }

    @Test
    void countsWindowsApartFromRegions() {
        assertThat(createMw(0)).isEqualTo(EINVAL);
        assertThat(createMw(3)).isEqualTo(EINVAL);
        assertThat(createMw(-1)).isEqualTo(EINVAL);
        RawWindow last = null;
        for (int i = 0; i < 8; i++) {
            last = driver.createMw(1 + i % 2);
        }
        assertThat(createMw(1)).isEqualTo(ENOMEM);
        assertThat(driver.destroy(Command.DESTROY_MR, last.handle)).as("a window is no region").isEqualTo(EINVAL);
        assertThat(driver.destroy(Command.DESTROY_MW, region.handle)).as("a region is no window").isEqualTo(EINVAL);
        assertThat(driver.destroy(Command.DESTROY_MW, last.handle)).isZero();
        assertThat(createMw(2)).isZero();
        assertThat(driver.register(4096, 0).handle).as("regions are not all used up").isNotZero();
    }

    @Test
    void whatThereIsIsInTheDescriptionOfTheDevice() {
        final RawRegion gone = driver.register(4096, 0);
        final RawWindow window = driver.createMw(1);
        final RawWindow goneToo = driver.createMw(2);
        assertThat(driver.device().describe()).contains("regions 4, windows 2\n");
        assertThat(driver.destroy(Command.DESTROY_MR, gone.handle)).isZero();
        assertThat(driver.destroy(Command.DESTROY_MW, goneToo.handle)).isZero();
        assertThat(driver.device().describe()).contains("regions 3, windows 1\n",
            String.format("mr 0x%x lkey 0x%x rkey 0x%x", region.handle, region.lkey, region.rkey),
            String.format("window of type 1 mr 0x%x", window.handle))
            .doesNotContain(String.format("mr 0x%x ", gone.handle));
    }

    @Test
    void keepsItsProtectionDomain() {
        final int pd = driver.createPd();
        final RawWindow window = driver.createMw(pd, 2);
        assertThat(driver.destroy(Command.DESTROY_PD, pd)).isEqualTo(EBUSY);
        assertThat(driver.destroy(Command.DESTROY_MW, window.handle)).isZero();
        assertThat(driver.destroy(Command.DESTROY_PD, pd)).isZero();
    }

    @Test
    void isUnknownToADeviceWithoutExtensions() {
        try (RawPair plain = RawPair.connected("emulated:plain?extensions=false")) {
            assertThat(plain.driver.dsr.get(Dsr.CAPS).get(Caps.MAX_MW)).isZero();
            assertThat(plain.driver.dsr.get(Dsr.CAPS).get(Caps.DEVICE_CAP_FLAGS2)).isZero();
            assertThat(plain.driver.dsr.get(Dsr.CAPS).get(Caps.MAX_MR_SIZE)).isEqualTo(1L << 30);
            for (Command command : new Command[] {Command.CREATE_MW, Command.DESTROY_MW, Command.RESIZE_CQ_RING}) {
                assertThat(plain.driver.run(command, b -> { })).as(command.name()).isEqualTo(0xffff);
            }
            plain.a.post(w -> w.send(5, WrOpcode.PVRDMA_WR_BIND_MW, PVRDMA_SEND_SIGNALED));
            assertThat(plain.cqA.await().status()).isEqualTo(PVRDMA_WC_LOC_QP_OP_ERR);
        }
        assertThat(driver.dsr.get(Dsr.CAPS).get(Caps.MAX_MW)).isEqualTo(8);
        assertThat(driver.dsr.get(Dsr.CAPS).get(Caps.DEVICE_CAP_FLAGS2)).isEqualTo(15);
    }
}
