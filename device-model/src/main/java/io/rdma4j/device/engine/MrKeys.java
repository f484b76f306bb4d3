/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

/**
 * The names of a region.
 *
 * @param handle for commands.
 * @param lkey   for SGEs.
 * @param rkey   for peers, 0 if the region has no remote rights.
 */
public record MrKeys(int handle, int lkey, int rkey) {
}
