/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

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

/**
 * One end: a domain, a completion queue, memory, and an endpoint of one kind. One receive is always posted before the
 * other end can answer. For one thread.
 */
abstract class FabricEnd implements Turn, AutoCloseable {
    private static final int ENTRIES = 16;

    private final Domain domain;
    private final CompletionQueue queue;
    private final PinnedMemory memory;
    private final MemoryRegion region;
    private final int room;
    private final boolean checks;
    private final boolean repliesOnly;
    private final CompletionReader reader = this::completed;
    private int bytes;
    private long last;
    private long receives;
    private long received;
    private long taken;
    private long sends;
    private long posted;
    private long sent;
    private long length;

    private FabricEnd(final Domain domain, final FiPingPongOptions options, final boolean repliesOnly) {
        this.domain = domain;
        this.repliesOnly = repliesOnly;
        room = Math.max(1, options.largest());
        checks = options.checks();
        queue = domain.openCompletionQueue(ENTRIES);
        memory = domain.allocate(2L * room);
        region = domain.register(new MrAttributes().buffer(memory).access(MrAccess.SEND, MrAccess.RECV));
    }

    /** Opens what a kind of endpoints needs. */
    static FabricEnd of(final Domain domain, final FiPingPongOptions options, final boolean repliesOnly) {
        return options.type() == EndpointType.MSG ? new Connected(domain, options, repliesOnly)
            : new Addressed(domain, options, repliesOnly);
    }

    abstract Endpoint endpoint();

    /** What the other end needs to know. */
    abstract byte[] name();

    abstract void meet(byte[] peer);

    abstract int post(long address, int length, MemoryRegion desc);

    abstract int postReceive(long address, int length, MemoryRegion desc);

    Domain domain() {
        return domain;
    }

    CompletionQueue queue() {
        return queue;
    }

    /** Messages that came, but for one of a game that has not begun here. */
    long received() {
        return taken;
    }

    /** Begins to play with one size. */
    void begin(final int size, final long times) {
        bytes = size;
        last = taken + times;
    }

    /** Looks for completions, and posts what the endpoint had no room for. */
    int poll() {
        final int completions = queue.read(reader, ENTRIES);
        check("read completions", Math.min(0, completions));
        post();
        return completions;
    }

    /** The receive first: the answer to a message may come at once. */
    private void post() {
        if (receives == taken && isPosted("receive", postReceive(memory.address() + room, room, region))) {
            receives++;
        }
        if (posted < sends && receives > taken && isPosted("send", post(memory.address(), bytes, region))) {
            posted++;
        }
    }

    private boolean isPosted(final String what, final int code) {
        if (code != -FiErrno.FI_EAGAIN) {
            check(what, code);
        }
        return code == 0;
    }

    @Override
    public boolean isReady() {
        // What comes behind the last one is of the next game, for which this end is not prepared yet.
        return received > taken && sent == sends && taken != last;
    }

    @Override
    public void take(final long iteration) {
        if (length != bytes) {
            throw failure("receive").detail("%d bytes came, %d were sent", length, bytes).errno(FiErrno.FI_EIO)
                .hint("give both sides the same -S").build();
        }
        if (checks) {
            final long message = Pattern.messageNumber(iteration, !repliesOnly);
            final int place = Pattern.firstDifference(memory.buffer(), room, bytes, message);
            if (place != Pattern.NONE) {
                throw failure("check message").detail("round trip %d: %s", iteration,
                    Pattern.describe(memory.buffer(), room, bytes, message, place)).errno(FiErrno.FI_EIO).build();
            }
        }
        taken++;
        post();
    }

    @Override
    public void move(final long iteration) {
        if (checks) {
            Pattern.fill(memory.buffer(), 0, bytes, Pattern.messageNumber(iteration, repliesOnly));
        }
        sends++;
        post();
    }

    /** Both sides know how often they play, so nobody has to say it. */
    @Override
    public boolean isFarewell() {
        return taken == last && sent == sends;
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

    /** What it is and what came of it, for messages to people. */
    String state() {
        return String.format("%d sent, %d of them confirmed, %d received; %s", posted, sent, received, endpoint());
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

        Connected(final Domain domain, final FiPingPongOptions options, final boolean repliesOnly) {
            super(domain, options, repliesOnly);
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
        int post(final long address, final int length, final MemoryRegion desc) {
            return endpoint.send(address, length, desc, 0);
        }

        @Override
        int postReceive(final long address, final int length, final MemoryRegion desc) {
            return endpoint.receive(address, length, desc, 0);
        }
    }

    /** An end that names its peer in an address vector: FI_EP_DGRAM and FI_EP_RDM. */
    private static final class Addressed extends FabricEnd {
        private final AddressVector vector;
        private final AddressedEndpoint endpoint;
        private long peer = FiAddr.NOTAVAIL;

        Addressed(final Domain domain, final FiPingPongOptions options, final boolean repliesOnly) {
            super(domain, options, repliesOnly);
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
        int post(final long address, final int length, final MemoryRegion desc) {
            return endpoint.send(address, length, desc, peer, 0);
        }

        @Override
        int postReceive(final long address, final int length, final MemoryRegion desc) {
            return endpoint.receive(address, length, desc, FiAddr.UNSPEC, 0);
        }

        @Override
        public void close() {
            endpoint.close();
            vector.close();
            super.close();
        }
    }
}
