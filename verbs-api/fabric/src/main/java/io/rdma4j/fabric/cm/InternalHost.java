/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.MappedKeys;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;

/**
 * A domain as endpoints see it that the library makes for itself: they are in a realm that is given, and nobody counts
 * them, so that the application can close its domain with the endpoint that they work for. Thread-safe.
 */
public final class InternalHost implements EndpointHost {
    private final EndpointHost host;
    private final Realm realm;

    /**
     * A host over another one.
     *
     * @param host  does the rest.
     * @param realm for all endpoints, with a user as long as one is opened here.
     */
    public InternalHost(final EndpointHost host, final Realm realm) {
        this.host = host;
        this.realm = realm;
    }

    @Override
    public Domain domain() {
        return host.domain();
    }

    @Override
    public RdmaContext context() {
        return host.context();
    }

    @Override
    public FabricInfo info() {
        return host.info();
    }

    @Override
    public Realm openRealm(final byte[] authKey) {
        realm.retain();
        return realm;
    }

    @Override
    public MappedKeys mappedKeys() {
        return host.mappedKeys();
    }

    @Override
    public void opened(final Endpoint endpoint) {
        // Nobody waits for it.
    }

    @Override
    public void closed(final Endpoint endpoint) {
        // No region can be bound to it.
    }

    @Override
    public void opened(final CompletionQueue queue) {
        // Nobody waits for it.
    }

    @Override
    public void closed(final CompletionQueue queue) {
        // As above.
    }

    @Override
    public Subscription onAccessError(final QueuePair qp, final Runnable action) {
        return host.onAccessError(qp, action);
    }
}
