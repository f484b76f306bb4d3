/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.rdma4j.verbs.pvrdma.Refusals.assertBusy;
import static io.rdma4j.verbs.pvrdma.Refusals.assertClosed;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static io.rdma4j.verbs.pvrdma.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
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

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;

/** Regions on the pages of another one (checklist 98). */
@Timeout(60)
class SharedRegionTest {
    private static final int PAGE = PageList.PAGE_SIZE;

    @RegisterExtension
    final Devices devices = new Devices();

    @TempDir
    Path folder;

    private PvrdmaContext device;
    private ProtectionDomain pd;

    @BeforeEach
    void opens() {
        device = devices.open();
        pd = device.allocatePd();
    }

    @Test
    void hasTheSameBytesByAnotherNameInAnotherDomainWithOtherRights() {
        final ProtectionDomain other = device.allocatePd();
        final ByteBuffer buffer = Reach.pages(4);
        final long address = BufferUtil.address(buffer);
        final MemoryRegion region = pd.register(buffer.position(100).limit(10_100), REMOTE_READ);
        final long iova = 0x7000_0000_0000L + 100;
        final MemoryRegion shared = other.registerShared(region, iova, LOCAL_WRITE, REMOTE_WRITE);

        assertThat(shared.pd()).isSameAs(other);
        assertThat(shared.address()).isEqualTo(address + 100);
        assertThat(shared.iova()).isEqualTo(iova);
        assertThat(shared.length()).isEqualTo(10_000);
        assertThat(shared.access()).containsExactlyInAnyOrder(LOCAL_WRITE, REMOTE_WRITE);
        assertThat(shared.lkey()).isNotEqualTo(region.lkey());
        assertThat(region.pd()).isSameAs(pd);
        assertThat(region.iova()).isEqualTo(address + 100);
        assertThat(region.access()).containsExactly(REMOTE_READ);

        final Reach there = new Reach(device, other);
        final Reach here = new Reach(device, pd);
        assertThat(there.write(shared, 1)).isEqualTo(WcStatus.SUCCESS);
        assertThat(here.read(region.iova(), region.rkey(), 10_000)).isEqualTo(WcStatus.SUCCESS);
        assertThat(here.peer.firstDifference(0, 10_000, 1)).isEqualTo(-1);

        assertThat(there.read(iova, shared.rkey(), 1)).as("its own rights").isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(here.write(region, 1)).as("its own rights").isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(here.write(shared, 1)).as("another domain").isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(there.write(iova + 10_000, shared.rkey(), 1, 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(there.write(iova - 1, shared.rkey(), 1, 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void costsNoMemoryOfItsOwn() {
        final MemoryRegion region = pd.register(Reach.pages(4), LOCAL_WRITE);
        final long before = device.reachableBytes();
        final int pages = device.device.arena().usedPages();
        final MemoryRegion shared = pd.registerShared(region, region.iova());
        final MemoryRegion sharedAgain = pd.registerShared(shared, region.iova(), LOCAL_WRITE);
        assertThat(device.reachableBytes()).isEqualTo(before);
        assertThat(device.device.arena().usedPages()).as("the directory is shared").isEqualTo(pages);
        region.close();
        sharedAgain.close();
        assertThat(device.device.arena().usedPages()).isEqualTo(pages);
        shared.close();
        assertThat(device.device.arena().usedPages()).isLessThan(pages);
        assertThat(device.reachableBytes()).isLessThanOrEqualTo(before - 4 * PAGE);
    }

    @Test
    void theLastOneGivesTheMemoryBackInWhateverOrderTheyAreClosed() {
        final int[][] orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        for (final int[] order : orders) {
            final PinnedMemory memory = device.allocate(2 * PAGE);
            final List<MemoryRegion> regions = new ArrayList<>();
            regions.add(pd.register(memory, LOCAL_WRITE, REMOTE_WRITE));
            regions.add(pd.registerShared(regions.get(0), memory.address(), LOCAL_WRITE, REMOTE_WRITE));
            regions.add(pd.registerShared(regions.get(1), 0, LOCAL_WRITE, REMOTE_WRITE));
            final Reach reach = new Reach(device, pd);
            for (final int next : order) {
                final MemoryRegion region = regions.get(next);
                assertThat(reach.write(region, next)).as("%s", region).isEqualTo(WcStatus.SUCCESS);
                assertThat(memory.buffer().getByte(77)).isEqualTo(Peer.pattern(77, next));
                assertBusy(memory::close, region.toString());
                final int rkey = region.rkey();
                region.close();
                reach.assertDead(region.lkey(), rkey, region.iova());
            }
            memory.close();
        }
    }

    @Test
    void tellsTheOwnerWhenTheLastOneIsClosed() {
        final AtomicInteger calls = new AtomicInteger();
        final RegionOwner owner = calls::incrementAndGet;
        final ByteBuffer buffer = Reach.pages(1);
        final MemoryRegion region = pd.register(BufferUtil.address(buffer), PAGE, owner);
        final MemoryRegion shared = pd.registerShared(region, region.address());
        region.close();
        assertThat(calls).hasValue(0);
        shared.close();
        assertThat(calls).hasValue(1);
    }

    @Test
    void aRegionOfListedPagesIsSharedAsItIs() {
        final PinnedMemory memory = device.allocate(4 * PAGE);
        final PageList pages = new PageList().add(memory, 2, 1).add(memory, 0, 1);
        final MemoryRegion region = pd.register(new MrOptions().pages(pages, 10, PAGE).zeroBased());
        final MemoryRegion shared = pd.registerShared(region, 0x5000 + 10, LOCAL_WRITE, REMOTE_WRITE);
        region.close();
        assertThat(new Reach(device, pd).write(shared, 5)).isEqualTo(WcStatus.SUCCESS);
        assertThat(memory.buffer().getByte(2 * PAGE + 10)).isEqualTo(Peer.pattern(0, 5));
        assertThat(memory.buffer().getByte(9)).isEqualTo(Peer.pattern(PAGE - 1, 5));
        assertThat(memory.buffer().getByte(10)).isZero();
    }

    @Test
    void cannotHaveMoreRightsThanTheMemory() throws IOException {
        try (FileChannel channel = FileChannel.open(folder.resolve("data"), StandardOpenOption.CREATE,
            StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[PAGE]));
            final MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, PAGE);
            final MemoryRegion byAddress = pd.register(BufferUtil.address(mapped), PAGE, mapped, REMOTE_READ);
            final MemoryRegion byBuffer = pd.register(mapped, REMOTE_READ);
            assertRefused(RdmaException.EFAULT, () -> pd.registerShared(byAddress, byAddress.iova(), LOCAL_WRITE),
                "not writable");
            assertRefused(RdmaException.EFAULT, () -> pd.registerShared(byBuffer, byBuffer.iova(), LOCAL_WRITE),
                "read-only");
            pd.registerShared(byBuffer, byBuffer.iova(), REMOTE_READ).close();
            byAddress.close();
            byBuffer.close();
        }
    }

    @Test
    void refusesWhatCannotBe() {
        final PinnedMemory memory = device.allocate(2 * PAGE);
        final MemoryRegion region = pd.register(memory.address() + 5, PAGE, memory, LOCAL_WRITE);
        final PvrdmaContext otherDevice = devices.open();
        final MemoryRegion foreign = otherDevice.allocatePd().register(otherDevice.allocate(PAGE));
        final ProtectionDomain closedPd = device.allocatePd();
        closedPd.close();
        final int pages = device.device.arena().usedPages();

        assertInvalid(() -> pd.registerShared(null, 0), "region is null");
        assertInvalid(() -> pd.registerShared(foreign, foreign.iova()), "another device");
        assertInvalid(() -> pd.registerShared(region, 0x1000), "byte 0 of its page", "byte 5 of its page");
        assertInvalid(() -> pd.registerShared(region, -4096 + 5), "wraps around");
        assertInvalid(() -> pd.registerShared(region, region.iova(), REMOTE_WRITE), "without LOCAL_WRITE");
        assertInvalid(() -> pd.registerShared(region, region.iova(), (AccessFlag) null), "null");
        assertInvalid(() -> pd.registerShared(region, region.iova(), (AccessFlag[]) null), "null");
        assertClosed(() -> closedPd.registerShared(region, region.iova()), closedPd.toString());
        final MemoryRegion closed = pd.register(memory);
        closed.close();
        assertClosed(() -> pd.registerShared(closed, closed.iova()), closed.toString());

        assertThat(device.device.arena().usedPages()).isEqualTo(pages);
        region.close();
        memory.close();
    }

    @Test
    void nothingIsLeftIfTheDeviceRefuses() {
        final PinnedMemory memory = device.allocate(PAGE);
        final MemoryRegion region = pd.register(memory, LOCAL_WRITE, REMOTE_WRITE);
        Devices.emulated(device).faults().commands().failNextCommand(12);
        assertRefused(RdmaException.ENOMEM, () -> pd.registerShared(region, region.iova()));
        assertThat(new Reach(device, pd).write(region, 3)).isEqualTo(WcStatus.SUCCESS);
        assertBusy(memory::close, region.toString());
        region.close();
        memory.close();
    }
}
