/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.WcStatus;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Regions whose length no int holds, and whose pages no single directory reaches. Hardly a page of them is touched. */
@Timeout(120)
class LargeRegionTest {
    private static final int PAGE = PageList.PAGE_SIZE;
    private static final long GIB = 1L << 30;
    private static final AccessFlag[] ALL = {LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ};

    @RegisterExtension
    final Devices devices = new Devices();

    private static MappedMemory untouched(final long length) {
        return MappedMemory.map(0, length, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_NORESERVE, -1, 0);
    }

    private static void assertCarries(final Reach reach, final MemoryRegion region, final long offset, final int seed) {
        final UnsafeBuffer bytes = new UnsafeBuffer(region.address() + offset, 100);
        assertThat(reach.write(region.iova() + offset, region.rkey(), 100, seed)).isEqualTo(WcStatus.SUCCESS);
        for (int i = 0; i < 100; i++) {
            assertThat(bytes.getByte(i)).as("byte 0x%x", offset + i).isEqualTo(Peer.pattern(i, seed));
        }
        assertThat(reach.send(region.iova() + offset, 100, region.lkey())).isEqualTo(WcStatus.SUCCESS);
        assertThat(reach.peer.firstDifference(0, 100, seed)).isEqualTo(-1);
    }

    @Test
    void bytesBeyondTwoGigabytesArriveWhereTheyBelong() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final Reach reach = new Reach(device, pd);
        try (MappedMemory memory = untouched(3 * GIB)) {
            final long length = 3 * GIB - 200;
            final MemoryRegion region = pd.register(memory.address() + 100, length, ALL);
            assertThat(region.length()).isEqualTo(length);
            int seed = 0;
            for (final long offset : new long[]{
                0, GIB - 150, 2 * GIB - 150, 2 * GIB + 5, 2 * GIB + (GIB >> 1) - 50, length - 100}) {
                assertCarries(reach, region, offset, ++seed);
            }
            assertThat(reach.write(region.iova() + length - 1, region.rkey(), 2, 0)).isEqualTo(WcStatus.REM_ACCESS_ERR);
            assertThat(reach.write(region.iova() + length + GIB, region.rkey(), 1, 0))
                .isEqualTo(WcStatus.REM_ACCESS_ERR);

            final MemoryRegion shared = pd.registerShared(region, 100, ALL);
            region.close();
            assertCarries(reach, shared, 2 * GIB + 77, 50);
            shared.reregister(new MrOptions().zeroBased());
            assertCarries(reach, shared, 2 * GIB + 78, 51);
            shared.reregister(new MrOptions().length(2 * GIB + 300));
            assertCarries(reach, shared, 2 * GIB + 200, 52);
            assertThat(reach.write(2 * GIB + 300, shared.rkey(), 1, 0)).isEqualTo(WcStatus.REM_ACCESS_ERR);
            shared.close();
            assertThat(device.reachableBytes()).as("tables of 6 MiB are gone, too").isLessThan(4 << 20);
        }
    }

    @Test
    void aListMayHaveMorePagesThanOneDirectoryReaches() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final Reach reach = new Reach(device, pd);
        final PinnedMemory memory = device.allocate(8 * PAGE);
        final PageList pages = new PageList();
        final int count = 300_000;
        for (int i = 0; i < count; i++) {
            pages.add(memory, i * 3 & 7, 1);
        }
        final MemoryRegion region =
            pd.register(new MrOptions().pages(pages, 8, (long) count * PAGE - 8).zeroBased().access(ALL));
        assertThat(region.length()).isGreaterThan(GIB);
        for (final int page : new int[]{0, 262_143, 262_144, 262_145, count - 1}) {
            final long at = (long) page * PAGE + 50;
            assertThat(reach.write(at - 8, region.rkey(), 1, page)).isEqualTo(WcStatus.SUCCESS);
            assertThat(memory.buffer().getByte((page * 3 & 7) * PAGE + 50)).as("page %d", page)
                .isEqualTo(Peer.pattern(0, page));
        }
        assertThat(reach.write((long) count * PAGE - 8, region.rkey(), 1, 0)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void withoutTheExtensionTheLimitIsToldAndWhatItComesFrom() {
        final PvrdmaContext device = devices.open("extensions=false");
        final ProtectionDomain pd = device.allocatePd();
        assertThat(device.supports(Feature.LARGE_REGIONS)).isFalse();
        assertThat(device.attributes().maxMrSize()).isEqualTo(GIB);
        try (MappedMemory memory = untouched(2 * GIB)) {
            final long reachable = device.reachableBytes();
            assertInvalid(() -> pd.register(memory.address(), GIB + 1, ALL), "length is 1073741825",
                "allowed are 1 to 1073741824", "register it in parts", "262144 pages, 1 GiB");
            assertInvalid(() -> pd.register(memory.address() + 1, GIB, ALL), "262145 pages", "reaches 262144");
            assertInvalid(() -> pd.register(new MrOptions().memory(memory.address(), 2 * GIB).zeroBased()),
                "allowed are 1 to 1073741824");
            final MemoryRegion region = pd.register(memory.address(), GIB, ALL);
            assertInvalid(() -> region.reregister(new MrOptions().length(GIB + 1)), "allowed are 1 to");
            assertCarries(new Reach(device, pd), region, GIB - 100, 1);
            region.close();
            assertThat(device.reachableBytes()).isLessThanOrEqualTo(reachable + (1 << 20));
        }
    }
}
