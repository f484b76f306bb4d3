/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fipingpong;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.verbs.PinnedMemory;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/**
 * One end: a domain, a completion queue, memory, and an endpoint of one kind. One receive is always posted before the
 * other end can answer.
 */
abstract class FabricEnd implements AutoCloseable {
    private static final int ENTRIES = 16;
    private static final int SPINS = 1000;

    private final Domain domain;
    private final CompletionQueue queue;
    private final PinnedMemory memory;
    private final MemoryRegion region;
    private final int room;
    private final Duration timeout;
    private Runnable meanwhile = this::step;
    private final CompletionReader reader = this::completed;
    private int sent;
    private int received;
    private long length;

    private FabricEnd(final Domain domain, final FiPingPongOptions options) {
        this.domain = domain;
        room = Math.max(1, options.largest());
        timeout = options.timeout();
        queue = domain.openCompletionQueue(ENTRIES);
        memory = domain.allocate(2L * room);
        region = domain.register(new MrAttributes().buffer(memory).access(MrAccess.SEND, MrAccess.RECV));
    }

    /** Opens what a kind of endpoints needs. */
    static FabricEnd of(final Domain domain, final FiPingPongOptions options) {
        return options.type() == EndpointType.MSG ? new Connected(domain, options) : new Addressed(domain, options);
    }

    abstract Endpoint endpoint();

    /** What the other end needs to know. */
    abstract byte[] name();

    abstract void meet(byte[] peer);

    abstract int post(long address, int bytes, MemoryRegion desc);

    abstract int postReceive(long address, int bytes, MemoryRegion desc);

    Domain domain() {
        return domain;
    }

    CompletionQueue queue() {
        return queue;
    }

    int sent() {
        return sent;
    }

    int received() {
        return received;
    }

    boolean hasReceived(final int count) {
        return received - count >= 0;
    }

    boolean hasSent(final int count) {
        return sent - count >= 0;
    }

    /** What is done while it waits: progress of all ends of this process. */
    void meanwhile(final Runnable progress) {
        meanwhile = progress;
    }

    void receive() {
        posted("receive", () -> postReceive(memory.address() + room, room, region));
    }

    /** Sends a message; seed is what its bytes are counted from, -1 to leave them. */
    void send(final int bytes, final int seed) {
        for (int i = 0; seed >= 0 && i < bytes; i++) {
            memory.buffer().putByte(i, (byte) (seed + i));
        }
        posted("send", () -> post(memory.address(), bytes, region));
    }

    private void posted(final String what, final IntSupplier post) {
        final long end = System.nanoTime() + timeout.toNanos();
        int code = post.getAsInt();
        while (code == -FiErrno.FI_EAGAIN && System.nanoTime() - end < 0) {
            meanwhile.run();
            code = post.getAsInt();
        }
        check(what, code);
    }

    /** What came last is this. */
    void expect(final int bytes, final int seed) {
        if (length != bytes) {
            throw failure("receive").detail("%d bytes came, %d were sent", length, bytes).errno(FiErrno.FI_EIO)
                .hint("give both sides the same -S").build();
        }
        for (int i = 0; seed >= 0 && i < bytes; i++) {
            if (memory.buffer().getByte(room + i) != (byte) (seed + i)) {
                throw failure("check message").detail("byte %d of %d is 0x%02x, sent was 0x%02x", i, bytes,
                    memory.buffer().getByte(room + i), (byte) (seed + i)).errno(FiErrno.FI_EIO).build();
            }
        }
    }

    /** Makes progress. */
    void step() {
        check("read completions", Math.min(0, queue.read(reader, ENTRIES)));
    }

    private void completed(final CompletionEntry entry) {
        if (entry.isError()) {
            throw failure(entry.kind() == OperationKind.RECEIVE ? "receive" : "send")
                .detail("%s", entry.providerError()).errno(entry.errno()).build();
        }
        if (entry.kind() == OperationKind.RECEIVE) {
            received++;
            length = entry.length();
        } else {
            sent++;
        }
    }

    private FabricException.Builder failure(final String what) {
        return FabricException.of("fi_pingpong: " + what);
    }

    private void check(final String what, final int code) {
        if (code != 0) {
            throw failure(what).detail("%s", endpoint()).errno(-code).build();
        }
    }

    /** Waits until something is so, while it makes progress. */
    void await(final BooleanSupplier condition) {
        final long end = System.nanoTime() + timeout.toNanos();
        for (int spins = 0; !condition.getAsBoolean(); spins++) {
            meanwhile.run();
            if (spins % SPINS == SPINS - 1) {
                if (System.nanoTime() - end >= 0) {
                    throw failure("wait for a message").detail("nothing came for %s s; %d sent, %d received; %s",
                        timeout.toMillis() / 1000.0, sent, received, endpoint()).errno(FiErrno.FI_ETIMEDOUT)
                        .hint("the other end has ended, or its device does not reach this one; datagrams may be lost")
                        .build();
                }
                Thread.yield();
            }
        }
    }

    @Override
    public void close() {
        endpoint().close();
        region.close();
        memory.close();
        queue.close();
        domain.close();
    }

    /** An end that is connected: FI_EP_MSG. */
    private static final class Connected extends FabricEnd {
        private final MsgEndpoint endpoint;

        Connected(final Domain domain, final FiPingPongOptions options) {
            super(domain, options);
            endpoint = domain.openEndpoint(new EndpointOptions().completionQueue(queue()));
        }

        @Override
        Endpoint endpoint() {
            return endpoint;
        }

        @Override
        byte[] name() {
            return endpoint.name();
        }

        @Override
        void meet(final byte[] peer) {
            endpoint.connect(peer);
        }

        @Override
        int post(final long address, final int bytes, final MemoryRegion desc) {
            return endpoint.send(address, bytes, desc, 0);
        }

        @Override
        int postReceive(final long address, final int bytes, final MemoryRegion desc) {
            return endpoint.receive(address, bytes, desc, 0);
        }
    }

    /** An end that names its peer in an address vector: FI_EP_DGRAM and FI_EP_RDM. */
    private static final class Addressed extends FabricEnd {
        private final AddressVector vector;
        private final AddressedEndpoint endpoint;
        private long peer = FiAddr.NOTAVAIL;

        Addressed(final Domain domain, final FiPingPongOptions options) {
            super(domain, options);
            vector = domain.openAddressVector(new AvAttributes());
            endpoint = domain.openAddressedEndpoint(new EndpointOptions().completionQueue(queue()).addressVector(vector)
                .connectTimeout(options.timeout()));
        }

        @Override
        Endpoint endpoint() {
            return endpoint;
        }

        @Override
        byte[] name() {
            return endpoint.address().bytes();
        }

        @Override
        void meet(final byte[] name) {
            peer = vector.insert(FabricAddress.of(AddressFormat.DEVICE, name));
        }

        @Override
        int post(final long address, final int bytes, final MemoryRegion desc) {
            return endpoint.send(address, bytes, desc, peer, 0);
        }

        @Override
        int postReceive(final long address, final int bytes, final MemoryRegion desc) {
            return endpoint.receive(address, bytes, desc, FiAddr.UNSPEC, 0);
        }

        @Override
        public void close() {
            endpoint.close();
            vector.close();
            super.close();
        }
    }
}
