/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.property;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.util.ArrayList;
import java.util.List;

/** What completed, in order. */
final class Outcomes implements CompletionHandler {
    private static final long DEADLINE_NANOS = Patience.nanos();

    final List<Outcome> list = new ArrayList<>();

    /**
     * A completion that can be kept.
     *
     * @param qp     whose it is.
     * @param wrId   of the request.
     * @param status how it went.
     * @param opcode what it was.
     */
    record Outcome(QueuePair qp, long wrId, WcStatus status, WcOpcode opcode) {
    }

    @Override
    public void onCompletion(final Completion completion) {
        list.add(new Outcome(completion.queuePair(), completion.wrId(), completion.status(), completion.opcode()));
    }

    /** Polls until so many came. */
    static Outcomes await(final CompletionQueue cq, final int count) {
        final Outcomes outcomes = new Outcomes();
        final long deadline = System.nanoTime() + DEADLINE_NANOS;
        while (outcomes.list.size() < count) {
            assertThat(cq.poll(outcomes, count - outcomes.list.size())).as("poll").isNotNegative();
            assertThat(System.nanoTime() - deadline).as("%d completions awaited, there are %s", count, outcomes.list)
                .isNegative();
        }
        return outcomes;
    }

    /** Takes what is there, asking often enough that the device is asked too. */
    void drain(final CompletionQueue cq) {
        for (int empty = 0; empty < 3; empty++) {
            while (cq.poll(this, 64) > 0) {
                empty = 0;
            }
        }
    }
}
