/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.text;

import io.rdma4j.base.DaemonThreads;
import io.rdma4j.base.Uninterrupted;
import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** One line on a terminal that tells how far long work is, written anew while it lasts, and gone when it is done. */
public final class Progress {
    private static final long INTERVAL_MILLIS = 250;
    /** Far longer than it takes: what is printed next would be erased, were the line still there. */
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final String ERASE_LINE = "\r\u001b[K";

    private final PrintWriter err;
    private final Supplier<String> line;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    private Progress(final PrintWriter err, final Supplier<String> line) {
        this.err = err;
        this.line = line;
        thread = DaemonThreads.of("rdma4j-progress", this::run);
    }

    /**
     * Does long work, and shows progress meanwhile if somebody is watching.
     *
     * @param terminal where to show it.
     * @param line     the line as it should be now; called on another thread.
     * @param work     the work.
     * @param <T>      what comes of it.
     * @return what came of it.
     */
    public static <T> T during(final Terminal terminal, final Supplier<String> line, final Supplier<T> work) {
        if (!terminal.errIsTerminal()) {
            return work.get();
        }
        final Progress progress = new Progress(terminal.err(), line);
        progress.thread.start();
        try {
            return work.get();
        } finally {
            progress.end();
        }
    }

    private void run() {
        boolean shown = false;
        try {
            while (!closed.await(INTERVAL_MILLIS, TimeUnit.MILLISECONDS)) {
                write(ERASE_LINE + line.get());
                shown = true;
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (shown) {
            write(ERASE_LINE);
        }
    }

    private void write(final String text) {
        err.print(text);
        err.flush();
    }

    private void end() {
        closed.countDown();
        Uninterrupted.join(thread, END_NANOS);
    }
}
