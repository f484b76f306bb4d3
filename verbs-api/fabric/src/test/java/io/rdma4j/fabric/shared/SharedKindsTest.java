/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import static io.rdma4j.fabric.shared.Stores.attributes;
import static io.rdma4j.fabric.shared.Stores.entry;
import static io.rdma4j.fabric.shared.Stores.insert;
import static io.rdma4j.fabric.shared.Stores.move;
import static io.rdma4j.fabric.shared.Stores.open;
import static io.rdma4j.fabric.shared.Stores.remove;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.SharedVector;
import io.rdma4j.fabric.av.AvNames;
import io.rdma4j.fabric.av.AvStore;
import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.fabric.testing.TestNode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Domains of reliable datagrams and of datagrams that share a vector. */
@Timeout(60)
class SharedKindsTest extends OwnFolder {
    private static AvStore opened(final EndpointType kind) {
        return new SharedStores(kind).open(Stores.DOMAIN, AddressFormat.DEVICE, attributes(NAME));
    }

    private static long placeOf(final AvStore store, final int i) {
        return store.placeOf(entry(i).gidHigh(), i * 3L, i, AvStore.ANY_KEY);
    }

    @Test
    void addressesOfAnotherKindAreNoPeersAndNoSources() {
        try (AvStore own = open(attributes(NAME)); AvStore other = opened(EndpointType.DGRAM);
            AvStore any = opened(EndpointType.MSG)) {
            insert(own, 7);
            final PeerAddress peer = new PeerAddress();
            for (final AvStore store : new AvStore[] {own, any}) {
                assertTrue(store.find(0, 0, peer));
                assertEquals(7, peer.qpn());
                assertEquals(0, AvNames.place(placeOf(store, 7)));
            }
            assertFalse(other.find(0, 0, peer));
            assertEquals(-1, placeOf(other, 7));
            assertEquals(own.inserted(0, 0), other.inserted(0, 0));
            assertFalse(move(other, 0, 8), "moved by who has no such endpoints");
            assertTrue(own.find(0, 0, peer));
            assertTrue(remove(other, 0));
        }
    }

    /** A domain and an endpoint of some kind, and a vector that it shares. */
    private static final class Node extends TestNode {
        final AddressVector vector = keep(domain.openAddressVector(new AvAttributes().name(NAME)));
        final AddressedEndpoint endpoint = keep(domain.openAddressedEndpoint(
            new EndpointOptions().completionQueue(cq).addressVector(vector).sizes(4, 4)));

        Node(final EndpointType kind) {
            super(new Hints().address("emulated:kinds").endpointType(kind)
                .capabilities(Capability.MSG, Capability.SOURCE, Capability.SHARED_AV), 4096);
        }

        int send(final long name) {
            return endpoint.send(at(0), 8, null, name, 1);
        }
    }

    @Test
    void sendsToThemAreRefusedAndLookupTellsThem() {
        try (Node reliable = new Node(EndpointType.RDM); Node datagrams = new Node(EndpointType.DGRAM)) {
            final long toReliable = reliable.vector.insert(reliable.endpoint.address());
            final long toDatagrams = datagrams.vector.insert(datagrams.endpoint.address());
            assertEquals(-FiErrno.FI_EINVAL, reliable.send(toDatagrams));
            assertEquals(-FiErrno.FI_EINVAL, datagrams.send(toReliable));
            assertEquals(datagrams.endpoint.address(), reliable.vector.lookup(toDatagrams));
            final List<SharedVector> told = Fabrics.sharedVectors(NAME);
            assertEquals(2, told.get(0).entries().size());
        }
    }
}
