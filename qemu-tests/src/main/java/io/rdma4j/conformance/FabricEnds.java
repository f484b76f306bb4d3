/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.MessageOrder;

import java.util.List;
import java.util.Set;
import java.util.function.IntSupplier;

/**
 * Two endpoints that reach each other, connected ones or reliable datagrams: for what goes for both kinds.
 *
 * @param near starts what is tried.
 * @param far  its peer.
 * @param peer what the near one calls the far one.
 */
record FabricEnds(End near, End far, long peer) {
    /** One of them. Waiting makes progress of both. */
    interface End {
        Endpoint endpoint();

        /** Memory to send from, to receive into, for what is read and written at the peer. */
        FabricMemory buffer(int length);

        /** Memory that the peer may read and write. */
        FabricMemory target(int length, long key);

        /** Posts, again and again while there is no room. */
        void post(IntSupplier operation, String what);

        /** The next completion. */
        FabricWc next();
    }

    /** A pair of each kind. */
    static List<FabricEnds> ofEachKind(final ConformanceEnv env, final Capability... capabilities) {
        final Set<Capability> wanted = Set.of(capabilities);
        final FabricPair pair = FabricPair.of(env, hints -> hints.capabilities(wanted));
        final PeerGroup group = PeerGroup.reliable(env).wishing(hints -> hints.capabilities(wanted));
        final Peer near = group.join();
        final Peer far = group.join();
        return List.of(new FabricEnds(pair.near(), pair.far(), FiAddr.UNSPEC),
            new FabricEnds(near, far, near.to(far)));
    }

    /** These orders are promised. */
    void expectOffered(final MessageOrder... orders) {
        Check.that(near.endpoint().domain().info().transmitAttributes().messageOrder().containsAll(List.of(orders)),
            "%s does not promise %s", near.endpoint().domain().info().transmitAttributes(), List.of(orders));
    }
}
