/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import io.rdma4j.RdmaException;
import io.rdma4j.tools.pingpong.DiagnosedException;

import java.time.Duration;

/**
 * How to wait: without pause at first, so that nothing comes between a message and its time; after that others may run
 * now and then, which may be the other end; and not for ever. For one thread.
 */
final class Patience {
    private static final boolean ALONE = Runtime.getRuntime().availableProcessors() == 1;
    /** A few microseconds. */
    private static final int SPINS = ALONE ? 0 : 0xff;
    private static final int EINTR = 4;

    private final long timeout;
    private final Scene scene;
    private Other other = Other.ELSEWHERE;
    private int spins;
    private boolean waiting;
    private long since;

    Patience(final Duration timeout, final Scene scene) {
        this.timeout = timeout.toNanos();
        this.scene = scene;
    }

    /** Whom to let run meanwhile, and whose failure to tell. */
    void with(final Other end) {
        other = end;
    }

    /** Lets the other end run if it has no thread of its own, until it has nothing to do. */
    void share() {
        int work = other.step();
        while (work > 0) {
            work = other.step();
        }
    }

    /** Something came. */
    void progress() {
        spins = 0;
        waiting = false;
    }

    /**
     * Nothing came.
     *
     * @throws RdmaException      what the other end failed with.
     * @throws DiagnosedException if nothing came for too long, or the thread is interrupted; with the state seen.
     */
    void idle() {
        final int work = other.step();
        if ((++spins & SPINS) == 0) {
            look();
        } else if (work == 0) {
            Thread.onSpinWait();
        }
    }

    /** How a thread pauses that nobody waits for. */
    static void pause(final int idle) {
        if ((idle & SPINS) == SPINS) {
            Thread.yield();
        } else if (idle > 0) {
            Thread.onSpinWait();
        }
    }

    private void look() {
        other.rethrowFailure();
        if (Thread.currentThread().isInterrupted()) {
            throw gaveUp(RdmaException.of("perf").detail("interrupted; %s", scene.describe()).errno(EINTR)
                .hint("what the device was like:"));
        }
        final long now = System.nanoTime();
        if (!waiting) {
            waiting = true;
            since = now;
        } else if (now - since > timeout) {
            throw gaveUp(RdmaException.of("perf").device(scene.address())
                .detail("nothing came for %s s; %s", timeout / 1e9, scene.describe())
                .errno(RdmaException.ETIMEDOUT)
                .hint("a message or its completion was lost, the other process ended, or --timeout is too short; what "
                    + "the device was like:"));
        }
        Thread.yield();
    }

    private DiagnosedException gaveUp(final RdmaException.Builder why) {
        other.close();
        return new DiagnosedException(why.build(), scene.dump());
    }
}
