/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.LiveKind;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.live.LiveView;
import io.rdma4j.driver.live.LiveViews;
import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvInsert;
import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.live.AvKind;
import io.rdma4j.fabric.live.CacheKind;
import io.rdma4j.fabric.testing.TestDomain;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.live.MrKind;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.List;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Others see caches and address vectors, and which regions are cached. */
@Timeout(60)
class PublishedTest {
    private static List<LiveObject> all(final String address, final LiveKind kind) {
        try (LiveView view = LiveViews.ofPid(ProcessHandle.current().pid(), address)) {
            assertThat(view.troubles()).isEmpty();
            return view.objects(kind);
        }
    }

    private static LiveObject only(final String address, final LiveKind kind) {
        final List<LiveObject> all = all(address, kind);
        assertThat(all).as("%s", kind).hasSize(1);
        return all.get(0);
    }

    private static void assertCounted(final LiveObject object, final int place, final long total) {
        assertThat(object.counter(place)).as(object.kind().counters().get(place)).isEqualTo(total);
    }

    @Test
    void aCache() {
        try (Bench bench = new Bench("published-cache", new CacheAttributes().maxCount(2).maxSize(1 << 20))) {
            final String device = bench.context.address();
            assertThat(only(device, CacheKind.KIND).attribute(CacheKind.MAX_CACHED_COUNT)).isEqualTo(2);
            assertThat(only(device, CacheKind.KIND).attribute(CacheKind.MAX_CACHED_SIZE))
                .isEqualTo(1 << 20);
            bench.use(0, Bench.PAGE);
            bench.use(0, Bench.PAGE);
            bench.use(2 * Bench.PAGE, 4 * Bench.PAGE);
            LiveObject seen = only(device, CacheKind.KIND);
            assertCounted(seen, CacheKind.MISSES, 2);
            assertCounted(seen, CacheKind.HITS, 1);
            assertCounted(seen, CacheKind.CACHED_COUNT, 2);
            assertCounted(seen, CacheKind.CACHED_SIZE, 3 * Bench.PAGE);
            assertThat(all(device, MrKind.KIND)).hasSize(2).allSatisfy(region -> assertThat(
                region.attribute(MrKind.FLAGS)).isEqualTo(MrKind.CACHED));
            bench.use(8 * Bench.PAGE, 9 * Bench.PAGE);
            bench.change(2 * Bench.PAGE, 3 * Bench.PAGE);
            seen = only(device, CacheKind.KIND);
            assertCounted(seen, CacheKind.EVICTIONS, 1);
            assertCounted(seen, CacheKind.INVALIDATIONS, 1);
            assertCounted(seen, CacheKind.CACHED_COUNT, 1);
            bench.cache.close();
            assertThat(all(device, CacheKind.KIND)).isEmpty();
        }
    }

    /** At most 63 hits of a region are not seen; and all when it is gone. */
    @Test
    void hits() {
        try (Bench bench = Bench.of("published-hits")) {
            final String device = bench.context.address();
            bench.use(0, Bench.PAGE);
            long before = 0;
            for (int hits = 1; hits <= 500; hits++) {
                bench.use(0, Bench.PAGE);
                if (hits % 41 == 0 || hits < 5) {
                    final long seen = only(device, CacheKind.KIND).counter(CacheKind.HITS);
                    assertThat(seen).as("after %d", hits).isBetween(Math.max(before, hits - 63L), (long) hits);
                    before = seen;
                }
            }
            bench.cache.flush();
            assertCounted(only(device, CacheKind.KIND), CacheKind.HITS, 500);
        }
    }

    /** Others may use the region all the time, so that nobody is its last user. */
    @Test
    void hitsOfARegionThatIsNeverIdle() {
        try (Bench bench = Bench.of("published-busy")) {
            final String device = bench.context.address();
            final Entry held = bench.acquire(0, Bench.PAGE, Bench.RO);
            for (int hits = 1; hits <= 500; hits++) {
                bench.use(0, Bench.PAGE);
                if (hits % 41 == 0 || hits < 5) {
                    assertThat(only(device, CacheKind.KIND).counter(CacheKind.HITS)).as("after %d", hits)
                        .isBetween(hits - 63L, (long) hits);
                }
            }
            held.release();
            bench.cache.flush();
            assertCounted(only(device, CacheKind.KIND), CacheKind.HITS, 500);
        }
    }

    /** Memory of a device has its pages: what reaches it need not go by way of the kernel. */
    @Test
    void whichRegionsAreOnDemand() {
        final int length = 3 * Bench.PAGE;
        final ByteBuffer direct = ByteBuffer.allocateDirect(length);
        for (final boolean tells : List.of(false, true)) {
            final String device = "emulated:published-regions-" + tells;
            final Hints hints = new Hints().capabilities(Capability.MSG).address(device);
            if (tells) {
                hints.mrMode(MrMode.MMU_NOTIFY).demand(MrMode.MMU_NOTIFY);
            }
            try (TestDomain own = new TestDomain(hints);
                PinnedMemory memory = own.domain.allocate(length)) {
                try (MemoryRegion region = own.domain.register(
                    new MrAttributes().buffer(memory).access(MrAccess.SEND))) {
                    assertThat(isOnDemand(device, length)).as("%s", region).isEqualTo(tells);
                }
                try (MemoryRegion region = own.domain.register(new MrAttributes()
                    .buffer(BufferUtil.address(direct), length).access(MrAccess.SEND))) {
                    assertThat(isOnDemand(device, length)).as("%s", region).isTrue();
                }
            }
        }
        Reference.reachabilityFence(direct);
    }

    private static boolean isOnDemand(final String device, final int length) {
        final List<LiveObject> found = all(device, MrKind.KIND).stream()
            .filter(region -> region.attribute(MrKind.LENGTH) == length).toList();
        assertThat(found).hasSize(1);
        return (found.get(0).attribute(MrKind.FLAGS) & MrKind.ON_DEMAND) != 0;
    }

    @Test
    void anAddressVector() {
        final String device = "emulated:published-av";
        try (TestDomain own = new TestDomain(new Hints().endpointType(EndpointType.DGRAM)
            .addressFormat(AddressFormat.DEVICE).address(device))) {
            final var vector = own.domain.openAddressVector(new AvAttributes());
            final LiveObject empty = only(device, AvKind.KIND);
            assertThat(empty.attribute(AvKind.TYPE)).isEqualTo(vector.type().value());
            assertCounted(empty, AvKind.ADDRESSES, 0);
            final long[] names = new long[3];
            final FabricAddress[] addresses = new FabricAddress[3];
            for (int i = 0; i < addresses.length; i++) {
                addresses[i] = FabricAddress.device(Gid.parse("fe80::" + (i + 1)), 5, 6, EndpointType.DGRAM);
            }
            assertThat(vector.insert(addresses, names, new AvInsert())).isEqualTo(3);
            vector.remove(names, 2, 0);
            addresses[1] = null;
            assertThat(vector.insert(addresses, names, new AvInsert())).isEqualTo(2);
            final LiveObject seen = only(device, AvKind.KIND);
            assertCounted(seen, AvKind.INSERTED, 5);
            assertCounted(seen, AvKind.REMOVED, 2);
            assertCounted(seen, AvKind.ADDRESSES, 3);
            assertCounted(seen, AvKind.FAILED, 1);
            vector.close();
            assertThat(all(device, AvKind.KIND)).isEmpty();
        }
    }
}
