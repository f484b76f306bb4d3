/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.RdmaContext;
import org.agrona.concurrent.IdleStrategy;

import java.time.Duration;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** How to wait, and not for ever: what fails then has the state that was seen. For one thread. */
final class Patience {
    private static final int POLLS_BETWEEN_LOOKS = Runtime.getRuntime().availableProcessors() == 1 ? 16 : 256;
    private static final int EINTR = 4;

    private final Duration timeout;
    private final IdleStrategy idle;
    private final int pollsBetweenLooks;
    private final Diagnosis diagnosis;
    private OtherEnd other = OtherEnd.ELSEWHERE;
    private int emptyPolls;
    private boolean waiting;
    private long since;

    /**
     * Begins with no other end in this process.
     *
     * @param timeout   longest wait without any progress.
     * @param mode      how the ends of a ping-pong wait; null for those of perf.
     * @param diagnosis what to tell then.
     */
    Patience(final Duration timeout, final WaitMode mode, final Diagnosis diagnosis) {
        this.timeout = timeout;
        this.diagnosis = diagnosis;
        idle = mode == null ? Idling.measuring() : Idling.of(mode);
        pollsBetweenLooks = mode == WaitMode.BLOCK ? 1 : POLLS_BETWEEN_LOOKS;
    }

    /** Whom to let run meanwhile, and whose failure to tell. */
    void with(final OtherEnd end) {
        other = end;
    }

    /** Plays to the end. */
    void play(final Player player) {
        progress();
        while (!player.isOver()) {
            if (player.step() > 0) {
                progress();
            } else {
                idle();
            }
        }
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
        emptyPolls = 0;
        waiting = false;
        idle.reset();
    }

    /**
     * Nothing came.
     *
     * @throws RdmaException      what the other end failed with.
     * @throws DiagnosedException if nothing came for too long, or the thread is interrupted; with the state seen.
     */
    void idle() {
        idle.idle(other.step());
        if (++emptyPolls >= pollsBetweenLooks) {
            emptyPolls = 0;
            look();
        }
    }

    private void look() {
        other.rethrowFailure();
        if (Thread.currentThread().isInterrupted()) {
            throw gaveUp(diagnosis.failed("interrupted").errno(EINTR).hint("what the device was like:"));
        }
        final long now = System.nanoTime();
        if (!waiting) {
            waiting = true;
            since = now;
        } else if (now - since > timeout.toNanos()) {
            throw gaveUp(diagnosis.failed("nothing came for " + timeout.toMillis() / 1000.0 + " s")
                .errno(RdmaException.ETIMEDOUT).hint(diagnosis.hint + "; what the device was like:"));
        }
    }

    private DiagnosedException gaveUp(final RdmaException.Builder why) {
        other.close();
        return new DiagnosedException(why.build(), diagnosis.dump.get());
    }

    /**
     * What to tell of a wait that was in vain.
     *
     * @param operation what was tried.
     * @param device    address of the device of the end that waits.
     * @param dump      what the devices are like; of many lines.
     * @param state     completes what happened with the state of the ends.
     * @param hint      what may be the cause.
     */
    record Diagnosis(
        String operation, String device, Supplier<String> dump, UnaryOperator<String> state, String hint) {
        /** Of one end, or of both. */
        static Diagnosis of(final String operation, final RdmaContext context, final RdmaContext peer,
            final UnaryOperator<String> state, final String hint) {
            return new Diagnosis(operation, context.address(), () -> context.dump()
                + (peer == null || peer == context ? "" : System.lineSeparator() + peer.dump()), state, hint);
        }

        private RdmaException.Builder failed(final String what) {
            return RdmaException.of(operation).device(device).detail("%s", state.apply(what));
        }
    }
}
