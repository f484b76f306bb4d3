/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

/** What the end that answers does while messages of one size go. For one thread; allocates nothing in a step. */
interface Part {
    /** Messages of so many bytes will come. */
    void begin(int bytes);

    /**
     * Does what can be done now.
     *
     * @return 0 if there was nothing.
     */
    int step();

    /**
     * How far it is.
     *
     * @param awaited what the other end says that it did.
     * @return messages that were answered, or came; what is awaited if nothing is seen of it here.
     */
    long done(long awaited);

    /** The part of an end. */
    static Part of(final PerfTest test, final End end) {
        if (test.verb() == Verb.SEND) {
            return test.isLatency() ? new EchoPart(end) : new SinkPart(end);
        }
        return test == PerfTest.WRITE_LAT ? new MarkPart(end) : new LendingPart();
    }
}
