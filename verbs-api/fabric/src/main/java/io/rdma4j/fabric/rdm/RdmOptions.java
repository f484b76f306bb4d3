/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.av.PeerTable;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.region.EndpointHost;

/** What an endpoint can be made with. Stateless. */
final class RdmOptions {
    private static final String OPEN = "open endpoint";
    private static final int MOST_OPERATIONS = 1 << 16;
    private static final int LEAST_SLOTS = 4;
    private static final int MOST_SLOTS = 1024;
    static final int LEAST_BYTES = 256;
    private static final int MOST_BYTES = 65_536;

    private RdmOptions() {
    }

    static void check(final EndpointHost host, final EndpointOptions options) {
        requireVector(OPEN, "EndpointOptions.addressVector", host, options.addressVector());
        checkShared(host, options);
        FabricCompletionQueue.of(host, options.transmitQueue(), "transmit");
        if (options.receiveContexts().length == 0) {
            FabricCompletionQueue.of(host, options.receiveQueue(), "receive");
        }
        final int contexts = host.info().receiveAttributes().contexts();
        requireRange("receive contexts", options.receiveContexts().length, 0, contexts);
        requireContextsFit(options);
        requireRange("transmit size", options.transmitSize(), 1, MOST_OPERATIONS);
        requireReceives(OPEN, options.receiveSize());
        checkPieces(options);
        requireRange("most connections", options.mostConnections(), 0, Integer.MAX_VALUE);
        if (options.mostConnections() == 1) {
            throw Failures.invalid(OPEN, "most connections is 1, allowed are 0 (no limit), and 2 and more");
        }
        if (options.connectTimeout() == null || options.connectTimeout().isNegative()
            || options.connectTimeout().isZero()) {
            throw Failures.invalid(OPEN, "connect timeout is %s, it has to be above 0", options.connectTimeout());
        }
    }

    static void checkPieces(final EndpointOptions options) {
        requireRange("slots of a window", options.windowSlots(), LEAST_SLOTS, MOST_SLOTS);
        requireRange("bytes of a slot", options.windowBytes(), LEAST_BYTES, MOST_BYTES);
        requireLeastRoom(OPEN, options.leastMultiReceive());
    }

    /** Receives of its own, or those that others have as well. */
    private static void checkShared(final EndpointHost host, final EndpointOptions options) {
        if (SharedReceives.of(host, options) != null && options.receiveContexts().length > 0) {
            throw Failures.invalid(OPEN, "there are %d receive contexts beside a shared one",
                options.receiveContexts().length);
        }
    }

    static void requireReceives(final String operation, final int size) {
        requireRange(operation, "receive size", size, 1, MOST_OPERATIONS);
    }

    static void requireLeastRoom(final String operation, final int bytes) {
        requireRange(operation, "least room of a buffer for several messages", bytes, 1, Integer.MAX_VALUE);
    }

    static PeerTable requireVector(
        final String operation, final String where, final EndpointHost host, final AddressVector vector) {
        if (vector == null) {
            throw Failures.of(operation, FiErrno.FI_ENOAV, "there is no address vector").hint("set one with " + where)
                .build();
        }
        if (!(vector instanceof PeerTable) || ((PeerTable) vector).domain() != host.domain()) {
            throw Failures.of(operation, FiErrno.FI_EDOMAIN, "the address vector, %s, is of another domain", vector)
                .build();
        }
        return (PeerTable) vector;
    }

    private static void requireContextsFit(final EndpointOptions options) {
        final int bits = ((PeerTable) options.addressVector()).rxCtxBits();
        if (options.receiveContexts().length > 1 << bits) {
            throw Failures.invalid(OPEN, "%d receive contexts, the vector's rx_ctx_bits, %d, name at most %d",
                options.receiveContexts().length, bits, 1 << bits);
        }
    }

    private static void requireRange(final String what, final int value, final int least, final int most) {
        requireRange(OPEN, what, value, least, most);
    }

    private static void requireRange(
        final String operation, final String what, final int value, final int least, final int most) {
        if (value < least || value > most) {
            throw Failures.invalid(operation, "%s is %d, allowed are %d to %d", what, value, least, most);
        }
    }
}
