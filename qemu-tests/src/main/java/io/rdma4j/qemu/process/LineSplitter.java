/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.process;

import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Cuts a stream of text into lines and removes what only a terminal understands: carriage returns and escape
 * sequences. Not thread-safe.
 */
final class LineSplitter {
    private static final int LONGEST = 16 * 1024;
    private static final Pattern CONTROL = Pattern.compile("\\x1b\\[[0-9;?]*[A-Za-z]|\\x1b.|\r");

    private final StringBuilder pending = new StringBuilder();
    private final Consumer<String> sink;

    LineSplitter(final Consumer<String> sink) {
        this.sink = sink;
    }

    void feed(final String text) {
        pending.append(text);
        int start = 0;
        int end = pending.indexOf("\n");
        while (end >= 0) {
            emit(pending.substring(start, end));
            start = end + 1;
            end = pending.indexOf("\n", start);
        }
        pending.delete(0, start);
        if (pending.length() > LONGEST) {
            end();
        }
    }

    void end() {
        if (pending.length() > 0) {
            emit(pending.toString());
            pending.setLength(0);
        }
    }

    private void emit(final String line) {
        sink.accept(CONTROL.matcher(line).replaceAll(""));
    }
}
