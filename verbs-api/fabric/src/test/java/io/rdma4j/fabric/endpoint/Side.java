/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.pvrdma.EmulatedTime;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

import org.agrona.concurrent.UnsafeBuffer;

/** One end: a domain with an endpoint, its queue, and memory that peers may use in every way. */
final class Side implements AutoCloseable {
    static final int SIZE = 1 << 16;
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(20);

    final RdmaContext context;
    final Fabric fabric;
    final Domain domain;
    final CompletionQueue cq;
    final MsgEndpoint ep;
    final PinnedMemory memory;
    final UnsafeBuffer bytes;
    final Deque<Done> done = new ArrayDeque<>();
    /** The other end, if its queue is to be read while this one waits; else its application does nothing. */
    Side peer;
    private final List<MemoryRegion> regions = new ArrayList<>();

    Side(final RdmaContext context, final Hints hints) {
        this(context, hints, new EndpointOptions().sizes(16, 16));
    }

    Side(final RdmaContext context, final Hints hints, final EndpointOptions options) {
        this.context = context;
        final FabricInfo info = Fabrics.getInfo(hints.context(context)).get(0);
        this.fabric = Fabrics.open(info);
        this.domain = fabric.openDomain(info);
        this.cq = domain.openCompletionQueue(64);
        this.ep = domain.openEndpoint(options.completionQueue(cq));
        this.memory = domain.allocate(SIZE);
        this.bytes = memory.buffer();
    }

    static void connect(final Side a, final Side b) {
        a.ep.connect(b.ep.name());
        b.ep.connect(a.ep.name());
    }

    long at(final int offset) {
        return memory.address() + offset;
    }

    /** All of the memory, for all uses. */
    MemoryRegion register(final long key) {
        return register(key, EnumSet.of(MrAccess.READ, MrAccess.WRITE, MrAccess.SEND, MrAccess.RECV,
            MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE).toArray(new MrAccess[0]));
    }

    MemoryRegion register(final long key, final MrAccess... access) {
        return keep(domain.register(new MrAttributes().buffer(memory).access(access).requestedKey(key)));
    }

    MemoryRegion keep(final MemoryRegion region) {
        regions.add(region);
        return region;
    }

    /** For this side's own use. */
    MemoryRegion local() {
        return register(0, MrAccess.READ, MrAccess.WRITE, MrAccess.SEND, MrAccess.RECV);
    }

    /** Does what the caller of an operation has to do: again, with progress in between, while it says so. */
    void post(final IntSupplier operation) {
        final long deadline = System.nanoTime() + LONGEST_NANOS;
        int code = operation.getAsInt();
        while (code == -FiErrno.FI_EAGAIN) {
            assertThat(System.nanoTime() - deadline).as("still FI_EAGAIN: %s", ep).isNegative();
            progress();
            code = operation.getAsInt();
        }
        assertThat(code).as("%s of %s", FiErrno.name(code), ep).isZero();
    }

    void progress() {
        final int code = cq.read(entry -> done.add(Done.of(entry)), 64);
        assertThat(code).as(FiErrno.name(code)).isNotNegative();
        if (code == 0) {
            Thread.yield();
        }
        if (peer != null) {
            peer.take();
        }
    }

    private void take() {
        final int code = cq.read(entry -> done.add(Done.of(entry)), 64);
        assertThat(code).as(FiErrno.name(code)).isNotNegative();
    }

    void until(final BooleanSupplier condition) {
        final long deadline = System.nanoTime() + LONGEST_NANOS;
        while (!condition.getAsBoolean()) {
            progress();
            assertThat(System.nanoTime() - deadline).as("20 s for nothing: %s, done %s", ep, done).isNegative();
        }
    }

    /** The next completion, which is there only when the peer has not answered for long. */
    Done nextAfterSilence() {
        until(() -> {
            EmulatedTime.pass(context);
            return !done.isEmpty();
        });
        return done.poll();
    }

    /** The next completion. */
    Done next() {
        until(() -> !done.isEmpty());
        return done.poll();
    }

    Done succeeds(final IntSupplier operation) {
        post(operation);
        final Done one = next();
        assertThat(one.errno()).as(one.toString()).isZero();
        return one;
    }

    Done fails(final int errno, final IntSupplier operation) {
        post(operation);
        final Done one = next();
        assertThat(FiErrno.name(one.errno())).as(one.toString()).isEqualTo(FiErrno.name(errno));
        return one;
    }

    @Override
    public void close() {
        ep.close();
        regions.forEach(MemoryRegion::close);
        cq.close();
        memory.close();
        domain.close();
        fabric.close();
    }
}
