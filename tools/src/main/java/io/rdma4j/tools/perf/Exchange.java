/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

/** A thing that takes a time: there and back. For one thread; allocates nothing in a turn. */
interface Exchange {
    /** Messages of so many bytes will go. */
    void begin(int bytes);

    /**
     * Sends, and waits for what comes back.
     *
     * @param n number of the turn, from 0.
     */
    void turn(long n);

    /** The exchange of a latency test. */
    static Exchange of(final Verb verb, final End end, final Patience patience) {
        switch (verb) {
            case SEND:
                return new SendExchange(end, patience);
            case WRITE:
                return new WriteExchange(end, patience);
            default:
                return new PullExchange(end, patience);
        }
    }
}
