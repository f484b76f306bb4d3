/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.queues.Padded;

/** The receive that was taken last, written for each message by the sender's thread. */
final class TakenReceive extends Padded {
    long wrId;
    int status;
}
