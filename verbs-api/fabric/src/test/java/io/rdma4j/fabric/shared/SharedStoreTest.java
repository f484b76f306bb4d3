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
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.av.AvEntry;
import io.rdma4j.fabric.av.AvNames;
import io.rdma4j.fabric.av.AvStore;
import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.fabric.testing.TestDomain;
import io.rdma4j.testing.Patience;
import io.rdma4j.testing.TestBudget;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
@Tag("slow")
class SharedStoreTest extends OwnFolder {
    private static final int CAPACITY = 256;
    private static final int CHANGES = 1_000_000;
    private static final int SIGHTS = 1_000;

    @Test
    void lowestPlacesAreTakenAndLivesGoOn() {
        try (AvStore store = open(attributes(NAME))) {
            for (int i = 0; i < CAPACITY; i++) {
                assertEquals(AvNames.handle(i, 1), insert(store, i));
            }
            assertTrue(remove(store, 200));
            assertTrue(remove(store, 3));
            assertFalse(remove(store, 3));
            assertEquals(0, store.life(3));
            assertEquals(AvNames.handle(3, 2), insert(store, 1000));
            assertEquals(AvNames.handle(200, 2), insert(store, 1001));
            assertEquals(CAPACITY, check(store, CAPACITY));
            assertFalse(store.find(3, 1, new PeerAddress()));
            assertNull(store.inserted(3, 1));
            assertEquals(entry(1000).inserted(), store.inserted(3, 2));
            assertFalse(store.find(-1, 0, new PeerAddress()));
            assertFalse(store.find(CAPACITY, 0, new PeerAddress()));
            assertEquals(0, store.life(Integer.MAX_VALUE));
        }
    }

    @Test
    void theFirstOfTheSameIsFound() {
        try (AvStore store = open(attributes(NAME))) {
            insert(store, 5);
            insert(store, 6);
            insert(store, 5);
            remove(store, 1);
            insert(store, 5);
            final PeerAddress peer = new PeerAddress();
            store.find(0, 0, peer);
            assertEquals(0, AvNames.place(store.placeOf(peer.gidHigh(), peer.gidLow(), 5, AvStore.ANY_KEY)));
            remove(store, 0);
            assertEquals(2, AvNames.place(store.placeOf(peer.gidHigh(), peer.gidLow(), 5, AvStore.ANY_KEY)));
            remove(store, 2);
            assertEquals(1, AvNames.place(store.placeOf(peer.gidHigh(), peer.gidLow(), 5, AvStore.ANY_KEY)));
            remove(store, 1);
            assertEquals(-1, store.placeOf(peer.gidHigh(), peer.gidLow(), 5, AvStore.ANY_KEY));
        }
    }

    @Test
    void theSameWithAnotherQueueKeyIsAnother() {
        try (AvStore store = open(attributes(NAME))) {
            for (int key = 0; key < 3; key++) {
                final AvEntry entry = entry(5);
                entry.device(1, 2, 5, -key, entry.kind());
                store.lock();
                store.insert(entry);
                store.unlock();
            }
            for (int key = 0; key < 3; key++) {
                assertEquals(key, AvNames.place(store.placeOf(1, 2, 5, -key & 0xffff_ffffL)));
            }
            assertEquals(-1, store.placeOf(1, 2, 5, 1));
            assertEquals(0, AvNames.place(store.placeOf(1, 2, 5, AvStore.ANY_KEY)));
        }
    }

    @Test
    void whatMovedIsFoundWhereItIsAndToldAsItWas() {
        try (AvStore store = open(attributes(NAME))) {
            insert(store, 5);
            assertTrue(Stores.move(store, 0, 9));
            assertFalse(Stores.move(store, 1, 9));
            assertEquals(1, check(store, CAPACITY));
            assertEquals(entry(5).inserted(), store.inserted(0, 0));
            assertEquals(-1, store.placeOf(0xfe80_0000_0000_0000L, 15, 5, AvStore.ANY_KEY));
        }
    }

    @Test
    void whatIsWhereItWasHasNotMoved() {
        try (AvStore store = open(attributes(NAME))) {
            insert(store, 5);
            assertTrue(Stores.move(store, 0, 5));
            assertEquals(0, store.moves());
            assertTrue(Stores.move(store, 0, 6));
            assertEquals(1, store.moves());
            final AvEntry entry = entry(6);
            entry.device(entry.gidHigh(), entry.gidLow(), 6, ~6, EndpointType.DGRAM.value());
            store.lock();
            assertTrue(store.resolved(0, 0, entry));
            store.unlock();
            assertEquals(2, store.moves());
        }
    }

    @Test
    void textIsKept() {
        final AvStore store =
            new SharedStores(EndpointType.RDM).open(Stores.DOMAIN, AddressFormat.STR, attributes(NAME));
        final AvEntry entry = entry(3);
        entry.inserted(FabricAddress.text("fi_sockaddr_in://127.0.0.1:7000"));
        store.lock();
        store.insert(entry);
        entry.inserted(FabricAddress.text("x".repeat(300)));
        assertEquals(-FiErrno.FI_EMSGSIZE, store.insert(entry));
        store.unlock();
        assertEquals("fi_sockaddr_in://127.0.0.1:7000", store.inserted(0, 0).toString());
        assertEquals(31, store.inserted(0, 0, new UnsafeBuffer(new byte[4]), 0, 4));
        store.close();
    }

    @Test
    void readersReadAndChangeNothing() {
        assertEquals(FiErrno.FI_ENOENT, errno(() -> open(reading(NAME))));
        try (AvStore store = open(attributes(NAME)); AvStore reader = open(reading(NAME))) {
            insert(store, 7);
            assertTrue(reader.isReadOnly());
            assertEquals(1, check(reader, CAPACITY));
            assertEquals(-FiErrno.FI_EACCES, insert(reader, 8));
            assertFalse(remove(reader, 0));
        }
    }

    @Test
    void whatWasChosenHoldsForAll() {
        final var first = attributes(NAME).type(AvType.MAP).rxCtxBits(4).mapAddress(0x7000_0000L);
        try (AvStore store = open(first)) {
            assertEquals(0x7000_0000L, store.mapAddress());
            try (AvStore same = open(attributes(NAME).type(AvType.UNSPEC).rxCtxBits(4))) {
                assertEquals(AvType.MAP, same.type());
                assertEquals(0x7000_0000L, same.mapAddress());
            }
            try (AvStore reader = open(reading(NAME))) {
                assertEquals(AvType.MAP, reader.type());
                assertEquals(4, reader.rxCtxBits());
            }
            assertEquals(FiErrno.FI_EINVAL, errno(() -> open(reading(NAME).rxCtxBits(3))));
            assertEquals(FiErrno.FI_EINVAL, errno(() -> open(attributes(NAME).type(AvType.MAP))));
            assertEquals(FiErrno.FI_EINVAL, errno(() -> open(attributes(NAME).type(AvType.TABLE).rxCtxBits(4))));
            assertEquals(FiErrno.FI_EINVAL, errno(() -> open(attributes(NAME).type(AvType.MAP).rxCtxBits(3))));
            assertEquals(FiErrno.FI_EINVAL, errno(() -> open(
                attributes(NAME).type(AvType.MAP).rxCtxBits(4).mapAddress(0x8000_0000L))));
            assertEquals(FiErrno.FI_EINVAL, errno(() -> new SharedStores(EndpointType.RDM).open(
                Stores.DOMAIN, AddressFormat.STR, attributes(NAME).type(AvType.MAP).rxCtxBits(4))));
        }
        assertEquals(FiErrno.FI_EINVAL, errno(() -> open(attributes(NAME).type(AvType.MAP).mapAddress(-1))));
        assertEquals(FiErrno.FI_EINVAL, errno(() -> open(
            attributes(NAME).type(AvType.MAP).rxCtxBits(16).mapAddress(1L << 47))));
    }

    /** Indices begin at 0, wherever names of the other type would. */
    @Test
    void whereNamesBeginIsOfMapsOnly() {
        try (AvStore store = open(attributes(NAME).type(AvType.TABLE).mapAddress(0x1000_0000L));
            AvStore same = open(attributes(NAME).type(AvType.TABLE).mapAddress(0x2000_0000L));
            AvStore odd = open(attributes(NAME).type(AvType.TABLE).mapAddress(-1))) {
            insert(store, 1);
            assertEquals(1, same.size());
            assertEquals(1, odd.size());
        }
    }

    @Test
    void namesOfOtherDomainsAreOtherVectors() {
        try (AvStore store = open(attributes(NAME));
            AvStore other = open("vfio:0000:0b:00.1", attributes(NAME))) {
            insert(store, 1);
            assertEquals(0, other.size());
        }
    }

    @Test
    void whatAKilledWriterMovedIsUnknownUntilItIsMended() {
        try (AvStore store = open(attributes(NAME)); AvStore reader = open(reading(NAME))) {
            insert(store, 1);
            insert(store, 2);
            final UnsafeBuffer bytes = memory().window(1);
            final int at = memory().offset(1);
            final long head = bytes.getLong(at);
            final PeerAddress peer = new PeerAddress();
            for (int round = 0; round < 3; round++) {
                bytes.putLong(at, head & ~3L | 2);
                for (int i = 0; i < 100; i++) {
                    assertFalse(reader.find(1, 0, peer));
                    assertTrue(reader.find(0, 0, peer));
                }
                bytes.putLong(at, head);
                assertTrue(reader.find(1, 0, peer));
            }
        }
    }

    @Test
    void aCorruptIndexLeadsNowhereElse() {
        final Random random = new Random(11);
        for (int round = 0; round < 50; round++) {
            try (AvStore store = open(attributes(NAME))) {
                for (int i = 0; i < 64; i++) {
                    insert(store, i);
                }
                scribble(random);
                final PeerAddress peer = new PeerAddress();
                for (int i = 0; i < 64; i++) {
                    store.placeOf(0xfe80_0000_0000_0000L, i * 3L, i, AvStore.ANY_KEY);
                    store.find(i, 0, peer);
                    store.inserted(i, 0);
                }
                insert(store, 99);
                remove(store, random.nextInt(64));
            }
        }
    }

    /** Over the state, the bits, the index or the entries. */
    private void scribble(final Random random) {
        final SharedMemory memory = memory();
        final UnsafeBuffer[] parts = {memory.front, memory.front, memory.window(0)};
        final int[] at = {SharedLayout.SIZE_OFFSET, memory.layout.index(SharedLayout.level(CAPACITY)), 0};
        final int part = random.nextInt(parts.length);
        final byte[] bytes = new byte[400];
        random.nextBytes(bytes);
        parts[part].putBytes(at[part] + random.nextInt(4_000), bytes);
    }

    @Test
    void whatWasHalfDoneIsMended() {
        for (int operation = 1; operation <= 3; operation++) {
            try (AvStore store = open(attributes(NAME))) {
                for (int i = 0; i < 10; i++) {
                    insert(store, i);
                }
                final UnsafeBuffer bytes = memory().front;
                bytes.putInt(SharedLayout.UNDER_WAY_PLACE_OFFSET, operation == 1 ? 10 : 4);
                bytes.putInt(SharedLayout.UNDER_WAY_OFFSET, operation);
                bytes.putLong(SharedLayout.MOVE_OFFSET, 0xfe80_0000_0000_0000L);
                bytes.putLong(SharedLayout.MOVE_OFFSET + 8, 90);
                bytes.putInt(SharedLayout.MOVE_OFFSET + 16, 30 | 3 << 24);
                bytes.putInt(SharedLayout.MOVE_OFFSET + 20, ~30);
                bytes.putLong(SharedLayout.SIZE_OFFSET, 77);
                if (operation == 3) {
                    final UnsafeBuffer entries = memory().window(4);
                    entries.putLong(memory().offset(4), entries.getLong(memory().offset(4)) & ~3L | 2);
                }
                assertEquals(10, AvNames.place(insert(store, 50)) + (operation == 2 ? 6 : 0));
                assertEquals(operation == 2 ? 10 : 11, check(store, CAPACITY));
                final long moved = store.placeOf(0xfe80_0000_0000_0000L, 90, 30, AvStore.ANY_KEY);
                assertEquals(operation == 3 ? AvNames.handle(4, 1) : -1, moved);
            }
        }
    }

    /** One lock for all changes, so that there are as many as can be while it reads. */
    @Test
    void aReaderNeverSeesHalfAnAddress() throws InterruptedException {
        try (AvStore store = open(attributes(NAME)); AvStore reader = open(reading(NAME))) {
            insert(store, 0);
            final AvEntry[] entries = {entry(1), entry(2), entry(3)};
            final AtomicBoolean enough = new AtomicBoolean();
            final AtomicInteger changes = new AtomicInteger();
            final Thread writer = new Thread(() -> {
                store.lock();
                while (!enough.get()) {
                    change(store, entries, changes.incrementAndGet());
                }
                store.unlock();
            });
            writer.start();
            try {
                readWhole(reader, changes);
            } finally {
                enough.set(true);
                writer.join();
            }
        }
    }

    private static void change(final AvStore store, final AvEntry[] entries, final int i) {
        if (i % 8 == 0) {
            store.remove(0, 0);
            store.insert(entries[i % 3]);
        } else {
            store.resolved(0, 0, entries[i % 3]);
        }
    }

    /** Who has a processor when is not known: it goes on until both have had one for long enough. */
    private static void readWhole(final AvStore reader, final AtomicInteger changes) {
        final PeerAddress peer = new PeerAddress();
        final long deadline = System.nanoTime() + Patience.nanos();
        int seen = 0;
        while (changes.get() < CHANGES || seen < SIGHTS) {
            assertTrue(System.nanoTime() - deadline < 0, "seen " + seen + " times in " + changes + " changes");
            if (reader.find(0, 0, peer)) {
                seen++;
                assertEquals(peer.qpn() * 3L, peer.gidLow());
                assertEquals(~peer.qpn(), peer.qkey());
            }
        }
    }

    @Test
    void twoThreadsChangeAndOneReads() throws InterruptedException {
        try (AvStore store = open(attributes(NAME)); AvStore second = open(attributes(NAME))) {
            final AtomicReference<Throwable> failed = new AtomicReference<>();
            final Thread other = new Thread(() -> churn(second, 2, failed));
            other.start();
            final PeerAddress peer = new PeerAddress();
            final Thread main = new Thread(() -> churn(store, 1, failed));
            main.start();
            while (main.isAlive() || other.isAlive()) {
                for (int place = 0; place < 64; place++) {
                    if (store.find(place, 0, peer)) {
                        assertEquals(peer.qpn() * 3L, peer.gidLow());
                        assertEquals(~peer.qpn(), peer.qkey());
                    }
                }
            }
            main.join();
            other.join();
            assertNull(failed.get());
            check(store, CAPACITY);
        }
    }

    private static void churn(final AvStore store, final int seed, final AtomicReference<Throwable> failed) {
        final Random random = new Random(seed);
        try {
            for (int i = 0; i < 2000; i++) {
                switch (random.nextInt(3)) {
                    case 0 -> remove(store, random.nextInt(64));
                    case 1 -> Stores.move(store, random.nextInt(64), random.nextInt(1000));
                    default -> insert(store, random.nextInt(1000));
                }
            }
        } catch (final RuntimeException | Error e) {
            failed.compareAndSet(null, e);
        }
    }

    @Test
    void anInterruptWhileAnotherProcessWritesHarmsNobody() throws Exception {
        final AvStore store = open(attributes(NAME));
        // The other one is killed when this one is seen waiting, which may take its time on a busy machine.
        FileLocks.waitAtMost(Duration.ofSeconds(60));
        try (StoreProcess other = new StoreProcess(folder)) {
            other.ask("open " + NAME);
            assertEquals("locked", other.ask("lock"));
            final AtomicReference<Throwable> failed = new AtomicReference<>();
            final Thread writer = new Thread(() -> {
                try {
                    insert(store, 1);
                } catch (final RuntimeException | Error e) {
                    failed.set(e);
                }
            });
            writer.start();
            while (writer.getState() != Thread.State.TIMED_WAITING) {
                Patience.pause();
            }
            writer.interrupt();
            other.kill();
            writer.join();
            assertNull(failed.get());
            insert(store, 2);
            assertEquals(2, check(store, CAPACITY));
            store.close();
        } finally {
            FileLocks.waitAsUsual();
        }
    }

    @Test
    void fillingDoesNotSearchWhatIsFull() {
        try (AvStore store = open(attributes(NAME))) {
            final UnsafeBuffer bytes = memory().front;
            for (int i = 0; i < CAPACITY; i++) {
                insert(store, i);
                assertEquals(i / 64, bytes.getInt(SharedLayout.FIRST_FREE_OFFSET));
            }
            assertEquals(CAPACITY, AvNames.place(insert(store, 1)));
            assertEquals(CAPACITY / 64, bytes.getInt(SharedLayout.FIRST_FREE_OFFSET));
            remove(store, 200);
            remove(store, 70);
            remove(store, 250);
            assertEquals(1, bytes.getInt(SharedLayout.FIRST_FREE_OFFSET));
            for (final int place : new int[] {70, 200, 250}) {
                assertEquals(place, AvNames.place(insert(store, place)));
            }
            for (final int wrong : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 9}) {
                remove(store, 9);
                bytes.putInt(SharedLayout.FIRST_FREE_OFFSET, wrong);
                assertEquals(9, AvNames.place(insert(store, 9)), "noted was " + wrong);
            }
        }
    }

    @Test
    void anInterruptedThreadHarmsNobody() {
        try (AvStore store = open(attributes(NAME))) {
            Thread.currentThread().interrupt();
            assertEquals(FiErrno.FI_EINTR, errno(() -> insert(store, 1)));
            assertTrue(Thread.interrupted());
            Thread.currentThread().interrupt();
            open(reading(NAME)).close();
            assertTrue(Thread.interrupted());
            insert(store, 1);
            assertEquals(1, check(store, CAPACITY));
        }
    }

    @Test
    void processesShareAndReadersReadOnly() throws Exception {
        try (StoreProcess maker = new StoreProcess(folder); StoreProcess reader = new StoreProcess(folder)) {
            assertEquals("errno " + FiErrno.FI_ENOENT, reader.ask("read " + NAME));
            assertEquals("ok 100000", maker.ask("open " + NAME));
            assertEquals("ok 100000", reader.ask("read " + NAME));
            assertEquals(Long.toString(AvNames.handle(0, 1)), maker.ask("insert 7"));
            assertEquals("7", reader.ask("find 0"));
            assertEquals("-" + FiErrno.FI_EACCES, reader.ask("insert 8"));
            try (AvStore here = open(attributes(NAME))) {
                assertEquals(AvNames.handle(1, 1), insert(here, 9));
                assertEquals("9", reader.ask("find 1"));
                assertEquals("true", maker.ask("remove 0"));
                assertEquals("none", reader.ask("find 0"));
                assertEquals("closed", maker.ask("close"));
                assertTrue(Files.exists(path));
            }
            assertTrue(Files.exists(path));
            assertEquals("9", reader.ask("find 1"));
            assertEquals("closed", reader.ask("close"));
            assertFalse(Files.exists(path));
        }
    }

    @Test
    void aWriterThatIsKilledLeavesOthersIntact() throws Exception {
        final Random random = new Random(5);
        try (AvStore store = open(attributes(NAME)); AvStore reader = open(reading(NAME))) {
            for (int round = 0; round < TestBudget.rounds(3, 6); round++) {
                final StoreProcess writer = new StoreProcess(folder);
                assertEquals("ok 100000", writer.ask("open " + NAME));
                assertEquals("churning", writer.ask("churn " + round));
                final PeerAddress peer = new PeerAddress();
                for (int i = 0; i < 100_000 + random.nextInt(200_000); i++) {
                    if (reader.find(i % 128, 0, peer)) {
                        assertEquals(peer.qpn() * 3L, peer.gidLow());
                        assertEquals(~peer.qpn(), peer.qkey());
                    }
                }
                writer.kill();
                final long handle = insert(store, 200 + round);
                assertTrue(handle > 0, "insert gave " + handle);
                check(store, CAPACITY);
                assertEquals(store.size(), reader.size());
                remove(store, AvNames.place(handle));
            }
        }
    }

    @Test
    void theLockOfAKilledWriterIsFree() throws Exception {
        try (AvStore store = open(attributes(NAME))) {
            final StoreProcess writer = new StoreProcess(folder);
            assertEquals("ok 100000", writer.ask("open " + NAME));
            assertEquals("locked", writer.ask("lock"));
            FileLocks.waitAtMost(Duration.ofMillis(100));
            try {
                assertEquals(FiErrno.FI_EAGAIN, errno(() -> insert(store, 1)));
            } finally {
                FileLocks.waitAsUsual();
            }
            writer.kill();
            insert(store, 1);
            assertEquals(1, check(store, CAPACITY));
        }
    }

    @Test
    void changesThatCannotBeginChangeNothingAndSayWhatTheyWere() throws Exception {
        try (TestDomain own = new TestDomain(new Hints().address("emulated:changes").endpointType(EndpointType.RDM));
            AddressVector vector = own.domain.openAddressVector(attributes(NAME))) {
            final FabricAddress address = entry(1).inserted();
            final long[] names = {vector.insert(address)};
            Thread.currentThread().interrupt();
            assertRefused(FiErrno.FI_EINTR, "insert addresses", () -> vector.insert(address));
            assertRefused(FiErrno.FI_EINTR, "remove addresses", () -> vector.remove(names, 1, 0));
            assertTrue(Thread.interrupted());
            final StoreProcess writer = new StoreProcess(folder);
            assertEquals("ok 100000", writer.ask("open " + NAME + " " + own.info.domainModel().name()));
            assertEquals("locked", writer.ask("lock"));
            FileLocks.waitAtMost(Duration.ofMillis(100));
            try {
                assertRefused(FiErrno.FI_EAGAIN, "insert addresses", () -> vector.insert(address));
                assertRefused(FiErrno.FI_EAGAIN, "remove addresses", () -> vector.remove(names, 1, 0));
            } finally {
                FileLocks.waitAsUsual();
            }
            writer.kill();
            assertEquals(1, vector.size());
            vector.remove(names, 1, 0);
            assertEquals(0, vector.size());
        }
    }

    private static void assertRefused(final int errno, final String operation, final Runnable work) {
        final FabricException thrown = assertThrows(FabricException.class, work::run);
        assertEquals(errno, thrown.errno());
        assertTrue(thrown.getMessage().startsWith(operation + ": "), thrown.getMessage());
        assertFalse(thrown.getMessage().contains("open"), thrown.getMessage());
    }

    @Test
    void processesThatOpenAtOnceGetOneVector() throws Exception {
        final StoreProcess[] all = new StoreProcess[4];
        for (int i = 0; i < all.length; i++) {
            all[i] = new StoreProcess(folder);
        }
        for (int round = 0; round < 10; round++) {
            for (final StoreProcess each : all) {
                each.tell("open " + NAME);
            }
            for (final StoreProcess each : all) {
                assertEquals("ok 100000", each.answer());
            }
            for (int i = 0; i < all.length; i++) {
                assertEquals(Long.toString(AvNames.handle(i, 1)), all[i].ask("insert " + i));
            }
            for (final StoreProcess each : all) {
                each.tell("close");
            }
            for (final StoreProcess each : all) {
                assertEquals("closed", each.answer());
            }
            assertFalse(Files.exists(path));
        }
        for (final StoreProcess each : all) {
            each.close();
        }
    }
}
