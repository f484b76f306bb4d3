/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.av.PeerTable;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.endpoint.EndpointSettings;
import io.rdma4j.fabric.event.EndpointCounters;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.Realm;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;

import org.agrona.BitUtil;

/**
 * What an endpoint is made of, checked.
 *
 * @param options  as the application gave them.
 * @param transmit where sends complete.
 * @param receive  where receives complete.
 * @param peers    gives names to peers.
 * @param realm    where its memory is registered.
 * @param counters what counts its operations.
 */
record DatagramConfig(
    EndpointOptions options, FabricCompletionQueue transmit, FabricCompletionQueue receive, PeerTable peers,
    Realm realm, EndpointCounters counters) {
    static final String OPEN = "open endpoint";
    /** Keys with the top bit are for the kernel (InfiniBand specification, "Controlled Q_Keys"). */
    static final int KEY_BITS = Integer.MAX_VALUE;
    private static final int MOST_OPERATIONS = 1 << 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Checks what needs nothing to be opened. */
    static void check(final EndpointHost host, final EndpointOptions options) {
        if (options == null) {
            throw Failures.invalid(OPEN, "options is null");
        }
        if (options.addressVector() == null) {
            throw Failures.of(OPEN, FiErrno.FI_ENOAV, "there is no address vector")
                .hint("set one with EndpointOptions.addressVector").build();
        }
        peers(host, options.addressVector());
        FabricCompletionQueue.of(host, options.transmitQueue(), "transmit");
        FabricCompletionQueue.of(host, options.receiveQueue(), "receive");
        EndpointSettings.requireOwnReceives(OPEN, options);
        requireSize("transmit", options.transmitSize());
        requireSize("receive", options.receiveSize());
        if (options.receiveContexts().length > 0) {
            throw Failures.invalid(OPEN, "%d receive contexts are asked for, FI_EP_DGRAM endpoints have none",
                options.receiveContexts().length);
        }
    }

    private static PeerTable peers(final EndpointHost host, final AddressVector vector) {
        if (!(vector instanceof PeerTable) || vector.domain() != host.domain()) {
            throw Failures.of(OPEN, FiErrno.FI_EDOMAIN, "the address vector, %s, is of another domain", vector)
                .build();
        }
        return (PeerTable) vector;
    }

    private static void requireSize(final String which, final int size) {
        if (size < 1 || size > MOST_OPERATIONS) {
            throw Failures.invalid(OPEN, "%s size is %d, allowed are 1 to %d", which, size, MOST_OPERATIONS);
        }
    }

    static DatagramConfig of(
        final EndpointHost host, final EndpointOptions options, final Realm realm, final EndpointCounters counters) {
        return new DatagramConfig(options, FabricCompletionQueue.of(host, options.transmitQueue(), "transmit"),
            FabricCompletionQueue.of(host, options.receiveQueue(), "receive"), peers(host, options.addressVector()),
            realm, counters);
    }

    /** Queue pairs round their sizes up. */
    int sends() {
        return BitUtil.findNextPositivePowerOfTwo(options.transmitSize());
    }

    /** Queue pairs round their sizes up. */
    int receives() {
        return BitUtil.findNextPositivePowerOfTwo(options.receiveSize());
    }

    /** A queue key that nobody guesses. */
    static int newKey() {
        return RANDOM.nextInt() & KEY_BITS;
    }

    /**
     * What stands between the queue key that addresses tell and the one that the device compares: who has another
     * authorization key does not know it.
     */
    int keyMask() {
        return ByteBuffer.wrap(realm.sign("queue key".getBytes(StandardCharsets.US_ASCII))).getInt() & KEY_BITS;
    }
}
