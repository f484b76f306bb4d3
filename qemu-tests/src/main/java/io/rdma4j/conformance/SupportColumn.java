/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.conformance.ConformanceResult.Outcome;
import io.rdma4j.verbs.RdmaContext;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What one device can do: a cell for each row of the table, and the reasons for what it cannot. */
final class SupportColumn {
    private static final Pattern FEATURE = Pattern.compile("([A-Z_]+): (.*)");
    /** What a device does otherwise than it should, as {@link ConformanceEnv} says it. */
    private static final Pattern PECULIARITY = Pattern.compile("([a-z0-9-]+): (.*) \\(docs/judged\\.md\\)");

    private final String title;
    private final Map<String, ConformanceResult> results;
    private final boolean documented;

    private SupportColumn(
        final String title, final Map<String, ConformanceResult> results, final boolean documented) {
        this.title = title;
        this.results = results;
        this.documented = documented;
    }

    /**
     * A device that the suite was run on.
     *
     * @param title   of the column.
     * @param results of the run.
     * @return the column.
     * @throws IllegalArgumentException if a case failed or is missing: such a run says nothing about the device.
     */
    static SupportColumn ofRun(final String title, final List<ConformanceResult> results) {
        final Map<String, ConformanceResult> byName = new LinkedHashMap<>();
        results.forEach(result -> byName.put(result.name(), result));
        for (final ConformanceCase test : ConformanceSuite.cases()) {
            final ConformanceResult result = byName.get(test.name());
            if (result == null || result.outcome() == Outcome.FAIL) {
                throw new IllegalArgumentException(title + ": " + test.name() + (result == null ? " was not run"
                    : " failed: " + result.message()));
            }
        }
        return new SupportColumn(title, byName, false);
    }

    /**
     * A run by its lines, as {@link ConformanceMain} writes them.
     *
     * @param title of the column.
     * @param lines of the results; others are passed over.
     * @return the column.
     */
    static SupportColumn ofLines(final String title, final List<String> lines) {
        return ofRun(title, ConformanceResult.parse(lines));
    }

    /**
     * A device that the driver knows from documents only: what it would do with it.
     *
     * @param title  of the column.
     * @param device an open device that is like it.
     * @return the column.
     */
    static SupportColumn ofFeatures(final String title, final RdmaContext device) {
        final Map<String, ConformanceResult> byName = new LinkedHashMap<>();
        for (final ConformanceCase test : ConformanceSuite.cases()) {
            final String whyNot = test.whyNot(device);
            byName.put(test.name(), new ConformanceResult(test.name(), whyNot == null ? Outcome.PASS : Outcome.SKIP,
                whyNot == null ? "" : whyNot, "", null));
        }
        return new SupportColumn(title, byName, true);
    }

    String title() {
        return title;
    }

    /** What stands in a row: how many cases passed, and what is missing for the others. */
    String cell(final SupportRow row) {
        int passed = 0;
        int all = 0;
        final TreeSet<String> missing = new TreeSet<>();
        for (final ConformanceResult result : results.values()) {
            if (belongs(result, row)) {
                all++;
                passed += result.outcome() == Outcome.PASS ? 1 : 0;
                final Matcher reason = reason(result);
                if (reason != null) {
                    missing.add(name(reason));
                }
            }
        }
        final String lacks = missing.isEmpty() ? "" : " " + String.join(" ", missing);
        return (documented ? inWords(passed, all) : inNumbers(passed, all)) + lacks;
    }

    /** Matched: what is missing or otherwise, and how; null if a case passed or was left out for another reason. */
    private static Matcher reason(final ConformanceResult result) {
        if (result.outcome() == Outcome.SKIP) {
            for (final Pattern pattern : List.of(FEATURE, PECULIARITY)) {
                final Matcher matcher = pattern.matcher(result.message());
                if (matcher.matches()) {
                    return matcher;
                }
            }
        }
        return null;
    }

    private static String name(final Matcher reason) {
        return '`' + reason.group(1).toLowerCase(Locale.ROOT) + '`';
    }

    private static boolean belongs(final ConformanceResult result, final SupportRow row) {
        return row.equals(SupportRow.of(result.name()));
    }

    private static String inWords(final int passed, final int all) {
        return passed == 0 ? "no:" : passed == all ? "yes" : "in part:";
    }

    private static String inNumbers(final int passed, final int all) {
        return passed == all ? String.valueOf(all) : passed == 0 ? "no" : passed + " of " + all;
    }

    /** Why something is missing, and what was left out for other reasons; Markdown. */
    String reasons() {
        final Map<String, String> features = new LinkedHashMap<>();
        final Map<String, List<String>> others = new LinkedHashMap<>();
        for (final ConformanceResult result : results.values()) {
            final Matcher reason = reason(result);
            if (reason != null) {
                features.put(name(reason), reason.group(2));
            } else if (result.outcome() == Outcome.SKIP) {
                others.computeIfAbsent(result.message(), key -> new ArrayList<>()).add(result.name());
            }
        }
        final StringBuilder text = new StringBuilder("### ").append(title).append("\n\n");
        features.forEach((feature, why) ->
            text.append("- ").append(feature).append(": ").append(why).append('\n'));
        others.forEach((why, names) ->
            text.append("- left out: ").append(String.join(", ", names)).append(": ").append(why).append('\n'));
        return features.isEmpty() && others.isEmpty() ? text.append("Nothing is missing.\n").toString()
            : text.toString();
    }
}
