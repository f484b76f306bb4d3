/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** Takes completions from {@link CompletionQueue#poll}. */
@FunctionalInterface
public interface CompletionHandler {
    /**
     * One completion.
     *
     * @param completion a flyweight, valid only during this call.
     */
    void onCompletion(Completion completion);
}
