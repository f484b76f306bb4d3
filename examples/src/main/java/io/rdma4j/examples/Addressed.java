/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.verbs.PinnedMemory;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.function.IntSupplier;

/** An endpoint that addresses its peers by a vector, with its domain, queue and memory. */
final class Addressed implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /** Peers are programs that begin at the same time: on a busy machine some are there much later than others. */
    private static final Duration CONNECTING = Duration.ofSeconds(15);
    private static final int ENTRIES = 64;

    private final Domain domain;
    private final CompletionQueue queue;
    private final AddressVector vector;
    private final AddressedEndpoint endpoint;
    private final Deque<Done> done = new ArrayDeque<>();
    private final Deque<PinnedMemory> owned = new ArrayDeque<>();
    private Addressed companion;

    /** A completion, kept: entries are valid only while they are told. */
    record Done(long context, long length, long source, String result) {
        static Done of(final CompletionEntry entry) {
            return new Done(entry.context(), entry.length(), entry.source(),
                entry.isError() ? FiErrno.name(entry.errno()) + ": " + entry.providerError()
                    : FiErrno.name(FiErrno.FI_SUCCESS));
        }
    }

    /** A service of null: any that is free, where addresses are those of sockets. */
    Addressed(final Domain domain, final String service) {
        this.domain = domain;
        this.queue = domain.openCompletionQueue(ENTRIES);
        this.vector = domain.openAddressVector(new AvAttributes());
        this.endpoint = domain.openAddressedEndpoint(
            new EndpointOptions().completionQueue(queue).addressVector(vector).service(service)
                .connectTimeout(CONNECTING));
    }

    static FabricInfo info(final String device, final EndpointType type, final AddressFormat format) {
        return Fabrics.getInfo(new Hints().address(device).mrMode(TwoEnds.ALL_MODES).endpointType(type)
            .addressFormat(format).capabilities(type == EndpointType.RDM
                ? EnumSet.of(Capability.MSG, Capability.SOURCE, Capability.DIRECTED_RECV)
                : EnumSet.of(Capability.MSG, Capability.SOURCE))).get(0);
    }

    /** Another one of this thread: while one of them waits the other one makes progress, too. */
    Addressed with(final Addressed other) {
        companion = other;
        return this;
    }

    AddressVector vector() {
        return vector;
    }

    AddressedEndpoint endpoint() {
        return endpoint;
    }

    PinnedMemory memory(final int length) {
        final PinnedMemory memory = domain.allocate(length);
        owned.push(memory);
        return memory;
    }

    PinnedMemory memory(final String text) {
        final PinnedMemory memory = memory(text.length());
        End.put(memory, text);
        return memory;
    }

    /** Posts, and again while there is no room, the peer is being connected, or takes nothing (FI_EAGAIN). */
    int post(final IntSupplier operation) {
        final long end = System.nanoTime() + PATIENCE.toNanos();
        int code = operation.getAsInt();
        while (code == -FiErrno.FI_EAGAIN && System.nanoTime() - end < 0) {
            read();
            code = operation.getAsInt();
        }
        return code;
    }

    /** The next completion. */
    Done await() {
        final long end = System.nanoTime() + PATIENCE.toNanos();
        while (done.isEmpty() && System.nanoTime() - end < 0) {
            read();
        }
        return done.isEmpty() ? new Done(0, 0, 0, "no completion within " + PATIENCE) : done.poll();
    }

    private void read() {
        queue.read(entry -> done.add(Done.of(entry)), ENTRIES);
        if (companion != null) {
            companion.queue.read(entry -> companion.done.add(Done.of(entry)), ENTRIES);
        }
        Thread.onSpinWait();
    }

    @Override
    public void close() {
        endpoint.close();
        vector.close();
        while (!owned.isEmpty()) {
            owned.pop().close();
        }
        queue.close();
        domain.close();
    }
}
