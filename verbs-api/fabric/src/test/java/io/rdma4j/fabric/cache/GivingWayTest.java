/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.testing.Patience;
import io.rdma4j.RdmaException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which entries give way to what has no room, and how many. */
@Timeout(60)
class GivingWayTest {
    private static final int MANY = 10;

    private static void fill(final RegionCache cache, final Bench bench, final int count) {
        for (int i = 0; i < count; i++) {
            cache.acquire(bench.base + 20 * i, 10, Bench.RO).release();
        }
        assertThat(cache.statistics().entries()).isEqualTo(count);
    }

    private static RdmaException failure(final int errno) {
        return RdmaException.of("register").detail("pretended").errno(errno).build();
    }

    /** A device that refuses so many times. */
    private static int make(final Bench bench, final int refusals, final int errno) {
        final int[] attempts = new int[1];
        return RegionRoom.make(bench.pd, () -> {
            if (attempts[0]++ < refusals) {
                throw failure(errno);
            }
            return attempts[0];
        });
    }

    @Test
    void soManyAsAreAskedForGo() {
        try (Bench bench = Bench.of("way-count")) {
            fill(bench.cache, bench, MANY);
            assertThat(bench.cache.giveWay(3)).isTrue();
            assertThat(bench.cache.statistics().entries()).isEqualTo(MANY - 3);
            assertThat(bench.cache.giveWay(MANY)).isTrue();
            assertThat(bench.cache.statistics().entries()).isZero();
            assertThat(bench.cache.giveWay(1)).isFalse();
        }
    }

    @Test
    void withEachAttemptTwiceAsManyGo() {
        try (Bench bench = Bench.of("way-attempts")) {
            fill(bench.cache, bench, MANY);
            assertThat(make(bench, 3, RdmaException.ENOMEM)).isEqualTo(4);
            assertThat(bench.cache.statistics().entries()).isEqualTo(MANY - 1 - 2 - 4);
            assertThatThrownBy(() -> make(bench, MANY, RdmaException.ENOMEM)).isInstanceOf(RdmaException.class);
            assertThat(bench.cache.statistics().entries()).isZero();
        }
    }

    @Test
    void whatIsNotAboutRoomMovesNobody() {
        try (Bench bench = Bench.of("way-other")) {
            fill(bench.cache, bench, MANY);
            assertThatThrownBy(() -> make(bench, 1, RdmaException.EINVAL)).isInstanceOf(RdmaException.class);
            assertThat(bench.cache.statistics().entries()).isEqualTo(MANY);
        }
    }

    @Test
    void theFullestCacheOfTheDeviceGivesWay() {
        try (Bench bench = Bench.of("way-fullest"); Bench elsewhere = Bench.of("way-elsewhere")) {
            fill(elsewhere.cache, elsewhere, 2 * MANY);
            fill(bench.cache, bench, MANY);
            final List<RegionCache> others = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                others.add(new RegionCache(bench.pd, new CacheSettings(name -> null, name -> null,
                    new CacheAttributes().monitor(new TestMonitor())), new Adoptions(), () -> false));
                fill(others.get(i), bench, 2);
            }
            make(bench, 2, RdmaException.ENOMEM);
            assertThat(bench.cache.statistics().entries()).isEqualTo(MANY - 1 - 2);
            assertThat(others).allSatisfy(cache -> assertThat(cache.statistics().entries()).isEqualTo(2));
            assertThat(elsewhere.cache.statistics().entries()).isEqualTo(2 * MANY);
            others.forEach(RegionCache::close);
        }
    }

    /** Then there may be room. */
    @Test
    void whatAnotherThreadClosesCountsToo() throws InterruptedException {
        try (Bench bench = Bench.of("way-thread")) {
            final Entry entry = bench.use(0, 10);
            final CountDownLatch began = new CountDownLatch(1);
            final CountDownLatch end = new CountDownLatch(1);
            final DeferredDeregistration deferred = new DeferredDeregistration(any -> {
                began.countDown();
                Patience.awaitUninterruptibly(end, "the other one waits");
            });
            final Thread closing = new Thread(() -> deferred.drain(() -> List.of(entry)));
            closing.start();
            Patience.await(began, "it is being closed");
            final AtomicReference<Boolean> some = new AtomicReference<>();
            final Thread waiting = new Thread(() -> some.set(deferred.drain(List::of)));
            waiting.start();
            Await.until("it waits", () -> waiting.getState() == Thread.State.BLOCKED);
            end.countDown();
            Patience.join(waiting);
            Patience.join(closing);
            assertThat(some.get()).isTrue();
            assertThat(deferred.drain(List::of)).isFalse();
        }
    }
}
