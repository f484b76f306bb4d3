/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder.request;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

class CampaignTest {
    /** Of the cases that ran, in their order. */
    private static final List<Long> SEEDS = new ArrayList<>();
    private static final List<AutoCloseable> LEAKED = new ArrayList<>();
    /** More than it takes: a few cases run before a campaign looks at what there is, and it forgives some files. */
    private static final int ENOUGH = 64;

    private TestExecutionSummary summary;

    /** What this test lets a campaign run. */
    @Tag("sample")
    static class Sample {
        @Campaign(value = "odd", usual = 2, kept = {7, 9})
        void seedsArePassedOn(final long seed) {
            SEEDS.add(seed);
            assertThat(seed).isNotEqualTo(3);
        }

        @Campaign("leaks")
        void leaves(final long seed) throws Exception {
            SEEDS.add(seed);
            LEAKED.add(Files.newInputStream(Path.of("/proc/self/maps")));
        }
    }

    private String run(final String campaign, final long seed, final long millis) {
        System.setProperty(CampaignSeeds.CAMPAIGNS, campaign.isEmpty() ? "" : "other:7," + campaign + ':' + millis);
        System.setProperty(CampaignSeeds.SEED, Long.toString(seed));
        SEEDS.clear();
        final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        final PrintStream out = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            final SummaryGeneratingListener listener = new SummaryGeneratingListener();
            LauncherFactory.create().execute(request().selectors(selectClass(Sample.class)).build(), listener);
            summary = listener.getSummary();
        } finally {
            System.setOut(out);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }

    @AfterEach
    void clean() throws Exception {
        for (final AutoCloseable each : LEAKED) {
            each.close();
        }
        LEAKED.clear();
        SEEDS.clear();
        List.of(CampaignSeeds.CAMPAIGNS, CampaignSeeds.SEED).forEach(System::clearProperty);
    }

    @Test
    void everyBuildRunsTheKeptSeeds() {
        run("", 0, 0);
        assertThat(SEEDS).containsExactlyInAnyOrder(1L, 2L, 7L, 9L, 1L, 2L, 3L, 4L);
    }

    @Test
    void aSeedCanBeRunAlone() {
        assertThat(run("odd", 5, 0)).contains("CASE odd Sample#seedsArePassedOn --seed 5",
            "CAMPAIGN odd Sample#seedsArePassedOn: 1 cases in 0 s, seeds from 5");
        assertThat(SEEDS).containsExactly(5L);
        assertThat(summary.getTotalFailureCount()).isZero();
    }

    @Test
    void itGoesOnUntilTheTimeIsOverWhateverFails() {
        // A machine that is busy does not come far in a short time.
        Patience.cutOff(time -> run("odd", 2, time.toMillis()), said -> SEEDS.size() >= 3);
        assertThat(SEEDS).startsWith(2L, 3L, 4L);
        assertThat(summary.getTotalFailureCount()).isOne();
    }

    @Test
    void whatIsLeftOpenIsFound() {
        // It takes some cases until it can be told.
        Patience.cutOff(time -> run("leaks", 1, time.toMillis()), said -> SEEDS.size() >= ENOUGH);
        assertThat(summary.getFailures()).singleElement().satisfies(failure ->
            assertThat(failure.getException()).hasMessageContaining("cases there is more than before"));
    }
}
