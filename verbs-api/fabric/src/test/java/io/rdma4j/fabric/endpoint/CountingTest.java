/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicRequest;
import io.rdma4j.fabric.AtomicType;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Counters count what peers write, exactly, without help of the side that is written to. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CountingTest {
    private static final int EACH = 3000;

    @RegisterExtension
    final Sides sides = new Sides();

    /** Whose keys; what else is demanded does not matter here. */
    enum Keys {
        PROVIDER(MrMode.PROV_KEY), APPLICATION, RAW(MrMode.RAW);

        private final Set<MrMode> bits = EnumSet.of(MrMode.ALLOCATED);

        Keys(final MrMode... more) {
            bits.addAll(Set.of(more));
        }

        Hints hints() {
            return new Hints().capabilities(Capability.MSG, Capability.RMA, Capability.ATOMIC, Capability.RMA_EVENT)
                .mrMode(bits).demand(bits);
        }
    }

    @ParameterizedTest
    @EnumSource
    void exactlyUnderLoadOfTwoPeers(final Keys keys) throws Exception {
        final Side a = sides.open(keys.hints());
        final Side c = sides.open(keys.hints());
        final Side b = sides.open(keys.hints());
        final MsgEndpoint second = b.domain.openEndpoint(new EndpointOptions().completionQueue(b.cq).sizes(16, 16));
        Side.connect(a, b);
        c.ep.connect(second.name());
        second.connect(c.ep.name());
        final Mode mode = keys == Keys.RAW ? Mode.RAW_OFFSETS : Mode.APPLICATION_KEY_OFFSETS;
        final MemoryRegion region = b.register(11);
        try (Counter counter = b.domain.openCounter()) {
            region.bind(counter);
            assertThat(counter.read()).isZero();
            final ExecutorService threads = Executors.newFixedThreadPool(2);
            try {
                final Future<Long> one = threads.submit(() -> load(a, mode, region));
                final Future<Long> two = threads.submit(() -> load(c, mode, region));
                final long wanted = one.get(2 * Patience.millis(), TimeUnit.MILLISECONDS)
                    + two.get(2 * Patience.millis(), TimeUnit.MILLISECONDS);
                assertThat(wanted).isEqualTo(2L * 2 * EACH);
                assertThat(counter.read()).isEqualTo(wanted);
                assertThat(counter.readError()).isZero();
                // Of the two adders nothing was lost.
                assertThat(b.bytes.getLong(1024)).isEqualTo(2 * EACH);
            } finally {
                threads.shutdownNow();
            }
            // Refused, and the region goes on (checklist 47).
            assertRefused(FiErrno.FI_EBUSY, region::close);
            final long key = mode.key(a, region);
            a.succeeds(() -> a.ep.write(a.at(0), 8, null, region.base(), key, 1));
            mode.release(a, key);
            assertThat(counter.read()).isEqualTo(2L * 2 * EACH + 1);
        }
        second.close();
    }

    /** The key stays, and whoever knows it from before is counted as before (fi_mr, fi_mr_refresh). */
    @ParameterizedTest
    @EnumSource
    void aRefreshedRegionGoesOnCounting(final Keys keys) {
        final Side a = sides.open(keys.hints().mrMode(MrMode.MMU_NOTIFY).demand(MrMode.MMU_NOTIFY));
        final Side b = sides.open(keys.hints().mrMode(MrMode.MMU_NOTIFY).demand(MrMode.MMU_NOTIFY));
        Side.connect(a, b);
        final Mode mode = keys == Keys.RAW ? Mode.RAW_OFFSETS : Mode.APPLICATION_KEY_OFFSETS;
        final MemoryRegion region = b.register(11);
        try (Counter counter = b.domain.openCounter()) {
            region.bind(counter);
            final long key = mode.key(a, region);
            for (int i = 1; i <= 3; i++) {
                a.succeeds(() -> a.ep.write(a.at(0), 8, null, region.base(), key, 1));
                assertThat(counter.read()).isEqualTo(i);
                region.refresh();
            }
            mode.release(a, key);
        }
    }

    /** It modifies nothing, and neither key nor range is looked at; its data come all the same, once. */
    @ParameterizedTest
    @EnumSource
    void aWriteWithoutBytesIsNotCounted(final Keys keys) {
        final Side a = sides.open(keys.hints());
        final Side b = sides.open(keys.hints());
        Side.connect(a, b);
        final Mode mode = keys == Keys.RAW ? Mode.RAW_OFFSETS : Mode.APPLICATION_KEY_OFFSETS;
        final MemoryRegion region = b.register(11);
        final long base = region.base();
        final long key = mode.key(a, region);
        try (Counter counter = b.domain.openCounter()) {
            region.bind(counter);
            for (final long there : new long[] {base, base + Side.SIZE + 1}) {
                a.succeeds(() -> a.ep.write(a.at(0), 0, null, there, key, 1));
                a.succeeds(() -> a.ep.writeWithData(a.at(0), 0, null, 76, there, key, 2));
                assertThat(b.next().data()).isEqualTo(76);
            }
            assertThat(counter.read()).isZero();
            a.succeeds(() -> a.ep.write(a.at(0), 8, null, base, key, 3));
            a.succeeds(() -> a.ep.write(a.at(0), 0, null, base, key, 4));
            assertThat(counter.read()).isEqualTo(1);
        }
        region.close();
        a.succeeds(() -> a.ep.write(a.at(0), 0, null, base, key, 5));
        a.succeeds(() -> a.ep.writeWithData(a.at(0), 0, null, 77, base, key, 6));
        assertThat(b.next().data()).isEqualTo(77);
        mode.release(a, key);
    }

    /** An atomic that leaves the number as it was modifies no region (fi_mr, FI_REMOTE_WRITE). */
    @ParameterizedTest
    @EnumSource
    void whatChangesNothingIsNotCounted(final Keys keys) {
        final Side a = sides.open(keys.hints());
        final Side b = sides.open(keys.hints());
        Side.connect(a, b);
        final Mode mode = keys == Keys.RAW ? Mode.RAW_OFFSETS : Mode.APPLICATION_KEY_OFFSETS;
        final MemoryRegion region = b.register(11);
        final MemoryRegion desc = a.local();
        try (Counter counter = b.domain.openCounter()) {
            region.bind(counter);
            final long key = mode.key(a, region);
            final long there = region.base() + 64;
            b.bytes.putLong(64, 5);
            a.succeeds(() -> a.ep.fetchAdd(a.at(0), desc, 0, there, key, 1));
            a.succeeds(() -> a.ep.atomic(new AtomicRequest().operation(AtomicOp.ATOMIC_READ, AtomicType.UINT64)
                .operands(0, 1, null).result(a.at(8), desc).remote(there, key), 0));
            a.succeeds(() -> a.ep.compareSwap(a.at(16), desc, 4, 6, there, key, 2));
            a.succeeds(() -> a.ep.compareSwap(a.at(24), desc, 5, 5, there, key, 3));
            for (int i = 0; i < 4; i++) {
                assertThat(a.bytes.getLong(8 * i)).as("result %d", i).isEqualTo(5);
            }
            assertThat(counter.read()).isZero();
            final Done swapped = a.succeeds(() -> a.ep.compareSwap(a.at(32), desc, 5, 7, there, key, 4));
            assertThat(swapped.kind()).isEqualTo(OperationKind.ATOMIC);
            assertThat(swapped.context()).isEqualTo(4);
            assertThat(a.bytes.getLong(32)).isEqualTo(5);
            assertThat(b.bytes.getLong(64)).isEqualTo(7);
            assertThat(counter.read()).isEqualTo(1);
            a.succeeds(() -> a.ep.fetchAdd(a.at(0), desc, 1, there, key, 5));
            assertThat(counter.read()).isEqualTo(2);
            mode.release(a, key);
        }
    }

    /** Writes and adds; and reads and writes without bytes, which do not count. */
    private static long load(final Side side, final Mode mode, final MemoryRegion region) {
        final MemoryRegion desc = side.local();
        final long key = mode.key(side, region);
        final long base = region.base();
        long counted = 0;
        int posted = 0;
        for (int i = 0; i < EACH; i++) {
            side.post(() -> side.ep.write(side.at(0), 64, desc, base, key, 1));
            side.post(() -> side.ep.read(side.at(256), 64, desc, base, key, 2));
            side.post(() -> side.ep.fetchAdd(side.at(512), desc, 1, base + 1024, key, 3));
            side.post(() -> side.ep.write(side.at(0), 0, desc, base, key, 4));
            posted += 4;
        }
        for (int i = 0; i < posted; i++) {
            final Done one = side.next();
            assertThat(one.errno()).as(one.toString()).isZero();
            counted += one.context() == 1 || one.context() == 3 ? 1 : 0;
        }
        mode.release(side, key);
        return counted;
    }
}
