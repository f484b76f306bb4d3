/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.property;

import io.rdma4j.testing.CampaignSeeds;

/** Decisions read from bytes, three for each; without bytes left the answer is always the first possibility. */
final class Choices {
    private static final int LENGTH = 1024;

    private final byte[] data;
    private int at;

    Choices(final byte[] data) {
        this.data = data;
    }

    static Choices of(final long seed) {
        return new Choices(CampaignSeeds.bytes(seed, LENGTH));
    }

    boolean isExhausted() {
        return at >= data.length;
    }

    /** A number from 0, below the bound. */
    int below(final int bound) {
        return (next() << 16 | next() << 8 | next()) % bound;
    }

    /** A number of the range, both ends included. */
    int between(final int from, final int to) {
        return from + below(to - from + 1);
    }

    boolean oneIn(final int chances) {
        return below(chances) == chances - 1;
    }

    private int next() {
        return at < data.length ? data[at++] & 0xff : 0;
    }
}
