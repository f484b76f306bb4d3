/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/**
 * A size of a bandwidth test.
 *
 * @param bytes      of a message.
 * @param iterations messages of all QPs together.
 * @param seconds    from the first post to the last completion.
 * @param peak       fastest stretch of as many messages as can be under way, in 2^20 bytes a second.
 * @param average    all of them, in 2^20 bytes a second.
 * @param rate       millions of messages a second.
 */
public record BandwidthRow(int bytes, long iterations, double seconds, double peak, double average, double rate)
    implements PerfRow {
}
