/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.linux;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the tests of pyverbs said, in the long form of Python's unittest.
 *
 * @param passed  names of tests.
 * @param failed  the same, errors included.
 * @param skipped reasons, and how many have each.
 * @param told    how many tests there were, as unittest says at its end; 0 if it did not come to that.
 */
public record PyverbsReport(List<String> passed, List<String> failed, Map<String, Integer> skipped, int told) {
    /** What fails whatever the device does; docs/judged.md says why. */
    public static final Set<String> NOT_THE_DEVICE = Set.of("test_query_rc_qp", "test_query_ud_qp",
        "test_create_raw_qp_ex_with_illegal_caps_max_send_wr", "test_create_raw_qp_ex_with_illegal_caps_max_recv_wr");

    private static final Pattern TEST = Pattern.compile("(test_\\w+|setUpClass) \\(tests\\.[^)]*\\).*");
    private static final Pattern OUTCOME = Pattern.compile(".*\\.\\.\\. (ok|FAIL|ERROR|skipped ['\"](.*)['\"])");
    private static final Pattern END = Pattern.compile("Ran (\\d+) tests in .*");

    /**
     * Reads it.
     *
     * @param lines that the tests printed.
     * @return what is in them.
     */
    public static PyverbsReport parse(final List<String> lines) {
        final PyverbsReport report = new PyverbsReport(new ArrayList<>(), new ArrayList<>(), new TreeMap<>(), 0);
        String test = "?";
        int told = 0;
        for (final String line : lines) {
            final Matcher name = TEST.matcher(line);
            test = name.matches() ? name.group(1) : test;
            final Matcher outcome = OUTCOME.matcher(line);
            if (outcome.matches()) {
                report.add(test, outcome.group(1), outcome.group(2));
            }
            final Matcher end = END.matcher(line);
            told = end.matches() ? Integer.parseInt(end.group(1)) : told;
        }
        return new PyverbsReport(report.passed, report.failed, report.skipped, told);
    }

    private void add(final String test, final String outcome, final String why) {
        if (why != null) {
            // Without what a device's name or an errno makes different.
            skipped.merge(why.replaceFirst(" \\(.*", ""), 1, Integer::sum);
        } else if (outcome.equals("ok")) {
            passed.add(test);
        } else {
            failed.add(test);
        }
    }

    /**
     * Whether each test has an outcome.
     *
     * @return false if they were ended, or if something of what they said was not understood.
     */
    public boolean complete() {
        return told > 0 && told == passed.size() + failed.size() + skips();
    }

    private int skips() {
        return skipped.values().stream().mapToInt(Integer::intValue).sum();
    }

    /**
     * What failed and should not.
     *
     * @return names of tests.
     */
    public List<String> unexplained() {
        return failed.stream().filter(test -> !NOT_THE_DEVICE.contains(test)).toList();
    }

    /**
     * Counts, for people.
     *
     * @return one line.
     */
    public String summary() {
        return passed.size() + " passed, " + failed.size() + " failed " + failed + ", " + skips() + " skipped";
    }
}
