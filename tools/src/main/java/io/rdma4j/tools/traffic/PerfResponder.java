/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/** The end that answers: hears what comes next, does it, and says what came of it. For one thread at a time. */
final class PerfResponder implements Responding {
    /** While messages go, words are looked for only now and then. */
    private static final int TURNS_BETWEEN_WORDS = 16;
    private static final long NOT_YET = -1;

    private final PerfEnd end;
    private final ControlChannel control;
    private final PerfAnswer answer;
    private boolean running;
    private boolean over;
    private long stopAt = NOT_YET;
    private int turns;
    private long messages;

    PerfResponder(final PerfEnd end, final PerfTest test) {
        this.end = end;
        control = end.control();
        answer = PerfAnswer.of(test, end);
    }

    @Override
    public int step() {
        int work = running ? answer.step() : 0;
        if (!running || ++turns % TURNS_BETWEEN_WORDS == 0) {
            work += hear();
        }
        if (running && stopAt != NOT_YET && answer.done(stopAt) >= stopAt) {
            running = false;
            messages += answer.done(stopAt);
            control.say(ControlChannel.DONE, 0, answer.done(stopAt));
            stopAt = NOT_YET;
        }
        return work;
    }

    private int hear() {
        if (!control.poll()) {
            return 0;
        }
        switch (control.word()) {
            case ControlChannel.START:
                // Bytes are written where messages of this size end: nobody else looks whether that is in the memory.
                if (!end.canTake(control.bytes())) {
                    throw control.refused("it asks for messages of " + control.bytes() + " bytes");
                }
                answer.begin(control.bytes());
                running = true;
                control.say(ControlChannel.READY, control.bytes(), 0);
                break;
            case ControlChannel.STOP:
                if (control.count() < 0) {
                    throw control.refused("it counted " + control.count() + " messages");
                }
                stopAt = control.count();
                break;
            case ControlChannel.BYE:
                over = true;
                break;
            default:
                break;
        }
        control.take();
        return 1;
    }

    @Override
    public boolean isOver() {
        return over;
    }

    @Override
    public long messages() {
        return messages;
    }
}
