/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import io.rdma4j.RdmaException;

/** The end that answers: hears what comes next, does it, and says what came of it. For one thread at a time. */
final class Server {
    /** While messages go, words are looked for only now and then. */
    private static final int TURNS_BETWEEN_WORDS = 16;
    private static final long NOT_YET = -1;

    private final End end;
    private final Control control;
    private final Part part;
    private boolean running;
    private boolean over;
    private long stopAt = NOT_YET;
    private int turns;
    private long messages;

    Server(final End end, final PerfTest test) {
        this.end = end;
        control = end.control();
        part = Part.of(test, end);
    }

    /**
     * Does what can be done now.
     *
     * @return 0 if there was nothing.
     * @throws RdmaException EIO if a request failed.
     */
    int step() {
        int work = running ? part.step() : 0;
        if (!running || ++turns % TURNS_BETWEEN_WORDS == 0) {
            work += hear();
        }
        if (running && stopAt != NOT_YET && part.done(stopAt) >= stopAt) {
            running = false;
            messages += part.done(stopAt);
            control.say(Control.DONE, 0, part.done(stopAt));
            stopAt = NOT_YET;
        }
        return work;
    }

    private int hear() {
        if (!control.poll()) {
            return 0;
        }
        switch (control.word()) {
            case Control.START:
                part.begin(control.bytes());
                running = true;
                control.say(Control.READY, control.bytes(), 0);
                break;
            case Control.STOP:
                stopAt = control.count();
                break;
            case Control.BYE:
                over = true;
                break;
            default:
                break;
        }
        control.take();
        return 1;
    }

    boolean isOver() {
        return over;
    }

    /** Messages of all parts, those for warming up included. */
    long messages() {
        return messages;
    }

    End end() {
        return end;
    }
}
