/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.linux;

import io.rdma4j.tools.Main;
import io.rdma4j.tools.text.Terminal;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The commands of ./rdma4j, in this process. */
record Rdma4j(int exitCode, String out, String err) {
    static Rdma4j run(final String... words) {
        final StringWriter out = new StringWriter();
        final StringWriter err = new StringWriter();
        final int code = Main.run(new Terminal(new PrintWriter(out), new PrintWriter(err), false, false), words);
        return new Rdma4j(code, out.toString(), err.toString());
    }

    static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return any.getLocalPort();
        }
    }

    /** Without connecting, which would be taken for the peer. */
    static void awaitListener(final int port) throws IOException, InterruptedException {
        final String listens = String.format(":%04X 00000000:0000 0A", port);
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!Files.readString(Path.of("/proc/net/tcp")).contains(listens)
            && !Files.readString(Path.of("/proc/net/tcp6")).matches(
                String.format("(?s).*:%04X 0{32}:0000 0A.*", port))) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("nobody listens at port " + port);
            }
            Thread.sleep(20);
        }
    }
}
