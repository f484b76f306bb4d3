/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

/**
 * A user of the device with a doorbell page of its own.
 *
 * @param handle of the context.
 * @param page   of the doorbell BAR, from 1.
 */
record UserContext(int handle, long page) {
}
