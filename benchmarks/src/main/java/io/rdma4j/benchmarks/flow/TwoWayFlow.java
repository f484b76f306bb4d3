/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.flow;

/** Two flows in opposite directions: each thread produces half of the messages. */
final class TwoWayFlow implements Flow {
    private final Flow there;
    private final Flow back;

    TwoWayFlow(final Flow there, final Flow back) {
        this.there = there;
        this.back = back;
    }

    @Override
    public void produce(final long count) {
        there.produce(count / 2);
    }

    @Override
    public void consume(final long count) {
        back.produce(count / 2);
    }

    @Override
    public void close() {
        there.close();
        back.close();
    }
}
