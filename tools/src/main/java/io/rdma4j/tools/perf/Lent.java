/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

/**
 * Memory of the peer, as work requests name it.
 *
 * @param address first byte.
 * @param rkey    key.
 */
record Lent(long address, int rkey) {
}
