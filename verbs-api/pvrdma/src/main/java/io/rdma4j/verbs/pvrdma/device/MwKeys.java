/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

/**
 * What the device calls a memory window.
 *
 * @param handle for commands.
 * @param rkey   its first key; each bind chooses the low byte anew.
 */
public record MwKeys(int handle, int rkey) {
}
