/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import io.rdma4j.fabric.Capability;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Which capabilities a device has, and which of them are given. As in libfabric (fi_getinfo): asked for nothing, a
 * provider gives all it has; asked for something, that and what costs nothing beside it. Without a direction, an
 * interface works in all directions.
 */
public final class CapabilityRules {
    private static final Set<Capability> MESSAGES = EnumSet.of(Capability.MSG, Capability.SEND, Capability.RECV);
    private static final Set<Capability> MESSAGE_WAYS = EnumSet.of(Capability.SEND, Capability.RECV);
    private static final Set<Capability> MEMORY_WAYS = EnumSet.of(
        Capability.READ, Capability.WRITE, Capability.REMOTE_READ, Capability.REMOTE_WRITE);
    private static final Set<Capability> FREE = EnumSet.of(
        Capability.LOCAL_COMM, Capability.REMOTE_COMM, Capability.RMA_PMEM, Capability.SOURCE, Capability.SHARED_AV);
    /** Each region has a cell of its own, each write an atomic behind it; memory of devices has to be registered. */
    private static final Set<Capability> ON_REQUEST =
        EnumSet.of(Capability.RMA_EVENT, Capability.HMEM, Capability.TRIGGER, Capability.FENCE);

    /** Of the work request of a piece of a message: a header, and payload. */
    private static final int PIECE_BUFFERS = 2;

    /** What connected endpoints have by sending messages in pieces only. */
    private static final Set<Capability> IN_PIECES = EnumSet.of(Capability.TAGGED, Capability.MULTI_RECV);

    private CapabilityRules() {
    }

    /**
     * Whether messages of connected endpoints go in pieces.
     *
     * @param given capabilities of their domain.
     * @return true if one of them takes that.
     */
    public static boolean needsPieces(final Set<Capability> given) {
        return !Collections.disjoint(given, IN_PIECES);
    }

    /** All that a device can do with one kind of endpoints. */
    static Set<Capability> of(final DeviceTraits device, final EndpointKind kind, final boolean peerToPeer) {
        final Set<Capability> able = EnumSet.of(Capability.LOCAL_COMM, Capability.REMOTE_COMM);
        able.addAll(MESSAGES);
        able.addAll(kind.own());
        if (device.limits().sges() < PIECE_BUFFERS) {
            able.removeAll(IN_PIECES);
        }
        if (device.has(Trait.RMA) && kind.reachesMemory()) {
            able.add(Capability.RMA);
            able.add(Capability.RMA_PMEM);
            able.addAll(MEMORY_WAYS);
            if (device.has(Trait.ATOMICS)) {
                able.add(Capability.ATOMIC);
                able.add(Capability.RMA_EVENT);
            }
        }
        if (peerToPeer && device.has(Trait.ANY_MEMORY)) {
            able.add(Capability.HMEM);
        }
        return able;
    }

    /** What is given to somebody who asks. */
    static Set<Capability> negotiate(
        final DeviceTraits device, final EndpointKind kind, final boolean peerToPeer, final Set<Capability> asked)
        throws Unfit {
        final Set<Capability> able = of(device, kind, peerToPeer);
        for (final Capability one : asked) {
            if (!able.contains(one)) {
                throw new Unfit("cannot give FI_%s: %s", one, whyNot(device, kind, one));
            }
        }
        final Set<Capability> given = EnumSet.copyOf(able);
        if (asked.isEmpty()) {
            given.removeAll(ON_REQUEST);
            if (kind == EndpointKind.MSG) {
                // They put a header and a copy between messages and the device.
                given.removeAll(IN_PIECES);
            }
            return given;
        }
        given.removeIf(one -> !asked.contains(one) && !FREE.contains(one));
        addWays(given, EnumSet.of(Capability.MSG, Capability.TAGGED), MESSAGE_WAYS);
        addWays(given, EnumSet.of(Capability.RMA, Capability.ATOMIC), MEMORY_WAYS);
        if (!hasMemory(given)) {
            given.retainAll(withoutMemory(asked));
        }
        return given;
    }

    /** Whether peers' memory can be named at all. */
    static boolean hasMemory(final Set<Capability> given) {
        return given.contains(Capability.RMA) || given.contains(Capability.ATOMIC);
    }

    private static void addWays(
        final Set<Capability> given, final Set<Capability> interfaces, final Set<Capability> ways) {
        if (interfaces.stream().anyMatch(given::contains) && ways.stream().noneMatch(given::contains)) {
            given.addAll(ways);
        }
    }

    /** Persistent memory as a target is worth nothing to who has no RMA. */
    private static Set<Capability> withoutMemory(final Set<Capability> asked) {
        final Set<Capability> kept = EnumSet.allOf(Capability.class);
        if (!asked.contains(Capability.RMA_PMEM)) {
            kept.remove(Capability.RMA_PMEM);
        }
        return kept;
    }

    private static String whyNot(final DeviceTraits device, final EndpointKind kind, final Capability one) {
        return switch (one) {
            case RMA, READ, WRITE, REMOTE_READ, REMOTE_WRITE, RMA_PMEM, ATOMIC, RMA_EVENT ->
                kind.reachesMemory() ? whyNoMemory(device, one) : "datagrams reach no memory of peers";
            case HMEM -> device.has(Trait.ANY_MEMORY)
                ? "FI_HMEM_DISABLE_P2P is set, and copies in its place are not made" : device.whyNot(Trait.ANY_MEMORY);
            case TAGGED -> kind == EndpointKind.DGRAM ? "datagrams have no tags"
                : "the device's work requests have one buffer, 2 are needed";
            case TRIGGER -> "datagrams have no operations that wait";
            case FENCE -> "nothing tells when a datagram has arrived";
            case MULTI_RECV -> kind == EndpointKind.DGRAM ? "a datagram takes a receive of its own"
                : "the device's work requests have one buffer, 2 are needed";
            case COLLECTIVE, MULTICAST -> "no device here has it";
            case SOURCE, DIRECTED_RECV, AV_USER_ID, SHARED_AV, NAMED_RX_CTX -> kind == EndpointKind.MSG
                ? "connected endpoints have one peer each" : "the device takes the next receive for any datagram";
            default -> "it cannot";
        };
    }

    private static String whyNoMemory(final DeviceTraits device, final Capability one) {
        final boolean counts = one == Capability.ATOMIC || one == Capability.RMA_EVENT;
        return device.whyNot(counts && device.has(Trait.RMA) ? Trait.ATOMICS : Trait.RMA);
    }
}
