/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionOrder;
import io.rdma4j.fabric.EndpointType;

import java.util.EnumSet;
import java.util.Set;

/** What the kinds of endpoints differ in, whatever the device. */
enum EndpointKind {
    /** Messages and memory of one peer: a reliable connection for each direction of either. */
    MSG("RC", 0, 1, CompletionOrder.NONE, EnumSet.of(Capability.TAGGED, Capability.MULTI_RECV, Capability.TRIGGER,
        Capability.FENCE)),
    /** One queue pair for datagrams, which complete as they are posted. */
    DGRAM("UD", 1, 1, CompletionOrder.STRICT,
        EnumSet.of(Capability.SOURCE, Capability.AV_USER_ID, Capability.SHARED_AV)),
    /** Connections to peers, and one queue pair to make them. */
    RDM("RDM", 1, 16, CompletionOrder.NONE,
        EnumSet.of(Capability.SOURCE, Capability.AV_USER_ID, Capability.SHARED_AV, Capability.NAMED_RX_CTX,
            Capability.DIRECTED_RECV, Capability.TAGGED, Capability.MULTI_RECV, Capability.TRIGGER,
            Capability.FENCE));

    private final String protocol;
    private final int datagramQueuePairs;
    private final int contexts;
    private final CompletionOrder completionOrder;
    private final Set<Capability> own;

    EndpointKind(
        final String protocol, final int datagramQueuePairs, final int contexts, final CompletionOrder completionOrder,
        final Set<Capability> own) {
        this.protocol = protocol;
        this.datagramQueuePairs = datagramQueuePairs;
        this.contexts = contexts;
        this.completionOrder = completionOrder;
        this.own = own;
    }

    /** MSG where nothing was said. */
    static EndpointKind of(final EndpointType type) {
        return type == null ? MSG : valueOf(type.name());
    }

    EndpointType type() {
        return EndpointType.valueOf(name());
    }

    /** A name in the manner of libfabric's; its numbers are for its own providers. */
    String protocol() {
        return "FI_PROTO_RDMA4J_" + protocol;
    }

    /** Whether it takes datagrams of the device. */
    boolean usesDatagrams() {
        return datagramQueuePairs > 0;
    }

    /** Whether peers' memory can be reached. */
    boolean reachesMemory() {
        return this != DGRAM;
    }

    /** Buffers of each receive that are the provider's: the header of a datagram, and what does not fit elsewhere. */
    int ownParts() {
        return switch (this) {
            case MSG -> 0;
            case DGRAM -> 2;
            case RDM -> 1;
        };
    }

    /** Receive contexts of an endpoint. */
    int contexts() {
        return contexts;
    }

    CompletionOrder completionOrder() {
        return completionOrder;
    }

    /** What it has beside messages on every device. */
    Set<Capability> own() {
        return EnumSet.copyOf(own);
    }

    /** Queue pairs that an endpoint takes at most, of one with many peers those to the first. */
    int queuePairs(final int lanes) {
        return datagramQueuePairs + (this == DGRAM ? 0 : lanes);
    }
}
