/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Who hears of what. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class WatchersTest {
    private static final int MANY = 1_000;

    private final Watchers<Source, String> watchers = new Watchers<>();
    private final Source one = new Source();
    private final Source other = new Source();

    /** Counts how often it is looked at. */
    private static final class Source {
        private long looks;

        @Override
        public int hashCode() {
            looks++;
            return System.identityHashCode(this);
        }

        @Override
        public boolean equals(final Object object) {
            looks++;
            return this == object;
        }
    }

    private List<String> told(final Source source) {
        final List<String> told = new ArrayList<>();
        watchers.tell(source, told::add);
        return told;
    }

    private List<String> allTold() {
        final List<String> told = new ArrayList<>();
        watchers.tellAll(told::add);
        return told;
    }

    @Test
    void eachHearsOfWhatItWatches() {
        watchers.watch(one, "a");
        watchers.watch(one, "b");
        watchers.watch(other, "b");
        assertThat(told(one)).containsExactly("a", "b");
        assertThat(told(other)).containsExactly("b");
        assertThat(told(new Source())).isEmpty();
        assertThat(allTold()).containsExactlyInAnyOrder("a", "b", "b");
    }

    @Test
    void watchingTwiceIsWatchingOnce() {
        watchers.watch(one, "a");
        watchers.watch(one, "a");
        assertThat(told(one)).containsExactly("a");
        watchers.unwatch(one, "a");
        assertThat(told(one)).isEmpty();
        watchers.unwatch(one, "a");
        watchers.watch(one, "a");
        assertThat(told(one)).containsExactly("a");
    }

    @Test
    void whoIsForgottenHearsOfNothing() {
        watchers.watch(one, "a");
        watchers.watch(other, "a");
        watchers.watch(one, "b");
        watchers.forget("a");
        watchers.forget("a");
        watchers.unwatch(one, "a");
        assertThat(told(one)).containsExactly("b");
        assertThat(told(other)).isEmpty();
        watchers.forget("b");
        assertThat(watchers).hasToString("{}");
    }

    @Test
    void whatIsGoneIsHeardOfByNobody() {
        watchers.watch(one, "a");
        watchers.watch(one, "b");
        watchers.watch(other, "b");
        watchers.gone(one);
        watchers.gone(one);
        assertThat(told(one)).isEmpty();
        assertThat(told(other)).containsExactly("b");
        watchers.gone(other);
        watchers.watch(one, "a");
        watchers.unwatch(one, "a");
        assertThat(watchers).hasToString("{}");
    }

    /** An endpoint with a thousand peers closes as many queues: none of them may cost a look at all the others. */
    @Test
    void whoComesAndGoesCostsTheOthersNothing() {
        final List<Source> sources = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            sources.add(new Source());
            watchers.watch(sources.get(i), "queue " + i);
        }
        final long before = sources.stream().mapToLong(source -> source.looks).sum();
        for (int i = 0; i < MANY; i++) {
            watchers.watch(one, "guest " + i);
            watchers.forget("guest " + i);
            watchers.watch(one, "guest " + i);
            watchers.unwatch(one, "guest " + i);
        }
        // Sources whose hashes are alike may meet in the table.
        assertThat(sources.stream().mapToLong(source -> source.looks).sum() - before).isLessThan(10L * MANY);
        assertThat(allTold()).hasSize(MANY);
    }
}
