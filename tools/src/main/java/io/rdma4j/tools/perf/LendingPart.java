/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

/** The device does everything with the memory that is lent. */
final class LendingPart implements Part {
    @Override
    public void begin(final int bytes) {
        // There is nothing to prepare.
    }

    @Override
    public int step() {
        return 0;
    }

    @Override
    public long done(final long awaited) {
        return awaited;
    }
}
