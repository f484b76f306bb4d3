/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

/**
 * What QUERY_SRQ answers.
 *
 * @param maxWr  receives that the queue holds.
 * @param maxSge SGEs of each.
 * @param limit  below how many an event is wanted, 0 for none.
 */
public record SrqState(int maxWr, int maxSge, int limit) {
}
