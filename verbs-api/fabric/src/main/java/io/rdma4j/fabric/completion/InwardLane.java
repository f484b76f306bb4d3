/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.verbs.Completion;

/** A lane inwards, as {@link RmaArrivals} sees it. All is called by whoever holds the lanes. */
public interface InwardLane {
    /**
     * One of its receives completed.
     *
     * @param completion valid during this call only.
     * @return whether {@link #mendIfFailed} is to be called.
     */
    boolean arrived(Completion completion);

    /** Posts receives for arrivals that were taken. */
    void refill();

    /** A receive has failed: looks whether the queue pair has, and brings it up again. */
    void mendIfFailed();
}
