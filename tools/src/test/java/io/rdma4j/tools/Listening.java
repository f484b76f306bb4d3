/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.testing.Patience;
import io.rdma4j.tools.text.Terminal;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A command line on a thread of its own, which says on standard error where it listens. */
final class Listening {
    private static final long DEADLINE_SECONDS = Patience.duration().toSeconds();
    /** What it says first; the address follows. */
    static final String WORDS = "rdma4j: listening at ";

    private final CompletableFuture<String> address = new CompletableFuture<>();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter() {
        @Override
        public void flush() {
            tell(toString());
        }
    };
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();
    private final Thread thread;

    Listening(final String line) {
        thread = new Thread(() -> {
            final int code = Main.run(new Terminal(new PrintWriter(out), new PrintWriter(err), false, false),
                line.split(" "));
            exitCode.complete(code);
            address.completeExceptionally(new AssertionError("ended with " + code + ": " + err));
        }, "listening");
        thread.setDaemon(true);
        thread.start();
    }

    private void tell(final String text) {
        if (text.startsWith(WORDS) && text.indexOf('\n') > 0) {
            address.complete(text.substring(WORDS.length(), text.indexOf('\n')).strip());
        }
    }

    String address() throws Exception {
        return address.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    void interrupt() {
        thread.interrupt();
    }

    Cli.Outcome outcome() throws Exception {
        final int code = exitCode.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        return new Cli.Outcome(code, out.toString(), err.toString().replaceFirst(WORDS + ".*\\R", ""));
    }
}
