/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import io.rdma4j.verbs.QpAddress;

import java.util.List;

/**
 * What an end knows of the other one.
 *
 * @param address its QP.
 * @param memory  what it lends, in an order that depends on the operation.
 */
record Peer(QpAddress address, List<RemoteMemory> memory) {
}
