/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which mapping is found for a range, and which part of its memory a region maps. */
class MappedTest {
    private final Mapped.Index index = new Mapped.Index();

    private static Mapped mapped(final long start, final long end) {
        return new Mapped(new Extent(start, end, null), start, offset -> start + offset, true);
    }

    private Mapped added(final long start, final long end) {
        final Mapped mapping = mapped(start, end);
        index.add(mapping);
        return mapping;
    }

    @Test
    void whatLiesInANewOneIsNotFoundAnyMoreAndWhatReachesBeyondItIs() {
        final Mapped before = added(0x1000, 0x3000);
        final Mapped inside = added(0x4000, 0x5000);
        final Mapped beyond = added(0x6000, 0x9000);
        assertThat(index.find(0x4000, 0x5000)).isSameAs(inside);

        final Mapped large = added(0x2000, 0x8000);

        assertThat(index.find(0x4000, 0x5000)).isSameAs(large);
        assertThat(index.find(0x1000, 0x2000)).isSameAs(before);
        assertThat(index.find(0x6000, 0x9000)).isSameAs(beyond);
        assertThat(index.find(0x2000, 0x8000)).isSameAs(large);
        assertThat(index.find(0x1000, 0x4000)).as("nobody has all of it").isNull();
        index.remove(large);
        assertThat(index.find(0x4000, 0x5000)).as("not back").isNull();
    }

    @Test
    void whatIsThereAlreadyIsNotReplacedAndOnlyItselfIsRemoved() {
        final Mapped first = added(0x1000, 0x5000);
        final Mapped second = added(0x1000, 0x2000);
        assertThat(index.find(0x1000, 0x2000)).isSameAs(first);
        index.remove(second);
        assertThat(index.find(0x1000, 0x5000)).isSameAs(first);
        index.remove(first);
        assertThat(index.find(0x1000, 0x1001)).isNull();
    }

    @Test
    void aRegionMapsTheWindowsThatItTouchesUnlessItIsLarger() {
        final Object owner = new Object();
        final Extent memory = new Extent(Extent.WINDOW + 0x1000, 5 * Extent.WINDOW, owner);

        assertThat(memory.windowOf(new Extent(2 * Extent.WINDOW, 2 * Extent.WINDOW + 0x1000, owner)))
            .isEqualTo(new Extent(2 * Extent.WINDOW, 3 * Extent.WINDOW, owner));
        assertThat(memory.windowOf(new Extent(2 * Extent.WINDOW + 0x1000, 3 * Extent.WINDOW + 0x1000, owner)))
            .as("as long as a window").isEqualTo(new Extent(2 * Extent.WINDOW, 4 * Extent.WINDOW, owner));
        assertThat(memory.windowOf(new Extent(2 * Extent.WINDOW + 0x1000, 3 * Extent.WINDOW + 0x2000, owner)))
            .as("longer").isEqualTo(new Extent(2 * Extent.WINDOW + 0x1000, 3 * Extent.WINDOW + 0x2000, owner));
        assertThat(memory.windowOf(new Extent(Extent.WINDOW + 0x1000, Extent.WINDOW + 0x2000, owner)))
            .as("no further than the memory").isEqualTo(new Extent(Extent.WINDOW + 0x1000, 2 * Extent.WINDOW, owner));
    }
}
