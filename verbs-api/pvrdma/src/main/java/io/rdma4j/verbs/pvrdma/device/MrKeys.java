/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

/**
 * What the device calls a memory region.
 *
 * @param handle for commands.
 * @param lkey   for work requests of this device.
 * @param rkey   for work requests of peers.
 */
public record MrKeys(int handle, int lkey, int rkey) {
}
