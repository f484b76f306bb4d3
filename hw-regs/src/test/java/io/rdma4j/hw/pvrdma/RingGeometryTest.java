/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RingGeometryTest {

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1", "2, 2", "3, 4", "4, 4", "5, 8", "4095, 4096", "4096, 4096", "4097, 8192",
        "1073741823, 1073741824", "1073741824, 1073741824"})
    void roundsUpToAPowerOfTwo(int value, int power) {
        assertThat(RingGeometry.powerOfTwo(value)).isEqualTo(power);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, (1 << 30) + 1, Integer.MAX_VALUE})
    void refusesWhatHasNoPowerOfTwoAbove(int value) {
        assertThatThrownBy(() -> RingGeometry.powerOfTwo(value)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(String.valueOf(value));
    }

    @ParameterizedTest
    @CsvSource({"0, 128", "1, 128", "3, 128", "4, 256", "11, 256", "12, 512", "27, 512", "28, 1024", "251, 4096"})
    void sendStrideIsThePowerOfTwoAboveHeaderAndEntries(int maxSge, int stride) {
        assertThat(SqWqe.stride(maxSge)).isEqualTo(stride);
    }

    @ParameterizedTest
    @CsvSource({"0, 16", "1, 32", "2, 64", "3, 64", "4, 128", "7, 128", "8, 256", "15, 256", "16, 512", "255, 4096"})
    void receiveStrideIsThePowerOfTwoAboveHeaderAndEntries(int maxSge, int stride) {
        assertThat(RqWqe.stride(maxSge)).isEqualTo(stride);
    }

    @Test
    void refusesStridesLongerThanAPage() {
        assertThatThrownBy(() -> SqWqe.stride(252)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("252").hasMessageContaining("0..251");
        assertThatThrownBy(() -> RqWqe.stride(256)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("256").hasMessageContaining("0..255");
        assertThatThrownBy(() -> SqWqe.stride(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RqWqe.stride(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SqWqe.stride(Integer.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void entriesFollowTheHeader() {
        assertThat(SqWqe.sgeOffset(1000, 0)).isEqualTo(1080);
        assertThat(SqWqe.sgeOffset(1000, 2)).isEqualTo(1112);
        assertThat(RqWqe.sgeOffset(1000, 0)).isEqualTo(1016);
        assertThat(RqWqe.sgeOffset(1000, 2)).isEqualTo(1048);
    }

    @ParameterizedTest
    @CsvSource({"1, 2", "64, 2", "65, 3", "128, 3", "4096, 65", "8192, 129"})
    void completionQueueTakesAStatePageMore(int cqe, int pages) {
        assertThat(RingGeometry.cqPages(cqe)).isEqualTo(pages);
    }

    @Test
    void queuePairIsStatePageThenSendThenReceive() {
        assertThat(RingGeometry.ELEMENTS_OFFSET).isEqualTo(4096);
        assertThat(RingGeometry.sqPages(64, 3)).as("64 x 128 bytes").isEqualTo(2);
        assertThat(RingGeometry.rqPages(64, 2)).as("64 x 64 bytes").isEqualTo(1);
        assertThat(RingGeometry.qpPages(2, 1)).isEqualTo(4);
        assertThat(RingGeometry.rqPages(0, 0)).as("receives from an SRQ").isZero();
        assertThat(RingGeometry.srqPages(4096, 3)).as("4096 x 64 bytes").isEqualTo(65);
    }

    @Test
    void refusesRingsThatADirectoryCannotReach() {
        assertThat(RingGeometry.pagesFor(1 << 24, 64)).isEqualTo(262_144);
        assertThat(RingGeometry.pagesFor(0, 64)).isZero();
        assertThat(RingGeometry.pagesFor(1, 1)).isEqualTo(1);
        assertThatThrownBy(() -> RingGeometry.pagesFor((1 << 24) + 1, 64))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("16777217");
        assertThatThrownBy(() -> RingGeometry.pagesFor(-1, 64)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RingGeometry.pagesFor(1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RingGeometry.pagesFor(Integer.MAX_VALUE, Integer.MAX_VALUE))
            .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void eventRingsOfLinuxAreNoPowersOfTwo() {
        assertThat(RingGeometry.eventRingElements(RingGeometry.LINUX_EVENT_RING_PAGES, Eqe.LENGTH)).isEqualTo(1536);
        assertThat(RingGeometry.eventRingElements(RingGeometry.LINUX_EVENT_RING_PAGES, Cqne.LENGTH)).isEqualTo(3072);
        assertThat(RingGeometry.eventRingElements(5, Eqe.LENGTH)).isEqualTo(2048);
        assertThat(RingGeometry.eventRingElements(5, Cqne.LENGTH)).isEqualTo(4096);
    }

    @Test
    void countsElementsOfAPage() {
        assertThat(RingGeometry.elementsPerPage(Cqe.LENGTH)).isEqualTo(64);
        assertThat(RingGeometry.elementsPerPage(4096)).isEqualTo(1);
        assertThat(RingGeometry.elementsPerPage(1)).isEqualTo(4096);
        assertThatThrownBy(() -> RingGeometry.elementsPerPage(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RingGeometry.elementsPerPage(4097)).isInstanceOf(IllegalArgumentException.class);
    }
}
