/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** Told of completions by {@link CompletionQueue#read}. */
@FunctionalInterface
public interface CompletionReader {
    /**
     * One operation completed, or failed.
     *
     * @param entry what is known; valid during this call only.
     */
    void onCompletion(CompletionEntry entry);
}
