/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import java.time.Duration;

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

    /** The line that outer programs read; never more than one. */
    String line() {
        return ("RESULT " + name + " " + outcome + " " + oneLine(message)).strip();
    }

    static String oneLine(final String text) {
        return text.replaceAll("\\s*\\R\\s*", " | ");
    }
}
