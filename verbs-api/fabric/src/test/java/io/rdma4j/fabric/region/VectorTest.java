/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertInvalid;
import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.region.Domains.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.WcStatus;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Several buffers are one region (checklist 2, 4). */
@Timeout(60)
class VectorTest {
    @RegisterExtension
    final Domains domains = new Domains();

    private static MrAttributes both() {
        return new MrAttributes().access(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE).requestedKey(1);
    }

    @Test
    void scatteredBuffersAreOneRangeForPeersAndForLocalUse() {
        final Domain domain = domains.open();
        try (PinnedMemory memory = domain.allocate(8 * PAGE)) {
            final long start = memory.address();
            // Backwards: the end of page 6, all of 3 and 4, the begin of page 1.
            final FabricRegion region = (FabricRegion) domain.register(both()
                .buffer(start + 7 * PAGE - 10, 10, memory).buffer(start + 3 * PAGE, 2 * PAGE, memory)
                .buffer(start + PAGE, 20, memory));
            assertThat(region.length()).isEqualTo(10 + 2 * PAGE + 20);
            assertThat(region.address()).isEqualTo(start + 7 * PAGE - 10);
            final RegionDevice.Keys keys = region.body().devices().keys();
            assertThat(region.deviceAddress(start + 3 * PAGE, 2 * PAGE)).isEqualTo(keys.iova() + 10);
            assertThat(region.deviceAddress(start + PAGE + 19, 1)).isEqualTo(keys.iova() + region.length() - 1);
            assertThat(region.deviceAddress(start + PAGE + 19, 2)).as("beyond the last buffer").isEqualTo(-1);
            assertThat(region.deviceAddress(start + 7 * PAGE - 1, 2)).as("beyond the first buffer").isEqualTo(-1);
            assertThat(region.deviceAddress(start, 1)).as("in none").isEqualTo(-1);
            assertThat(region.deviceAddress(start + PAGE, -1)).as("negative").isEqualTo(-1);
            writeAcrossTheFirstGap(memory, keys);
            region.close();
        }
    }

    private static void writeAcrossTheFirstGap(final PinnedMemory memory, final RegionDevice.Keys keys) {
        try (Wire wire = new Wire(keys.realm())) {
            wire.bytes.setMemory(0, 20, (byte) 5);
            assertThat(wire.write(keys.iova(), keys.rkey(), 20)).isEqualTo(WcStatus.SUCCESS);
            final UnsafeBuffer bytes = memory.buffer();
            assertThat(bytes.getByte(7 * PAGE - 1)).isEqualTo((byte) 5);
            assertThat(bytes.getByte(7 * PAGE)).isZero();
            assertThat(bytes.getByte(3 * PAGE + 9)).isEqualTo((byte) 5);
            assertThat(bytes.getByte(3 * PAGE + 10)).isZero();
            final long end = keys.iova() + 30 + 2 * PAGE;
            assertThat(wire.read(end - 1, keys.rkey(), 2)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        }
    }

    /** The device, as if it could only register ranges of addresses, as libibverbs does. */
    private RdmaContext withoutPageLists() {
        return HookedDevice.proxy(RdmaContext.class, (proxy, method, arguments) -> {
            if (arguments != null && arguments[0] == Feature.PAGE_LISTS) {
                return method.getName().equals("whyNot") ? "ranges only" : (Object) false;
            }
            final Object result = HookedDevice.call(domains.context(), method, arguments);
            return result instanceof ProtectionDomain ? withoutPageLists((ProtectionDomain) result) : result;
        });
    }

    private static ProtectionDomain withoutPageLists(final ProtectionDomain pd) {
        return HookedDevice.proxy(ProtectionDomain.class, (proxy, method, arguments) -> {
            if (arguments != null && arguments[0] instanceof MrOptions && ((MrOptions) arguments[0]).pages() != null) {
                throw RdmaException.of("register").errno(RdmaException.EOPNOTSUPP).build();
            }
            return HookedDevice.call(pd, method, arguments);
        });
    }

    @Test
    void whereTheDeviceTakesNoListsOfPagesEachBufferIsARegionThere() {
        final Domain domain = domains.open(hints -> hints.context(withoutPageLists()));
        try (PinnedMemory memory = domain.allocate(4 * PAGE)) {
            final long start = memory.address();
            final FabricRegion region = (FabricRegion) domain.register(both().buffer(start + 2 * PAGE, PAGE, memory)
                .buffer(start, PAGE, memory).buffer(start + PAGE, 20, memory));
            assertThat(region.length()).isEqualTo(2 * PAGE + 20);
            assertThat(region.lkey(start, PAGE + 20)).as("they touch").isNotZero();
            assertThat(region.lkey(start + 2 * PAGE, PAGE)).isNotZero().isNotEqualTo(region.lkey(start, PAGE));
            assertThat(region.key()).isEqualTo(1);
            region.close();
        }
    }

    @Test
    void whereNobodyReadsItThereIsNoTableOfPieces() {
        final Domain domain = domains.open(Capability.MSG);
        try (PinnedMemory memory = domain.allocate(PAGE)) {
            try (FabricRegion region = (FabricRegion) domain.register(both().buffer(memory.address() + 8, 16)
                .buffer(memory.address() + 600, 16))) {
                assertThat(region.lkey(memory.address() + 8, 16)).isNotEqualTo(region.lkey(memory.address() + 600, 16));
                assertThat(region.body().devices().entry().pieces()).isZero();
            }
        }
    }

    @Test
    void theFirstBufferIsTheBaseOfVirtualAddresses() {
        final Domain domain = domains.open(hints -> hints.mrMode(MrMode.VIRT_ADDR).demand(MrMode.VIRT_ADDR));
        try (PinnedMemory memory = domain.allocate(4 * PAGE); MemoryRegion region = domain.register(both()
            .buffer(memory.address() + 2 * PAGE, PAGE).buffer(memory.address(), PAGE))) {
            assertThat(region.base()).isEqualTo(memory.address() + 2 * PAGE);
        }
    }

    @Test
    void buffersThatTouchAreOne() {
        final Domain domain = domains.open();
        try (PinnedMemory memory = domain.allocate(PAGE); MemoryRegion region = domain.register(both()
            .buffer(memory.address() + 10, 7).buffer(memory.address() + 17, 1).buffer(memory.address() + 18, 100))) {
            assertThat(region.length()).isEqualTo(108);
            assertThat(((FabricRegion) region).deviceAddress(memory.address() + 16, 3)).isPositive();
        }
    }

    @Test
    void aBufferWithoutBytesIsNamed() {
        final Domain domain = domains.open();
        try (PinnedMemory memory = domain.allocate(8 * PAGE)) {
            final long start = memory.address();
            assertInvalid(() -> domain.register(both().buffer(start, PAGE).buffer(start + 2 * PAGE, 0)),
                "buffer 1 has 0 bytes");
        }
    }

    /** Overlapping buffers are in several of the device's regions: address and key have to be of the same one. */
    @Test
    void bytesOfOverlappingBuffersApartAreFoundInOneThatHasAllOfThem() {
        final Domain domain = domains.open();
        try (PinnedMemory memory = domain.allocate(4 * PAGE); MemoryRegion made = domain.register(new MrAttributes()
            .access(MrAccess.SEND).buffer(memory.address() + 10, 100).buffer(memory.address() + 60, 200))) {
            final FabricRegion region = (FabricRegion) made;
            final long start = memory.address();
            assertThat(region.length()).isEqualTo(300);
            assertThat(region.lkey(start + 10, 1)).isNotEqualTo(region.lkey(start + 111, 1));
            assertThat(region.lkey(start + 60, 50)).as("both have them").isEqualTo(region.lkey(start + 10, 1));
            assertThat(region.lkey(start + 60, 51)).isEqualTo(region.lkey(start + 111, 1));
            assertThat(region.deviceAddress(start + 60, 51) + 51).isEqualTo(region.deviceAddress(start + 111, 1));
            assertThat(region.deviceAddress(start + 59, 52)).as("in no one of them").isEqualTo(-1);
            assertThat(region.lkey(start + 59, 52)).as("in no one of them").isZero();
        }
    }

    @Test
    void whatTheDeviceRefusesOfOneLeavesNothingOfTheOthers() {
        final Domain domain = domains.on("max_mr=8").open();
        try (PinnedMemory memory = domain.allocate(8 * PAGE)) {
            final MrAttributes attributes = new MrAttributes().access(MrAccess.SEND);
            for (int i = 0; i < 12; i++) {
                attributes.buffer(memory.address() + i * 600 + 8, 16);
            }
            assertRefused(FiErrno.FI_ENOMEM, () -> domain.register(attributes), "MR");
            domain.register(new MrAttributes().access(MrAccess.SEND).buffer(memory.address() + 8, 16)
                .buffer(memory.address() + PAGE + 8, 16)).close();
        }
    }

    @Test
    void thereAreNoMoreBuffersThanTheDomainSays() {
        final Domain domain = domains.open();
        final int limit = domain.info().domainAttributes().mrIovLimit();
        try (PinnedMemory memory = domain.allocate(2L * (limit + 1) * PAGE)) {
            final MrAttributes attributes = both();
            for (int i = 0; i < limit; i++) {
                attributes.buffer(memory.address() + 2L * i * PAGE, PAGE, memory);
            }
            try (MemoryRegion region = domain.register(attributes)) {
                assertThat(region.length()).isEqualTo((long) limit * PAGE);
            }
            attributes.buffer(memory.address() + 2L * limit * PAGE, PAGE, memory);
            assertInvalid(() -> domain.register(attributes), "mr_iov_limit is " + limit);
        }
    }

    /** Numbers alone must not make a list of pages that is larger than memory. */
    @Test
    void moreThanTheDeviceTakesIsRefusedBeforeItsPagesAreListed() {
        final Domain domain = domains.open();
        assertInvalid(() -> domain.register(new MrAttributes().buffer(0x1_0000, 1L << 42)
            .buffer(0x20_0000_0000_0000L, 1L << 42).access(MrAccess.REMOTE_READ)), "allowed are 1 to", "several");
        assertInvalid(() -> domain.register(new MrAttributes().buffer(0x1_0000, 1L << 37)
            .buffer(0x20_0000_0000_0000L, 1L << 37).access(MrAccess.REMOTE_READ)), "allowed are 1 to");
    }
}
