/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.memory.MappingGuard;
import io.rdma4j.driver.memory.MappingWatch;
import io.rdma4j.fabric.MemoryMonitor;
import io.rdma4j.fabric.testing.Await;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which of several guards of one range goes, when one of their subscriptions ends. */
@Timeout(60)
class GuardOrderTest {
    private static final int LENGTH = 4 * Bench.PAGE;

    /** A thread that was held up between watching and keeping its guard comes after one that watched later. */
    @Test
    void theGuardThatSawAChangeGoesAndTheOtherStays() {
        assumeTrue(UserfaultMonitor.isAvailable(), "no userfaultfd here");
        final MemoryMonitor.Listener nobody = (address, length) -> { };
        final UserfaultMonitor monitor = new UserfaultMonitor(true);
        monitor.start(nobody);
        try (Mapping mapping = new Mapping(LENGTH); MappingWatch watch = MappingWatch.open()) {
            mapping.map();
            final Range range = new Range(mapping.address, mapping.address + LENGTH);
            final MappingGuard dead = watch.watch(mapping.address, LENGTH, (guard, from, to) -> { });
            mapping.renew(0);
            Await.until(watch::toString, () -> watch.quiet() && !dead.intact());
            final MappingGuard live = watch.watch(mapping.address, LENGTH, (guard, from, to) -> { });
            assertThat(live.intact()).as("%s", live.whyNot()).isTrue();
            monitor.keep(range, live);
            monitor.keep(range, dead);
            monitor.unsubscribe(mapping.address, LENGTH);
            assertThat(live.intact()).as("the one that still watches").isTrue();
            monitor.unsubscribe(mapping.address, LENGTH);
            assertThat(live.intact()).isFalse();
        } finally {
            monitor.stop(nobody);
        }
    }

    /** It guards nothing any more: what is kept of the rest of its range must go, too. */
    @Test
    void aChangeOfAPartIsToldOfAllThatWasGuarded() {
        assumeTrue(UserfaultMonitor.isAvailable(), "no userfaultfd here");
        final List<Range> told = new CopyOnWriteArrayList<>();
        final MemoryMonitor.Listener listener = (address, length) -> told.add(new Range(address, address + length));
        final UserfaultMonitor monitor = new UserfaultMonitor(true);
        monitor.start(listener);
        try (Mapping mapping = new Mapping(LENGTH)) {
            mapping.map();
            assertThat(monitor.subscribe(mapping.address, LENGTH)).isTrue();
            Libc.munmap(mapping.address + Bench.PAGE, Bench.PAGE);
            Await.until("it is told", () -> !told.isEmpty() && monitor.quiet());
            assertThat(told).contains(new Range(mapping.address, mapping.address + LENGTH));
            monitor.unsubscribe(mapping.address, LENGTH);
        } finally {
            monitor.stop(listener);
        }
    }
}
