/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.MessageOrder;
import io.rdma4j.fabric.MrAccess;

import java.util.List;
import java.util.Set;
import java.util.function.IntSupplier;

/** Two endpoints that reach each other, connected ones or reliable datagrams: for what goes for both kinds. */
interface FabricEnds {
    /** A pair of each kind. */
    static List<FabricEnds> ofEachKind(final ConformanceEnv env, final Capability... capabilities) {
        return List.of(new Connected(env, capabilities), new Reliable(env, capabilities));
    }

    Endpoint near();

    Endpoint far();

    /** What the near one calls the far one. */
    long peer();

    /** Memory to send from, to receive into, for what is read and written at the peer. */
    FabricMemory nearMemory(int length);

    FabricMemory farMemory(int length);

    /** Memory that the near one may read and write. */
    FabricMemory target(int length, long key);

    /** Posts on the near one, again and again while there is no room; both make progress. */
    void post(IntSupplier operation, String what);

    void postFar(IntSupplier operation, String what);

    /** The near one's next completion. */
    FabricWc next();

    FabricWc nextFar();

    /** These orders are promised. */
    default void expectOffered(final MessageOrder... orders) {
        Check.that(near().domain().info().transmitAttributes().messageOrder().containsAll(List.of(orders)),
            "%s does not promise %s", near().domain().info().transmitAttributes(), List.of(orders));
    }

    /** Connected endpoints. */
    final class Connected implements FabricEnds {
        private final FabricPair pair;

        private Connected(final ConformanceEnv env, final Capability... capabilities) {
            pair = FabricPair.of(env, hints -> hints.capabilities(Set.of(capabilities)));
        }

        @Override
        public Endpoint near() {
            return pair.near().endpoint();
        }

        @Override
        public Endpoint far() {
            return pair.far().endpoint();
        }

        @Override
        public long peer() {
            return FiAddr.UNSPEC;
        }

        @Override
        public FabricMemory nearMemory(final int length) {
            return pair.nearMemory(length);
        }

        @Override
        public FabricMemory farMemory(final int length) {
            return pair.farMemory(length);
        }

        @Override
        public FabricMemory target(final int length, final long key) {
            return pair.far().memory(length, key, MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE);
        }

        @Override
        public void post(final IntSupplier operation, final String what) {
            pair.near().post(operation, what);
        }

        @Override
        public void postFar(final IntSupplier operation, final String what) {
            pair.far().post(operation, what);
        }

        @Override
        public FabricWc next() {
            return pair.near().next();
        }

        @Override
        public FabricWc nextFar() {
            return pair.far().next();
        }
    }

    /** Reliable datagrams. */
    final class Reliable implements FabricEnds {
        private final Peer near;
        private final Peer far;

        private Reliable(final ConformanceEnv env, final Capability... capabilities) {
            final PeerGroup group = PeerGroup.reliable(env).wishing(hints -> hints.capabilities(Set.of(capabilities)));
            near = group.join();
            far = group.join();
        }

        @Override
        public Endpoint near() {
            return near.endpoint();
        }

        @Override
        public Endpoint far() {
            return far.endpoint();
        }

        @Override
        public long peer() {
            return near.to(far);
        }

        @Override
        public FabricMemory nearMemory(final int length) {
            return near.buffer(length);
        }

        @Override
        public FabricMemory farMemory(final int length) {
            return far.buffer(length);
        }

        @Override
        public FabricMemory target(final int length, final long key) {
            return far.target(length, key);
        }

        @Override
        public void post(final IntSupplier operation, final String what) {
            near.post(operation, what);
        }

        @Override
        public void postFar(final IntSupplier operation, final String what) {
            far.post(operation, what);
        }

        @Override
        public FabricWc next() {
            return near.next();
        }

        @Override
        public FabricWc nextFar() {
            return far.next();
        }
    }
}
