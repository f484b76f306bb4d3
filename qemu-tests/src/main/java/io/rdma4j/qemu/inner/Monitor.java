/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonSyntaxException;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** Speaks with QEMU's monitor, in its machine protocol: a line of JSON each way. Not thread-safe. */
final class Monitor implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(20);

    private final SocketChannel channel;
    private final BufferedReader in;

    private Monitor(final SocketChannel channel) {
        this.channel = channel;
        in = new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8));
    }

    /**
     * Connects.
     *
     * @param socket QEMU's.
     * @return ready for commands; the caller closes it.
     * @throws IOException if nobody is there.
     */
    static Monitor connect(final Path socket) throws IOException {
        final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        Monitor monitor = null;
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
            monitor = new Monitor(channel);
            monitor.in.readLine();
            monitor.execute("qmp_capabilities", Map.of());
            return monitor;
        } finally {
            if (monitor == null) {
                channel.close();
            }
        }
    }

    /**
     * Saves the state of the machine, which stops at the end of that.
     *
     * @param target  a file.
     * @param timeout longest wait.
     * @throws IOException          if it cannot be saved, or not in time.
     * @throws InterruptedException if this thread is interrupted.
     */
    void save(final Path target, final Duration timeout) throws IOException, InterruptedException {
        execute("migrate-set-parameters", Map.of("max-bandwidth", 1L << 40));
        execute("migrate", Map.of("uri", "exec:cat > " + target));
        final long deadline = System.nanoTime() + timeout.toNanos();
        String status = "";
        while (!status.equals("completed")) {
            if (status.equals("failed") || status.equals("cancelled") || System.nanoTime() > deadline) {
                throw new IOException("the state was not saved to " + target + ": " + status);
            }
            Thread.sleep(POLL.toMillis());
            final JsonElement said = execute("query-migrate", Map.of()).get("status");
            status = said == null ? "" : said.getAsString();
        }
    }

    private JsonObject execute(final String command, final Map<String, Object> arguments) throws IOException {
        final JsonObject request = new JsonObject();
        request.addProperty("execute", command);
        final JsonObject values = new JsonObject();
        arguments.forEach((key, value) -> {
            if (value instanceof Long number) {
                values.addProperty(key, number);
            } else {
                values.addProperty(key, String.valueOf(value));
            }
        });
        request.add("arguments", values);
        final ByteBuffer line = StandardCharsets.UTF_8.encode(request + "\n");
        while (line.hasRemaining()) {
            channel.write(line);
        }
        return answer(command);
    }

    /** Events may come before it. */
    private JsonObject answer(final String command) throws IOException {
        while (true) {
            final String line = in.readLine();
            if (line == null) {
                throw new IOException("QEMU's monitor ended at " + command);
            }
            try {
                final JsonObject said = JsonParser.parseString(line).getAsJsonObject();
                if (said.has("error")) {
                    throw new IOException(command + " failed: " + said.get("error"));
                }
                if (said.has("return")) {
                    return said.getAsJsonObject("return");
                }
            } catch (final JsonSyntaxException | IllegalStateException e) {
                throw new IOException("QEMU's monitor said: " + line, e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
