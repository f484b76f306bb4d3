/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
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
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.pvrdma.EmulatedTime;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

import org.agrona.concurrent.UnsafeBuffer;

/** A process of a parallel program: a domain with an endpoint, its vector and queue, and memory for all uses. */
final class Rank implements AutoCloseable {
    static final int SIZE = 1 << 18;
    /** Nearly all goes on in the thread of the test, which on a busy machine gets its processor back late. */
    private static final int YIELDS_AFTER = 16;
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** A completion that was taken. */
    record Done(
        OperationKind kind, long context, long length, boolean hasData, int data, long source, long overflow,
        int errno) {
        static Done of(final CompletionEntry entry) {
            assertThat(entry.isError()).isEqualTo(entry.errno() != 0).isNotEqualTo(entry.providerError().isEmpty());
            return new Done(entry.kind(), entry.context(), entry.length(), entry.hasData(), entry.data(),
                entry.source(), entry.overflow(), entry.errno());
        }
    }

    final RdmaContext context;
    final Fabric fabric;
    final Domain domain;
    final CompletionQueue cq;
    final AddressVector av;
    final AddressedEndpoint ep;
    final PinnedMemory memory;
    final UnsafeBuffer bytes;
    final MemoryRegion region;
    final Deque<Done> done = new ArrayDeque<>();
    /** Whose queues are read while this one waits. */
    final List<Rank> others = new ArrayList<>();
    private int empty;
    private final List<AutoCloseable> more = new ArrayList<>();

    Rank(
        final RdmaContext context, final Hints hints, final EndpointOptions options, final AvAttributes vector,
        final BiConsumer<Rank, EndpointOptions> further) {
        this.context = context;
        final FabricInfo info = Fabrics.getInfo(hints.context(context).endpointType(EndpointType.RDM)).get(0);
        fabric = Fabrics.open(info);
        domain = fabric.openDomain(info);
        cq = domain.openCompletionQueue(64);
        av = domain.openAddressVector(vector);
        options.completionQueue(cq);
        further.accept(this, options);
        ep = domain.openAddressedEndpoint(options.addressVector(av));
        memory = domain.allocate(SIZE);
        bytes = memory.buffer();
        region = domain.register(new MrAttributes().buffer(memory).access(
            info.capabilities().contains(Capability.RMA) ? EnumSet.allOf(MrAccess.class)
                : EnumSet.of(MrAccess.SEND, MrAccess.RECV)).requestedKey(77));
    }

    long at(final int offset) {
        return memory.address() + offset;
    }

    /** What this one calls the other. */
    long knows(final Rank other) {
        return av.insert(other.ep.address());
    }

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
        take();
        others.forEach(Rank::take);
    }

    void take() {
        final int code = cq.read(entry -> done.add(Done.of(entry)), 64);
        assertThat(code).as(FiErrno.name(code)).isNotNegative();
        empty = code == 0 ? empty + 1 : 0;
        if (empty == YIELDS_AFTER) {
            empty = 0;
            Thread.yield();
        }
    }

    void until(final BooleanSupplier condition) {
        final long deadline = System.nanoTime() + LONGEST_NANOS;
        while (!condition.getAsBoolean()) {
            progress();
            assertThat(System.nanoTime() - deadline).as("30 s for nothing: %s, done %s, others %s", ep, done,
                others).isNegative();
        }
    }

    /** The next one, which is there only when a peer has not answered for long. */
    Done nextAfterSilence() {
        until(() -> {
            EmulatedTime.pass(context);
            ((RdmEndpoint) ep).parts().links().lookSoon();
            return !done.isEmpty();
        });
        return done.poll();
    }

    Done next() {
        until(() -> !done.isEmpty());
        return done.poll();
    }

    Done succeeds(final IntSupplier operation) {
        post(operation);
        final Done one = next();
        assertThat(one.errno()).as("%s", one).isZero();
        return one;
    }

    Done fails(final int errno, final IntSupplier operation) {
        post(operation);
        final Done one = next();
        assertThat(FiErrno.name(one.errno())).as("%s", one).isEqualTo(FiErrno.name(errno));
        return one;
    }

    <T extends AutoCloseable> T keep(final T object) {
        more.add(object);
        return object;
    }

    @Override
    public void close() {
        ep.close();
        for (int i = more.size() - 1; i >= 0; i--) {
            try {
                more.get(i).close();
            } catch (final RuntimeException e) {
                throw e;
            } catch (final Exception e) {
                throw new AssertionError(e);
            }
        }
        av.close();
        region.close();
        cq.close();
        memory.close();
        domain.close();
        fabric.close();
    }

    @Override
    public String toString() {
        return ep + ", not looked at " + done;
    }
}
