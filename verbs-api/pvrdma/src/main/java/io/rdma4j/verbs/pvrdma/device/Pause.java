/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import java.util.concurrent.locks.LockSupport;

/** Pauses that the device needs, whether or not somebody wants the thread to end. */
final class Pause {
    private Pause() {
    }

    /** Returns after that time, not before; an interrupted thread, which cannot sleep, is interrupted again then. */
    static void nanos(final long nanos) {
        final long deadline = System.nanoTime() + nanos;
        boolean interrupted = false;
        for (long left = nanos; left > 0; left = deadline - System.nanoTime()) {
            interrupted |= Thread.interrupted();
            LockSupport.parkNanos(left);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
