/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The shortest list of steps that fails. */
class StepsTest {
    private static void failsWith(final int[] steps, final int... needed) {
        if (Arrays.stream(needed).allMatch(need -> Arrays.stream(steps).anyMatch(step -> step == need))) {
            throw new IllegalStateException("all of " + Arrays.toString(needed));
        }
    }

    @Test
    void onlyWhatIsNeededStays() {
        assertThatThrownBy(() -> Steps.run(5, 500, steps -> failsWith(steps, 7, 300, 499)))
            .isInstanceOf(AssertionError.class).hasCauseInstanceOf(IllegalStateException.class)
            .hasMessageContaining("--seed 5 fails with 3 of 500 steps, [7, 300, 499] (")
            .hasMessageContaining("all of [7, 300, 499]");
    }

    @Test
    void aCaseThatFailsWithoutStepsHasNone() {
        assertThatThrownBy(() -> Steps.run(1, 10, steps -> failsWith(steps)))
            .hasMessageContaining("fails with 0 of 10 steps, []");
    }

    @Test
    void whatIsNotNeededOnceOthersAreGoneGoesToo() {
        assertThatThrownBy(() -> Steps.run(1, 2, steps -> {
            final boolean zero = Arrays.stream(steps).anyMatch(step -> step == 0);
            if (!zero || steps.length == 2) {
                throw new IllegalStateException("the second one, or without the first one");
            }
        })).hasMessageContaining("fails with 0 of 2 steps, []");
    }

    @Test
    void itLooksForFewerOnlyAsLongAsItMay() {
        assertThatThrownBy(() -> Steps.run(1, 100, steps -> failsWith(steps, 3), Duration.ZERO))
            .hasMessageContaining("fails with 100 of 100 steps").hasMessageContaining("(1 runs)");
    }

    @Test
    void whatHoldsIsRunOnceAndInOrder() {
        final List<int[]> runs = new ArrayList<>();
        Steps.run(1, 20, runs::add);
        assertThat(runs).hasSize(1);
        assertThat(runs.get(0)).containsExactly(IntStream.range(0, 20).toArray());
    }

    @Test
    void decisionsOfAStepAreItsOwn() {
        final Set<Long> seen = new HashSet<>();
        for (int seed = 0; seed < 50; seed++) {
            for (int step = 0; step < 50; step++) {
                assertThat(seen.add(Steps.random(seed, step).nextLong())).isTrue();
                assertThat(Steps.random(seed, step).nextLong()).isEqualTo(Steps.random(seed, step).nextLong());
            }
        }
    }
}
