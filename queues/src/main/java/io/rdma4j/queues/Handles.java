/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import io.rdma4j.hw.pvrdma.Uar;

/** Handles that go into doorbell words. */
final class Handles {
    private Handles() {
    }

    /** A handle with more bits would ring for another object, or with another command. */
    static int require(final int handle) {
        if ((handle & ~Uar.HANDLE_MASK) != 0) {
            throw new IllegalArgumentException(
                "handle 0x" + Integer.toHexString(handle) + ": a doorbell word has room for 24 bits");
        }
        return handle;
    }
}
