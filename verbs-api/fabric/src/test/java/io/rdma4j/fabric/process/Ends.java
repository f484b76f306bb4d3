/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.process;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.RdmaContext;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** An addressed endpoint with all that it needs, and what it completed. */
final class Ends implements AutoCloseable {
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** A completion. */
    record Done(long context, int errno, long length, long source) {
    }

    final AddressVector vector;
    final AddressedEndpoint endpoint;
    final PinnedMemory memory;
    final Deque<Done> done = new ArrayDeque<>();
    private final Fabric fabric;
    private final Domain domain;
    private final CompletionQueue cq;

    Ends(
        final RdmaContext context, final EndpointType type, final AddressFormat format, final EndpointOptions options) {
        final FabricInfo info =
            Fabrics.getInfo(new Hints().context(context).endpointType(type).addressFormat(format)).get(0);
        fabric = Fabrics.open(info);
        domain = fabric.openDomain(info);
        cq = domain.openCompletionQueue(64);
        vector = domain.openAddressVector(new AvAttributes());
        memory = domain.allocate(4096);
        endpoint = domain.openAddressedEndpoint(options.completionQueue(cq).addressVector(vector).sizes(8, 8));
    }

    /** With time enough for a machine that does much else. */
    static EndpointOptions patient() {
        return new EndpointOptions().connectTimeout(Duration.ofSeconds(60));
    }

    void receive(final long context) {
        post(() -> endpoint.receive(memory.address(), 64, null, -1, context));
    }

    void send(final int length, final long to, final long context) {
        post(() -> endpoint.send(memory.address() + 64, length, null, to, context));
    }

    private void post(final IntSupplier operation) {
        final long deadline = System.nanoTime() + LONGEST_NANOS;
        int code = operation.getAsInt();
        while (code == -FiErrno.FI_EAGAIN) {
            requireTime(deadline);
            take();
            code = operation.getAsInt();
        }
        if (code != 0) {
            throw new AssertionError(FiErrno.name(-code) + " of " + endpoint);
        }
    }

    private void requireTime(final long deadline) {
        if (System.nanoTime() - deadline > 0) {
            throw new AssertionError("60 s for nothing: " + endpoint + ", done " + done);
        }
    }

    void take() {
        if (cq.read(this::note, 8) == 0) {
            Thread.yield();
        }
    }

    private void note(final CompletionEntry entry) {
        done.add(new Done(entry.context(), entry.errno(), entry.length(), entry.source()));
    }

    Done next() {
        final long deadline = System.nanoTime() + LONGEST_NANOS;
        while (done.isEmpty()) {
            requireTime(deadline);
            take();
        }
        return done.poll();
    }

    @Override
    public void close() {
        endpoint.close();
        vector.close();
        memory.close();
        cq.close();
        domain.close();
        fabric.close();
    }
}
