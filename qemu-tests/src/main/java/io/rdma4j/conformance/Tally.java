/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The results of a run in a few lines: how many passed, and how many were skipped for which reason. */
final class Tally {
    private Tally() {
    }

    /**
     * Counts.
     *
     * @param device  what the cases were run on.
     * @param results of the run.
     * @return lines, the first with the counts, each further one with a reason.
     */
    static String of(final String device, final List<ConformanceResult> results) {
        final Map<String, Integer> reasons = new LinkedHashMap<>();
        int passed = 0;
        int failed = 0;
        for (final ConformanceResult result : results) {
            switch (result.outcome()) {
                case PASS -> passed++;
                case FAIL -> failed++;
                default -> reasons.merge(result.message(), 1, Integer::sum);
            }
        }
        final StringBuilder text = new StringBuilder(String.format(
            "conformance on %s: %d passed, %d failed, %d skipped",
            device, passed, failed, results.size() - passed - failed));
        reasons.entrySet().stream().sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
            .forEach(reason -> text.append(String.format("%n    %3d skipped: %s", reason.getValue(), reason.getKey())));
        return text.toString();
    }
}
