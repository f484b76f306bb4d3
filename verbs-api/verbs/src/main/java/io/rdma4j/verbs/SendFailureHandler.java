/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** Learns of requests that a {@link SharedSendQueue} took and that could not be posted. */
@FunctionalInterface
public interface SendFailureHandler {
    /**
     * Called once per request, in the order of its producer, on the thread that drains the queue. It may offer again;
     * draining from in here is refused. If it throws, the drain ends with that, and nothing else is lost.
     *
     * @param wrId identifier of the request, for which no completion will come.
     * @param code why: a negative value of {@link ReturnCode}.
     */
    void onFailure(long wrId, int code);
}
