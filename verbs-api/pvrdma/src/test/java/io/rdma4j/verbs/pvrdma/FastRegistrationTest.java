/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertBusy;
import static io.rdma4j.verbs.pvrdma.Refusals.assertClosed;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static io.rdma4j.verbs.pvrdma.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.FastRegion;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.spi.RegionOwner;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Fast regions: registered, invalidated and registered again by work requests. */
class FastRegistrationTest {
    private static final long IOVA = 0x5555_0000_0000L;
    private static final AccessFlag[] ALL = {AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE};

    @RegisterExtension
    final Devices devices = new Devices();

    private static SendRequest registration(final FastRegion region, final long iova, final AccessFlag... access) {
        return new SendRequest().wrId(23).fastRegister(region, region.nextKey(), iova, access);
    }

    private static void register(
        final KeyBench bench, final FastRegion region, final long iova, final AccessFlag... access) {
        final int before = region.rkey();
        KeyBench.assertRuns(bench.owner, registration(region, iova, access), WcOpcode.FAST_REG_MR);
        assertThat(region.rkey() & 0xff).isEqualTo(before + 1 & 0xff);
        assertThat(region.rkey() >>> 8).isEqualTo(before >>> 8);
        assertThat(region.lkey() & 0xff).isEqualTo(region.rkey() & 0xff);
    }

    private static void invalidate(final KeyBench bench, final FastRegion region) {
        KeyBench.assertRuns(bench.owner, KeyBench.invalidation(region.rkey()), WcOpcode.LOCAL_INV);
    }

    @Test
    void keepsItsPagesWhenOthersAreRefused() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(2);
        region.map(bench.pages(1), 0, 4096);
        assertRefused(RdmaException.EFAULT, () -> region.map(new PageList().add(4096), 0, 4096));
        register(bench, region, IOVA, ALL);
        assertThat(bench.write(IOVA, region.rkey(), 0x77)).isEqualTo(WcStatus.SUCCESS);
        assertThat(bench.owner.bytes.getLong(4096)).isEqualTo(0x77);
    }

    @Test
    void lendsPagesInTheOrderOfTheList() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(8);
        assertThat(region.maxPages()).isEqualTo(8);
        assertThat(region.pd()).isSameAs(bench.owner.pd);
        region.map(bench.pages(5, 2, 9), 100, 3 * 4096 - 100);
        register(bench, region, IOVA + 100, ALL);
        assertThat(bench.write(IOVA + 100, region.rkey(), 0x11)).isEqualTo(WcStatus.SUCCESS);
        assertThat(bench.write(IOVA + 4092, region.rkey(), 0x2222_2222_3333_3333L)).isEqualTo(WcStatus.SUCCESS);
        assertThat(bench.write(IOVA + 3 * 4096 - 8, region.rkey(), 0x44)).isEqualTo(WcStatus.SUCCESS);
        assertThat(bench.owner.bytes.getLong(5 * 4096 + 100)).isEqualTo(0x11);
        assertThat(bench.owner.bytes.getInt(5 * 4096 + 4092)).isEqualTo(0x3333_3333);
        assertThat(bench.owner.bytes.getInt(2 * 4096)).isEqualTo(0x2222_2222);
        assertThat(bench.owner.bytes.getLong(9 * 4096 + 4088)).isEqualTo(0x44);
        assertThat(bench.read(IOVA + 4096, region.rkey())).isEqualTo(WcStatus.SUCCESS);
        assertThat(bench.user.bytes.getInt(8)).isEqualTo(0x2222_2222);
    }

    @Test
    void isUsedLocallyByItsLocalKey() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(2);
        region.map(bench.pages(3), 0, 4096);
        register(bench, region, IOVA, AccessFlag.LOCAL_WRITE);
        bench.owner.fill(3 * 4096, 200, 5);
        bench.user.qp.postReceive(1, bench.user.at(0), 200, bench.user.lkey());
        assertThat(bench.owner.qp.postSend(2, IOVA, 200, region.lkey())).isZero();
        Completions.awaitSuccess(bench.user.cq);
        Completions.awaitSuccess(bench.owner.cq);
        assertThat(bench.user.firstDifference(0, 200, 5)).isEqualTo(-1);
        assertThat(bench.owner.qp.postReceive(3, IOVA + 1000, 100, region.lkey())).isZero();
        bench.user.fill(500, 100, 6);
        assertThat(bench.user.qp.postSend(4, bench.user.at(500), 100, bench.user.lkey())).isZero();
        Completions.awaitSuccess(bench.owner.cq);
        assertThat(bench.owner.firstDifference(3 * 4096 + 1000, 100, 6)).isEqualTo(-1);
    }

    @Test
    void beforeItIsRegisteredTheKeyNamesNothing() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(2);
        region.map(bench.pages(3), 0, 4096);
        assertThat(bench.write(IOVA, region.rkey(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        bench.reconnect();
        assertThat(bench.write(bench.owner.at(3 * 4096), region.rkey(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void invalidatedItNamesNothingAndCanBeRegisteredAgainWithOtherPages() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(4);
        for (int round = 1; round <= 300; round++) {
            region.map(bench.pages(round % 16, (round + 3) % 16), 8, 5000);
            register(bench, region, IOVA + 8, ALL);
            assertThat(bench.write(IOVA + 4096, region.rkey(), round)).as("round %d", round)
                .isEqualTo(WcStatus.SUCCESS);
            assertThat(bench.owner.bytes.getLong((round + 3) % 16 * 4096)).isEqualTo(round);
            invalidate(bench, region);
        }
        assertThat(bench.write(IOVA + 4096, region.rkey(), -1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void anOldKeyIsDeadWhileANewOneLives() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(1);
        region.map(bench.pages(1), 0, 4096);
        register(bench, region, IOVA, ALL);
        final int old = region.rkey();
        invalidate(bench, region);
        register(bench, region, IOVA, ALL);
        assertThat(bench.write(IOVA, region.rkey(), 1)).as("the same pages again").isEqualTo(WcStatus.SUCCESS);
        assertThat(bench.write(IOVA, old, 2)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(bench.owner.bytes.getLong(4096)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 4089, 4096, -4096})
    void isBoundedToTheByte(final long offset) {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(2);
        region.map(bench.pages(3), 0, 4096);
        register(bench, region, IOVA, ALL);
        assertThat(bench.write(IOVA + offset, region.rkey(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void givesTheRightsThatWereAskedFor() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(1);
        region.map(bench.pages(1), 0, 4096);
        register(bench, region, IOVA, AccessFlag.REMOTE_READ);
        assertThat(bench.read(IOVA, region.rkey())).isEqualTo(WcStatus.SUCCESS);
        assertThat(bench.write(IOVA, region.rkey(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void registeringWhatIsRegisteredFails() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(1);
        region.map(bench.pages(1), 0, 4096);
        register(bench, region, IOVA, ALL);
        assertThat(KeyBench.run(bench.owner, registration(region, IOVA, ALL))).isNotEqualTo(WcStatus.SUCCESS);
        assertThat(bench.owner.qp.state()).isEqualTo(QpState.ERR);
    }

    @Test
    void aRequestBehindARegistrationFindsItDone() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(1);
        region.map(bench.pages(1), 0, 4096);
        bench.owner.fill(4096, 64, 3);
        bench.user.qp.postReceive(1, bench.user.at(0), 64, bench.user.lkey());
        final int lkey = region.lkey() & ~0xff | region.nextKey() & 0xff;
        final SendRequest[] batch = {
            registration(region, IOVA, ALL).flags(0),
            new SendRequest().sge(IOVA, 64, lkey).flags(0),
            KeyBench.invalidation(region.nextKey()),
        };
        assertThat(bench.owner.qp.postSend(batch, 3)).isEqualTo(3);
        assertThat(Completions.awaitSuccess(bench.owner.cq).opcode()).isEqualTo(WcOpcode.LOCAL_INV);
        Completions.awaitSuccess(bench.user.cq);
        assertThat(bench.user.firstDifference(0, 64, 3)).isEqualTo(-1);
        region.map(bench.pages(2), 0, 4096);
    }

    @Test
    void thePagesStayAsLongAsARegistrationIsInAQueue() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(1);
        region.map(bench.pages(1), 0, 4096);
        assertThat(bench.owner.qp.postSend(registration(region, IOVA, ALL))).isZero();
        final AtomicInteger told = new AtomicInteger();
        final ByteBuffer buffer = Reach.pages(1);
        final RegionOwner owner = told::incrementAndGet;
        assertBusy(() -> region.map(new PageList().add(BufferUtil.address(buffer), owner), 0, 4096), "queue");
        assertThat(told).as("of memory that the region never had").hasValue(0);
        assertBusy(region::unmap, "unmap fast region failed", "queue");
        Completions.awaitSuccess(bench.owner.cq);
        invalidate(bench, region);
        region.map(bench.pages(2), 0, 4096);
        register(bench, region, IOVA, ALL);
        assertThat(bench.write(IOVA, region.rkey(), 9)).isEqualTo(WcStatus.SUCCESS);
        assertThat(bench.owner.bytes.getLong(2 * 4096)).isEqualTo(9);
    }

    /** Not only until a request in front of it is over. */
    @Test
    void thePagesStayAlsoWhereTheRegistrationIsALaterRequestOfAList() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(1);
        region.map(bench.pages(1), 0, 4096);
        assertThat(bench.user.qp.postReceive(1, bench.user.at(0), 8, bench.user.lkey())).isZero();
        final SendRequest[] list = {new SendRequest().wrId(1), registration(region, IOVA, ALL)};
        assertThat(bench.owner.qp.postSend(list, 2)).isEqualTo(2);
        assertThat(Completions.awaitSuccess(bench.owner.cq).wrId()).isEqualTo(1);
        assertBusy(region::unmap, "unmap fast region failed", "queue");
        assertThat(Completions.awaitSuccess(bench.owner.cq).opcode()).isEqualTo(WcOpcode.FAST_REG_MR);
        invalidate(bench, region);
        region.unmap();
    }

    @Test
    void twoQueuesDoNotRegisterAtATime() {
        final KeyBench bench = new KeyBench(devices);
        final Peer second = new Peer(bench.owner.context, bench.owner.pd, bench.owner.cq, new QpOptions());
        second.connect(Peer.rc(devices.open()));
        final FastRegion region = bench.owner.pd.allocateFastRegion(1);
        region.map(bench.pages(1), 0, 4096);
        assertThat(bench.owner.qp.postSend(registration(region, IOVA, ALL).flags(0))).isZero();
        assertThat(second.qp.postSend(registration(region, IOVA, ALL))).isEqualTo(ReturnCode.INVALID_REQUEST);
        invalidate(bench, region);
        assertThat(second.qp.postSend(registration(region, IOVA, ALL))).isZero();
        assertThat(Completions.awaitSuccess(second.cq).opcode()).isEqualTo(WcOpcode.FAST_REG_MR);
    }

    @Test
    void theyStayNoLongerThanTheQp() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(1);
        region.map(bench.pages(1), 0, 4096);
        bench.owner.qp.modify(QpAttributes.to(QpState.ERR));
        assertThat(bench.owner.qp.postSend(registration(region, IOVA, ALL))).isZero();
        assertBusy(region::unmap);
        bench.owner.qp.close();
        region.unmap();
        region.unmap();
    }

    @Test
    void theyAreUnpinnedWhenTheyAreLetGoOf() {
        final KeyBench bench = new KeyBench(devices);
        final var memory = bench.owner.context.allocate(8 * 4096);
        final FastRegion region = bench.owner.pd.allocateFastRegion(8);
        final PageList list = new PageList().add(memory);
        region.map(list, 0, 8 * 4096);
        list.clear();
        assertBusy(memory::close, "fast MR");
        region.unmap();
        memory.close();
        assertClosed(() -> region.map(new PageList().add(memory), 0, 8 * 4096));
        final long reachable = bench.owner.context.reachableBytes();
        final java.nio.ByteBuffer buffer = java.nio.ByteBuffer.allocateDirect(3 * 4096).alignedSlice(4096);
        buffer.limit(8192);
        region.map(new PageList().add(buffer), 0, 8192);
        assertThat(bench.owner.context.reachableBytes()).isGreaterThan(reachable);
        region.close();
        region.close();
        assertThat(region.isClosed()).isTrue();
        assertThat(bench.owner.context.reachableBytes()).isLessThanOrEqualTo(reachable);
    }

    @Test
    void tellsAnOwnerOfPagesThatItKeepsOnlyAtTheEnd() {
        final KeyBench bench = new KeyBench(devices);
        final AtomicInteger kept = new AtomicInteger();
        final AtomicInteger left = new AtomicInteger();
        final ByteBuffer buffer = Reach.pages(2);
        final long address = BufferUtil.address(buffer);
        final RegionOwner keptOwner = kept::incrementAndGet;
        final RegionOwner leftOwner = left::incrementAndGet;
        final FastRegion region = bench.owner.pd.allocateFastRegion(2);
        region.map(new PageList().add(address, keptOwner).add(address + 4096, leftOwner), 0, 8192);
        region.map(new PageList().add(address, keptOwner), 0, 4096);
        assertThat(kept).hasValue(0);
        assertThat(left).hasValue(1);
        region.close();
        assertThat(kept).hasValue(1);
        assertThat(left).hasValue(1);
    }

    @Test
    void afterClosingNothingIsReached() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(1);
        region.map(bench.pages(1), 0, 4096);
        register(bench, region, IOVA, ALL);
        region.close();
        assertThat(bench.write(IOVA, region.rkey(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(bench.owner.bytes.getLong(4096)).isZero();
        assertClosed(() -> region.map(bench.pages(1), 0, 4096));
        assertClosed(region::unmap, "unmap fast region failed");
    }

    @Test
    void oneThreadMapsWhileAnotherPosts() throws InterruptedException {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(2);
        bench.owner.qp.modify(QpAttributes.to(QpState.ERR));
        final PageList[] lists = {bench.pages(1), bench.pages(2)};
        final AtomicReference<Throwable> trouble = new AtomicReference<>();
        final int[] mapped = new int[1];
        final Thread mapper = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                try {
                    region.map(lists[mapped[0] & 1], 0, 4096);
                    mapped[0]++;
                } catch (final RdmaException e) {
                    if (e.errno() != RdmaException.EBUSY) {
                        trouble.set(e);
                        return;
                    }
                } catch (final RuntimeException e) {
                    trouble.set(e);
                    return;
                }
            }
        });
        mapper.start();
        int posted = 0;
        try {
            final SendRequest request = registration(region, IOVA, ALL);
            final long deadline = System.nanoTime() + Patience.nanos();
            while (posted < 2_000 && trouble.get() == null && System.nanoTime() < deadline) {
                final int code = bench.owner.qp.postSend(request.newKey(region.nextKey()));
                assertThat(ReturnCode.nameOf(code)).isIn("OK", "INVALID_REQUEST");
                if (code == ReturnCode.OK) {
                    assertThat(Wqe.last(bench.owner.qp).quad(40)).as("list of pages").isNotZero();
                    Completions.await(bench.owner.cq, 1);
                    posted++;
                }
            }
        } finally {
            mapper.interrupt();
            mapper.join();
        }
        assertThat(trouble.get()).isNull();
        assertThat(posted).as("mapped %d times", mapped[0]).isPositive();
        assertThat(mapped[0]).isPositive();
    }

    @Test
    void refusesListsThatDoNotFit() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(2);
        assertInvalid(() -> region.map(null, 0, 1), "list");
        assertInvalid(() -> region.map(bench.pages(1), 0, 0), "length");
        assertInvalid(() -> region.map(bench.pages(1), -1, 1), "offset");
        assertInvalid(() -> region.map(bench.pages(1), 4096, 1), "offset");
        assertInvalid(() -> region.map(bench.pages(1), 1, 4096), "1 page");
        assertInvalid(() -> region.map(bench.pages(1, 2), 0, 4096), "2 pages");
        assertInvalid(() -> region.map(bench.pages(1, 2, 3), 0, 8192 + 1), "8192");
        assertInvalid(() -> region.map(bench.pages(1, 2, 3), 4095, 4098), "3");
        assertInvalid(() -> region.map(new PageList(), 0, 1));
        assertRefused(RdmaException.EFAULT, () -> region.map(new PageList().add(4096), 0, 4096));
        assertInvalid(() -> region.map(new PageList().add(bench.user.memory, 0, 1), 0, 4096), "another device");
        assertThat(bench.owner.qp.postSend(registration(region, IOVA))).as("nothing mapped")
            .isEqualTo(ReturnCode.INVALID_REQUEST);
        region.map(bench.pages(1, 2), 4095, 4097);
    }

    @Test
    void refusesRegistrationsThatContradictThemselves() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(2);
        region.map(bench.pages(1, 2), 24, 5000);
        final int invalid = ReturnCode.INVALID_REQUEST;
        final SendRequest request = new SendRequest();
        final int key = region.nextKey();
        assertThat(bench.owner.qp.postSend(request.fastRegister(region, key, IOVA))).as("not the place in the page")
            .isEqualTo(invalid);
        assertThat(bench.owner.qp.postSend(request.fastRegister(region, key + 0x100, IOVA + 24))).as("another key")
            .isEqualTo(invalid);
        assertThat(bench.owner.qp.postSend(request.fastRegister(region, key, -4096 + 24))).as("wraps")
            .isEqualTo(invalid);
        for (final AccessFlag remote : new AccessFlag[] {AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC}) {
            assertThat(bench.owner.qp.postSend(request.fastRegister(region, key, IOVA + 24, remote)))
                .as("%s alone", remote).isEqualTo(invalid);
        }
        for (final AccessFlag commandsOnly : new AccessFlag[] {AccessFlag.MW_BIND, AccessFlag.ON_DEMAND}) {
            assertThat(bench.owner.qp.postSend(request.fastRegister(region, key, IOVA + 24, commandsOnly)))
                .as("%s", commandsOnly).isEqualTo(invalid);
        }
        final ProtectionDomain other = bench.owner.context.allocatePd();
        final FastRegion foreign = other.allocateFastRegion(1);
        foreign.map(bench.pages(1), 0, 4096);
        assertThat(bench.owner.qp.postSend(registration(foreign, IOVA))).isEqualTo(ReturnCode.FOREIGN_OBJECT);
        Completions.assertNone(bench.owner.cq);
        assertThat(region.nextKey()).as("nothing was posted").isEqualTo(key);
        register(bench, region, IOVA + 24, ALL);
    }

    @Test
    void memoryThatIsReadOnlyStaysSo() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(1);
        final java.nio.ByteBuffer buffer = java.nio.ByteBuffer.allocateDirect(2 * 4096).alignedSlice(4096);
        buffer.limit(4096);
        region.map(new PageList().add(buffer.asReadOnlyBuffer()), 0, 4096);
        assertThat(bench.owner.qp.postSend(registration(region, IOVA, ALL))).isEqualTo(ReturnCode.INVALID_REQUEST);
        register(bench, region, IOVA, AccessFlag.REMOTE_READ);
        assertThat(bench.read(IOVA, region.rkey())).isEqualTo(WcStatus.SUCCESS);
    }

    @Test
    void isRefusedWhereTheDeviceHasNone() {
        final PvrdmaContext context = devices.open(Devices.QEMU);
        assertThat(context.supports(Feature.FAST_REGISTRATION)).isFalse();
        assertRefused(RdmaException.EOPNOTSUPP, () -> context.allocatePd().allocateFastRegion(1),
            context.whyNot(Feature.FAST_REGISTRATION));
        final PvrdmaContext plain = devices.open("extensions=false");
        assertThat(plain.supports(Feature.FAST_REGISTRATION)).isTrue();
        final ProtectionDomain pd = plain.allocatePd();
        assertThat(pd.allocateFastRegion(512).maxPages()).isEqualTo(512);
        assertInvalid(() -> pd.allocateFastRegion(513), "512");
        assertInvalid(() -> pd.allocateFastRegion(0), "0");
    }

    @Test
    void holdsAsManyPagesAsTheDeviceAllows() {
        final KeyBench bench = new KeyBench(devices);
        final var memory = bench.owner.context.allocate(512 * 4096);
        final FastRegion region = bench.owner.pd.allocateFastRegion(512);
        final PageList backwards = new PageList();
        for (int i = 511; i >= 0; i--) {
            backwards.add(memory, i, 1);
        }
        region.map(backwards, 0, 512 * 4096);
        register(bench, region, IOVA, ALL);
        for (int i = 0; i < 512; i += 73) {
            assertThat(bench.write(IOVA + i * 4096L, region.rkey(), i)).isEqualTo(WcStatus.SUCCESS);
            assertThat(memory.buffer().getLong((511 - i) * 4096)).isEqualTo(i);
        }
        region.close();
        memory.close();
    }

    @Test
    void closesWithItsDomain() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(1);
        region.map(bench.pages(1), 0, 4096);
        register(bench, region, IOVA, ALL);
        bench.owner.pd.close();
        assertThat(region.isClosed()).isTrue();
        bench.owner.memory.close();
        assertClosed(() -> bench.owner.pd.allocateFastRegion(1));
    }

    @Test
    void aPeerEndsItByAMessage() {
        final KeyBench bench = new KeyBench(devices);
        final FastRegion region = bench.owner.pd.allocateFastRegion(1);
        region.map(bench.pages(1), 0, 4096);
        register(bench, region, IOVA, ALL);
        bench.owner.qp.postReceive(1, bench.owner.at(0), 8, bench.owner.lkey());
        KeyBench.assertRuns(bench.user, new SendRequest().opcode(SendOpcode.SEND_WITH_INV).invalidate(region.rkey()),
            WcOpcode.SEND);
        Completions.awaitSuccess(bench.owner.cq);
        region.map(bench.pages(2), 0, 4096);
        register(bench, region, IOVA, ALL);
        assertThat(bench.write(IOVA, region.rkey(), 4)).isEqualTo(WcStatus.SUCCESS);
    }
}
