/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/**
 * Memory of the peer, as work requests name it.
 *
 * @param address first byte.
 * @param rkey    key.
 */
record RemoteMemory(long address, int rkey) {
    static final RemoteMemory NONE = new RemoteMemory(0, 0);
}
