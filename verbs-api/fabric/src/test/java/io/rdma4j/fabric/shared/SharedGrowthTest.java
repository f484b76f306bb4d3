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
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.av.AvNames;
import io.rdma4j.fabric.av.AvStore;
import io.rdma4j.fabric.av.PeerAddress;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Shared vectors get more places while others read them. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SharedGrowthTest extends OwnFolder {
    private static final int CAPACITY = 256;

    @Test
    void theCountIsAHintAndTheVectorGrows() {
        for (final long count : new long[] {0, 1, 16, 100, Long.MAX_VALUE}) {
            try (AvStore store = open(attributes(NAME).count(count)); AvStore reader = open(reading(NAME))) {
                final long before = store.memoryUse();
                final int many = SharedStores.places(count) + 100;
                for (int i = 0; i < many; i++) {
                    assertEquals(AvNames.handle(i, 1), insert(store, i), "count " + count);
                }
                assertTrue(store.memoryUse() > before, "it takes " + before + " bytes, and as many when it has grown");
                assertEquals(many, check(store, many + 1));
                assertEquals(many, check(reader, many + 1));
                assertTrue(remove(store, many - 1));
                assertFalse(reader.find(many - 1, 0, new PeerAddress()));
                assertEquals(AvNames.handle(many - 1, 2), insert(store, 7));
            }
        }
    }

    @Test
    void aVectorThatGrowsTellsTheFirstOfTheSame() {
        try (AvStore store = open(attributes(NAME).count(1)); AvStore reader = open(reading(NAME))) {
            final PeerAddress peer = new PeerAddress();
            insert(store, 5);
            assertTrue(store.find(0, 0, peer));
            for (int i = 1; i < 1000; i++) {
                insert(store, i % 100);
                assertEquals(0, AvNames.place(reader.placeOf(peer.gidHigh(), peer.gidLow(), 5, AvStore.ANY_KEY)));
            }
            remove(store, 0);
            assertEquals(5, AvNames.place(reader.placeOf(peer.gidHigh(), peer.gidLow(), 5, AvStore.ANY_KEY)));
        }
    }

    /** What was found once is found ever after, whatever grows beside it. */
    @Test
    void readersFindWhatIsThereWhileItGrows() throws Exception {
        try (AvStore store = open(attributes(NAME).count(1)); AvStore reader = open(reading(NAME));
            StoreProcess other = new StoreProcess(folder)) {
            insert(store, 0);
            assertEquals("ok 100000", other.ask("open " + NAME));
            other.tell("fill 70000");
            final PeerAddress peer = new PeerAddress();
            long seen = 0;
            while (seen < 70_001) {
                seen = reader.size();
                // The size is told behind the entry.
                assertTrue(reader.find((int) seen - 1, 0, peer), "place " + (seen - 1));
                assertEquals(peer.qpn() * 3L, peer.gidLow());
                final long handle = reader.placeOf(peer.gidHigh(), peer.gidLow(), peer.qpn(),
                    AvStore.ANY_KEY);
                assertTrue(handle >= 0, "place " + (seen - 1) + " is not found by its address");
                assertEquals(0, AvNames.place(reader.placeOf(0xfe80_0000_0000_0000L, 0, 0, AvStore.ANY_KEY)));
            }
            assertEquals("filled", other.answer());
            assertEquals(70_001, check(store, 70_001));
        }
    }

    @Test
    void aWriterThatIsKilledWhileItGrowsHarmsNobody() throws Exception {
        try (AvStore store = open(attributes(NAME).count(1)); AvStore reader = open(reading(NAME))) {
            for (int i = 0; i < 64; i++) {
                insert(store, i);
            }
            final SharedMemory memory = memory();
            final SharedLayout layout = memory.layout;
            // Killed when half of the index was made.
            final int index = layout.index(SharedLayout.FIRST_LEVEL + 1);
            memory.front.setMemory(index, SharedLayout.indexBytes(SharedLayout.FIRST_LEVEL + 1), (byte) 0x11);
            insert(store, 64);
            assertEquals(65, check(reader, 128));
            // Killed when the index was shown and the places were not.
            remove(store, 64);
            memory.front.putLong(SharedLayout.PLACES_OFFSET, SharedLayout.checked(64));
            try (AvStore next = open(attributes(NAME))) {
                assertEquals(64, check(next, 64));
                assertEquals(AvNames.handle(64, 1), insert(next, 65));
                assertEquals(65, check(next, 128));
            }
        }
    }

    @Test
    void aWordOfPlacesThatIsDamagedIsRefused() {
        try (AvStore store = open(attributes(NAME))) {
            insert(store, 1);
            final UnsafeBuffer header = memory().front;
            for (final int at : new int[] {SharedLayout.PLACES_OFFSET, SharedLayout.LEVEL_OFFSET}) {
                final long good = header.getLong(at);
                for (final long bad : new long[] {0, -1, SharedLayout.checked(1 << 27), SharedLayout.checked(-64)}) {
                    header.putLong(at, bad);
                    assertEquals(FiErrno.FI_EIO, errno(() -> insert(store, 2)));
                    assertTrue(store.find(0, 0, new PeerAddress()));
                    assertFalse(store.find(1 << 26, 0, new PeerAddress()));
                    store.placeOf(1, 2, 3, AvStore.ANY_KEY);
                }
                header.putLong(at, good);
            }
            insert(store, 2);
            assertEquals(2, check(store, CAPACITY));
        }
    }

    @Test
    void theLargestIsFullInTheEnd() throws IOException {
        final SharedLayout small = new SharedLayout(128, AddressFormat.DEVICE, AvType.TABLE, 0, 0x10_0000);
        final SharedFile file = SharedFile.open(new SharedName(NAME, Stores.DOMAIN), small, 64);
        try (AvStore store = open(attributes(NAME))) {
            for (int i = 0; i < 128; i++) {
                assertEquals(i, AvNames.place(insert(store, i)));
            }
            assertEquals(-FiErrno.FI_ENOMEM, insert(store, 1));
            assertEquals(128, check(store, 130));
            remove(store, 77);
            assertEquals(77, AvNames.place(insert(store, 1)));
        }
        file.release();
    }

    @Test
    void withoutMemoryItDoesNotGrowAndKeepsWhatItHas() throws IOException {
        try (AvStore store = open(attributes(NAME).count(1))) {
            for (int i = 0; i < 64; i++) {
                insert(store, i);
            }
            final SharedMemory memory = memory();
            final SharedEntries entries = new SharedEntries(memory, SharedEntries.ANY_KIND);
            final SharedChanges changes =
                new SharedChanges(memory, entries, new SharedIndex(memory, entries), (position, length) -> false);
            final long used = store.memoryUse();
            store.lock();
            assertEquals(-FiErrno.FI_ENOMEM, changes.insert(entry(64), 0));
            store.unlock();
            assertEquals(used, store.memoryUse());
            assertEquals(64, check(store, 128));
            assertEquals(64, AvNames.place(insert(store, 64)));
        }
    }
}
