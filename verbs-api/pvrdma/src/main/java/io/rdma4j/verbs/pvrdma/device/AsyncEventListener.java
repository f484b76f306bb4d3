/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

/** Is told of what happens to objects outside of their queues. */
@FunctionalInterface
public interface AsyncEventListener {
    /**
     * Something happened.
     *
     * @param type {@link io.rdma4j.hw.pvrdma.EventType}.
     * @param info the handle of the QP, CQ or SRQ, or the port, as the type says.
     */
    void onAsyncEvent(int type, int info);
}
