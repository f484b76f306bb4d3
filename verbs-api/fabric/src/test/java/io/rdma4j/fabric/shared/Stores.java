/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.av.AvEntry;
import io.rdma4j.fabric.av.AvNames;
import io.rdma4j.fabric.av.AvStore;
import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.verbs.Gid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Stores and entries for tests of this package, also in other processes. */
final class Stores {
    static final String DOMAIN = "emulated:test?a=b";

    private Stores() {
    }

    static AvAttributes attributes(final String name) {
        return new AvAttributes().name(name).type(AvType.TABLE).count(256);
    }

    static AvAttributes reading(final String name) {
        return new AvAttributes().name(name).flags(AvFlag.READ);
    }

    static AvStore open(final AvAttributes attributes) {
        return open(DOMAIN, attributes);
    }

    static AvStore open(final String domain, final AvAttributes attributes) {
        return new SharedStores(EndpointType.RDM).open(domain, AddressFormat.DEVICE, attributes);
    }

    static AvEntry entry(final int i) {
        final AvEntry entry = new AvEntry();
        final FabricAddress address =
            FabricAddress.device(new Gid(0xfe80_0000_0000_0000L, i * 3L), i, ~i, EndpointType.RDM);
        entry.inserted(address);
        entry.device(address.gid().high(), address.gid().low(), i, ~i, EndpointType.RDM.value());
        return entry;
    }

    static long insert(final AvStore store, final int i) {
        store.lock();
        try {
            return store.insert(entry(i));
        } finally {
            store.unlock();
        }
    }

    static boolean remove(final AvStore store, final int place) {
        store.lock();
        try {
            return store.remove(place, 0);
        } finally {
            store.unlock();
        }
    }

    static boolean move(final AvStore store, final int place, final int i) {
        store.lock();
        try {
            return store.resolved(place, 0, entry(i));
        } finally {
            store.unlock();
        }
    }

    /** Everything that is there is whole, is counted, and is found by its address. */
    static int check(final AvStore store, final int capacity) {
        final PeerAddress peer = new PeerAddress();
        int live = 0;
        for (int place = 0; place < capacity; place++) {
            if (store.find(place, 0, peer)) {
                live++;
                final int i = peer.qpn();
                assertEquals(i * 3L, peer.gidLow(), "place " + place);
                assertEquals(~i, peer.qkey(), "place " + place);
                final long handle = store.placeOf(peer.gidHigh(), peer.gidLow(), peer.qpn(), AvStore.ANY_KEY);
                assertTrue(handle > 0, "place " + place + " is not found by its address");
                assertTrue(store.find(AvNames.place(handle), AvNames.life(handle), peer));
                assertEquals(i, peer.qpn());
            }
        }
        assertEquals(live, store.size());
        return live;
    }
}
