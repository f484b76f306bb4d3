/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static io.rdma4j.fabric.Refusal.assertInvalid;
import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.av.AvRig.device;
import static io.rdma4j.fabric.av.AvRig.devices;
import static io.rdma4j.fabric.av.AvRig.find;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvInsert;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.shared.SharedStores;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** Places and lives that are nearly there. */
@Timeout(60)
class StoreEdgesTest {
    private static final String FOLDER = "rdma4j.av.dir";

    private final AvRig rig = new AvRig();

    private static AvEntry entry(final FabricAddress device) {
        final AvEntry entry = new AvEntry();
        entry.inserted(device);
        assertThat(DeviceAddresses.read(entry, null)).isNull();
        return entry;
    }

    /** The room for places begins small, and is that of a chunk in the end. */
    @Test
    void behindTheRoomThatThereIsThereIsNobody() {
        final HeapStore store = new HeapStore(AvType.TABLE, AddressFormat.DEVICE, 0);
        store.insert(entry(device(1)));
        for (final int place : new int[] {1, 15, 16, 17, 31, 32, 100, Column.CHUNK - 1, Column.CHUNK}) {
            assertThat(store.find(place, 0, new PeerAddress())).as("place %d", place).isFalse();
            assertThat(store.life(place)).isZero();
            assertThat(store.inserted(place, 0)).isNull();
            assertThat(store.remove(place, 0)).isFalse();
            assertThat(store.resolved(place, 0, entry(device(2)))).isFalse();
        }
        assertThat(store.size()).isOne();
    }

    @Test
    void behindTheRoomForNumbersThereAreNone() {
        final Tags tags = new Tags();
        assertThat(tags.get(0, 1, -7)).isEqualTo(-7);
        tags.put(0, 1, 5);
        assertThat(tags.get(0, 1, -7)).isEqualTo(5);
        for (final int place : new int[] {1, 15, 16, 17, 31, 32, 100, Column.CHUNK - 1, Column.CHUNK}) {
            assertThat(tags.get(place, 1, -7)).as("place %d", place).isEqualTo(-7);
        }
    }

    @Test
    void behindTheLastLifeOfATableIsTheFirst() {
        final HeapStore store =
            new HeapStore(AvType.TABLE, AddressFormat.DEVICE, 0, new FreePlaces(), Integer.MAX_VALUE);
        assertThat(AvNames.life(store.insert(entry(device(1))))).isOne();
    }

    /** A place without a life is a name of type TABLE. */
    @Test
    void aPlaceAloneIsNoNameOfAMap() {
        for (final AvFlag[] flags : new AvFlag[][] {{}, {AvFlag.SYMMETRIC}}) {
            final FabricAddressVector vector = rig.open(AvType.MAP, flags);
            vector.insert(devices(0, 20), new long[20], null);
            for (long place = 0; place < 20; place++) {
                final long name = place;
                assertThat(find(vector, name)).as("0x%x", name).isNull();
                assertInvalid(() -> vector.lookup(name));
                assertThat(vector.lookup(name, new UnsafeBuffer(new byte[32]), 0, 32)).isEqualTo(-FiErrno.FI_EINVAL);
                assertInvalid(() -> vector.userId(name, 1, 0));
                assertInvalid(() -> vector.remove(new long[] {name}, 1, 0));
                assertThat(vector.lifeOf(name)).isZero();
            }
            assertThat(vector.size()).isEqualTo(20);
        }
    }

    @Test
    void whatCameToThePlaceOfAnotherIsNotAskedForByTheNameOfThat() {
        rig.avAuthKeys = true;
        final FabricAddressVector vector = rig.open(AvType.MAP);
        final long key = vector.insertAuthKey(new byte[] {1, 2}, 0);
        final long[] names = new long[1];
        final AvInsert withKey = new AvInsert().authKey(key);
        vector.insert(devices(0, 1), names, withKey);
        final long old = names[0];
        vector.remove(names, 1, 0);
        vector.insert(devices(0, 1), names, withKey);
        assertThat(vector.authKeyOf(names[0])).containsExactly(1, 2);
        assertThat(vector.authKeyOf(old)).isNull();
        assertThat(vector.lifeOf(names[0])).isEqualTo(2);
        assertThat(vector.lifeOf(old)).isZero();
    }

    @Test
    void whoGetsAKeyMayChangeItsCopy() {
        rig.avAuthKeys = true;
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        final long name = vector.insertAuthKey(new byte[] {1, 2}, 0);
        vector.lookupAuthKey(name)[0] = 9;
        vector.authKey(name)[0] = 9;
        vector.authKeys().get(0)[0] = 9;
        assertThat(vector.lookupAuthKey(name)).containsExactly(1, 2);
    }

    /** Its store does not know them, and fills a place without a word to anybody. */
    @Test
    void addressesOfASharedVectorHaveKeysToo(@TempDir final Path folder) {
        System.setProperty(FOLDER, folder.resolve("av").toString());
        try {
            rig.avAuthKeys = true;
            rig.stores = new SharedStores(EndpointType.RDM);
            final FabricAddressVector vector = rig.open(new AvAttributes().type(AvType.MAP).name("shared"));
            final long[] names = new long[1];
            vector.insert(devices(0, 1), names, new AvInsert().authKey(vector.insertAuthKey(new byte[] {1, 2}, 0)));
            assertThat(vector.authKeyOf(names[0])).containsExactly(1, 2);
            vector.close();
        } finally {
            System.clearProperty(FOLDER);
        }
    }

    /** As of a change that found the vector open, just before it was closed. */
    @Test
    void aChangeThatClosingOvertookSaysSo() {
        final Contents contents = new Contents(new HeapStore(AvType.TABLE, AddressFormat.DEVICE, 0));
        contents.lock();
        contents.insert(entry(device(1)), Insertion.of(null, null, null), 0);
        contents.unlock();
        contents.close();
        assertRefused(FiErrno.FI_EBADFD, () -> contents.userId(0, 5), "change", "closed");
    }
}
