/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MrAccess;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;

/**
 * One side of an exchange through the fabric interfaces: a domain, an endpoint and its completion queue. Used by one
 * thread; waiting makes progress of the other side, too, as both are here.
 */
final class FabricSide implements FabricEnds.End {
    private static final Duration PATIENCE = Duration.ofSeconds(8);
    private static final int SPINS = 200;
    private static final int BATCH = 16;
    private static final long PARK_NANOS = 50_000;
    private static final int QUEUE = 256;
    private static final int OPERATIONS = 32;

    private final ConformanceEnv env;
    private final Domain domain;
    private final CompletionQueue cq;
    private final MsgEndpoint endpoint;
    private final Deque<FabricWc> read = new ArrayDeque<>();
    private FabricSide other;

    private FabricSide(
        final ConformanceEnv env, final Domain domain, final UnaryOperator<EndpointOptions> options) {
        this.env = env;
        this.domain = domain;
        this.cq = env.own(domain.openCompletionQueue(QUEUE));
        this.endpoint = env.own(domain.openEndpoint(options.apply(new EndpointOptions().completionQueue(cq)
            .sizes(OPERATIONS, OPERATIONS).connectTimeout(env.connectTimeout()))));
    }

    /** A side that is not connected yet. */
    static FabricSide of(final ConformanceEnv env, final Domain domain) {
        return of(env, domain, options -> options);
    }

    static FabricSide of(final ConformanceEnv env, final Domain domain, final byte[] authKey) {
        return of(env, domain, options -> options.authKey(authKey));
    }

    static FabricSide of(
        final ConformanceEnv env, final Domain domain, final UnaryOperator<EndpointOptions> options) {
        return new FabricSide(env, domain, options);
    }

    FabricSide connect(final FabricSide peer) {
        other = peer;
        peer.other = this;
        endpoint.connect(peer.endpoint.name());
        peer.endpoint.connect(endpoint.name());
        return this;
    }

    /** From now on another thread makes progress of the other side. */
    FabricSide alone() {
        other = null;
        return this;
    }

    Domain domain() {
        return domain;
    }

    @Override
    public MsgEndpoint endpoint() {
        return endpoint;
    }

    CompletionQueue cq() {
        return cq;
    }

    @Override
    public FabricMemory buffer(final int length) {
        return memory(length, 0, MrAccess.SEND, MrAccess.RECV, MrAccess.READ, MrAccess.WRITE);
    }

    @Override
    public FabricMemory target(final int length, final long key) {
        return memory(length, key, MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE);
    }

    FabricMemory memory(final int length) {
        return FabricMemory.of(env, domain, length);
    }

    FabricMemory memory(final int length, final long key, final MrAccess... access) {
        return memory(length).registered(env, domain, key, access);
    }

    /** Posts, again and again while there is no room or a key is being looked up. */
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
            progress();
            idle(spins);
        }
    }

    /** Takes the next completion, of a success or a failure. */
    @Override
    public FabricWc next() {
        final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
        for (int spins = 0; read.isEmpty(); spins++) {
            progress();
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
        progress();
        return !read.isEmpty();
    }

    /** Nothing comes for a while. */
    void none(final Duration time, final String why) {
        final long end = System.nanoTime() + time.toNanos();
        do {
            progress();
            Check.that(read.isEmpty(), "%s, but there came %s", why, read);
            idle(SPINS);
        } while (System.nanoTime() - end < 0);
    }

    private void progress() {
        readOnce();
        if (other != null) {
            other.readOnce();
        }
    }

    private void readOnce() {
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
