/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import static io.rdma4j.fabric.shared.Stores.attributes;
import static io.rdma4j.fabric.shared.Stores.check;
import static io.rdma4j.fabric.shared.Stores.insert;
import static io.rdma4j.fabric.shared.Stores.open;
import static io.rdma4j.fabric.shared.Stores.reading;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.rdma4j.fabric.av.AvNames;
import io.rdma4j.fabric.av.AvStore;
import io.rdma4j.fabric.av.PeerAddress;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of the addresses of processes that end. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SharedOwnersTest extends OwnFolder {
    private static final int CAPACITY = 256;

    @Test
    void placesOfKilledProcessesAreFreeForTheNextWriter() throws Exception {
        try (AvStore store = open(attributes(NAME)); AvStore reader = open(reading(NAME))) {
            for (int i = 0; i < 4; i++) {
                insert(store, 1000 + i);
            }
            for (int round = 0; round < 2; round++) {
                final StoreProcess other = new StoreProcess(folder);
                assertEquals("ok 100000", other.ask("open " + NAME));
                assertEquals("filled", other.ask("fill " + (CAPACITY - 4 - round)));
                assertEquals(CAPACITY, store.size());
                other.kill();
                assertEquals(CAPACITY, reader.size(), "it was removed by a reader");
                assertEquals(4 + round, AvNames.place(insert(store, 2000 + round)));
                assertEquals(5 + round, check(store, CAPACITY));
                assertEquals(5 + round, reader.size());
            }
            assertFalse(reader.find(CAPACITY - 1, 0, new PeerAddress()));
        }
    }

    @Test
    void addressesOfAProcessThatClosedTheVectorStay() throws Exception {
        try (AvStore store = open(attributes(NAME)); StoreProcess first = new StoreProcess(folder)) {
            assertEquals("ok 100000", first.ask("open " + NAME));
            assertEquals("filled", first.ask("fill 10"));
            assertEquals("closed", first.ask("close"));
            // It is called by the same number in the file as the first one was.
            final StoreProcess second = new StoreProcess(folder);
            assertEquals("ok 100000", second.ask("open " + NAME));
            assertEquals("filled", second.ask("fill 10"));
            second.kill();
            assertEquals(10, AvNames.place(insert(store, 50)));
            assertEquals(11, check(store, CAPACITY));
        }
    }

    /** The other one was killed while it told where the address is now. */
    @Test
    void addressesThatAKilledWriterMovedStayWhenTheirProcessCloses() throws Exception {
        try (StoreProcess other = new StoreProcess(folder)) {
            final AvStore store = open(attributes(NAME));
            insert(store, 1);
            assertEquals("ok 100000", other.ask("open " + NAME));
            final SharedMemory memory = memory();
            final UnsafeBuffer front = memory.front;
            front.putLong(SharedLayout.MOVE_OFFSET, 0xfe80_0000_0000_0000L);
            front.putLong(SharedLayout.MOVE_OFFSET + 8, 90);
            front.putInt(SharedLayout.MOVE_OFFSET + 16, 30 | 3 << 24);
            front.putInt(SharedLayout.MOVE_OFFSET + 20, ~30);
            front.putInt(SharedLayout.UNDER_WAY_PLACE_OFFSET, 0);
            front.putInt(SharedLayout.UNDER_WAY_OFFSET, 3);
            final UnsafeBuffer entries = memory.window(0);
            entries.putLong(memory.offset(0), entries.getLong(memory.offset(0)) & ~3L | 2);
            store.close();
            assertEquals(Long.toString(AvNames.handle(1, 1)), other.ask("insert 5"));
            assertEquals("30", other.ask("find 0"));
            assertEquals("closed", other.ask("close"));
        }
    }

    /** The other one was killed while it counted whose addresses are there. */
    @Test
    void addressesThatAKilledWriterCountedAnewStayWhenTheirProcessCloses() throws Exception {
        try (StoreProcess other = new StoreProcess(folder)) {
            final AvStore store = open(attributes(NAME));
            insert(store, 1);
            assertEquals("ok 100000", other.ask("open " + NAME));
            final UnsafeBuffer front = memory().front;
            front.putInt(SharedLayout.UNDER_WAY_OFFSET, 1);
            front.putInt(SharedLayout.OWNERS_OFFSET + Integer.BYTES, 0);
            store.close();
            assertEquals(Long.toString(AvNames.handle(1, 1)), other.ask("insert 5"));
            assertEquals("1", other.ask("find 0"));
            assertEquals("closed", other.ask("close"));
        }
    }

    /** It was killed behind the last address that it left to the others, and before it had counted that. */
    @Test
    void ownersOfWhomNothingIsThereAreFreeAgain() {
        try (AvStore store = open(attributes(NAME))) {
            final UnsafeBuffer front = memory().front;
            final int gone = SharedLayout.OWNERS_OFFSET + 7 * Integer.BYTES;
            front.putInt(gone, 1);
            insert(store, 1);
            assertEquals(0, front.getInt(gone));
            assertEquals(1, check(store, CAPACITY));
        }
    }
}
