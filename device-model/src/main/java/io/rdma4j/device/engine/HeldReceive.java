/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.hw.pvrdma.RqWqe;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * A receive that was taken out of its queue for a message of several packets. Its memory is found anew for each of
 * them: a region may go between two.
 */
final class HeldReceive {
    long wrId;
    int status;
    final UnsafeBuffer wqe;

    HeldReceive(int maxSge) {
        wqe = new UnsafeBuffer(new byte[RqWqe.stride(maxSge)]);
    }
}
