/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How a case ended: the message is the reason of a skip or failure, the detail is what a failure's reader needs. */
record ConformanceResult(String name, Outcome outcome, String message, String detail, Duration duration) {
    /** Ways to end. */
    enum Outcome {
        /** The claim holds. */
        PASS,
        /** It does not, or the case did not end. */
        FAIL,
        /** The device cannot be asked. */
        SKIP
    }

    private static final Pattern LINE = Pattern.compile("RESULT (\\S+) (PASS|FAIL|SKIP) ?(.*)");

    /** The results among the lines of a run; detail and duration are not in those. */
    static List<ConformanceResult> parse(final List<String> lines) {
        return lines.stream().map(LINE::matcher).filter(Matcher::matches)
            .map(line -> new ConformanceResult(line.group(1), Outcome.valueOf(line.group(2)), line.group(3), "", null))
            .toList();
    }

    /** The line that outer programs read; never more than one. */
    String line() {
        return ("RESULT " + name + " " + outcome + " " + oneLine(message)).strip();
    }

    static String oneLine(final String text) {
        return text.replaceAll("\\s*\\R\\s*", " | ");
    }
}
