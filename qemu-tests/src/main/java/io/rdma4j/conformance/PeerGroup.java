/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.Hints;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Endpoints that address each other through vectors, by turns on the device under test and on that of the peers.
 * Waiting for one of them makes progress of all, as they are used by one thread.
 */
final class PeerGroup {
    private final ConformanceEnv env;
    private final EndpointType type;
    private final List<Peer> members = new ArrayList<>();
    private final List<CompletionQueue> driven = new ArrayList<>();
    private UnaryOperator<Hints> wishes = hints -> hints.capabilities(Capability.MSG);
    private Supplier<AvAttributes> vectors = AvAttributes::new;
    private Fabric near;
    private Fabric far;

    private PeerGroup(final ConformanceEnv env, final EndpointType type) {
        this.env = env;
        this.type = type;
    }

    /** For messages, whose source is told; every mode bit is offered. */
    static PeerGroup of(final ConformanceEnv env, final EndpointType type) {
        NamePort.choose();
        return new PeerGroup(env, type).wishing(hints -> hints.capabilities(Capability.MSG, Capability.SOURCE));
    }

    static PeerGroup datagrams(final ConformanceEnv env) {
        return of(env, EndpointType.DGRAM);
    }

    static PeerGroup reliable(final ConformanceEnv env) {
        return of(env, EndpointType.RDM);
    }

    /** For messages, RMA and, where the device has them, atomics. */
    static PeerGroup rma(final ConformanceEnv env) {
        final Set<Capability> wanted = EnumSet.of(Capability.MSG, Capability.RMA, Capability.SOURCE);
        if (env.device().supports(Feature.ATOMICS)) {
            wanted.add(Capability.ATOMIC);
        }
        return reliable(env).wishing(hints -> hints.capabilities(wanted));
    }

    PeerGroup wishing(final UnaryOperator<Hints> more) {
        wishes = more;
        return this;
    }

    PeerGroup vectors(final Supplier<AvAttributes> attributes) {
        vectors = attributes;
        return this;
    }

    /** An endpoint in a domain of its own. */
    Peer join() {
        return join(options -> options);
    }

    Peer join(final UnaryOperator<EndpointOptions> options) {
        return join(openDomain(), options);
    }

    Peer join(final Domain domain, final UnaryOperator<EndpointOptions> options) {
        return add(Peer.of(env, this, domain, env.own(domain.openAddressVector(vectors.get())), options));
    }

    /** An endpoint beside another one: the same domain, vector and queue. */
    Peer joinBeside(final Peer other, final UnaryOperator<EndpointOptions> options) {
        return add(Peer.beside(env, this, other, options));
    }

    /** An endpoint beside another one: the same domain and vector, and a queue of its own. */
    Peer joinWithQueue(final Peer other, final UnaryOperator<EndpointOptions> options) {
        return add(Peer.withQueue(env, this, other, options));
    }

    /** So many endpoints, each in a domain of its own. */
    List<Peer> join(final int count) {
        final List<Peer> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(join());
        }
        return all;
    }

    private Peer add(final Peer peer) {
        members.add(peer);
        return peer;
    }

    /** It does not make progress any more, and is not waited for. */
    void leave(final Peer peer) {
        members.remove(peer);
    }

    /** Makes progress of a queue, too, whose completions the case takes itself. */
    void drive(final CompletionQueue queue) {
        driven.add(queue);
    }

    /** Leaves the queues of {@link #drive} alone. */
    void driveNoMore() {
        driven.clear();
    }

    void progress() {
        members.forEach(Peer::readOnce);
        driven.forEach(queue -> queue.read(entry -> { }, 0));
    }

    /** A domain on the device whose turn it is. */
    Domain openDomain() {
        final boolean there = env.hasTwoDevices() && (members.size() & 1) == 1;
        final FabricInfo info = info(there ? env.peer() : env.device());
        return env.own(fabric(there, info).openDomain(info));
    }

    FabricInfo info() {
        return info(env.device());
    }

    private FabricInfo info(final RdmaContext device) {
        return FabricPair.info(device, hints -> wishes.apply(hints.endpointType(type)));
    }

    private Fabric fabric(final boolean there, final FabricInfo info) {
        if (there) {
            far = far == null ? env.own(Fabrics.open(info)) : far;
            return far;
        }
        near = near == null ? env.own(Fabrics.open(info)) : near;
        return near;
    }

    /** The fabric of the device under test. */
    Fabric fabric() {
        return fabric(false, info());
    }
}
