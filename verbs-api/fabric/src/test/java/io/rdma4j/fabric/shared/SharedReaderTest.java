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
import static io.rdma4j.fabric.shared.Stores.reading;
import static io.rdma4j.fabric.shared.Stores.remove;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.av.AvNames;
import io.rdma4j.fabric.av.AvStore;
import io.rdma4j.fabric.av.PeerAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One for reading only, which learns that peers are somewhere else, and must not write it down for others. */
@Timeout(60)
class SharedReaderTest extends OwnFolder {
    private static int at(final AvStore store, final int place) {
        final PeerAddress peer = new PeerAddress();
        assertTrue(store.find(place, 0, peer));
        assertEquals(peer.qpn() * 3L, peer.gidLow());
        assertEquals(~peer.qpn(), peer.qkey());
        return peer.qpn();
    }

    /** The place of who is there, with its queue key and with any; -1 if nobody is. */
    private static int who(final AvStore store, final int i) {
        final long handle = store.placeOf(entry(i).gidHigh(), i * 3L, i, AvStore.ANY_KEY);
        assertEquals(handle, store.placeOf(entry(i).gidHigh(), i * 3L, i, Integer.toUnsignedLong(~i)));
        assertEquals(-1, store.placeOf(entry(i).gidHigh(), i * 3L, i, 5));
        return handle < 0 ? -1 : AvNames.place(handle);
    }

    @Test
    void whatItLearnsIsItsOwn() {
        try (AvStore store = open(attributes(NAME)); AvStore reader = open(reading(NAME))) {
            insert(store, 10);
            insert(store, 11);
            assertTrue(move(reader, 1, 20));
            assertEquals(10, at(reader, 0));
            assertEquals(20, at(reader, 1));
            assertEquals(1, who(reader, 20));
            assertEquals(-1, who(reader, 11), "where it was");
            assertEquals(0, who(reader, 10));
            assertEquals(entry(11).inserted(), reader.inserted(1, 0));
            assertEquals(11, at(store, 1));
            assertEquals(1, who(store, 11));
            assertEquals(-1, who(store, 20));
            assertTrue(move(reader, 1, 21));
            assertEquals(21, at(reader, 1));
            assertEquals(-1, who(reader, 20));
            assertEquals(1, who(reader, 21));
        }
    }

    @Test
    void itHoldsUntilTheEntryChanges() {
        try (AvStore store = open(attributes(NAME)); AvStore reader = open(reading(NAME))) {
            for (int place = 0; place < 4; place++) {
                insert(store, 10 + place);
                assertTrue(move(reader, place, 20 + place));
            }
            move(store, 0, 30);
            remove(store, 1);
            remove(store, 2);
            insert(store, 41);
            assertEquals(30, at(reader, 0));
            assertEquals(0, who(reader, 30));
            assertEquals(-1, who(reader, 20));
            assertEquals(41, at(reader, 1));
            assertFalse(reader.find(2, 0, new PeerAddress()));
            assertFalse(move(reader, 2, 50), "nobody is there");
            assertEquals(-1, who(reader, 22));
            assertEquals(23, at(reader, 3));
            assertEquals(3, who(reader, 23));
        }
    }

    @Test
    void ofSeveralAtOneAddressTheFirstIsFound() {
        try (AvStore store = open(attributes(NAME)); AvStore reader = open(reading(NAME))) {
            for (int place = 0; place < 4; place++) {
                insert(store, 10 + place);
            }
            for (final int place : new int[] {3, 2, 1}) {
                assertTrue(move(reader, place, 10));
                assertEquals(0, who(reader, 10));
            }
            assertTrue(move(reader, 0, 20));
            assertEquals(1, who(reader, 10));
            assertTrue(move(reader, 1, 21));
            assertEquals(2, who(reader, 10));
        }
    }

    @Test
    void addressesOfAnotherKindStay() {
        try (AvStore store = open(attributes(NAME)); AvStore reader = new SharedStores(EndpointType.DGRAM)
            .open(Stores.DOMAIN, AddressFormat.DEVICE, reading(NAME))) {
            insert(store, 10);
            assertFalse(move(reader, 0, 20));
            assertFalse(reader.find(0, 0, new PeerAddress()));
        }
    }
}
