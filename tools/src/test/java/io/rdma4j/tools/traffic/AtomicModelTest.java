/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.verbs.SendRequest;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

class AtomicModelTest {
    private static final int TURNS = 1000;

    private final SendRequest request = new SendRequest();

    private long turn(final AtomicModel model, final long iteration) {
        model.prepare(request, iteration);
        model.apply(request.compareAdd(), request.swap());
        return model.value();
    }

    @Test
    void eachFourthCompareFailsInOneBitAndTheOthersSwapInWhatWasNeverThere() {
        final AtomicModel.CompareAndSwap model = new AtomicModel.CompareAndSwap();
        final Set<Long> values = new HashSet<>(Set.of(model.value()));
        final Set<Long> wrongBits = new HashSet<>();
        for (int i = 0; i < TURNS; i++) {
            final long before = model.value();
            final boolean isNew = values.add(turn(model, i));
            assertThat(isNew).isEqualTo(i % 4 != 3);
            if (!isNew) {
                assertThat(model.value()).isEqualTo(before);
                wrongBits.add(request.compareAdd() ^ before);
            }
        }
        assertThat(wrongBits).hasSize(Long.SIZE).allMatch(bit -> Long.bitCount(bit) == 1);
    }

    @Test
    void sumsPassOverTheEndOfTheWord() {
        final AtomicModel.FetchAndAdd model = new AtomicModel.FetchAndAdd();
        int carries = 0;
        for (int i = 0; i < TURNS; i++) {
            final long before = model.value();
            carries += Long.compareUnsigned(turn(model, i), before) < 0 ? 1 : 0;
            assertThat(model.value()).isEqualTo(before + request.compareAdd()).isNotEqualTo(before);
        }
        assertThat(carries).isGreaterThan(TURNS / 4);
    }
}
