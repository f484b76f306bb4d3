/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.rdma4j.verbs.pvrdma.Range.PAGE;
import static io.rdma4j.verbs.pvrdma.LockedPages.isLocked;
import static io.rdma4j.verbs.pvrdma.Refusals.assertClosed;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static io.rdma4j.verbs.pvrdma.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.PagePins;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.WcStatus;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Other pages behind the addresses of a region: checklist 28 and 45. */
@Timeout(120)
@Tag("slow")
class RefreshTest {
    private static final AccessFlag[] ALL = {LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC};
    private static final int PAGES = 16;

    @RegisterExtension
    final Devices devices = new Devices();
    @RegisterExtension
    final Crew crew = new Crew();

    private final Range range = Range.of(PAGES);
    private PvrdmaContext device;
    private ProtectionDomain pd;
    private Reach reach;

    private MemoryRegion register(final String options) {
        device = devices.open(options);
        pd = device.allocatePd();
        reach = new Reach(device, pd);
        return pd.register(range.address, range.length, ALL);
    }

    @AfterEach
    void unmapAll() {
        range.close();
    }

    private void assertReached(final MemoryRegion region, final int page, final int seed) {
        final long offset = (long) page * PAGE + 10;
        range.fill(offset, 5000, seed);
        assertThat(reach.read(region.iova() + offset, region.rkey(), 5000)).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.peer.firstDifference(0, 5000, seed)).isEqualTo(-1);
        assertThat(reach.write(region.iova() + offset, region.rkey(), 5000, seed + 1)).isEqualTo(WcStatus.SUCCESS);
        assertThat(range.firstDifference(offset, 5000, seed + 1)).isEqualTo(-1);
        assertThat(reach.send(region.iova() + offset, 5000, region.lkey())).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.peer.firstDifference(0, 5000, seed + 1)).isEqualTo(-1);
    }

    private void assertNotReached(final MemoryRegion region, final int page) {
        final long at = region.iova() + (long) page * PAGE;
        assertThat(reach.read(at, region.rkey(), 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.write(at, region.rkey(), 8, 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.fetchAdd(at, region.rkey(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(reach.send(at, 8, region.lkey())).isEqualTo(WcStatus.LOC_PROT_ERR);
        assertThat(reach.sendInto(at, 8, region.lkey(), 1)).isEqualTo(WcStatus.LOC_PROT_ERR);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "mlock=true", "extensions=false"})
    void newPagesAreReachedByTheSameKeys(final String options) throws IOException {
        final boolean pins = options.startsWith("mlock");
        final MemoryRegion region = register(options);
        final List<Object> names = List.of(region.lkey(), region.rkey(), region.iova(), region.address());
        final long reachable = device.reachableBytes();
        final long pinned = PagePins.process().pinnedBytes();
        assertReached(region, 0, 1);
        for (final int[] part : new int[][]{{0, PAGES}, {3, 2}, {PAGES - 1, 1}}) {
            range.map(part[0], part[1]);
            assertThat(isLocked(range.at((long) part[0] * PAGE))).as("a lock goes with the mapping").isFalse();
            region.refresh(range.at((long) part[0] * PAGE + 5), (long) part[1] * PAGE - 10);
            final int last = part[0] + part[1] - 1;
            assertThat(isLocked(range.at((long) part[0] * PAGE))).isEqualTo(pins);
            assertThat(isLocked(range.at((long) last * PAGE))).isEqualTo(pins);
            assertReached(region, Math.min(part[0], PAGES - 2), part[0] + 7);
            assertReached(region, Math.max(0, last - 1), part[0] + 9);
        }
        assertThat(List.of(region.lkey(), region.rkey(), region.iova(), region.address())).isEqualTo(names);
        assertThat(device.reachableBytes()).isEqualTo(reachable);
        assertThat(PagePins.process().pinnedBytes()).isEqualTo(pinned);
        region.close();
        assertThat(isLocked(range.address)).isFalse();
        reach.assertDead((int) names.get(0), (int) names.get(1), range.address);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "mlock=true"})
    void withoutThePagesNothingIsReachedUntilTheyAreThere(final String options) throws IOException {
        final MemoryRegion region = register(options);
        final int rkey = region.rkey();
        range.unmap(4, 2);
        assertRefused(RdmaException.EFAULT, () -> region.refresh(range.address, range.length),
            "0x" + Long.toHexString(range.at(4 * PAGE)), "refresh again");
        assertNotReached(region, 4);
        assertNotReached(region, 0);
        assertRefused(RdmaException.EFAULT, () -> region.refresh(range.address, PAGE),
            "0x" + Long.toHexString(range.at(4 * PAGE)));
        assertNotReached(region, 0);
        range.map(4, 2, LibcConstants.PROT_READ);
        assertRefused(RdmaException.EFAULT, () -> region.refresh(range.at(4 * PAGE), PAGE), "writable");
        assertNotReached(region, 4);
        range.map(4, 2);
        region.refresh(range.at(4 * PAGE), PAGE);
        assertReached(region, 4, 3);
        assertReached(region, 0, 5);
        assertThat(region.rkey()).isEqualTo(rkey);
        assertThat(isLocked(range.at(4 * PAGE))).isEqualTo(!options.isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "mlock=true"})
    void aRegionWithoutItsPagesIsClosedLikeAnother(final String options) {
        final long pinned = PagePins.process().pinnedBytes();
        final MemoryRegion region = register(options);
        final MemoryRegion other = pd.register(range.address, PAGE, ALL);
        range.unmap(1, 3);
        assertRefused(RdmaException.EFAULT, () -> region.refresh(range.at(PAGE), PAGE));
        assertReached(other);
        region.close();
        assertClosed(() -> region.refresh(range.address, PAGE));
        assertReached(other);
        other.close();
        device.close();
        assertThat(PagePins.process().pinnedBytes()).isEqualTo(pinned);
    }

    private void assertReached(final MemoryRegion onePage) {
        assertThat(reach.write(onePage.iova(), onePage.rkey(), PAGE, 8)).isEqualTo(WcStatus.SUCCESS);
        assertThat(range.firstDifference(0, PAGE, 8)).isEqualTo(-1);
    }

    @Test
    void onlyWhatIsInTheRegion() {
        final MemoryRegion region = register("");
        final long end = range.address + range.length;
        for (final long[] part : new long[][]{{range.address - 1, 2}, {end, 1}, {end - 1, 2}, {range.address, 0},
            {range.address, -1}, {0, PAGE}, {-PAGE, PAGE}, {range.address, Long.MAX_VALUE},
            {Long.MAX_VALUE, Long.MAX_VALUE}, {Long.MIN_VALUE, Long.MIN_VALUE}}) {
            assertInvalid(() -> region.refresh(part[0], part[1]), "refresh region");
        }
        region.refresh(end - 1, 1);
        final MemoryRegion part = pd.register(range.address + 100, 50, ALL);
        assertInvalid(() -> part.refresh(range.address, PAGE));
        part.refresh(range.address + 149, 1);
        assertReached(region, 0, 1);
    }

    @Test
    void ofAListThePagesThatAreInIt() {
        register("").close();
        final PageList list = new PageList();
        list.add(range.at(5 * PAGE)).add(range.at(6 * PAGE)).add(range.at(PAGE));
        final MemoryRegion region = pd.register(new MrOptions().pages(list, 0, 3 * PAGE).zeroBased().access(ALL));
        assertThat(reach.write(0, region.rkey(), 3 * PAGE, 1)).isEqualTo(WcStatus.SUCCESS);
        range.map(5, 1);
        region.refresh(range.at(5 * PAGE), 2 * PAGE);
        region.refresh(range.at(PAGE) + 5, 7);
        assertInvalid(() -> region.refresh(range.at(4 * PAGE), 2 * PAGE));
        assertInvalid(() -> region.refresh(range.at(PAGE), PAGE + 1));
        range.unmap(1, 1);
        assertRefused(RdmaException.EFAULT, () -> region.refresh(range.at(PAGE), 1));
        assertThat(reach.write(0, region.rkey(), 1, 1)).as("all of the list is one region")
            .isEqualTo(WcStatus.REM_ACCESS_ERR);
        range.map(1, 1);
        region.refresh(range.at(PAGE), 1);
        assertThat(reach.write(0, region.rkey(), 3 * PAGE, 2)).isEqualTo(WcStatus.SUCCESS);
        assertThat(range.bytes(PAGE, PAGE).getByte(9)).isEqualTo(Peer.pattern(2 * PAGE + 9, 2));
    }

    @Test
    void regionsThatShareTheMappingFollowTogether() {
        register("").close();
        final ByteBuffer buffer = Reach.pages(4);
        final long address = BufferUtil.address(buffer);
        final MemoryRegion first = pd.register(buffer, ALL);
        final MemoryRegion second = pd.register(buffer, ALL);
        final MemoryRegion shared = pd.registerShared(first, first.address(), REMOTE_READ);
        first.refresh(address, 4 * PAGE);
        shared.refresh(address, 4 * PAGE);
        first.close();
        second.refresh(address + PAGE, 1);
        assertThat(reach.write(second.iova(), second.rkey(), 100, 3)).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.read(shared.iova(), shared.rkey(), 100)).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.peer.firstDifference(0, 100, 3)).isEqualTo(-1);
        final MemoryRegion third = pd.register(buffer, ALL);
        assertThat(reach.write(third.iova(), third.rkey(), 100, 4)).isEqualTo(WcStatus.SUCCESS);
        shared.close();
        second.close();
        third.close();
    }

    @Test
    void whoHoldsThePagesSaysSo() {
        register("").close();
        assertThat(device.supports(Feature.REFRESH)).isTrue();
        final PvrdmaContext qemu = devices.open(Devices.QEMU);
        assertThat(qemu.supports(Feature.REFRESH)).isFalse();
        final MemoryRegion region = qemu.allocatePd().register(range.address, range.length, LOCAL_WRITE);
        assertRefused(RdmaException.EOPNOTSUPP, () -> region.refresh(range.address, PAGE), "REFRESH", "holds them");
        region.close();
        assertClosed(() -> region.refresh(range.address, PAGE));
    }

    /** An access to such pages would be a signal; that they are mapped does not say that they are there. */
    @ParameterizedTest
    @ValueSource(strings = {"", "mlock=true"})
    void pagesBehindTheEndOfAFileAreRefusedAndMended(final String options) {
        register(options).close();
        try (Fd fd = Fd.of(Libc.memfdCreate("short", 0), "short")) {
            Libc.ftruncate(fd.fd(), 3 * PAGE);
            try (MappedMemory file = MappedMemory.map(0, 4 * PAGE, Range.READ_WRITE, LibcConstants.MAP_SHARED,
                fd.fd(), 0)) {
                final String missing = "0x" + Long.toHexString(file.address() + 3 * PAGE);
                assertRefused(RdmaException.EFAULT, () -> pd.register(file.address(), 4 * PAGE, ALL), missing);
                assertRefused(RdmaException.EFAULT, () -> pd.register(file.address(), 4 * PAGE, file, ALL), missing);
                Libc.ftruncate(fd.fd(), 4 * PAGE);
                final MemoryRegion region = pd.register(file.address(), 4 * PAGE, ALL);
                Libc.ftruncate(fd.fd(), 3 * PAGE);
                assertRefused(RdmaException.EFAULT, () -> region.refresh(file.address(), 4 * PAGE), missing);
                assertThat(reach.write(region.iova(), region.rkey(), 8, 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
                Libc.ftruncate(fd.fd(), 4 * PAGE);
                region.refresh(file.address(), 4 * PAGE);
                assertThat(reach.write(region.iova(), region.rkey(), 4 * PAGE, 1)).isEqualTo(WcStatus.SUCCESS);
                region.close();
            }
        }
    }

    /**
     * The emulated device has no gap where it can hold pages: they change, traffic goes on, and sees the old ones until
     * the refresh, then the new ones.
     */
    @Test
    void trafficGoesOnWhilePagesChange() throws InterruptedException {
        range.share(0, PAGES, -1);
        final MemoryRegion region = register("mlock=true");
        final AtomicBoolean done = new AtomicBoolean();
        crew.start(() -> {
            for (int round = 0; round < 2000 && !crew.hasFailed(); round++) {
                range.share(0, PAGES, -1);
                region.refresh(range.address, range.length);
            }
            done.set(true);
        });
        int transfers = 0;
        while (!done.get() && !crew.hasFailed()) {
            assertThat(reach.write(region.iova(), region.rkey(), 2 * PAGE, transfers)).isEqualTo(WcStatus.SUCCESS);
            assertThat(reach.read(region.iova(), region.rkey(), 2 * PAGE)).isEqualTo(WcStatus.SUCCESS);
            for (int i = 0; i < 2 * PAGE; i++) {
                assertThat(reach.peer.bytes.getByte(i)).isIn((byte) 0, Peer.pattern(i, transfers));
            }
            transfers++;
        }
        crew.join();
        assertThat(transfers).isPositive();
        assertReached(region, 0, 77);
    }

    /** Many threads refresh, register beside it, and close: nothing is lost, and nothing is left. */
    @Test
    void manyThreadsAtOnce() throws InterruptedException {
        final MemoryRegion region = register("mlock=true");
        final ByteBuffer buffer = Reach.pages(4);
        for (int thread = 0; thread < 4; thread++) {
            crew.start(() -> {
                for (int round = 0; round < 60; round++) {
                    try (MemoryRegion mine = pd.register(buffer, ALL)) {
                        mine.refresh(mine.address(), mine.length());
                        region.refresh(range.at((round & 7) * PAGE), PAGE);
                    }
                }
            });
        }
        crew.join();
        assertReached(region, 0, 1);
    }
}
