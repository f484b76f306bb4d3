/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.driver.pci.InterruptVector;

import java.util.concurrent.TimeUnit;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * The interrupts of vector 0, counted. One tells nothing of which command it is for, it may come long after that one,
 * and some devices raise one for commands without a response too. So a response is known to be complete when as many
 * came as can be under way, and not before. Guarded by the lock of the channel.
 */
final class ResponseInterrupts {
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** How often in a row a device must do something for it to be taken for its way. */
    private static final int PATIENCE = 3;

    private final InterruptVector vector;
    private final AtomicCounter silent;
    /** Interrupts that may be under way, with the one of this command; negative if more came than that. */
    private int owed;
    /** Of these, those that commands without a response were thought to raise. */
    private int owedBeside;
    /** Whether any came since this command began. */
    private boolean heard;
    /** Responses in a row without any; none is waited for after so many, until one comes by itself. */
    private int silence;
    /** Responses in a row by which some came, but never all. */
    private int shortage;
    /** Times in a row that such a shortage ended with those of commands without a response. One may have been lost. */
    private int writtenOff;
    /** None is owed then by a command that awaits no response; until one comes that nobody owed. */
    private boolean onlyForResponses;

    /** Of no vector, if it is null; the counter gets the responses whose interrupt was waited for in vain. */
    ResponseInterrupts(final InterruptVector vector, final AtomicCounter silent) {
        this.vector = vector;
        this.silent = silent;
    }

    /** To be called before the device is told of a command: what came until now is not this one's. */
    void begin(final boolean awaitsResponse) {
        if (vector == null) {
            return;
        }
        take(vector.poll());
        if (owed <= 0) {
            shortage = 0;
            writtenOff = owedBeside > 0 ? 0 : writtenOff;
            owedBeside = 0;
        }
        if (owed < 0) {
            moreCame(0);
        }
        if (awaitsResponse) {
            owed++;
        } else if (!onlyForResponses) {
            owed++;
            owedBeside++;
        }
        heard = false;
    }

    private void take(final long count) {
        if (count > 0) {
            owed -= (int) count;
            heard = true;
            silence = 0;
        }
    }

    /** Some were of commands that were not thought to raise one. */
    private void moreCame(final int stillOwed) {
        owed = stillOwed;
        onlyForResponses = false;
    }

    /** Whether one can be waited for. */
    boolean areExpected() {
        return vector != null && silence < PATIENCE;
    }

    /** Waits for one, but not for long; while the header of the response is not there, or none came. */
    void await(final long nanos) {
        if (owed <= 0) {
            // It would be there if this command's own had come.
            moreCame(1);
        }
        // With the flag up, a vector is not waited for.
        final boolean interrupted = Thread.interrupted();
        try {
            take(vector.await(Math.min(nanos, WAIT_NANOS)));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * To be called when the header of the response is there: whether all of it is. Waits if no interrupt came at all,
     * and not for those of earlier commands, which perhaps raised none.
     */
    boolean tellComplete() {
        if (!areExpected()) {
            return false;
        }
        take(vector.poll());
        if (!heard) {
            await(WAIT_NANOS);
        }
        final boolean complete = owed == 0;
        if (!heard) {
            silence++;
            silent.increment();
        } else if (owed > 0 && ++shortage == PATIENCE) {
            writtenOff += owedBeside > 0 ? 1 : 0;
            onlyForResponses |= writtenOff == PATIENCE;
            owed = 0;
            owedBeside = 0;
        }
        return complete;
    }

    /** All of them; for people. */
    long fired() {
        return vector == null ? 0 : vector.fired();
    }
}
