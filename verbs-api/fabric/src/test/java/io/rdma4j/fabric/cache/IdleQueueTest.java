/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which entry is idle longest, beside a sorted map; and which ones are not. */
@Timeout(60)
class IdleQueueTest {
    private static final int SEEDS = 200;
    private static final int STEPS = 200;

    private final IdleQueue queue = new IdleQueue();
    private long now;

    /** What entries tell of themselves. */
    private final class Owner implements Entry.EntryOwner {
        @Override
        public long tick() {
            return now;
        }

        @Override
        public void hits(final long more) {
            // Nobody counts.
        }

        @Override
        public void returned(final Entry entry) {
            queue.returned(entry);
        }

        @Override
        public void close(final Entry entry) {
            entry.region().close();
        }

        @Override
        public void ownerGone(final Entry entry) {
            throw new AssertionError("it has no owner");
        }
    }

    private Entry used() {
        final Claim claim = new Claim(new Range(1, 2), null, 0, false);
        return new Entry(new Owner(), NoDomain.ofStandIns().register(1, 1), claim, 0, true);
    }

    private Entry idleSince(final long since) {
        final Entry entry = used();
        now = since;
        entry.release();
        return entry;
    }

    @Test
    void theOneThatIsIdleLongestGoesFirst() {
        for (int seed = 0; seed < SEEDS; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            final TreeMap<Long, Entry> model = new TreeMap<>();
            for (int step = 0; step < STEPS; step++) {
                final int what = random.nextInt(8);
                if (what < 5) {
                    final long since = random.nextLong(1, Long.MAX_VALUE);
                    model.put(since, idleSince(since));
                    queue.add(model.get(since));
                } else if (what < 7 && !model.isEmpty()) {
                    final List<Long> all = new ArrayList<>(model.keySet());
                    queue.remove(model.remove(all.get(random.nextInt(all.size()))));
                } else {
                    assertOldest(model, seed);
                }
            }
            while (!model.isEmpty()) {
                assertOldest(model, seed);
            }
            assertThat(queue.evictOldest()).isNull();
        }
    }

    private void assertOldest(final TreeMap<Long, Entry> model, final int seed) {
        final Entry expected = model.isEmpty() ? null : model.pollFirstEntry().getValue();
        assertThat(queue.evictOldest()).as("seed %d", seed).isSameAs(expected);
    }

    @Test
    void whatIsRetiredOnItsWayBackDoesNotComeBack() {
        final Entry entry = used();
        queue.add(entry);
        assertThat(queue.evictOldest()).as("it is in use, and parked").isNull();
        entry.release();
        assertThat(entry.retire()).isTrue();
        queue.remove(entry);
        assertThat(queue.evictOldest()).isNull();
        final Entry other = idleSince(5);
        queue.add(other);
        assertThat(queue.evictOldest()).isSameAs(other);
    }
}
