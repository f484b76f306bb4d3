/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import io.rdma4j.tools.text.Terminal;
import io.rdma4j.tools.thread.Interruption;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Looks and prints, until enough was seen. */
public final class Loop {
    /** Forms of printing. */
    public enum Form {
        /** Tables for people. */
        TEXT,
        /** A line of JSON for each look. */
        JSON,
        /** What Prometheus reads. */
        PROMETHEUS
    }

    /**
     * How to go about it.
     *
     * @param form     of what is printed.
     * @param verbose  whether queues are shown one by one.
     * @param interval between looks.
     * @param count    how many looks; {@link Long#MAX_VALUE} for no end.
     */
    public record Plan(Form form, boolean verbose, Duration interval, long count) {
        private StatPrinter printer() {
            return switch (form) {
                case TEXT -> new StatText(verbose);
                case JSON -> new StatJson(verbose);
                case PROMETHEUS -> new Prometheus();
            };
        }
    }

    /** Cursor to the upper left, and what was there is erased. */
    private static final String REPAINT = "\u001b[H\u001b[J";

    private final Watch watch;
    private final Plan plan;
    private final Terminal terminal;
    private final StatPrinter printer;
    private final boolean repaints;

    /**
     * Prepares.
     *
     * @param watch    what to look at; the caller closes it.
     * @param plan     how.
     * @param terminal where to print.
     */
    public Loop(final Watch watch, final Plan plan, final Terminal terminal) {
        this.watch = watch;
        this.plan = plan;
        this.terminal = terminal;
        this.printer = plan.printer();
        this.repaints = plan.form == Form.TEXT && plan.count > 1 && terminal.outHasColours();
    }

    /**
     * Looks and prints, until it was done as often as planned, nothing is left to be seen, nobody reads any more or it
     * cannot be written, or Ctrl-C is pressed.
     */
    public void run() {
        try (Interruption interruption = new Interruption()) {
            long next = System.nanoTime();
            for (long done = 0; done < plan.count; done++) {
                if (done > 0) {
                    next = Math.max(next + plan.interval.toNanos(), System.nanoTime());
                    if (interruption.await(next - System.nanoTime())) {
                        return;
                    }
                }
                if (!lookAndPrint()) {
                    return;
                }
            }
        }
    }

    /** In one piece, so that a screen does not flicker. */
    private boolean lookAndPrint() {
        final StringWriter text = new StringWriter();
        final PrintWriter page = new PrintWriter(text);
        final List<Frame> frames = watch.look(this::say);
        if (frames.isEmpty()) {
            terminal.err().println("rdma4j: no device is left to be watched");
            return false;
        }
        if (plan.form == Form.PROMETHEUS) {
            sayTroubles(frames);
        }
        printer.print(frames, Instant.now(), page);
        page.flush();
        terminal.out().print(repaints ? REPAINT + text : text.toString());
        // It flushes; where the other end of a pipe was closed nobody wants more. What else fails the command tells.
        return !terminal.out().checkError();
    }

    /** Its format has a place for how many there are, and none for what they say. */
    private void sayTroubles(final List<Frame> frames) {
        for (final Frame frame : frames) {
            frame.troubles().forEach(trouble -> say(String.format("process %d, %s: %s", frame.device().pid(),
                frame.device().address(), trouble)));
        }
    }

    private void say(final String line) {
        terminal.err().println("rdma4j: " + Terminal.printable(line));
        terminal.err().flush();
    }
}
