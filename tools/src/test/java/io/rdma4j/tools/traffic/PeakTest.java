/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PeakTest {
    private static final double AVERAGE = 0.001;

    @Test
    void theFastestStretchCounts() {
        final Peak peak = new Peak(10);
        peak.begin(1_000);
        peak.mark(10, 2_000);
        peak.mark(20, 2_100);
        peak.mark(30, 4_000);
        assertThat(peak.best(AVERAGE)).isEqualTo(10 / 100.0);
    }

    @Test
    void aStretchHasAsManyMessagesAsMayBeUnderWay() {
        final Peak peak = new Peak(10);
        peak.begin(0);
        peak.mark(1, 1_000);
        peak.mark(9, 1_001);
        assertThat(peak.best(AVERAGE)).isEqualTo(AVERAGE);
        peak.mark(11, 2_000);
        assertThat(peak.best(AVERAGE)).isEqualTo(10 / 1_000.0);
    }

    @Test
    void aSecondRunForgetsTheFirst() {
        final Peak peak = new Peak(1);
        peak.begin(0);
        peak.mark(1, 1);
        peak.begin(1_000);
        peak.mark(1, 2_000);
        assertThat(peak.best(0)).isEqualTo(AVERAGE);
    }

    /** The ring of stamps is a little longer than the window, and each message may have a stamp of its own. */
    @Test
    void marksOfSingleMessagesFit() {
        for (final int window : new int[] {1, 2, 3, 127, 128, 129}) {
            final Peak peak = new Peak(window);
            peak.begin(0);
            for (int i = 1; i <= 10_000; i++) {
                peak.mark(i, i * 10L);
            }
            assertThat(peak.best(0)).as("window " + window).isEqualTo(0.1);
        }
    }

    @Test
    void aClockThatStandsStillIsNoRate() {
        final Peak peak = new Peak(1);
        peak.begin(5);
        peak.mark(1, 5);
        assertThat(peak.best(AVERAGE)).isEqualTo(AVERAGE);
    }
}
