/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static io.rdma4j.fabric.cache.Bench.PAGE;
import static io.rdma4j.fabric.cache.Bench.RO;
import static io.rdma4j.fabric.cache.Bench.RW;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.verbs.PinnedMemory;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each sentence of checklist 59, and what rights and owners add to it. */
@Timeout(60)
class RulesTest {
    @Test
    void theSameRangeIsFoundAgain() {
        try (Bench bench = Bench.of("rules-same")) {
            final Entry first = bench.use(100, 200);
            final Entry second = bench.acquire(100, 200, RO);
            assertThat(second).isSameAs(first);
            assertThat(second.lkey()).isEqualTo(first.region().lkey());
            assertThat(second.deviceAddress(bench.base + 150)).isEqualTo(first.region().iova() + 50);
            second.release();
            assertThat(bench.cache.statistics().asMap()).containsEntry("hits", 1L).containsEntry("misses", 1L)
                .containsEntry("entries", 1L).containsEntry("bytes", 100L).containsEntry("inUse", 0L);
        }
    }

    @Test
    void aHitNeedsContainmentAndNotEquality() {
        try (Bench bench = Bench.of("rules-contained")) {
            final Entry all = bench.use(0, 3 * PAGE);
            assertThat(bench.use(0, 1)).isSameAs(all);
            assertThat(bench.use(3 * PAGE - 1, 3 * PAGE)).isSameAs(all);
            assertThat(bench.use(5000, 6000)).isSameAs(all);
            assertThat(bench.use(3 * PAGE - 1, 3 * PAGE + 1)).isNotSameAs(all);
        }
    }

    @Test
    void aHitNeedsTheRights() {
        try (Bench bench = Bench.of("rules-rights")) {
            final Entry readOnly = bench.acquire(0, PAGE, RO);
            final Entry writable = bench.acquire(0, PAGE, RW);
            assertThat(writable).isNotSameAs(readOnly);
            assertThat(writable.region().access()).hasSize(1);
            assertThat(readOnly.region().access()).isEmpty();
            readOnly.release();
            writable.release();
            assertThat(bench.use(0, PAGE)).as("more rights than needed").isSameAs(writable);
            assertThat(readOnly.region().isClosed()).isTrue();
        }
    }

    @Test
    void whatReplacesAnEntryTakesOverItsRights() {
        try (Bench bench = Bench.of("rules-takeover")) {
            bench.acquire(0, 100, RW).release();
            final Entry larger = bench.use(0, 200);
            final Entry again = bench.acquire(50, 150, RW);
            assertThat(again).isSameAs(larger);
            again.release();
        }
    }

    @Test
    void whatLiesInAnEntryWithoutTheRightsIsRegisteredWithAllOfIt() {
        try (Bench bench = Bench.of("rules-wider")) {
            bench.use(0, 200);
            final Entry inside = bench.acquire(50, 60, RW);
            inside.release();
            assertThat(bench.use(0, 200)).isSameAs(inside);
            assertThat(bench.cache.statistics().asMap()).containsEntry("entries", 1L).containsEntry("misses", 2L);
        }
    }

    @Test
    void staggeredEntriesWithOtherRightsOrOwnersHideNothing() {
        try (Bench bench = Bench.of("rules-hidden")) {
            final Entry writable = bench.acquire(0, 100, RW);
            final Entry readOnly = bench.acquire(50, 150, RO);
            assertThat(bench.acquire(60, 70, RW)).isSameAs(writable);
            assertThat(bench.acquire(60, 70, RO)).isSameAs(readOnly);
            final Entry owned = bench.acquire(100, 200, bench.memory, RO);
            assertThat(bench.acquire(110, 120, RO)).as("behind one with an owner").isSameAs(readOnly);
            assertThat(bench.acquire(110, 120, bench.memory, RO)).isSameAs(owned);
            for (final Entry entry : new Entry[] {writable, writable, readOnly, readOnly, readOnly, owned, owned}) {
                entry.release();
            }
        }
    }

    @Test
    void anEntryThatIsIdleLongestGoesFirst() {
        try (Bench bench = Bench.ofCount("rules-lru", 3)) {
            final Entry a = bench.use(0, 10);
            final Entry b = bench.use(20, 30);
            final Entry c = bench.use(40, 50);
            assertThat(bench.use(0, 10)).isSameAs(a);
            bench.use(60, 70);
            assertThat(b.region().isClosed()).as("idle longest, as a was used again").isTrue();
            bench.use(80, 90);
            assertThat(c.region().isClosed()).isTrue();
            assertThat(a.region().isClosed()).isFalse();
            assertThat(bench.cache.statistics().evictions()).isEqualTo(2);
        }
    }

    @Test
    void aReleasePutsAnEntryAtTheEndOfTheLine() {
        try (Bench bench = Bench.ofCount("rules-tail", 2)) {
            final Entry a = bench.acquire(0, 10, RO);
            final Entry b = bench.use(20, 30);
            a.release();
            bench.use(40, 50);
            assertThat(b.region().isClosed()).as("became idle before a, though it came after").isTrue();
            assertThat(a.region().isClosed()).isFalse();
        }
    }

    @Test
    void whatIsInUseIsNotEvicted() {
        try (Bench bench = Bench.ofCount("rules-used", 2)) {
            final Entry used = bench.acquire(0, 10, RO);
            for (int i = 1; i < 20; i++) {
                bench.use(20 * i, 20 * i + 10);
                assertThat(used.region().isClosed()).isFalse();
            }
            used.release();
            assertThat(bench.use(0, 10)).isSameAs(used);
            bench.use(500, 510);
            bench.use(520, 530);
            assertThat(used.region().isClosed()).as("after it was parked and came back").isTrue();
        }
    }

    @Test
    void fullWithAllInUseRegistersWithoutKeeping() {
        try (Bench bench = Bench.ofCount("rules-full", 2)) {
            final Entry a = bench.acquire(0, 10, RO);
            final Entry b = bench.acquire(20, 30, RO);
            final Entry c = bench.acquire(40, 50, RO);
            assertThat(c.region().isClosed()).isFalse();
            assertThat(bench.cache.statistics().asMap()).containsEntry("uncached", 1L).containsEntry("entries", 2L);
            c.release();
            assertThat(c.region().isClosed()).isTrue();
            assertThat(bench.acquire(0, 10, RO)).isSameAs(a);
            a.release();
            a.release();
            b.release();
            final Entry d = bench.use(40, 50);
            assertThat(d.region().isClosed()).isFalse();
            assertThat(bench.cache.statistics().evictions()).isEqualTo(1);
        }
    }

    @Test
    void theSizeIsLimitedAndAsManyGoAsNeeded() {
        try (Bench bench = new Bench("rules-size", new CacheAttributes().maxSize(100))) {
            final Entry a = bench.use(0, 40);
            final Entry b = bench.use(50, 90);
            final Entry c = bench.use(100, 170);
            assertThat(a.region().isClosed()).isTrue();
            assertThat(b.region().isClosed()).isTrue();
            assertThat(bench.cache.statistics().bytes()).isEqualTo(70);
            bench.use(200, 300 + 1);
            assertThat(c.region().isClosed()).as("one that never fits moves nobody").isFalse();
            assertThat(bench.cache.statistics().uncached()).isEqualTo(1);
            bench.use(200, 300);
            assertThat(bench.cache.statistics().bytes()).isEqualTo(100);
        }
    }

    @Test
    void nestedEntriesAndThoseSharingAnEndGoAndStaggeredOnesStay() {
        try (Bench bench = Bench.of("rules-nested")) {
            final Entry left = bench.use(50, 120);
            final Entry nested = bench.use(130, 140);
            final Entry right = bench.use(180, 260);
            final Entry all = bench.use(100, 200);
            assertThat(nested.region().isClosed()).isTrue();
            assertThat(bench.use(60, 110)).isSameAs(left);
            assertThat(bench.use(200, 250)).isSameAs(right);
            assertThat(bench.use(110, 190)).isSameAs(all);
            final Entry sharesStart = bench.use(50, 130);
            assertThat(left.region().isClosed()).isTrue();
            final Entry sharesEnd = bench.use(170, 260);
            assertThat(right.region().isClosed()).isTrue();
            assertThat(bench.cache.statistics().asMap()).containsEntry("entries", 3L).containsEntry("replacements", 3L);
            assertThat(bench.use(55, 125)).isSameAs(sharesStart);
            assertThat(bench.use(175, 255)).isSameAs(sharesEnd);
        }
    }

    @Test
    void aReplacedEntryThatIsInUseIsClosedAtItsLastRelease() {
        try (Bench bench = Bench.of("rules-replaced")) {
            final Entry nested = bench.acquire(10, 20, RO);
            assertThat(bench.acquire(10, 20, RO)).isSameAs(nested);
            bench.use(0, 100);
            nested.release();
            assertThat(nested.region().isClosed()).isFalse();
            nested.release();
            assertThat(nested.region().isClosed()).isTrue();
        }
    }

    @Test
    void aChangeDropsEveryOverlappingEntry() {
        try (Bench bench = Bench.of("rules-change")) {
            final Entry before = bench.use(0, 100);
            final Entry left = bench.use(100, 300);
            final Entry middle = bench.acquire(200, 400, RO);
            final Entry right = bench.use(350, 500);
            bench.change(250, 399);
            Bench.awaitClosed(left);
            Bench.awaitClosed(right);
            assertThat(middle.region().isClosed()).as("in use").isFalse();
            final Entry other = bench.acquire(200, 400, RO);
            assertThat(other).as("what is dropped is not found").isNotSameAs(middle);
            middle.release();
            assertThat(middle.region().isClosed()).isTrue();
            other.release();
            assertThat(bench.use(0, 100)).isSameAs(before);
            assertThat(bench.cache.statistics().asMap()).containsEntry("notifications", 1L)
                .containsEntry("invalidations", 3L);
        }
    }

    @Test
    void anotherOwnerIsNoHit() {
        try (Bench bench = Bench.of("rules-owner")) {
            final Object one = new Object();
            final Object two = new Object();
            final Entry ofOne = bench.acquire(0, 100, one, RO);
            ofOne.release();
            final Entry ofTwo = bench.acquire(0, 100, two, RO);
            ofTwo.release();
            final Entry ofNobody = bench.acquire(0, 100, RO);
            ofNobody.release();
            assertThat(ofTwo).isNotSameAs(ofOne);
            assertThat(ofNobody).isNotSameAs(ofTwo);
            final Entry againOfTwo = bench.acquire(0, 100, two, RO);
            assertThat(againOfTwo).isNotSameAs(ofNobody);
            againOfTwo.release();
            assertThat(bench.cache.statistics().entries()).isEqualTo(1);
        }
    }

    @Test
    void viewsOfABufferHaveOneOwner() {
        try (Bench bench = Bench.of("rules-views")) {
            final ByteBuffer slice = bench.memory.duplicate().slice();
            final ByteBuffer of = slice.duplicate().position(10).slice();
            assertThat(BufferUtil.address(of)).isEqualTo(BufferUtil.address(slice) + 10);
            final Entry one = bench.acquire(0, 100, slice, RO);
            final Entry two = bench.acquire(10, 90, of, RO);
            assertThat(two).isSameAs(one);
            assertThat(bench.acquire(10, 90, bench.memory, RO)).isSameAs(one);
            one.release();
            one.release();
            one.release();
        }
    }

    /** Without a wire it is of the JVM: a buffer over it has another one at its root. */
    @Test
    void adoptedPinnedMemoryIsItsOwnWhoeverIsNamed() {
        try (Bench bench = Bench.of("rules-pinned?wire=none"); PinnedMemory pinned = bench.context.allocate(PAGE)) {
            final long address = pinned.address();
            bench.cache.acquire(address, 64, pinned.buffer(), RO).release();
            bench.cache.adopt(address, PAGE, pinned);
            for (int i = 0; i < 10; i++) {
                bench.cache.acquire(address, 64, RO).release();
                bench.cache.acquire(address, 64, pinned.buffer(), RO).release();
                bench.cache.acquire(address, 64, pinned, RO).release();
            }
            assertThat(bench.cache.statistics().misses()).as("one of before").isEqualTo(2);
        }
    }

    /** Whoever has the addresses of closed pinned memory now need not say so. */
    @Test
    void closedPinnedMemoryIsNotTakenForAnOwnerThatIsNamed() {
        try (Bench bench = Bench.of("rules-pinned-closed")) {
            final PinnedMemory pinned = bench.context.allocate(PAGE);
            bench.cache.adopt(bench.base, PAGE, pinned);
            final Entry ofPinned = bench.use(0, 64);
            pinned.close();
            final Entry ofBuffer = bench.acquire(0, 64, bench.memory, RO);
            ofBuffer.release();
            assertThat(ofBuffer).isNotSameAs(ofPinned);
            assertThat(ofBuffer.isOf(bench.memory)).isTrue();
            assertThat(bench.acquire(0, 64, bench.memory, RO)).isSameAs(ofBuffer);
            ofBuffer.release();
        }
    }

    @Test
    void countZeroAndTheDisabledMonitorKeepNothing() {
        try (Bench bench = Bench.ofCount("rules-zero", 0)) {
            assertNothingIsKept(bench, bench.cache);
            try (RegionCache disabled = RegistrationCaches.create(bench.pd,
                new CacheSettings(name -> null, name -> null, new CacheAttributes().monitor("disabled")))) {
                assertNothingIsKept(bench, disabled);
            }
        }
    }

    private static void assertNothingIsKept(final Bench bench, final RegionCache cache) {
        assertThat(cache.isEnabled()).isFalse();
        final Entry first = (Entry) cache.acquire(bench.base, 100, bench.memory, RW);
        final Entry second = (Entry) cache.acquire(bench.base, 100, bench.memory, RW);
        assertThat(second).isNotSameAs(first);
        first.release();
        assertThat(first.region().isClosed()).isTrue();
        second.release();
        assertThat(cache.statistics().asMap()).containsEntry("hits", 0L).containsEntry("misses", 2L)
            .containsEntry("uncached", 2L).containsEntry("entries", 0L);
    }

    @Test
    void memoryWithoutOwnerThatIsNotWatchedIsRegisteredAnewEachTime() {
        try (Bench bench = Bench.of("rules-unwatched")) {
            bench.monitor.watches = false;
            final Entry first = bench.acquire(0, 100, RO);
            final Entry second = bench.acquire(0, 100, RO);
            assertThat(second).isNotSameAs(first);
            first.release();
            second.release();
            assertThat(first.region().isClosed()).isTrue();
            assertThat(bench.cache.statistics().entries()).isZero();
        }
    }

    @Test
    void closingTheCacheClosesWhatIsIdleAndTheRestAtItsLastRelease() {
        try (Bench bench = Bench.of("rules-close")) {
            final Entry idle = bench.use(0, 10);
            final Entry used = bench.acquire(20, 30, RO);
            bench.cache.close();
            assertThat(idle.region().isClosed()).isTrue();
            assertThat(used.region().isClosed()).isFalse();
            used.release();
            assertThat(used.region().isClosed()).isTrue();
        }
    }
}
