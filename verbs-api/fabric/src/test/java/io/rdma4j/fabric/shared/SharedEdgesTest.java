/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import static io.rdma4j.fabric.shared.Stores.attributes;
import static io.rdma4j.fabric.shared.Stores.check;
import static io.rdma4j.fabric.shared.Stores.entry;
import static io.rdma4j.fabric.shared.Stores.insert;
import static io.rdma4j.fabric.shared.Stores.open;
import static io.rdma4j.fabric.shared.Stores.reading;
import static io.rdma4j.fabric.shared.Stores.remove;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.av.AvEntry;
import io.rdma4j.fabric.av.AvNames;
import io.rdma4j.fabric.av.AvStore;
import io.rdma4j.fabric.av.PeerAddress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Shared vectors at the ends of what they can count. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SharedEdgesTest extends OwnFolder {
    private static final int BITS = 16;
    private static final int PLACES = 64;

    /** As if so many had been at this place, which is free. */
    private void setLastLife(final int place, final int life) {
        memory().window(place).putLong(memory().offset(place), (long) life << 32);
    }

    /** Names would be those of others before. */
    @Test
    void aPlaceOfAMapThatHadItsLastLifeIsNotUsedAgain() {
        final int most = SharedChanges.mostLife(AvType.MAP, BITS, 0x10_0000);
        try (AvStore store = open(attributes(NAME).type(AvType.MAP).rxCtxBits(BITS))) {
            insert(store, 1);
            remove(store, 0);
            setLastLife(0, most - 1);
            final long last = insert(store, 2);
            assertEquals(AvNames.handle(0, most), last);
            assertTrue(remove(store, 0));
            assertEquals(AvNames.handle(1, 1), insert(store, 3));
            // Whoever counts anew knows it, too.
            memory().front.putInt(SharedLayout.UNDER_WAY_OFFSET, 1);
            memory().front.putInt(SharedLayout.UNDER_WAY_PLACE_OFFSET, PLACES);
            assertEquals(AvNames.handle(2, 1), insert(store, 4));
            assertFalse(store.find(0, 0, new PeerAddress()));
            assertEquals(2, check(store, PLACES));
        }
    }

    @Test
    void aPlaceOfATableBeginsAnew() {
        try (AvStore store = open(attributes(NAME))) {
            insert(store, 1);
            remove(store, 0);
            setLastLife(0, Integer.MAX_VALUE);
            assertEquals(AvNames.handle(0, 1), insert(store, 2));
        }
    }

    @Test
    void namesOfMapsStayBelowTheBitsForReceiveContexts() {
        final long highest = 1L << Long.SIZE - 1 - BITS;
        for (final long base : new long[] {0, 0x10_0000, 1L << 40, highest - (2L << 31), highest - (1L << 31)}) {
            final long most = SharedChanges.mostLife(AvType.MAP, BITS, base);
            assertTrue(most == 0 || base + AvNames.handle(Integer.MAX_VALUE, (int) most) < highest, "base " + base);
        }
        assertEquals(1, SharedChanges.mostLife(AvType.MAP, BITS, highest - (2L << 31)));
        assertEquals(0, SharedChanges.mostLife(AvType.MAP, BITS, highest - (1L << 31)));
        assertEquals(0, SharedChanges.mostLife(AvType.MAP, BITS, Long.MAX_VALUE));
        assertEquals(Integer.MAX_VALUE, SharedChanges.mostLife(AvType.TABLE, BITS, Long.MAX_VALUE));
    }

    /** A reader that stands at it believes no length that another process wrote. */
    @Test
    void aLengthOfTextLeadsNowhereElse() {
        final SharedStores stores = new SharedStores(EndpointType.RDM);
        try (AvStore store = stores.open(Stores.DOMAIN, AddressFormat.STR, attributes(NAME));
            AvStore reader = stores.open(Stores.DOMAIN, AddressFormat.STR, reading(NAME))) {
            final AvEntry entry = entry(1);
            entry.inserted(FabricAddress.text("text"));
            store.lock();
            store.insert(entry);
            store.unlock();
            final int room = SharedLayout.room(AddressFormat.STR);
            final UnsafeBuffer to = new UnsafeBuffer(new byte[room]);
            for (final int[] told : new int[][] {{0, 0}, {3, 3}, {room, room}, {room + 1, room},
                {Integer.MAX_VALUE, room}, {-1, 0}, {Integer.MIN_VALUE, 0}}) {
                memory().window(0).putInt(memory().offset(0) + SharedLayout.INSERTED_LENGTH, told[0]);
                assertEquals(told[1], reader.inserted(0, 0, to, 0, room), "length " + told[0]);
            }
        }
    }

    /** Else one that came later would be found before it. */
    @Test
    void whoCountsAnewGoesOnBehindTheLastInsertion() {
        try (AvStore store = open(attributes(NAME))) {
            insert(store, 8);
            insert(store, 9);
            insert(store, 5);
            remove(store, 0);
            final UnsafeBuffer front = memory().front;
            front.putLong(SharedLayout.NEXT_ORDER_OFFSET, 0);
            front.putInt(SharedLayout.UNDER_WAY_OFFSET, 1);
            front.putInt(SharedLayout.UNDER_WAY_PLACE_OFFSET, PLACES);
            assertEquals(AvNames.handle(0, 2), insert(store, 5));
            assertEquals(AvNames.handle(2, 1),
                store.placeOf(entry(5).gidHigh(), 15, 5, AvStore.ANY_KEY), "that of before");
        }
    }

    /** The end of a long name is left out of the file's, and tells them apart. */
    @Test
    void longNamesOfDomainsHaveFilesOfTheirOwn() {
        final String domain = "d".repeat(200);
        final String one = SharedFolder.fileName("a", domain + "1");
        assertNotEquals(one, SharedFolder.fileName("a", domain + "2"));
        assertEquals(one, SharedFolder.fileName("a", domain + "1"));
        assertEquals("a@" + "d".repeat(96) + ".av", SharedFolder.fileName("a", "d".repeat(96)));
        assertEquals("a@" + "d".repeat(88), SharedFolder.fileName("a", "d".repeat(97)).substring(0, 90));
    }

    /** Those of processes that ended without a word are given to others, and only if there are no other ones. */
    @Test
    void placesOfHoldersThatAreGoneAreUsedAgain() throws IOException {
        final Path file = temporary.resolve("holders");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
            final SharedHolders holders = new SharedHolders(channel, file);
            final byte[] header = new byte[SharedLayout.HEADER];
            Arrays.fill(header, (byte) 0x11);
            holders.make(header);
            for (int i = 0; i < SharedHolders.PLACES; i++) {
                assertEquals(i, holders.add(7));
            }
            assertEquals(-1, holders.add(7), "all are of this process");
            holders.remove(-1);
            final byte[] all = Files.readAllBytes(file);
            assertEquals(SharedHolders.LENGTH, all.length);
            assertArrayEquals(header, Arrays.copyOf(all, header.length));
            final ByteBuffer gone = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
            gone.putInt(0, Integer.MAX_VALUE);
            final long last = SharedHolders.LENGTH - Long.BYTES;
            channel.write(gone, last);
            assertEquals(SharedHolders.PLACES - 1, holders.add(7));
            assertEquals(-1, holders.add(7));
            holders.remove(5);
            assertEquals(5, holders.add(7));
        }
    }
}
