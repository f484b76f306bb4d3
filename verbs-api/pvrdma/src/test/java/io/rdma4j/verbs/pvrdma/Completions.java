/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

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

/** Copies of completions, and waiting for them. */
final class Completions implements CompletionHandler {
    private static final long DEADLINE_NANOS = Patience.nanos();

    record Copy(long wrId, WcStatus status, WcOpcode opcode, int bytes, int imm, boolean hasImm, boolean hasGrh,
        QueuePair qp, int sourceQp) {
    }

    final List<Copy> list = new ArrayList<>();

    @Override
    public void onCompletion(final Completion c) {
        list.add(new Copy(c.wrId(), c.status(), c.opcode(), c.byteLength(), c.immData(), c.hasImmData(), c.hasGrh(),
            c.queuePair(), c.sourceQp()));
    }

    /** Polls until so many have come; fails with what did. */
    static List<Copy> await(final CompletionQueue cq, final int count) {
        final Completions completions = new Completions();
        final long deadline = System.nanoTime() + DEADLINE_NANOS;
        while (completions.list.size() < count) {
            final int n = cq.poll(completions, count - completions.list.size());
            assertThat(n).as("poll").isGreaterThanOrEqualTo(0);
            assertThat(System.nanoTime() - deadline).as("%d completions awaited, there are %s", count,
                completions.list).isNegative();
            if (n == 0) {
                // The device may be without a processor.
                Thread.yield();
            }
        }
        return completions.list;
    }

    /** One successful completion. */
    static Copy awaitSuccess(final CompletionQueue cq) {
        final Copy copy = await(cq, 1).get(0);
        assertThat(copy.status).as("%s", copy).isEqualTo(WcStatus.SUCCESS);
        return copy;
    }

    /** Nothing more comes, also when asked often enough that the device is asked. */
    static void assertNone(final CompletionQueue cq) {
        final Completions completions = new Completions();
        for (int i = 0; i < 200; i++) {
            assertThat(cq.poll(completions, 16)).as("%s", completions.list).isZero();
        }
    }
}
