/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

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

    /**
     * How long to run: until the first of two limits.
     *
     * @param iterations round trips.
     * @param duration   time.
     */
    public record Span(long iterations, Duration duration) {
        private static final Duration UNLIMITED = Duration.ofDays(10_000);

        /**
         * A number of round trips, however long they take.
         *
         * @param iterations a count.
         * @return a span.
         */
        public static Span of(final long iterations) {
            return new Span(iterations, UNLIMITED);
        }

        /**
         * A time, however many round trips fit.
         *
         * @param duration how long; at least one round trip is made.
         * @return a span.
         */
        public static Span of(final Duration duration) {
            return new Span(Long.MAX_VALUE, duration);
        }

        /**
         * Whether the number of round trips is known beforehand.
         *
         * @return true if so.
         */
        public boolean isCounted() {
            return iterations != Long.MAX_VALUE;
        }
    }
}
