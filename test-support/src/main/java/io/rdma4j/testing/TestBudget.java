/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.time.Duration;

/**
 * How long a test goes on that only searches: for a race, or for a number that nobody thought of. What it asserts does
 * not depend on it. With {@code -Drdma4j.tests.long=true} it goes on longer.
 */
public final class TestBudget {
    /** For tests that start JVMs of their own, which are to know it, too. */
    public static final String PROPERTY = "rdma4j.tests.long";

    private static final boolean LONG = Boolean.getBoolean(PROPERTY);

    private TestBudget() {
    }

    /**
     * How many times.
     *
     * @param usual where there is little time.
     * @param all   where there is time.
     * @return one of them.
     */
    public static int rounds(final int usual, final int all) {
        return LONG ? all : usual;
    }

    /**
     * For how long.
     *
     * @param usual where there is little time.
     * @param all   where there is time.
     * @return one of them.
     */
    public static Duration time(final Duration usual, final Duration all) {
        return LONG ? all : usual;
    }
}
