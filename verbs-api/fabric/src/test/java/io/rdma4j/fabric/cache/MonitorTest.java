/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static io.rdma4j.fabric.cache.Bench.PAGE;
import static io.rdma4j.fabric.cache.Bench.RO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What monitors say, when they say it, and monitors that fail. */
@Timeout(60)
class MonitorTest {
    /** Does something at the moment at which a range is subscribed, so while its registration is under way. */
    private static final class Meddler extends TestMonitor {
        BiConsumer<Meddler, Long> deed = (monitor, address) -> { };

        @Override
        public boolean subscribe(final long address, final long length) {
            final boolean watched = super.subscribe(address, length);
            deed.accept(this, address);
            return watched;
        }
    }

    @Test
    void nothingIsFoundWhileAChangeIsBeingTold() {
        try (Bench bench = Bench.of("monitor-loud")) {
            final Entry kept = bench.use(0, PAGE);
            bench.monitor.isQuiet = false;
            final Entry other = bench.use(0, PAGE);
            assertThat(other).isNotSameAs(kept);
            assertThat(other.region().isClosed()).as("used once").isTrue();
            bench.monitor.isQuiet = true;
            assertThat(bench.use(0, PAGE)).isSameAs(kept);
        }
    }

    @Test
    void aMissWaitsUntilItIsQuiet() throws InterruptedException {
        try (Bench bench = Bench.of("monitor-wait")) {
            final Entry kept = bench.use(0, PAGE);
            bench.monitor.isQuiet = false;
            final Thread teller = new Thread(() -> {
                bench.change(0, PAGE);
                bench.monitor.isQuiet = true;
            });
            teller.start();
            final Entry fresh = bench.use(0, PAGE);
            assertThat(fresh).isNotSameAs(kept);
            teller.join();
            Bench.awaitClosed(kept);
        }
    }

    @Test
    void ownersNeedNoMonitor() {
        try (Bench bench = Bench.of("monitor-owner")) {
            bench.monitor.isQuiet = false;
            bench.monitor.watches = false;
            final Entry one = bench.acquire(0, PAGE, bench.memory, RO);
            one.release();
            final Entry two = bench.acquire(0, PAGE, bench.memory, RO);
            two.release();
            assertThat(two).isSameAs(one);
            assertThat(bench.monitor.refusals).as("memory with an owner is not subscribed").hasValue(0);
        }
    }

    @Test
    void whatChangesWhileItIsRegisteredIsRegisteredAgain() {
        final Meddler meddler = new Meddler();
        try (Bench bench = new Bench("monitor-flight", new CacheAttributes(), meddler)) {
            meddler.deed = (monitor, address) -> {
                monitor.deed = (again, same) -> { };
                monitor.change(address + 10, 1);
            };
            final Entry entry = bench.use(0, PAGE);
            assertThat(entry.region().isClosed()).isFalse();
            assertThat(bench.use(0, PAGE)).isSameAs(entry);
            assertThat(bench.cache.statistics().asMap()).containsEntry("retries", 1L).containsEntry("misses", 1L)
                .containsEntry("entries", 1L).containsEntry("uncached", 0L);
        }
    }

    @Test
    void whatNeverStaysAsItIsIsUsedOnce() {
        final Meddler meddler = new Meddler();
        try (Bench bench = new Bench("monitor-restless", new CacheAttributes(), meddler)) {
            meddler.deed = (monitor, address) -> monitor.change(address, 1);
            final Entry entry = bench.use(0, PAGE);
            assertThat(entry.region().isClosed()).isTrue();
            assertThat(bench.cache.statistics().asMap()).containsEntry("retries", 3L).containsEntry("uncached", 1L)
                .containsEntry("entries", 0L);
        }
    }

    @Test
    void changesElsewhereDoNotDisturbARegistration() {
        final Meddler meddler = new Meddler();
        try (Bench bench = new Bench("monitor-elsewhere", new CacheAttributes(), meddler)) {
            meddler.deed = (monitor, address) -> {
                monitor.change(address - PAGE, PAGE);
                monitor.change(address + PAGE, PAGE);
            };
            assertThat(bench.use(PAGE, 2 * PAGE).region().isClosed()).isFalse();
            assertThat(bench.cache.statistics().retries()).isZero();
        }
    }

    @Test
    void whatIsRegisteredWhileTheCacheIsClosedIsNotKept() {
        final Meddler meddler = new Meddler();
        try (Bench bench = new Bench("monitor-closed", new CacheAttributes(), meddler)) {
            meddler.deed = (monitor, address) -> bench.cache.close();
            assertThat(bench.use(0, PAGE).region().isClosed()).isTrue();
            assertThat(bench.cache.statistics().entries()).isZero();
        }
    }

    /** Another thread registers the same memory meanwhile, and is first. */
    @Test
    void whoIsOvertakenTakesWhatTheFirstOneMade() {
        final Meddler meddler = new Meddler();
        try (Bench bench = new Bench("monitor-overtaken", new CacheAttributes(), meddler)) {
            final Entry[] first = new Entry[1];
            meddler.deed = (monitor, address) -> {
                monitor.deed = (again, same) -> { };
                first[0] = bench.acquire(0, PAGE, RO);
            };
            final Entry entry = bench.acquire(0, PAGE, RO);
            assertThat(entry).isSameAs(first[0]);
            assertThat(entry.uses()).isEqualTo(2);
            assertThat(meddler.subscriptions).as("that of the other one has ended").hasValue(1);
            assertThat(bench.cache.statistics().asMap()).containsEntry("entries", 1L).containsEntry("misses", 1L)
                .containsEntry("hits", 1L).containsEntry("replacements", 0L);
            entry.release();
            entry.release();
        }
    }

    @Test
    void aMonitorIsStoppedOnce() {
        final AtomicInteger stops = new AtomicInteger();
        try (Bench bench = new Bench("monitor-once", new CacheAttributes(), new TestMonitor() {
            @Override
            public void stop(final Listener listener) {
                super.stop(listener);
                stops.incrementAndGet();
            }
        })) {
            bench.cache.close();
        }
        assertThat(stops).hasValue(1);
    }

    @Test
    void aSubscriptionThatThrowsIsNone() {
        final Meddler meddler = new Meddler();
        try (Bench bench = new Bench("monitor-throws", new CacheAttributes(), meddler)) {
            meddler.deed = (monitor, address) -> {
                monitor.subscriptions.decrementAndGet();
                throw new IllegalStateException("on purpose");
            };
            assertThat(bench.use(0, PAGE).region().isClosed()).isTrue();
            assertThat(bench.use(0, PAGE).region().isClosed()).isTrue();
            assertThat(bench.cache.statistics().asMap()).containsEntry("monitorFailures", 2L)
                .containsEntry("uncached", 2L).containsEntry("entries", 0L);
        }
    }

    @Test
    void quietAndUnsubscribeAndStartAndStopMayThrow() {
        final TestMonitor broken = new TestMonitor() {
            @Override
            public boolean quiet() {
                throw new IllegalStateException("on purpose: quiet");
            }
        };
        try (Bench bench = new Bench("monitor-quiet", new CacheAttributes(), broken)) {
            assertThat(bench.use(0, PAGE).region().isClosed()).isTrue();
            assertThat(bench.cache.statistics().entries()).isZero();
            assertThat(bench.cache.statistics().monitorFailures()).isPositive();
        }
        final TestMonitor worse = new TestMonitor() {
            @Override
            public void unsubscribe(final long address, final long length) {
                super.unsubscribe(address, length);
                throw new IllegalStateException("on purpose: unsubscribe");
            }

            @Override
            public void stop(final Listener listener) {
                throw new IllegalStateException("on purpose: stop");
            }
        };
        try (Bench bench = new Bench("monitor-stop", new CacheAttributes(), worse)) {
            final Entry entry = bench.use(0, PAGE);
            bench.cache.flush();
            assertThat(entry.region().isClosed()).isTrue();
            assertThat(bench.cache.statistics().monitorFailures()).isEqualTo(1);
        }
        final TestMonitor dead = new TestMonitor() {
            @Override
            public void start(final Listener listener) {
                throw new IllegalStateException("on purpose: start");
            }
        };
        try (Bench bench = new Bench("monitor-start", new CacheAttributes(), dead)) {
            assertThat(bench.use(0, PAGE).region().isClosed()).as("who did not start does not watch").isTrue();
        }
    }

    @Test
    void changesThatMakeNoSenseDropTooMuchAndNeverTooLittle() {
        try (Bench bench = Bench.of("monitor-nonsense")) {
            final long[][] nonsense = {{0, Long.MAX_VALUE}, {-5, Long.MAX_VALUE}, {0, 0}, {0, -1},
                {Long.MIN_VALUE, -1}};
            for (final long[] range : nonsense) {
                final Entry entry = bench.use(0, PAGE);
                bench.monitor.change(range[0], range[1]);
                Bench.awaitClosed(entry);
            }
        }
    }

    @Test
    void theSubscriptionEndsWithTheEntry() {
        try (Bench bench = Bench.ofCount("monitor-ends", 1)) {
            bench.use(0, 10);
            assertThat(bench.monitor.subscriptions).hasValue(1);
            bench.use(20, 30);
            assertThat(bench.monitor.subscriptions).hasValue(1);
            final Entry used = bench.acquire(20, 30, RO);
            bench.use(40, 50);
            assertThat(bench.monitor.subscriptions).as("used once, not kept").hasValue(1);
            used.release();
            bench.cache.flush();
            assertThat(bench.monitor.subscriptions).hasValue(0);
        }
    }

    @Test
    void adoptedMemoryIsFoundWithoutNamingItsOwner() {
        try (Bench bench = Bench.of("monitor-adopted")) {
            bench.monitor.watches = false;
            assertThat(bench.use(0, PAGE).region().isClosed()).isTrue();
            bench.cache.adopt(bench.base, 16 * PAGE, bench.memory);
            final Entry kept = bench.use(0, PAGE);
            assertThat(bench.use(10, 20)).isSameAs(kept);
            assertThat(bench.use(16 * PAGE - 10, 16 * PAGE + 1).region().isClosed()).as("not all of it is").isTrue();
            bench.cache.invalidate(bench.base, PAGE);
            assertThat(kept.region().isClosed()).isTrue();
            assertThat(bench.use(0, PAGE).region().isClosed()).as("nobody's any more").isTrue();
        }
    }

    @Test
    void pinnedMemoryThatWasClosedIsNotFound() {
        try (Bench bench = Bench.of("monitor-pinned")) {
            bench.monitor.watches = false;
            final var memory = bench.context.allocate(PAGE);
            bench.cache.adopt(memory.address(), PAGE, memory);
            final Entry named = (Entry) bench.cache.acquire(memory.address(), PAGE, memory, RO);
            named.release();
            final Entry unnamed = (Entry) bench.cache.acquire(memory.address(), PAGE, RO);
            unnamed.release();
            assertThat(unnamed).isSameAs(named);
            memory.close();
            assertThat(named.isOwnerGone()).isTrue();
            final Entry late = (Entry) bench.cache.acquire(memory.address(), PAGE, RO);
            assertThat(late).isNotSameAs(named);
            late.release();
            assertThat(named.region().isClosed()).isTrue();
        }
    }

    @Test
    void hooksWatchWhatWasAnnounced() {
        final MemoryHooks hooks = new MemoryHooks();
        hooks.notifyAllocated(0x10000, 0x4000);
        assertThat(hooks.subscribe(0x10000, 0x4000)).isTrue();
        assertThat(hooks.subscribe(0xffff, 2)).isFalse();
        assertThat(hooks.subscribe(0x13fff, 2)).isFalse();
        hooks.notifyFreed(0x11000, 0x1000);
        assertThat(hooks.subscribe(0x10000, 0x1000)).isTrue();
        assertThat(hooks.subscribe(0x10fff, 2)).isFalse();
        assertThat(hooks.subscribe(0x12000, 0x2000)).isTrue();
        hooks.notifyFreed(0xf000, 0x10000);
        assertThat(hooks.subscribe(0x12000, 1)).isFalse();
        assertThatThrownBy(() -> hooks.notifyFreed(5, Long.MAX_VALUE)).isInstanceOf(FabricException.class)
            .hasMessageContaining("0x5");
        assertThatThrownBy(() -> hooks.notifyAllocated(-1, 1)).isInstanceOf(FabricException.class);
    }

    @Test
    void hooksTellCachesBeforeTheyReturn() {
        try (Bench bench = Bench.of("monitor-hooks");
            RegionCache cache = RegistrationCaches.create(bench.pd, new CacheSettings(name -> null, name -> null,
                new CacheAttributes().monitor("memhooks")))) {
            MemoryHooks.process().notifyAllocated(bench.base, PAGE);
            final Entry entry = (Entry) cache.acquire(bench.base, 100, RO);
            entry.release();
            assertThat(cache.acquire(bench.base, 100, RO)).isSameAs(entry);
            MemoryHooks.process().notifyFreed(bench.base, PAGE);
            assertThat(entry.isRetired()).isTrue();
            entry.release();
            assertThat(entry.region().isClosed()).isTrue();
            final Entry late = (Entry) cache.acquire(bench.base, 100, RO);
            assertThat(late).isNotSameAs(entry);
            late.release();
        }
    }

    @Test
    void aFailingDeviceIsFlushedAndAskedAgain() {
        try (Bench bench = Bench.ofCount("monitor-full?max_mr=4", 1000)) {
            for (int i = 0; i < 40; i++) {
                bench.use(20 * i, 20 * i + 10);
            }
            assertThat(bench.cache.statistics().evictions()).isGreaterThan(30);
            final Entry[] used = new Entry[4];
            for (int i = 0; i < used.length; i++) {
                used[i] = bench.acquire(1000 + 20 * i, 1010 + 20 * i, RO);
            }
            assertThatThrownBy(() -> bench.acquire(2000, 2010, RO)).isInstanceOf(FabricException.class)
                .extracting(e -> ((FabricException) e).errno()).isEqualTo(FiErrno.FI_ENOMEM);
            assertThat(bench.monitor.subscriptions).as("what failed is not subscribed").hasValue(4);
            for (final Entry entry : used) {
                entry.release();
            }
            bench.use(2000, 2010);
        }
    }
}
