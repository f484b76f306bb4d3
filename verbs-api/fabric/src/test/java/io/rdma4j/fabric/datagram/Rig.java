/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

import org.agrona.concurrent.UnsafeBuffer;

/** A domain of datagrams with a vector, one queue for all endpoints, and memory. */
final class Rig implements AutoCloseable {
    static final int SIZE = 1 << 16;
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final AtomicInteger NAMES = new AtomicInteger();

    final RdmaContext context;
    final Fabric fabric;
    final FabricInfo info;
    final Domain domain;
    final AddressVector vector;
    final CompletionQueue cq;
    final PinnedMemory memory;
    final UnsafeBuffer bytes;
    final Deque<Done> done = new ArrayDeque<>();
    private final List<AutoCloseable> opened = new ArrayList<>();

    /** A completion that was taken. */
    record Done(AddressedEndpoint endpoint, OperationKind kind, long context, long length, boolean hasData, int data,
        long source, long overflow, int errno, String text) {
        static Done of(final CompletionEntry entry) {
            return new Done((AddressedEndpoint) entry.endpoint(), entry.kind(), entry.context(), entry.length(),
                entry.hasData(), entry.data(), entry.source(), entry.overflow(), entry.errno(),
                entry.providerError());
        }

        String error() {
            return FiErrno.name(errno);
        }
    }

    Rig(final String options) {
        this(RdmaDevices.open(device(options)), new Hints());
    }

    Rig(final RdmaContext context, final Hints hints) {
        this.context = context;
        if (hints.mrMode().isEmpty()) {
            hints.mrMode(MrMode.ALLOCATED);
        }
        info = Fabrics.getInfo(hints.context(context).endpointType(EndpointType.DGRAM)).get(0);
        fabric = Fabrics.open(info);
        domain = fabric.openDomain(info);
        vector = domain.openAddressVector(new AvAttributes());
        cq = domain.openCompletionQueue(64);
        memory = domain.allocate(SIZE);
        bytes = memory.buffer();
    }

    /** A device of its own. */
    static String device(final String options) {
        return "emulated:dg" + NAMES.incrementAndGet() + options;
    }

    EndpointOptions options() {
        return new EndpointOptions().completionQueue(cq).addressVector(vector).sizes(16, 16);
    }

    AddressedEndpoint open() {
        return open(options());
    }

    AddressedEndpoint open(final EndpointOptions options) {
        return keep(domain.openAddressedEndpoint(options));
    }

    <T extends AutoCloseable> T keep(final T object) {
        opened.add(0, object);
        return object;
    }

    /** The name of an endpoint, of this rig or another one. */
    long name(final AddressedEndpoint endpoint) {
        return vector.insert(endpoint.address());
    }

    long at(final int offset) {
        return memory.address() + offset;
    }

    /** All of the memory. */
    MemoryRegion region() {
        return keep(domain.register(new MrAttributes().buffer(memory).access(MrAccess.SEND, MrAccess.RECV)));
    }

    void fill(final int offset, final int length, final int seed) {
        for (int i = 0; i < length; i++) {
            bytes.putByte(offset + i, (byte) (seed + i * 7));
        }
    }

    void expect(final int offset, final int length, final int seed) {
        for (int i = 0; i < length; i++) {
            assertThat(bytes.getByte(offset + i)).as("byte %d of %d", i, length).isEqualTo((byte) (seed + i * 7));
        }
    }

    void take() {
        final int code = cq.read(entry -> done.add(Done.of(entry)), 64);
        assertThat(code).as(FiErrno.name(code)).isNotNegative();
        if (code == 0) {
            Thread.yield();
        }
    }

    /** Until it is accepted. */
    void post(final IntSupplier operation) {
        final long deadline = System.nanoTime() + LONGEST_NANOS;
        int code = operation.getAsInt();
        while (code == -FiErrno.FI_EAGAIN) {
            assertThat(System.nanoTime() - deadline).as("still FI_EAGAIN, done %s", done).isNegative();
            take();
            code = operation.getAsInt();
        }
        assertThat(code).as(FiErrno.name(code)).isZero();
    }

    /** The next completion of an endpoint and kind; others stay. */
    Done next(final AddressedEndpoint endpoint, final OperationKind kind) {
        final long deadline = System.nanoTime() + LONGEST_NANOS;
        while (true) {
            for (final Done one : done) {
                if (one.endpoint() == endpoint && one.kind() == kind) {
                    done.remove(one);
                    return one;
                }
            }
            take();
            assertThat(System.nanoTime() - deadline).as("no %s of %s, done %s", kind, endpoint, done).isNegative();
        }
    }

    Done sent(final AddressedEndpoint endpoint) {
        return next(endpoint, OperationKind.SEND);
    }

    Done received(final AddressedEndpoint endpoint) {
        return next(endpoint, OperationKind.RECEIVE);
    }

    /** Nothing comes for a while. */
    void silence() {
        final long end = System.nanoTime() + SILENCE_NANOS;
        while (System.nanoTime() - end < 0) {
            take();
        }
        assertThat(done).isEmpty();
    }

    private static void close(final AutoCloseable one) {
        try {
            one.close();
        } catch (final RuntimeException e) {
            throw e;
        } catch (final Exception e) {
            throw new AssertionError(e);
        }
    }

    /** All but the device. */
    void closeAll() {
        opened.forEach(Rig::close);
        opened.clear();
        if (vector != null) {
            vector.close();
        }
        cq.close();
        memory.close();
        domain.close();
        fabric.close();
    }

    @Override
    public void close() {
        try {
            closeAll();
        } finally {
            context.close();
        }
    }
}
