/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names have the places that their owner was told. */
class LiveKindTest {
    @Test
    void placesFollowFromTheOrder() {
        final LiveKind.Builder k = LiveKind.of(255, "THING");
        assertThat(k.attribute("a")).isZero();
        assertThat(k.attribute("b")).isEqualTo(1);
        assertThat(k.counter("c")).isZero();
        assertThat(k.counter(3, "d")).isEqualTo(3);
        assertThat(k.counter("e")).isEqualTo(4);
        assertThat(k.counters(6, "f_", 2)).isEqualTo(6);
        final LiveKind kind = k.build();
        k.attribute("late");
        assertThat(kind.code()).isEqualTo(255);
        assertThat(kind).hasToString("THING").extracting(LiveKind::name).isEqualTo("THING");
        assertThat(kind.attributes()).containsExactly("a", "b");
        assertThat(kind.counters()).containsExactly("c", "", "", "d", "e", "", "f_0", "f_1");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 256})
    void codes(final int code) {
        assertThatThrownBy(() -> LiveKind.of(code, "THING")).isInstanceOf(IllegalArgumentException.class)
            .hasMessage("THING has code " + code + ", not 1 to 255");
    }

    @Test
    void thereIsRoomForSoMany() {
        final LiveKind.Builder k = LiveKind.of(1, "THING");
        for (int i = 0; i < LiveKind.MAX_ATTRIBUTES; i++) {
            k.attribute("a" + i);
        }
        k.counters(0, "c", LiveKind.MAX_COUNTERS);
        assertRefused(() -> k.attribute("more"));
        assertRefused(() -> k.counter("more"));
        assertThat(k.build().attributes()).hasSize(32);
        assertThat(k.build().counters()).hasSize(32);
    }

    @Test
    void eachPlaceHasOneNameAndEachNameOnePlace() {
        final LiveKind.Builder k = LiveKind.of(1, "THING");
        k.counter("c");
        k.attribute("c");
        assertRefused(() -> k.counter(0, "d"));
        assertRefused(() -> k.counter("c"));
        assertRefused(() -> k.attribute("c"));
        assertRefused(() -> k.attribute(""));
    }

    private static void assertRefused(final Runnable adding) {
        assertThatThrownBy(adding::run).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("THING has no place");
    }
}
