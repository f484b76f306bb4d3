/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.region.Domains.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.fabric.cache.RegionRoom;
import io.rdma4j.fabric.testing.TestDomain;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.PinnedMemory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Regions that a cache keeps, and nobody uses, are in nobody's way: all the device's regions are such ones here. */
@Timeout(60)
class FullDeviceTest {
    private static final int ROUNDS = 200;

    @RegisterExtension
    final Domains domains = new Domains().on("max_mr=48");
    private final List<ByteBuffer> buffers = new ArrayList<>();

    private Domain open(final Consumer<Hints> asked) {
        return domains.open(hints -> {
            hints.cache(new CacheAttributes().maxCount(1000));
            asked.accept(hints);
        });
    }

    private Domain open(final Capability first, final Capability... more) {
        return open(hints -> hints.capabilities(first, more));
    }

    private static void use(final RegistrationCache cache, final ByteBuffer buffer) {
        cache.acquire(BufferUtil.address(buffer), buffer.capacity(), buffer, 0).release();
    }

    /** As an operation without a descriptor does that has completed, until the device has no room. */
    private void fill(final Domain domain) {
        final RegistrationCache cache = domain.cache();
        final long before = cache.statistics().evictions();
        while (cache.statistics().evictions() == before) {
            buffers.add(ByteBuffer.allocateDirect(8));
            use(cache, buffers.get(buffers.size() - 1));
        }
        assertThat(cache.statistics().inUse()).isZero();
        assertThat(cache.statistics().entries()).isGreaterThan(20);
    }

    private static MrAttributes remote(final PinnedMemory memory, final long key) {
        return new MrAttributes().buffer(memory).requestedKey(key)
            .access(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE);
    }

    @Test
    void regionsOfAllDomainsAndKeysFindRoom() {
        final Domain first = open(Capability.MSG, Capability.RMA);
        final Domain second = open(Capability.MSG, Capability.RMA);
        try (PinnedMemory memory = first.allocate(PAGE)) {
            fill(first);
            first.register(remote(memory, 1)).close();
            fill(first);
            second.register(remote(memory, 1)).close();
            fill(first);
            second.register(remote(memory, 2).authKey(new byte[] {1})).close();
            fill(first);
            use(second.cache(), ByteBuffer.allocateDirect(8));
        }
    }

    @Test
    void whatARegionNeedsBesideFindsRoom() {
        final Domain full = open(Capability.MSG);
        final Domain domain = open(hints -> hints.mrMode(MrMode.RMA_EVENT).demand(MrMode.RMA_EVENT)
            .capabilities(Capability.RMA, Capability.ATOMIC, Capability.RMA_EVENT));
        final Counter counter = domain.openCounter();
        try (PinnedMemory memory = domain.allocate(4 * PAGE)) {
            final MemoryRegion counted = domain.register(remote(memory, 1).flags(MrFlag.RMA_EVENT));
            counted.bind(counter);
            fill(full);
            // Its cell, and the new region in place of the old one.
            counted.enable();
            fill(full);
            // Two of the device, and a table of them.
            domain.register(new MrAttributes().requestedKey(2).access(MrAccess.REMOTE_READ)
                .buffer(memory.address() + 8, 16).buffer(memory.address() + PAGE + 8, 16)).close();
            fill(full);
            // A key directory.
            open(Capability.RMA);
            counter.close();
            counted.close();
        }
    }

    @Test
    void endpointsFindRoom() {
        final Domain full = open(Capability.MSG);
        final Domain connected = open(Capability.MSG, Capability.RMA);
        try (CompletionQueue queue = connected.openCompletionQueue(64)) {
            fill(full);
            connected.openEndpoint(new EndpointOptions().completionQueue(queue).sizes(16, 16)).close();
        }
        for (final EndpointType type : List.of(EndpointType.DGRAM, EndpointType.RDM)) {
            final Domain domain = open(hints -> hints.endpointType(type).addressFormat(AddressFormat.DEVICE));
            final var vector = domain.openAddressVector(new AvAttributes());
            try (CompletionQueue queue = domain.openCompletionQueue(64)) {
                fill(full);
                final Endpoint endpoint = domain.openAddressedEndpoint(
                    new EndpointOptions().completionQueue(queue).addressVector(vector).sizes(16, 16));
                endpoint.close();
            }
            vector.close();
        }
    }

    /** Beside what the provider has there for endpoints and domains. */
    @Test
    void asManyRegionsAsThePromiseSaysFindRoom() {
        domains.on("max_mr=128");
        final Domain domain = open(Capability.MSG, Capability.RMA, Capability.ATOMIC, Capability.RMA_EVENT);
        final Domain other = open(Capability.MSG, Capability.RMA, Capability.ATOMIC, Capability.RMA_EVENT);
        final Counter counter = domain.openCounter();
        try (PinnedMemory memory = domain.allocate(PAGE);
            CompletionQueue queue = domain.openCompletionQueue(64);
            CompletionQueue othersQueue = other.openCompletionQueue(64);
            MsgEndpoint near = domain.openEndpoint(new EndpointOptions().completionQueue(queue).sizes(16, 16));
            MsgEndpoint far = other.openEndpoint(new EndpointOptions().completionQueue(othersQueue).sizes(16, 16))) {
            near.connect(far.name());
            far.connect(near.name());
            final List<MemoryRegion> regions = new ArrayList<>();
            while (regions.size() < domain.info().domainAttributes().mrCount()) {
                regions.add(domain.register(remote(memory, regions.size())));
                regions.get(regions.size() - 1).bind(counter);
            }
            assertRefused(FiErrno.FI_ENOMR, () -> domain.register(remote(memory, 1000)), "mr_cnt");
            counter.close();
            regions.forEach(MemoryRegion::close);
        }
    }

    /** Who uses all of it is told, and what is in use stays. */
    @Test
    void whatIsInUseDoesNotGiveWay() {
        final Domain first = open(Capability.MSG);
        final Domain second = open(Capability.MSG);
        try (PinnedMemory memory = first.allocate(PAGE)) {
            fill(first);
            final var used = first.cache().acquire(memory.address(), PAGE, memory, 0);
            final var others = RealmsTest.fill(Domains.regionsOf(second).defaultRealm().pd(), memory);
            final MrAttributes more = new MrAttributes().buffer(memory).access(MrAccess.SEND);
            while (first.cache().statistics().entries() > 1) {
                others.add(RegionRoom.register(others.get(0).pd(), memory));
            }
            assertRefused(FiErrno.FI_ENOMEM, () -> second.register(more));
            assertThat(first.cache().statistics().inUse()).isOne();
            used.release();
            second.register(more).close();
            assertThat(first.cache().statistics().entries()).isZero();
            others.forEach(io.rdma4j.verbs.MemoryRegion::close);
        }
    }

    /** Each takes room from the others, in turn, and one cache of them is closed while it gives way. */
    @Test
    void domainsTakeRoomFromEachOtherAtOnce() throws Exception {
        final Domain first = open(Capability.MSG);
        final Domain second = open(Capability.MSG);
        final ExecutorService threads = Executors.newFixedThreadPool(4);
        try (PinnedMemory memory = first.allocate(PAGE)) {
            final List<Callable<Object>> jobs = List.of(
                () -> each(round -> use(first.cache(), ByteBuffer.allocateDirect(8))),
                () -> each(round -> use(second.cache(), ByteBuffer.allocateDirect(8))),
                () -> each(round -> second.register(remote(memory, round)).close()),
                () -> each(round -> {
                    try (var passing = new TestDomain(new Hints().context(domains.context())
                        .capabilities(Capability.MSG))) {
                        use(passing.domain.cache(), ByteBuffer.allocateDirect(8));
                        use(passing.domain.cache(), ByteBuffer.allocateDirect(8));
                    }
                }));
            for (final Future<Object> job : threads.invokeAll(jobs, Patience.millis(), TimeUnit.MILLISECONDS)) {
                job.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static Object each(final IntConsumer job) {
        for (int round = 0; round < ROUNDS; round++) {
            job.accept(round);
        }
        return null;
    }
}
