/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

/**
 * The names of a queue pair.
 *
 * @param qpn    by which peers know it.
 * @param handle for commands, doorbells and completions.
 */
public record QpNames(int qpn, int handle) {
}
