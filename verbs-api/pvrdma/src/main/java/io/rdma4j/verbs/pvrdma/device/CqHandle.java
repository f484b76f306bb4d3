/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

/**
 * What the device calls a completion queue.
 *
 * @param handle for commands and doorbells.
 * @param cqe    entries of the ring, a power of two, at most what was asked for.
 */
public record CqHandle(int handle, int cqe) {
}
