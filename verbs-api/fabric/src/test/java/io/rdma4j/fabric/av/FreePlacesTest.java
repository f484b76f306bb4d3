/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.BitSet;
import java.util.SplittableRandom;

/** The lowest free place, beside a model. */
@Timeout(60)
class FreePlacesTest {
    @Test
    void asABitSet() {
        for (int seed = 0; seed < 20; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            final FreePlaces places = new FreePlaces();
            final BitSet model = new BitSet();
            final int bias = random.nextInt(1, 9);
            for (int step = 0; step < 20_000; step++) {
                final int one = model.isEmpty() ? -1 : model.nextSetBit(random.nextInt(model.length()));
                if (one < 0 || random.nextInt(10) < bias) {
                    final int expected = model.nextClearBit(0);
                    assertThat(places.take()).as("seed %d, step %d", seed, step).isEqualTo(expected);
                    model.set(expected);
                } else {
                    places.free(one);
                    model.clear(one);
                }
            }
        }
    }

    @Test
    void theLastOfManyIsFoundWithoutAWalk() {
        final FreePlaces places = new FreePlaces();
        final int many = 3_000_000;
        for (int i = 0; i < many; i++) {
            assertThat(places.take()).isEqualTo(i);
        }
        // A walk over the words in front would be 5e10 steps: more than the deadline allows.
        for (int i = 0; i < 1_000_000; i++) {
            final int place = many - 1 - i % 1000;
            places.free(place);
            assertThat(places.take()).isEqualTo(place);
        }
        assertThat(places.memoryUse()).isLessThan(2 * many / 8 + 100_000);
    }
}
