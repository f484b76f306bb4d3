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
import static io.rdma4j.fabric.shared.Stores.remove;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.av.AvNames;
import io.rdma4j.fabric.av.AvStore;
import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.testing.Patience;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of the addresses of processes that end. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SharedOwnersTest extends OwnFolder {
    private static final int CAPACITY = 256;
    private static final int HALF = CAPACITY / 2;
    private static final int SIGHTS = 10_000;
    private static final int MENDS = 100;

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

    /** Another one is changing it for too long: nothing is given up, or the next writer would take it all out. */
    @Test
    void aCloseThatComesToNothingIsTriedAgain() throws Exception {
        try (StoreProcess keeper = new StoreProcess(folder)) {
            final AvStore store = open(attributes(NAME));
            insert(store, 1);
            assertEquals("ok 100000", keeper.ask("open " + NAME));
            closeWhileAnotherProcessWrites(store);
            assertEquals(Long.toString(AvNames.handle(1, 1)), keeper.ask("insert 4"));
            store.close();
            assertEquals(Long.toString(AvNames.handle(2, 1)), keeper.ask("insert 5"));
            assertEquals("1", keeper.ask("find 0"));
            assertEquals("closed", keeper.ask("close"));
        }
    }

    @Test
    void aCloseThatFindsNoThreadIsTriedAgain() {
        final AvStore store = open(attributes(NAME));
        Undisturbed.threadsOf((name, work) -> {
            throw new OutOfMemoryError("no thread");
        });
        try {
            assertThrows(OutOfMemoryError.class, store::close);
        } finally {
            Undisturbed.threadsAsUsual();
        }
        assertTrue(Files.exists(path));
        store.close();
        assertFalse(Files.exists(path));
        store.close();
    }

    @Test
    void closingAgainLeavesAloneWhatWasOpenedMeanwhile() throws Exception {
        final AvStore store = open(attributes(NAME));
        insert(store, 1);
        closeWhileAnotherProcessWrites(store);
        final AvStore next = open(attributes(NAME));
        store.close();
        store.close();
        assertEquals(AvNames.handle(1, 1), insert(next, 2));
        assertEquals(2, check(next, CAPACITY));
        next.close();
        next.close();
    }

    private void closeWhileAnotherProcessWrites(final AvStore store) throws Exception {
        final StoreProcess busy = new StoreProcess(folder);
        assertEquals("ok 100000", busy.ask("open " + NAME));
        assertEquals("locked", busy.ask("lock"));
        FileLocks.waitAtMost(Duration.ofMillis(100));
        try {
            assertEquals(FiErrno.FI_EAGAIN, errno(store::close));
        } finally {
            FileLocks.waitAsUsual();
        }
        busy.kill();
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

    /** Of those with one device address the first one, also where the index has the second one only. */
    @Test
    void peersAreKnownWhereAWriterWasKilledThatMadeTheIndexAnew() {
        try (AvStore store = open(attributes(NAME)); AvStore reader = open(reading(NAME))) {
            insert(store, 9);
            insert(store, 1);
            remove(store, 0);
            insert(store, 1);
            assertEquals(AvNames.handle(1, 1), placeOf(reader, 1));
            final SharedMemory memory = memory();
            final int level = SharedLayout.level(CAPACITY);
            memory.front.putInt(SharedLayout.UNDER_WAY_OFFSET, 4);
            memory.front.setMemory(memory.layout.index(level), SharedLayout.indexBytes(level), (byte) 0);
            assertEquals(AvNames.handle(1, 1), placeOf(reader, 1));
            new SharedIndex(memory, new SharedEntries(memory, SharedEntries.ANY_KIND)).link(0);
            assertEquals(AvNames.handle(1, 1), placeOf(reader, 1));
            assertEquals(-1, placeOf(reader, 2));
            insert(store, 2);
            assertEquals(AvNames.handle(1, 1), placeOf(reader, 1));
            assertEquals(3, check(store, CAPACITY));
            assertEquals(0, memory.front.getInt(SharedLayout.UNDER_WAY_OFFSET));
        }
    }

    /** Of those with one device address the first one, as above. */
    @Test
    void peersAreKnownWhereAWriterWasKilledThatMovedOne() {
        try (AvStore store = open(attributes(NAME)); AvStore reader = open(reading(NAME))) {
            insert(store, 1);
            insert(store, 1);
            insert(store, 2);
            final SharedMemory memory = memory();
            final SharedIndex index = new SharedIndex(memory, new SharedEntries(memory, SharedEntries.ANY_KIND));
            memory.front.putLong(SharedLayout.MOVE_OFFSET, 0xfe80_0000_0000_0000L);
            memory.front.putLong(SharedLayout.MOVE_OFFSET + 8, 9);
            memory.front.putInt(SharedLayout.MOVE_OFFSET + 16, 3 | EndpointType.RDM.value() << 24);
            memory.front.putInt(SharedLayout.MOVE_OFFSET + 20, ~3);
            memory.front.putInt(SharedLayout.UNDER_WAY_PLACE_OFFSET, 0);
            memory.front.putInt(SharedLayout.UNDER_WAY_OFFSET, 3);
            index.unlink(0);
            assertEquals(AvNames.handle(0, 1), placeOf(reader, 1));
            assertEquals(AvNames.handle(2, 1), placeOf(reader, 2));
            insert(store, 4);
            assertEquals(AvNames.handle(1, 1), placeOf(reader, 1));
            assertEquals(AvNames.handle(0, 1), placeOf(reader, 3));
            assertEquals(4, check(store, CAPACITY));
        }
    }

    /** It goes on until both had a processor in the other one's midst, if that may be. */
    @Test
    void peersAreKnownWhileAWriterMakesTheIndexAnew() throws InterruptedException {
        try (AvStore store = open(attributes(NAME)); AvStore reader = open(reading(NAME))) {
            for (int i = 0; i < CAPACITY; i++) {
                // Each is there twice: the first one is who it is.
                insert(store, i % HALF);
            }
            final UnsafeBuffer front = memory().front;
            final AtomicBoolean enough = new AtomicBoolean();
            final AtomicInteger mends = new AtomicInteger();
            final AtomicReference<Throwable> failed = new AtomicReference<>();
            final Thread writer = new Thread(() -> {
                try {
                    while (!enough.get()) {
                        front.putInt(SharedLayout.UNDER_WAY_OFFSET, 1);
                        store.lock();
                        store.unlock();
                        mends.incrementAndGet();
                    }
                } catch (final RuntimeException | Error e) {
                    failed.set(e);
                }
            });
            writer.start();
            final long deadline = System.nanoTime() + Patience.nanos();
            try {
                for (int i = 0; i < SIGHTS || mends.get() < MENDS; i++) {
                    assertEquals(AvNames.handle(i % HALF, 1), placeOf(reader, i % HALF));
                    assertTrue(System.nanoTime() - deadline < 0 && writer.isAlive(), i + " sights, mends: " + mends);
                }
            } finally {
                enough.set(true);
                writer.join();
            }
            assertNull(failed.get());
        }
    }

    private static long placeOf(final AvStore store, final int i) {
        return store.placeOf(0xfe80_0000_0000_0000L, i * 3L, i, AvStore.ANY_KEY);
    }
}
