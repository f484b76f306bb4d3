/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import io.rdma4j.tools.perf.yardstick.Reading;

/**
 * A round trip without any device, measured in the same run: before the test and after it, so that a machine which
 * changed its pace meanwhile is found out.
 *
 * @param before the round trips before the test.
 * @param after  those after it.
 */
public record Yardstick(Reading before, Reading after) {
    /**
     * Which one.
     *
     * @return {@code cache_line}, {@code agrona_ring} or {@code tcp}.
     */
    public String name() {
        return before.name();
    }

    /**
     * What people call it.
     *
     * @return a few words.
     */
    public String title() {
        return before.title();
    }
}
