/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.verbs.Gid;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses that do not follow each other any more, one call at a time. */
class SymmetricStoreTest {
    private static final int RX_CTX_BITS = 16;
    private static final int FOR_ALL = Integer.MAX_VALUE;

    private final PeerAddress found = new PeerAddress();
    /** So many addresses find memory in a heap. */
    private int room = FOR_ALL;
    private int heaps;
    private Runnable beforePut = () -> { };
    private final SymmetricStore store =
        new SymmetricStore(AvType.MAP, AddressFormat.DEVICE, RX_CTX_BITS, this::heap);

    private HeapStore heap(final FreePlaces places, final int livesBefore) {
        heaps++;
        return new HeapStore(AvType.MAP, AddressFormat.DEVICE, RX_CTX_BITS, places, livesBefore) {
            @Override
            long put(final int place, final int life, final AvEntry entry) {
                beforePut.run();
                if (room-- == 0) {
                    throw new OutOfMemoryError("pretended");
                }
                return super.put(place, life, entry);
            }
        };
    }

    private static AvEntry entry(final int qpn, final int qkey) {
        final AvEntry entry = new AvEntry();
        entry.inserted(AvRig.device(1, qpn));
        entry.device(AvRig.GID_HIGH, 1, qpn, qkey, EndpointType.RDM.value());
        return entry;
    }

    private static AvEntry entry(final int qpn) {
        return entry(qpn, AvRig.QKEY);
    }

    private long insert(final AvEntry entry) {
        store.lock();
        try {
            return store.insert(entry);
        } finally {
            store.unlock();
        }
    }

    private void remove(final long handle) {
        store.lock();
        try {
            assertThat(store.remove(AvNames.place(handle), AvNames.life(handle))).isTrue();
        } finally {
            store.unlock();
        }
    }

    private boolean resolved(final long handle, final AvEntry device) {
        store.lock();
        try {
            return store.resolved(AvNames.place(handle), AvNames.life(handle), device);
        } finally {
            store.unlock();
        }
    }

    private boolean resolved(final long handle, final FabricAddress to) {
        final AvEntry device = new AvEntry();
        assertThat(DeviceAddresses.read(to, device, null)).isNull();
        return resolved(handle, device);
    }

    /** The queue pair of an address; 0 if it is not there. */
    private int qpn(final long handle) {
        return store.find(AvNames.place(handle), AvNames.life(handle), found) ? found.qpn() : 0;
    }

    private void assertNoMemory(final AvEntry entry) {
        assertThatThrownBy(() -> insert(entry)).isInstanceOf(OutOfMemoryError.class);
    }

    /** One that is there twice: with room for some of the others, and for all of them but not for itself. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void whatFindsNoMemoryTakesNoPlace(final int puts) {
        final long first = insert(entry(5));
        final long second = insert(entry(6));
        for (int i = 0; i < 3; i++) {
            // The second time on all may be in a heap already.
            room = heaps > 0 && puts == 2 ? 0 : puts;
            assertNoMemory(entry(5));
            assertThat(store.size()).isEqualTo(2);
        }
        room = FOR_ALL;
        final long third = insert(entry(7));
        assertThat(AvNames.place(third)).isEqualTo(2);
        final long twice = insert(entry(5));
        assertThat(AvNames.place(twice)).isEqualTo(3);
        assertThat(new int[] {qpn(first), qpn(second), qpn(third), qpn(twice)}).containsExactly(5, 6, 7, 5);
        assertThat(store.size()).isEqualTo(4);
    }

    @Test
    void whoseIdentifierFindsNoMemoryIsNotThere() {
        insert(entry(5));
        final AvEntry named = entry(6);
        named.tags(new Tags() {
            @Override
            void put(final int place, final int life, final long value) {
                throw new OutOfMemoryError("pretended");
            }
        }, 77, null, 0);
        assertNoMemory(named);
        final long next = insert(entry(7));
        assertThat(AvNames.place(next)).isEqualTo(1);
        assertThat(qpn(next)).isEqualTo(7);
        assertThat(store.placeOf(AvRig.GID_HIGH, 1, 6, AvStore.ANY_KEY)).isEqualTo(-1);
        assertThat(heaps).isZero();
    }

    /** A name has no bits for a life behind the last one. */
    @Test
    void noLifeIsBehindTheLastOne() {
        final int most = AvNames.mostLife(RX_CTX_BITS);
        final long first = insert(entry(5));
        store.lock();
        for (int life = 1; life < most; life++) {
            assertThat(store.remove(1, AvNames.life(store.insert(entry(6))))).isTrue();
        }
        store.unlock();
        room = 0;
        assertNoMemory(entry(6));
        remove(first);
        room = FOR_ALL;
        final long last = insert(entry(7));
        assertThat(AvNames.place(last)).isZero();
        assertThat(AvNames.life(last)).isEqualTo(most);
        assertThat(qpn(last)).isEqualTo(7);
    }

    @Test
    void whatCannotMoveForWantOfMemoryStaysWhereItIs() {
        final long moving = insert(entry(5));
        final long other = insert(entry(6));
        room = 1;
        assertThatThrownBy(() -> resolved(moving, entry(6))).isInstanceOf(OutOfMemoryError.class);
        assertThat(qpn(moving)).isEqualTo(5);
        assertThat(qpn(other)).isEqualTo(6);
        // Others are published with it.
        insert(entry(7));
        assertThat(qpn(moving)).isEqualTo(5);
        room = FOR_ALL;
        assertThat(resolved(moving, entry(6))).isTrue();
        assertThat(qpn(moving)).isEqualTo(6);
    }

    @Test
    void whatMovesToWhereAnotherIsIsFoundAllTheTime() {
        final long moving = insert(entry(5));
        insert(entry(6));
        final int[] puts = new int[1];
        beforePut = () -> {
            puts[0]++;
            assertThat(qpn(moving)).as("before address %d is in the heap", puts[0]).isEqualTo(5);
            assertThat(store.life(AvNames.place(moving))).isEqualTo(AvNames.life(moving));
        };
        assertThat(resolved(moving, entry(6))).isTrue();
        assertThat(puts[0]).isEqualTo(2);
        assertThat(qpn(moving)).isEqualTo(6);
        assertThat(store.size()).isEqualTo(2);
    }

    @Test
    void aKeyThatChangesIsNoReasonForAHeap() {
        final long moving = insert(entry(5));
        insert(entry(6));
        assertThat(resolved(moving, entry(5, 9))).isTrue();
        assertThat(qpn(moving)).isEqualTo(5);
        assertThat(found.qkey()).isEqualTo(9);
        assertThat(heaps).isZero();
    }

    @Test
    void whoMovesToAnotherNodeWithTheSameNumbersHasMoved() {
        final long moving = insert(entry(5));
        insert(entry(6));
        assertThat(resolved(moving, AvRig.device(9, 5))).isTrue();
        assertThat(qpn(moving)).isEqualTo(5);
        assertThat(found.gidLow()).isEqualTo(9);
        assertThat(resolved(moving,
            FabricAddress.device(new Gid(7, 9), 5, AvRig.QKEY, EndpointType.RDM))).isTrue();
        assertThat(qpn(moving)).isEqualTo(5);
        assertThat(found.gidHigh()).isEqualTo(7);
    }

    @Test
    void theAddressThatCameInPlaceOfOneIsNotMovedWithIt() {
        final long gone = insert(entry(5));
        insert(entry(6));
        remove(gone);
        final long now = insert(entry(7));
        assertThat(AvNames.place(now)).isEqualTo(AvNames.place(gone));
        assertThat(resolved(gone, entry(8))).isFalse();
        assertThat(qpn(now)).isEqualTo(7);
    }

    /** What moves leaves a run, and is one itself. */
    @Test
    void whatMovesWhereThereIsRoomForNoOtherRunIsNotLost() {
        final long[] handles = new long[2 * RunList.MOST_RUNS + 10];
        for (int i = 0; i < handles.length; i++) {
            handles[i] = insert(entry(1 + i));
        }
        for (int i = 1; i < RunList.MOST_RUNS - 1; i++) {
            remove(handles[2 * i]);
        }
        final int moving = handles.length - 5;
        assertThat(heaps).isZero();
        assertThat(resolved(handles[moving], AvRig.device(9, 5))).isTrue();
        assertThat(qpn(handles[moving])).isEqualTo(5);
        assertThat(qpn(handles[moving - 1])).isEqualTo(moving);
        assertThat(qpn(handles[moving + 1])).isEqualTo(moving + 2);
        assertThat(store.size()).isEqualTo(handles.length - RunList.MOST_RUNS + 2);
    }

    /** Addresses with different keys do not follow each other. */
    @Test
    void whatMovesWhereThereIsRoomForNoOtherProgressionIsNotLost() {
        final long[] handles = new long[RunList.MOST_WAYS];
        for (int i = 0; i < handles.length; i++) {
            handles[i] = insert(entry(1 + i, i));
        }
        assertThat(heaps).isZero();
        assertThat(resolved(handles[3], entry(5_000, 5_000))).isTrue();
        for (int i = 0; i < handles.length; i++) {
            assertThat(qpn(handles[i])).isEqualTo(i == 3 ? 5_000 : 1 + i);
            assertThat(found.qkey()).isEqualTo(i == 3 ? 5_000 : i);
        }
    }

    /** What would be the first of the next node is another peer. */
    @Test
    void aNodeWithAnotherKeyFollowsNobody() {
        insert(entry(1));
        insert(entry(2));
        final AvEntry other = new AvEntry();
        other.inserted(AvRig.device(2, 1));
        other.device(AvRig.GID_HIGH, 2, 1, 9, EndpointType.RDM.value());
        assertThat(qpn(insert(other))).isOne();
        assertThat(found.qkey()).isEqualTo(9);
    }

    /** So many nodes on that the number of its place is that of the first one again. */
    @Test
    void aNodeFarAwayIsNotTheFirst() {
        final int services = 4;
        for (int i = 0; i < 2 * services; i++) {
            final AvEntry entry = new AvEntry();
            entry.inserted(AvRig.device(1 + i / services, 1 + i % services));
            assertThat(DeviceAddresses.read(entry, null)).isNull();
            insert(entry);
        }
        assertThat(heaps).isZero();
        assertThat(store.placeOf(AvRig.GID_HIGH, 1, 1, AvStore.ANY_KEY)).isEqualTo(AvNames.handle(0, 1));
        assertThat(store.placeOf(AvRig.GID_HIGH, 1 + Long.MIN_VALUE / 2, 1, AvStore.ANY_KEY)).isEqualTo(-1);
        assertThat(store.placeOf(AvRig.GID_HIGH, 1 + (1L << 62), 1, AvStore.ANY_KEY)).isEqualTo(-1);
    }

    /** Where the device finds them they follow each other, and as they were inserted they do not. */
    @ParameterizedTest
    @CsvSource({"10.0.0.9,102", "10.0.0.1,109", "11.0.0.1,102"})
    void whatWasInsertedCountsTooAndNotOnlyTheDevice(final String host, final int port) {
        final SymmetricStore sockets = new SymmetricStore(AvType.TABLE, AddressFormat.SOCKADDR_IN, 0);
        final FabricAddress[] addresses =
            {AvRig.socket("10.0.0.1", 100), AvRig.socket("10.0.0.1", 101), AvRig.socket(host, port)};
        for (int i = 0; i < addresses.length; i++) {
            final AvEntry entry = entry(1 + i);
            entry.inserted(addresses[i]);
            sockets.lock();
            sockets.insert(entry);
            sockets.unlock();
        }
        for (int i = 0; i < addresses.length; i++) {
            assertThat(sockets.inserted(i, 0)).isEqualTo(addresses[i]);
            assertThat(sockets.find(i, 0, found)).isTrue();
            assertThat(found.qpn()).isEqualTo(1 + i);
        }
    }

    @Test
    void networksOfIpv6CountToo() {
        final SymmetricStore sockets = new SymmetricStore(AvType.TABLE, AddressFormat.SOCKADDR_IN6, 0);
        final FabricAddress[] addresses =
            {AvRig.socket("fd00::1", 100), AvRig.socket("fd00::2", 100), AvRig.socket("fd01::3", 100)};
        for (int i = 0; i < addresses.length; i++) {
            final AvEntry entry = entry(1 + i);
            entry.inserted(addresses[i]);
            sockets.lock();
            sockets.insert(entry);
            sockets.unlock();
        }
        for (int i = 0; i < addresses.length; i++) {
            assertThat(sockets.inserted(i, 0)).isEqualTo(addresses[i]);
        }
    }

    /** It would be found by its place, and not by its address. */
    @Test
    void aProgressionDoesNotGoOnBeforeItsFirst() {
        final long other = insert(entry(50, 5));
        insert(entry(10));
        insert(entry(11));
        remove(other);
        final long before = insert(entry(9));
        assertThat(AvNames.place(before)).isZero();
        assertThat(store.placeOf(AvRig.GID_HIGH, 1, 9, AvStore.ANY_KEY)).isEqualTo(before);
        assertThat(qpn(before)).isEqualTo(9);
    }
}
