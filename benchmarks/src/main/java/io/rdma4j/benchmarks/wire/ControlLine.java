/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.wire;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** By this the two processes of a measurement tell each other what comes next: lines of text over TCP. */
final class ControlLine implements AutoCloseable {
    private static final int DEADLINE_MILLIS = 120_000;

    private final Socket socket;
    private final BufferedReader from;
    private final PrintWriter to;

    ControlLine(final Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(DEADLINE_MILLIS);
        socket.setTcpNoDelay(true);
        from = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        to = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    void say(final Object... words) {
        final StringBuilder line = new StringBuilder();
        for (final Object word : words) {
            line.append(line.length() == 0 ? "" : " ").append(word);
        }
        to.println(line);
    }

    String hear() throws IOException {
        final String line = from.readLine();
        if (line == null) {
            throw new IOException("the other process of the measurement is gone");
        }
        return line;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
