/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.ON_DEMAND;
import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.rdma4j.verbs.pvrdma.Refusals.assertBusy;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.spi.RegionOwner;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** Regions that become others (checklist 99). */
@Timeout(60)
class ReregisterTest {
    private static final int PAGE = PageList.PAGE_SIZE;
    private static final AccessFlag[] ALL = {LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC};

    @RegisterExtension
    final Devices devices = new Devices();

    private PvrdmaContext device;
    private ProtectionDomain pd;
    private PinnedMemory memory;
    private PinnedMemory other;
    private Reach reach;

    @BeforeEach
    void opens() {
        device = devices.open();
        pd = device.allocatePd();
        memory = device.allocate(4 * PAGE);
        other = device.allocate(4 * PAGE);
        reach = new Reach(device, pd);
    }

    private void reregister(final MemoryRegion region, final MrOptions changes) {
        final int lkey = region.lkey();
        final int rkey = region.hasRkey() ? region.rkey() : 0;
        final long iova = region.iova();
        region.reregister(changes);
        assertThat(region.lkey()).isNotEqualTo(lkey);
        assertThat(region.isClosed()).isFalse();
        reach.assertDead(lkey, rkey, iova);
        assertThat(device.device.commands().liveObjects()).isPositive();
    }

    private void assertWrites(final MemoryRegion region, final PinnedMemory into, final int at) {
        final int seed = region.lkey();
        assertThat(reach.write(region, seed)).isEqualTo(WcStatus.SUCCESS);
        assertThat(into.buffer().getByte(at)).isEqualTo(Peer.pattern(0, seed));
        final int last = Math.toIntExact(region.length()) - 1;
        assertThat(into.buffer().getByte(at + last)).isEqualTo(Peer.pattern(last, seed));
        assertThat(reach.write(region.iova() + last, region.rkey(), 2, 0)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void whatChangesNothingIsRefused() {
        final MemoryRegion region = pd.register(memory, LOCAL_WRITE);
        final int lkey = region.lkey();
        assertInvalid(() -> region.reregister(new MrOptions()), "changes nothing");
        assertThat(region.lkey()).isEqualTo(lkey);
    }

    @Test
    void grantsAndTakesRights() {
        final MemoryRegion region = pd.register(memory, REMOTE_READ);
        assertThat(reach.write(region, 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        reregister(region, new MrOptions().access(LOCAL_WRITE, REMOTE_WRITE));
        assertThat(region.access()).containsExactlyInAnyOrder(LOCAL_WRITE, REMOTE_WRITE);
        assertThat(region.address()).isEqualTo(memory.address());
        assertThat(region.length()).isEqualTo(4 * PAGE);
        assertThat(region.pd()).isSameAs(pd);
        assertWrites(region, memory, 0);
        assertThat(reach.read(region.iova(), region.rkey(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);

        reregister(region, new MrOptions().access(LOCAL_WRITE));
        assertThat(region.hasRkey()).isFalse();
        assertInvalid(region::rkey, "without remote rights");
        assertThat(reach.send(region.iova(), 8, region.lkey())).isEqualTo(WcStatus.SUCCESS);
        reregister(region, new MrOptions().access());
        assertThat(region.access()).isEmpty();
    }

    @Test
    void costsNothingWhileTheMemoryStays() {
        final MemoryRegion region = pd.register(Reach.pages(4), ALL);
        final long reachable = device.reachableBytes();
        final int pages = device.device.arena().usedPages();
        final int objects = device.device.commands().liveObjects();
        for (int i = 0; i < 5; i++) {
            region.reregister(new MrOptions().access(LOCAL_WRITE).iova(0x1000L * i));
            region.reregister(new MrOptions().access(ALL));
        }
        assertThat(region.iova()).isEqualTo(0x4000);
        assertThat(device.reachableBytes()).isEqualTo(reachable);
        assertThat(device.device.arena().usedPages()).isEqualTo(pages);
        assertThat(device.device.commands().liveObjects()).isEqualTo(objects);
    }

    @Test
    void movesToOtherMemoryAndLetsGoOfTheOldOne() {
        final MemoryRegion region = pd.register(memory, ALL);
        reregister(region, new MrOptions().memory(other.address() + 100, PAGE, other));
        assertThat(region.address()).isEqualTo(other.address() + 100);
        assertThat(region.iova()).as("a default follows").isEqualTo(other.address() + 100);
        assertThat(region.length()).isEqualTo(PAGE);
        assertThat(region.access()).containsExactlyInAnyOrder(ALL);
        assertWrites(region, other, 100);
        assertBusy(other::close, region.toString());
        memory.close();
        region.close();
        other.close();
    }

    @Test
    void tellsTheOldOwnerAndNotTheNewOne() {
        final AtomicInteger old = new AtomicInteger();
        final AtomicInteger next = new AtomicInteger();
        final ByteBuffer buffer = Reach.pages(2);
        final long address = BufferUtil.address(buffer);
        final RegionOwner oldOwner = old::incrementAndGet;
        final RegionOwner nextOwner = next::incrementAndGet;
        final MemoryRegion region = pd.register(address, PAGE, oldOwner, LOCAL_WRITE);
        region.reregister(new MrOptions().memory(address + PAGE, PAGE, nextOwner));
        assertThat(old).hasValue(1);
        assertThat(next).hasValue(0);
        region.reregister(new MrOptions().access());
        assertThat(next).hasValue(0);
        region.close();
        assertThat(old).hasValue(1);
        assertThat(next).hasValue(1);
    }

    @Test
    void tellsAnOwnerThatItKeepsOnlyAtTheEnd() {
        final AtomicInteger calls = new AtomicInteger();
        final ByteBuffer buffer = Reach.pages(2);
        final long address = BufferUtil.address(buffer);
        final RegionOwner owner = calls::incrementAndGet;
        final MemoryRegion region = pd.register(address, 2 * PAGE, owner, ALL);
        region.reregister(new MrOptions().length(PAGE));
        assertThat(calls).hasValue(0);
        region.reregister(new MrOptions().access(LOCAL_WRITE, ON_DEMAND));
        assertThat(calls).hasValue(0);
        region.reregister(new MrOptions().memory(address + PAGE, PAGE, owner).access(LOCAL_WRITE));
        assertThat(calls).hasValue(0);
        region.close();
        assertThat(calls).hasValue(1);
    }

    @Test
    void tellsOwnersOfPagesThatItKeepsOnlyAtTheEnd() {
        final AtomicInteger kept = new AtomicInteger();
        final AtomicInteger left = new AtomicInteger();
        final ByteBuffer buffer = Reach.pages(2);
        final long address = BufferUtil.address(buffer);
        final RegionOwner keptOwner = kept::incrementAndGet;
        final RegionOwner leftOwner = left::incrementAndGet;
        final MemoryRegion region = pd.register(new MrOptions()
            .pages(new PageList().add(address, keptOwner).add(address + PAGE, leftOwner), 0, 2 * PAGE));
        region.reregister(new MrOptions().length(PAGE + 1));
        region.reregister(new MrOptions().access(ON_DEMAND));
        assertThat(kept).hasValue(0);
        assertThat(left).hasValue(0);
        region.reregister(new MrOptions().pages(new PageList().add(address, keptOwner), 0, PAGE).access());
        assertThat(kept).hasValue(0);
        assertThat(left).hasValue(1);
        region.close();
        assertThat(kept).hasValue(1);
        assertThat(left).hasValue(1);
    }

    @Test
    void anOwnerIsNotToldWhileAnotherRegionSharesWhatItHadBefore() {
        final AtomicInteger calls = new AtomicInteger();
        final ByteBuffer buffer = Reach.pages(2);
        final RegionOwner owner = calls::incrementAndGet;
        final MemoryRegion region = pd.register(BufferUtil.address(buffer), 2 * PAGE, owner, ALL);
        final MemoryRegion shared = pd.registerShared(region, region.address(), ALL);
        region.reregister(new MrOptions().length(PAGE));
        region.close();
        assertThat(calls).hasValue(0);
        shared.close();
        assertThat(calls).hasValue(1);
    }

    @Test
    void changesTheLengthAlone() {
        final MemoryRegion region = pd.register(memory.address() + 8, 16, memory, ALL);
        reregister(region, new MrOptions().length(2 * PAGE));
        assertThat(region.length()).isEqualTo(2 * PAGE);
        assertThat(region.address()).isEqualTo(memory.address() + 8);
        assertWrites(region, memory, 8);
        reregister(region, new MrOptions().length(1));
        assertWrites(region, memory, 8);
        assertBusy(memory::close, region.toString());
    }

    @Test
    void keepsAnIovaThatWasAskedFor() {
        final MemoryRegion region =
            pd.register(new MrOptions().memory(memory.address() + 5, 100, memory).iova(0x7005).access(ALL));
        reregister(region, new MrOptions().memory(other.address() + 5, 200, other));
        assertThat(region.iova()).isEqualTo(0x7005);
        assertWrites(region, other, 5);
        assertInvalid(() -> region.reregister(new MrOptions().memory(other)), "IOVA 0x7005 is byte 5", "byte 0");
        reregister(region, new MrOptions().zeroBased());
        assertThat(region.iova()).isZero();
        assertWrites(region, other, 5);
        reregister(region, new MrOptions().memory(memory));
        assertThat(region.iova()).as("it counts from 0 still").isZero();
        assertWrites(region, memory, 0);
        reregister(region, new MrOptions().iova(memory.address()));
        assertThat(region.iova()).isEqualTo(memory.address());
        assertWrites(region, memory, 0);
    }

    @Test
    void movesToAnotherDomain() {
        final ProtectionDomain next = device.allocatePd();
        final MemoryRegion region = pd.register(memory, ALL);
        final Reach there = new Reach(device, next);
        assertThat(there.write(region, 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        reregister(region, new MrOptions().pd(next));
        assertThat(region.pd()).isSameAs(next);
        assertThat(there.write(region, 1)).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.write(region, 1)).as("not here any more").isEqualTo(WcStatus.REM_ACCESS_ERR);
        reregister(region, new MrOptions().pd(pd));
        assertThat(reach.write(region, 2)).as("and back").isEqualTo(WcStatus.SUCCESS);
    }

    @Test
    void isClosedByTheDomainThatItIsIn() {
        final ProtectionDomain first = device.allocatePd();
        final ProtectionDomain second = device.allocatePd();
        final MemoryRegion region = first.register(memory, ALL);
        region.reregister(new MrOptions().pd(second));
        first.close();
        assertThat(region.isClosed()).isFalse();
        region.reregister(new MrOptions().access(LOCAL_WRITE));
        second.close();
        assertThat(region.isClosed()).isTrue();
        memory.close();
    }

    @Test
    void changesThePagesAndWhatGoesWithThem() {
        final PageList pages = new PageList().add(memory, 3, 1).add(other, 0, 1).add(memory, 1, 1);
        final MemoryRegion region = pd.register(new MrOptions().pages(pages, 0x200, 10_000).iova(0x141200).access(ALL));
        assertWrites(region, memory, 3 * PAGE + 0x200, other, 1);
        reregister(region, new MrOptions().pages(new PageList().add(other, 3, 1).add(other, 1, 1), 0x200, PAGE));
        assertThat(region.iova()).isEqualTo(0x141200);
        assertThat(region.address()).isEqualTo(other.address() + 3 * PAGE + 0x200);
        memory.close();
        assertThat(reach.write(region, 9)).isEqualTo(WcStatus.SUCCESS);
        assertThat(other.buffer().getByte(3 * PAGE + 0x200)).isEqualTo(Peer.pattern(0, 9));
        assertThat(other.buffer().getByte(PAGE + 0x1ff)).isEqualTo(Peer.pattern(PAGE - 1, 9));
        assertThat(other.buffer().getByte(PAGE + 0x200)).isZero();

        reregister(region, new MrOptions().length(2 * PAGE - 0x200));
        assertThat(region.length()).isEqualTo(2 * PAGE - 0x200);
        assertInvalid(() -> region.reregister(new MrOptions().length(PAGE - 0x200)), "2 pages", "need 1");
        reregister(region, new MrOptions().memory(other.address() + 0x200, 10_000, other));
        assertWrites(region, other, 0x200);
        assertThat(region.iova()).isEqualTo(0x141200);
    }

    private void assertWrites(
        final MemoryRegion region, final PinnedMemory first, final int at, final PinnedMemory second, final int seed) {
        assertThat(reach.write(region, seed)).isEqualTo(WcStatus.SUCCESS);
        assertThat(first.buffer().getByte(at)).isEqualTo(Peer.pattern(0, seed));
        assertThat(second.buffer().getByte(17)).isEqualTo(Peer.pattern(PAGE - 0x200 + 17, seed));
    }

    @Test
    void changesEverythingAtOnce() {
        final ProtectionDomain next = device.allocatePd();
        final MemoryRegion region = pd.register(memory, REMOTE_READ);
        final PageList pages = new PageList().add(other, 2, 1).add(other, 0, 1);
        reregister(region,
            new MrOptions().pages(pages, 1, PAGE).iova(0x5001).access(LOCAL_WRITE, REMOTE_WRITE).pd(next));
        assertThat(region.pd()).isSameAs(next);
        assertThat(region.iova()).isEqualTo(0x5001);
        assertThat(region.length()).isEqualTo(PAGE);
        assertThat(region.access()).containsExactlyInAnyOrder(LOCAL_WRITE, REMOTE_WRITE);
        assertThat(new Reach(device, next).write(region, 8)).isEqualTo(WcStatus.SUCCESS);
        assertThat(other.buffer().getByte(2 * PAGE + 1)).isEqualTo(Peer.pattern(0, 8));
        assertThat(other.buffer().getByte(0)).isEqualTo(Peer.pattern(PAGE - 1, 8));
        memory.close();
    }

    @Test
    void oneThatSharesItsPagesLeavesTheOthersAlone() {
        final MemoryRegion region = pd.register(memory, ALL);
        final MemoryRegion shared = pd.registerShared(region, 0, ALL);
        reregister(region, new MrOptions().memory(other));
        assertWrites(shared, memory, 0);
        assertBusy(memory::close, shared.toString());
        reregister(shared, new MrOptions().access(LOCAL_WRITE, REMOTE_WRITE).iova(0x3000));
        assertWrites(shared, memory, 0);
        shared.close();
        memory.close();
        assertWrites(region, other, 0);
    }
}
