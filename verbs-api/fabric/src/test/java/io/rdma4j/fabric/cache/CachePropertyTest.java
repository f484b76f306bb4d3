/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.testing.Campaign;
import io.rdma4j.testing.CampaignSeeds;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;

/** The cache does what a plain model says, whatever is acquired, released and changed, in whatever order. */
@Timeout(180)
class CachePropertyTest {
    private static final int RUNS = 100;
    private static final int BYTES = 600;
    private static final long BASE = 1 << 20;
    private static final int PLACES = 40;
    private static final int LONGEST = 12;
    private static final Object[] OWNERS = {null, "one", "two"};

    @FuzzTest(maxDuration = "60s")
    void theCacheDoesWhatAPlainModelSays(final byte[] data) {
        new Run(data).run();
    }

    @Campaign(value = "model", usual = RUNS)
    void theCacheDoesWhatAPlainModelSaysForAnySeed(final long seed) {
        new Run(CampaignSeeds.bytes(seed, BYTES)).run();
    }

    /** One cache, its model, and the bytes that decide what happens. */
    private static final class Run {
        private final byte[] data;
        private final List<CacheModel.Item> used = new ArrayList<>();
        private final List<CacheModel.Item> all = new ArrayList<>();
        private final List<String> history = new ArrayList<>();
        private final TestMonitor monitor = new TestMonitor();
        private final RegionCache cache;
        private final CacheModel model;
        private int at;

        Run(final byte[] data) {
            this.data = data;
            final long count = 1 + below(8);
            final long bytes = 4 + below(60);
            model = new CacheModel(count, bytes);
            cache = RegistrationCaches.create(NoDomain.ofStandIns(), new CacheSettings(name -> null, name -> null,
                new CacheAttributes().maxCount(count).maxSize(bytes).monitor(monitor)));
        }

        private int below(final int bound) {
            return at < data.length ? (data[at++] & 0xff) % bound : 0;
        }

        private Range range() {
            final long start = BASE + below(PLACES);
            return new Range(start, start + 1 + below(LONGEST));
        }

        void run() {
            while (at < data.length) {
                step(below(16));
                compare();
            }
            while (!used.isEmpty()) {
                release(0);
                compare();
            }
            cache.close();
            assertThat(all).allSatisfy(item -> assertThat(item.entry.region().isClosed()).isTrue());
            assertThat(monitor.subscriptions).hasValue(0);
        }

        private void step(final int what) {
            if (what < 8) {
                acquire(range(), OWNERS[below(8) < 6 ? 0 : 1 + below(2)], below(4) == 3 ? 1 : 0);
            } else if (what < 14) {
                release(below(16));
            } else if (what == 14) {
                final Range range = range();
                history.add("change " + range);
                model.change(range);
                cache.invalidate(range.start(), range.length());
            } else if (below(4) == 0) {
                history.add("flush");
                model.flush();
                cache.flush();
            }
        }

        private void acquire(final Range range, final Object owner, final int access) {
            history.add("acquire " + range + " " + owner + " " + access);
            final Entry entry = (Entry) cache.acquire(range.start(), range.length(), owner, access);
            final List<CacheModel.Item> fit = model.candidates(range, owner, access);
            final CacheModel.Item item;
            if (fit.isEmpty()) {
                item = model.miss(range, owner, access);
                assertThat(all.stream().anyMatch(old -> old.entry == entry))
                    .as("found what must not be: %s: %s", entry, history).isFalse();
                item.entry = entry;
                all.add(item);
            } else {
                item = fit.stream().filter(one -> one.entry == entry).findFirst().orElse(null);
                assertThat(item).as("one of %s, not %s: %s", fit, entry, history).isNotNull();
                item.uses++;
            }
            used.add(item);
        }

        private void release(final int which) {
            if (which < used.size()) {
                final CacheModel.Item item = used.remove(which);
                history.add("release " + item);
                model.release(item);
                item.entry.release();
            }
        }

        private void compare() {
            for (final CacheModel.Item item : all) {
                assertThat(item.entry.region().isClosed()).as("closed: %s: %s", item, history)
                    .isEqualTo(!item.kept && item.uses == 0);
                assertThat(item.entry.uses()).as("uses: %s", history).isEqualTo(item.uses);
            }
            assertThat(cache.entries().all()).as("%s", history)
                .containsExactlyInAnyOrderElementsOf(model.items.stream().map(item -> item.entry).toList());
            assertThat(cache.statistics().bytes()).isEqualTo(model.bytes());
            assertThat(cache.statistics().entries()).isEqualTo(model.items.size());
            all.removeIf(item -> !item.kept && item.uses == 0);
        }
    }
}
