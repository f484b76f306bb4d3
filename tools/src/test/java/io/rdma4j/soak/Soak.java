/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.soak;

import io.rdma4j.verbs.AccessFlag;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** What all parts of the load share: bytes that tell where they belong, and waits that end. */
final class Soak {
    static final AccessFlag[] ALL_RIGHTS = {
        AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC
    };
    /** Far more than anything takes: a peer that does not answer is given up after four seconds at most. */
    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(300);
    private static final int TURNS_AT_ONCE = 200;
    private static final long PAUSE_NANOS = 20_000;

    private Soak() {
    }

    /** Until it is so. The processors are others' too: after some turns it pauses between them. */
    static void until(final Supplier<String> state, final BooleanSupplier condition) {
        until(DEADLINE_NANOS, state, condition);
    }

    /** As that, for so long. */
    static void until(final long nanos, final Supplier<String> state, final BooleanSupplier condition) {
        final long deadline = System.nanoTime() + nanos;
        for (int turn = 0; !condition.getAsBoolean(); turn++) {
            if (turn > TURNS_AT_ONCE) {
                LockSupport.parkNanos(PAUSE_NANOS);
                if (System.nanoTime() - deadline > 0) {
                    throw new AssertionError("waited too long; " + state.get());
                }
            }
        }
    }

    static void fill(final UnsafeBuffer buffer, final int offset, final int length, final long seed) {
        for (int i = 0; i < length; i++) {
            buffer.putByte(offset + i, pattern(i, seed));
        }
    }

    static void expect(
        final UnsafeBuffer buffer, final int offset, final int length, final long seed, final String what) {
        for (int i = 0; i < length; i++) {
            if (buffer.getByte(offset + i) != pattern(i, seed)) {
                throw new AssertionError("wrong bytes: byte " + i + " of " + length + " of " + what + " is "
                    + buffer.getByte(offset + i) + ", not " + pattern(i, seed));
            }
        }
    }

    private static byte pattern(final int i, final long seed) {
        return (byte) (seed * 37 + (seed >>> 8) + i * 31L + (i >> 8));
    }
}
