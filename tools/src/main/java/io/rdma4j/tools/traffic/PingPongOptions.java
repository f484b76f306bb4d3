/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.QpType;

import java.time.Duration;

/**
 * What a ping-pong is asked to do. Immutable.
 *
 * @param operation what is done over and over.
 * @param transport RC or UD; UD knows messages only.
 * @param size      bytes of a message, 0 or more; 8 for atomics, at least 8 for WRITE.
 * @param mtu       path MTU of a connection; null for the port's active one; without effect for UD.
 * @param pace      how many threads play, and how they wait.
 * @param validate  whether each byte of each message is written anew and checked.
 * @param warmup    how long to run before measuring.
 * @param measured  how long to measure.
 * @param timeout   longest wait for the next message.
 */
public record PingPongOptions(
    Operation operation, QpType transport, int size, Mtu mtu, Pace pace, boolean validate, Span warmup, Span measured,
    Duration timeout) {
    /**
     * How many threads play, and how they wait.
     *
     * @param threads 1: both ends on the calling thread, 2: the second end on a thread of its own.
     * @param mode    what they do until it is their turn; one thread that plays both ends cannot block.
     */
    public record Pace(int threads, WaitMode mode) {
    }
}
