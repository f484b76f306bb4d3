/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.rdma4j.testing.Patience;
import io.rdma4j.tools.host.Machine;
import io.rdma4j.tools.text.Terminal;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** Runs a command line in this process and keeps what it printed. */
final class Cli {
    private Cli() {
    }

    /**
     * What came of a command line.
     *
     * @param exitCode its exit code.
     * @param out      what it printed to standard output.
     * @param err      what it printed to standard error.
     */
    record Outcome(int exitCode, String out, String err) {
        List<String> outLines() {
            return out.lines().toList();
        }

        List<String> errLines() {
            return err.lines().toList();
        }

        JsonObject json() {
            return JsonParser.parseString(out).getAsJsonObject();
        }
    }

    static Outcome run(final String... args) {
        return run(false, args);
    }

    /** With colours and progress, as on a terminal. */
    static Outcome runOnTerminal(final String... args) {
        return run(true, args);
    }

    /**
     * The same, for half a second, then for longer each time, until there is what is to be seen: a machine that is busy
     * shows it late.
     *
     * @param shown a pattern that is found in standard error.
     * @param args  of which SECONDS is replaced.
     */
    static Outcome runUntilShown(final String shown, final String... args) {
        final Pattern pattern = Pattern.compile(shown);
        for (double seconds = 0.5; seconds < Patience.duration().toSeconds(); seconds *= 3) {
            final String time = Double.toString(seconds);
            final Outcome outcome =
                run(true, Arrays.stream(args).map(arg -> arg.equals("SECONDS") ? time : arg).toArray(String[]::new));
            if (pattern.matcher(outcome.err()).find()) {
                return outcome;
            }
        }
        throw new AssertionError(Arrays.toString(args) + " never shows " + shown);
    }

    /** On another machine than this. */
    static Outcome runOn(final Machine machine, final String... args) {
        return run(machine, false, args);
    }

    private static Outcome run(final boolean watched, final String... args) {
        return run(Machine.here(), watched, args);
    }

    private static Outcome run(final Machine machine, final boolean watched, final String... args) {
        final StringWriter out = new StringWriter();
        final StringWriter err = new StringWriter();
        final int exitCode = Main.run(
            new Terminal(new PrintWriter(out), new PrintWriter(err), watched, watched), machine, args);
        return new Outcome(exitCode, out.toString(), err.toString());
    }
}
