/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;

/** Sums of large numbers, with carries through all bits and over the end. */
final class FetchAndAddModel implements AtomicModel {
    private long value;

    @Override
    public SendOpcode opcode() {
        return SendOpcode.ATOMIC_FETCH_AND_ADD;
    }

    @Override
    public long value() {
        return value;
    }

    @Override
    public void prepare(final SendRequest request, final long iteration) {
        request.atomic(Pattern.word(iteration + 1), 0);
    }

    @Override
    public void apply(final long add, final long swap) {
        value += add;
    }
}
