/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.PinnedMemory;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntSupplier;

/** One end of a connection: a domain, a completion queue and an endpoint; and memory that it allocated. */
final class End implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int ENTRIES = 64;

    private final Domain domain;
    private final CompletionQueue queue;
    private final MsgEndpoint endpoint;
    private final Deque<String> results = new ArrayDeque<>();
    private final Deque<AutoCloseable> owned = new ArrayDeque<>();
    private End peer;

    End(final Domain domain) {
        this.domain = domain;
        this.queue = domain.openCompletionQueue(ENTRIES);
        this.endpoint = domain.openEndpoint(new EndpointOptions().completionQueue(queue));
    }

    /** In life the names travel through a socket, or whatever else the two have. */
    void connect(final End other) {
        peer = other;
        endpoint.connect(other.endpoint.name());
    }

    Domain domain() {
        return domain;
    }

    MsgEndpoint endpoint() {
        return endpoint;
    }

    /** Closed with this end, before everything that was given here earlier. */
    <T extends AutoCloseable> T own(final T object) {
        owned.push(object);
        return object;
    }

    PinnedMemory memory(final int length) {
        return own(domain.allocate(length));
    }

    /** Memory that begins with a text. */
    PinnedMemory memory(final String text) {
        final PinnedMemory memory = memory(text.length());
        put(memory, text);
        return memory;
    }

    static void put(final PinnedMemory memory, final String text) {
        memory.buffer().putBytes(0, text.getBytes(StandardCharsets.US_ASCII));
    }

    static String text(final PinnedMemory memory, final int length) {
        final byte[] bytes = new byte[length];
        memory.buffer().getBytes(0, bytes);
        return '"' + new String(bytes, StandardCharsets.US_ASCII).replace('\0', '.') + '"';
    }

    /** Posts, and again while the queue is full or a key is being looked up (FI_EAGAIN). */
    int post(final IntSupplier operation) {
        final long end = System.nanoTime() + PATIENCE.toNanos();
        int code = operation.getAsInt();
        while (code == -FiErrno.FI_EAGAIN && System.nanoTime() - end < 0) {
            read();
            peer.read();
            Thread.onSpinWait();
            code = operation.getAsInt();
        }
        return code;
    }

    /** Posts, waits for the completion, and says what came of it. */
    String run(final IntSupplier operation) {
        final int code = post(operation);
        return code == 0 ? await() : FiErrno.name(code);
    }

    /** Waits for the next completion: FI_SUCCESS, or the error and what the provider says. */
    String await() {
        final long end = System.nanoTime() + PATIENCE.toNanos();
        while (results.isEmpty() && System.nanoTime() - end < 0) {
            read();
            peer.read();
            Thread.onSpinWait();
        }
        return results.isEmpty() ? "no completion within " + PATIENCE : results.poll();
    }

    private void read() {
        queue.read(entry -> results.add(entry.isError()
            ? FiErrno.name(entry.errno()) + ": " + entry.providerError() : FiErrno.name(FiErrno.FI_SUCCESS)), ENTRIES);
    }

    /** Children first: the endpoint, what it used, the queue, the domain. */
    @Override
    public void close() {
        endpoint.close();
        while (!owned.isEmpty()) {
            close(owned.pop());
        }
        queue.close();
        domain.close();
    }

    private static void close(final AutoCloseable object) {
        try {
            object.close();
        } catch (final RuntimeException e) {
            throw e;
        } catch (final Exception e) {
            throw new IllegalStateException("closing " + object, e);
        }
    }
}
