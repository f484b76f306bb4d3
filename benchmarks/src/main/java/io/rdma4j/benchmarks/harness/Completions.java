/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.harness;

import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.WcStatus;

/** Waits for completions of one queue, of which nothing is to be known but that they are good. */
public final class Completions implements CompletionHandler {
    private final CompletionQueue cq;
    private final Patience patience;
    private int completed;
    private WcStatus failure = WcStatus.SUCCESS;

    /**
     * For one thread.
     *
     * @param cq       where they come
     * @param patience asked while waiting
     */
    public Completions(final CompletionQueue cq, final Patience patience) {
        this.cq = cq;
        this.patience = patience;
    }

    /**
     * Polls until so many came.
     *
     * @param count of all that are under way
     */
    public void await(final int count) {
        completed = 0;
        while (completed < count) {
            if (cq.poll(this, count) < 0 || failure != WcStatus.SUCCESS) {
                throw new IllegalStateException("polling: " + failure);
            }
            patience.check();
        }
    }

    @Override
    public void onCompletion(final Completion completion) {
        completed++;
        if (completion.status() != WcStatus.SUCCESS) {
            failure = completion.status();
        }
    }
}
