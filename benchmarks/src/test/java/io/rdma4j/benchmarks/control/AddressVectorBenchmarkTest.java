/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.BitSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is measured as "any" of many is of all of them, and not of so few that a cache has them. */
class AddressVectorBenchmarkTest {
    @ParameterizedTest
    @ValueSource(ints = {1_000, 1_000_000})
    void anyIsNearlyEveryPlace(final int entries) {
        final BitSet places = new BitSet(entries);
        Arrays.stream(AddressVectorBenchmark.order(entries)).forEach(places::set);
        assertThat(places.length()).isLessThanOrEqualTo(entries);
        assertThat(places.cardinality()).isGreaterThan(entries / 2);
    }
}
