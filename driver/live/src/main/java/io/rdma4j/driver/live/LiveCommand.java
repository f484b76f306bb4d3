/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

/**
 * One exchange of the command channel.
 *
 * @param number        in the life of the device, from 0.
 * @param epochNanos    when it began, nanoseconds since 1970.
 * @param durationNanos how long it took.
 * @param err           the ERR register after it.
 * @param request       the bytes of the command slot.
 * @param response      the bytes of the response slot.
 */
public record LiveCommand(
    long number, long epochNanos, long durationNanos, int err, byte[] request, byte[] response) {
}
