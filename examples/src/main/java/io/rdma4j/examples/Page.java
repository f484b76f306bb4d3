/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MrMode;

import java.io.PrintStream;

/** What an example prints: a question, sections, and in each aligned lines of what was done and what came of it. */
final class Page {
    private static final String LINE = "  %-44s %s%n";

    private final PrintStream out;

    Page(final PrintStream out) {
        this.out = out;
    }

    /** What the example is about. */
    void title(final String text) {
        out.println(text);
    }

    /** What follows is with the bit, or without it. */
    void section(final String text, final Object... values) {
        out.println();
        out.printf(text + "%n", values);
    }

    /** What was negotiated about a bit, and why. */
    void negotiated(final FabricInfo info, final MrMode mode) {
        done("mr_mode that remains", info.mrMode());
        done(mode + (info.mrMode().contains(mode) ? " is set" : " is cleared"), info.why(mode));
    }

    /** Something that the program did, and what came of it. */
    void done(final String what, final Object result) {
        out.printf(LINE, what, result);
    }

    /** A call that returned a code: 0, or a negated errno. */
    void called(final String what, final int code) {
        done(what, FiErrno.name(code));
    }
}
