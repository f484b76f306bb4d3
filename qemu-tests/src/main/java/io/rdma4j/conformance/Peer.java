/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.CqAttributes;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.OperationKind;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;

/** An endpoint that addresses its peers, and what belongs to it: domain, vector, queue. Member of a group. */
final class Peer implements FabricEnds.End {
    private static final Duration PATIENCE = Duration.ofSeconds(8);
    private static final int SPINS = 200;
    private static final int BATCH = 16;
    private static final long PARK_NANOS = 50_000;
    private static final int OPERATIONS = 32;

    private final ConformanceEnv env;
    private final PeerGroup group;
    private final Domain domain;
    private final AddressVector vector;
    private final CompletionQueue cq;
    private final AddressedEndpoint endpoint;
    private final Deque<FabricWc> read;
    private final Map<Peer, Long> names = new HashMap<>();

    private Peer(
        final ConformanceEnv env, final PeerGroup group, final AddressVector vector, final CompletionQueue cq,
        final UnaryOperator<EndpointOptions> options, final Deque<FabricWc> read) {
        this.env = env;
        this.group = group;
        this.domain = cq.domain();
        this.vector = vector;
        this.cq = cq;
        this.read = read;
        this.endpoint = env.own(domain.openAddressedEndpoint(options.apply(new EndpointOptions()
            .completionQueue(cq).addressVector(vector).sizes(OPERATIONS, OPERATIONS)
            .connectTimeout(env.connectTimeout()))));
    }

    static Peer of(
        final ConformanceEnv env, final PeerGroup group, final Domain domain, final AddressVector vector,
        final UnaryOperator<EndpointOptions> options) {
        return new Peer(env, group, vector, env.own(domain.openCompletionQueue(new CqAttributes())), options,
            new ArrayDeque<>());
    }

    static Peer beside(
        final ConformanceEnv env, final PeerGroup group, final Peer other,
        final UnaryOperator<EndpointOptions> options) {
        return new Peer(env, group, other.vector, other.cq, options, other.read);
    }

    static Peer withQueue(
        final ConformanceEnv env, final PeerGroup group, final Peer other,
        final UnaryOperator<EndpointOptions> options) {
        return new Peer(env, group, other.vector,
            env.own(other.domain.openCompletionQueue(new CqAttributes())), options, new ArrayDeque<>());
    }

    Domain domain() {
        return domain;
    }

    AddressVector vector() {
        return vector;
    }

    CompletionQueue cq() {
        return cq;
    }

    @Override
    public AddressedEndpoint endpoint() {
        return endpoint;
    }

    /** Most bytes of a message, or what is asked for if that is less. */
    int atMost(final int length) {
        return (int) Math.min(length, domain.info().endpointAttributes().maxMessageSize());
    }

    /** The name of another one in this one's vector, where it is inserted if it was not. */
    long to(final Peer other) {
        return names.computeIfAbsent(other, peer -> vector.insert(peer.endpoint.address()));
    }

    /** Takes another one out of the vector. */
    void forget(final Peer other) {
        vector.remove(new long[] {names.remove(other)}, 1, 0);
    }

    /** Memory for messages, and for what is read and written at peers. */
    @Override
    public FabricMemory buffer(final int length) {
        return FabricMemory.of(env, domain, length)
            .registered(env, domain, 0, MrAccess.SEND, MrAccess.RECV, MrAccess.READ, MrAccess.WRITE);
    }

    /** Memory that nobody registered. */
    FabricMemory plain(final int length) {
        return FabricMemory.of(env, domain, length);
    }

    @Override
    public FabricMemory target(final int length, final long key) {
        return FabricMemory.of(env, domain, length)
            .registered(env, domain, key, MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE);
    }

    /** Posts, again and again while there is no room or the peer is being connected. */
    @Override
    public void post(final IntSupplier operation, final String what) {
        final int code = tryPost(operation);
        Check.that(code == 0, "%s: %s (%d)", what, FiErrno.name(code), code);
    }

    /** As {@link #post}; the first answer that is not FI_EAGAIN. */
    int tryPost(final IntSupplier operation) {
        final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
        for (int spins = 0;; spins++) {
            final int code = operation.getAsInt();
            if (code != -FiErrno.FI_EAGAIN) {
                return code;
            }
            Check.that(System.nanoTime() - deadline < 0, "FI_EAGAIN for %d ms; not read yet: %s; %s",
                env.patience(PATIENCE).toMillis(), read, endpoint);
            group.progress();
            idle(spins);
        }
    }

    void receive(final FabricMemory to, final int offset, final int length, final long context) {
        receive(to, offset, length, FiAddr.UNSPEC, context);
    }

    void receive(
        final FabricMemory to, final int offset, final int length, final long source, final long context) {
        post(() -> endpoint.receive(to.at(offset), length, to.region(), source, context), "receive");
    }

    void send(final FabricMemory from, final int offset, final int length, final long dest, final long context) {
        post(() -> endpoint.send(from.at(offset), length, from.region(), dest, context), "send");
    }

    /** Takes the next completion, of a success or a failure. */
    @Override
    public FabricWc next() {
        final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
        for (int spins = 0; read.isEmpty(); spins++) {
            group.progress();
            if (!read.isEmpty()) {
                break;
            }
            Check.that(System.nanoTime() - deadline < 0, "no completion within %d ms; %s",
                env.patience(PATIENCE).toMillis(), endpoint);
            idle(spins);
        }
        return read.poll();
    }

    /** Reads once; true if there is something for {@link #next}. */
    boolean ready() {
        group.progress();
        return !read.isEmpty();
    }

    /** Nothing comes for a while. */
    void none(final Duration time, final String why) {
        final long end = System.nanoTime() + time.toNanos();
        do {
            group.progress();
            Check.that(read.isEmpty(), "%s, but there came %s", why, read);
            idle(SPINS);
        } while (System.nanoTime() - end < 0);
    }

    /** One message to another one, with what the sender knows of it; all that comes is checked. */
    void exchange(
        final Peer other, final FabricMemory from, final FabricMemory to, final int offset, final int length) {
        final int seed = 31 * offset + length;
        from.fill(seed, 3, length);
        to.guard();
        other.receive(to, offset, length, seed);
        send(from, 3, length, to(other), ~(long) seed);
        next().expect(~(long) seed, OperationKind.SEND);
        other.next().expect(seed, OperationKind.RECEIVE).expectLength(length);
        to.expectOnly(seed, offset, length, length + " bytes received at offset " + offset);
        env.moved(length);
    }

    /** Messages go through: whatever went wrong elsewhere was no harm here. */
    void expectMessagesFlow(final Peer other) {
        exchange(other, buffer(256), other.buffer(512), 70, 64);
    }

    void readOnce() {
        final int count = cq.read(entry -> read.add(FabricWc.of(entry)), BATCH);
        Check.that(count >= 0, "reading the completion queue: %s", FiErrno.name(count));
    }

    private static void idle(final int spins) {
        if (spins < SPINS) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(PARK_NANOS);
        }
    }
}
