/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RangeCountsTest {
    private static final int PAGES = 64;

    private final RangeCounts counts = new RangeCounts();

    @Test
    void keepsOneStepWhereTheCountChangesAndNotOneAPage() {
        counts.add(0, 1 << 30, 1);
        assertThat(counts.size()).isEqualTo(2);
        counts.add(4096, 8192, 1);
        assertThat(counts.size()).isEqualTo(4);
        counts.add(0, 4096, 1);
        assertThat(counts.size()).as("equal neighbours are one").isEqualTo(3);
        counts.add(0, 8192, -1);
        counts.add(0, 1 << 30, -1);
        assertThat(counts.size()).isZero();
        assertThat(counts.countedBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 20261121})
    void agreesWithACountForEachPage(final long seed) {
        final Random random = new Random(seed);
        final int[] model = new int[PAGES];
        final List<int[]> ranges = new ArrayList<>();
        for (int step = 0; step < 3000; step++) {
            final boolean remove = !ranges.isEmpty() && random.nextInt(100) < 49;
            final int from = random.nextInt(PAGES);
            final int[] range = remove ? ranges.remove(random.nextInt(ranges.size()))
                : new int[] {from, from + 1 + random.nextInt(PAGES - from)};
            if (!remove) {
                ranges.add(range);
            }
            counts.add(range[0], range[1], remove ? -1 : 1);
            for (int page = range[0]; page < range[1]; page++) {
                model[page] += remove ? -1 : 1;
            }
            assertAgrees(model, random, "step " + step + " of seed " + seed);
        }
        ranges.forEach(range -> counts.add(range[0], range[1], -1));
        assertThat(counts.size()).isZero();
    }

    private void assertAgrees(final int[] model, final Random random, final String when) {
        int counted = 0;
        for (int page = 0; page < PAGES; page++) {
            assertThat(counts.countAt(page)).as("page %d, %s", page, when).isEqualTo(model[page]);
            counted += model[page] > 0 ? 1 : 0;
        }
        assertThat(counts.countedBytes()).as(when).isEqualTo(counted);
        final int start = random.nextInt(PAGES);
        final int end = start + 1 + random.nextInt(PAGES - start);
        final int wanted = random.nextInt(3);
        final List<RangeCounts.Run> runs = new ArrayList<>();
        int least = Integer.MAX_VALUE;
        for (int page = start; page < end; page++) {
            least = Math.min(least, model[page]);
            if (model[page] == wanted) {
                final int last = runs.size() - 1;
                if (last >= 0 && runs.get(last).end() == page) {
                    runs.set(last, new RangeCounts.Run(runs.get(last).start(), page + 1));
                } else {
                    runs.add(new RangeCounts.Run(page, page + 1));
                }
            }
        }
        assertThat(counts.runsOf(wanted, start, end)).as(when).isEqualTo(runs);
        assertThat(counts.minimum(start, end)).as(when).isEqualTo(least);
    }
}
