/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;

/** Each fourth comparison fails, in one bit, which is another one each time: then the word has to stay. */
final class CompareAndSwapModel implements AtomicModel {
    private static final int FAILS = 4;

    private long value;

    @Override
    public SendOpcode opcode() {
        return SendOpcode.ATOMIC_CMP_AND_SWP;
    }

    @Override
    public long value() {
        return value;
    }

    @Override
    public void prepare(final SendRequest request, final long iteration) {
        final long wrongBit = iteration % FAILS == FAILS - 1 ? 1L << (iteration / FAILS & Long.SIZE - 1) : 0;
        request.atomic(value ^ wrongBit, Pattern.word(iteration + 1));
    }

    @Override
    public void apply(final long compare, final long swap) {
        if (value == compare) {
            value = swap;
        }
    }
}
