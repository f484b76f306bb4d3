/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.verbs.SendRequest;

/** What the peer's word has to be, computed here. It begins with 0. */
interface AtomicModel {
    /** The word now. */
    long value();

    /** Chooses the operands of a round trip. */
    void prepare(SendRequest request, long iteration);

    /** Does here what the device did there. */
    void apply(long compareOrAdd, long swap);

    /** Each fourth comparison fails, in one bit, which is another one each time: then the word has to stay. */
    final class CompareAndSwap implements AtomicModel {
        private static final int FAILS = 4;

        private long value;

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

    /** Sums of large numbers, with carries through all bits and over the end. */
    final class FetchAndAdd implements AtomicModel {
        private long value;

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
}
