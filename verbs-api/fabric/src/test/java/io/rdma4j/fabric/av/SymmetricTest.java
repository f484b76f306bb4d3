/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static io.rdma4j.fabric.av.AvRig.device;
import static io.rdma4j.fabric.av.AvRig.find;
import static io.rdma4j.fabric.av.AvRig.socket;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.testing.Await;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Addresses that follow each other take no memory (checklist 72). */
@Timeout(120)
class SymmetricTest {
    private static final int MANY = 100_000;

    private static void fill(final FabricAddressVector vector, final int how, final int nodes, final int services) {
        if (how == 0) {
            vector.insertSymmetric("fe80::1", nodes, "qpn:1/0x1ee7", services, new long[nodes * services], null);
            return;
        }
        final FabricAddress[] all = new FabricAddress[nodes * services];
        for (int i = 0; i < all.length; i++) {
            all[i] = device(1 + i / services, 1 + i % services);
        }
        if (how == 1) {
            vector.insert(all, new long[all.length], null);
        } else {
            for (final FabricAddress one : all) {
                vector.insert(one);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"0,25000,4", "1,25000,4", "2,25000,4", "0,100000,1", "1,100000,1", "0,1,100000", "2,1,100000",
        "0,100,1000"})
    void whateverCallTheyComeBy(final int how, final int nodes, final int services) {
        for (final AvType type : new AvType[] {AvType.TABLE, AvType.MAP}) {
            final FabricAddressVector vector = new AvRig().open(type, AvFlag.SYMMETRIC);
            fill(vector, how, nodes, services);
            assertThat(vector.size()).isEqualTo(MANY);
            assertThat(vector.memoryUse()).as("a bit for each, and what arithmetic needs").isLessThan(MANY / 4 + 2_000);
            for (int i = 0; i < MANY; i += 97) {
                final FabricAddress expected = device(1 + i / services, 1 + i % services);
                final long name = vector.nameOf(AvRig.GID_HIGH, expected.gid().low(), expected.qpn());
                assertThat(vector.lookup(name)).as("address %d", i).isEqualTo(expected);
                final PeerAddress peer = find(vector, name);
                assertThat(peer.index()).isEqualTo(i);
                assertThat(peer.gid()).isEqualTo(expected.gid());
                assertThat(peer.qpn()).isEqualTo(expected.qpn());
                assertThat(peer.qkey()).isEqualTo(AvRig.QKEY);
            }
            assertThat(vector.nameOf(AvRig.GID_HIGH, 0, 1)).isEqualTo(FiAddr.NOTAVAIL);
            assertThat(vector.nameOf(AvRig.GID_HIGH, nodes + 1, 1)).isEqualTo(FiAddr.NOTAVAIL);
            assertThat(vector.nameOf(AvRig.GID_HIGH, 1, services + 1)).isEqualTo(FiAddr.NOTAVAIL);
            assertThat(vector.nameOf(AvRig.GID_HIGH, 1, 0)).isEqualTo(FiAddr.NOTAVAIL);
            assertThat(vector.nameOf(0, 1, 1)).isEqualTo(FiAddr.NOTAVAIL);
        }
    }

    @ParameterizedTest
    @EnumSource(value = AvType.class, names = {"MAP", "TABLE"})
    void holesAreCheapAndFilledAgain(final AvType type) {
        final FabricAddressVector vector = new AvRig().open(type, AvFlag.SYMMETRIC);
        final long[] names = new long[MANY];
        vector.insertSymmetric("fe80::1", MANY / 4, "qpn:1/0x1ee7", 4, names, null);
        for (int i = 0; i < 300; i++) {
            vector.remove(new long[] {names[i * 300]}, 1, 0);
        }
        assertThat(vector.memoryUse()).isLessThan(MANY / 4 + 50_000);
        for (int i = 0; i < MANY; i += 50) {
            assertThat(find(vector, names[i]) == null).as("address %d", i).isEqualTo(i % 300 == 0 && i < 90_000);
        }
        for (int i = 0; i < 300; i++) {
            final int place = i * 300;
            final long again = vector.insert(device(1 + place / 4, 1 + place % 4));
            assertThat(find(vector, again).index()).isEqualTo(place);
            assertThat(vector.nameOf(AvRig.GID_HIGH, 1 + place / 4, 1 + place % 4)).isEqualTo(again);
        }
        assertThat(vector.memoryUse()).isLessThan(MANY / 4 + 70_000);
    }

    @ParameterizedTest
    @EnumSource(value = AvType.class, names = {"MAP", "TABLE"})
    void aHintThatIsWrongCostsOnlyMemory(final AvType type) {
        final FabricAddressVector vector = new AvRig().open(type, AvFlag.SYMMETRIC);
        final long[] names = new long[10_000];
        final FabricAddress[] all = new FabricAddress[names.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = device(0x1234_5678_9abc_def1L * (i + 1), i * 7919 % 0xff_ffff);
        }
        vector.insert(all, names, null);
        assertThat(vector.memoryUse()).isBetween(10_000L * 36, 10_000L * 60);
        for (int i = 0; i < all.length; i++) {
            assertThat(vector.lookup(names[i])).isEqualTo(all[i]);
            assertThat(vector.nameOf(AvRig.GID_HIGH, all[i].gid().low(), all[i].qpn())).isEqualTo(names[i]);
        }
    }

    @Test
    void tooManyHolesAreNoRuns() {
        final FabricAddressVector vector = new AvRig().open(AvType.MAP, AvFlag.SYMMETRIC);
        final long[] names = new long[10_000];
        vector.insertSymmetric("fe80::1", names.length, "qpn:1", 1, names, null);
        final long[] odd = new long[names.length / 2];
        for (int i = 0; i < odd.length; i++) {
            odd[i] = names[2 * i + 1];
        }
        vector.remove(odd, odd.length, 0);
        assertThat(vector.size()).isEqualTo(names.length / 2);
        for (int i = 0; i < names.length; i++) {
            final PeerAddress peer = find(vector, names[i]);
            assertThat(peer == null).isEqualTo(i % 2 == 1);
            assertThat(vector.nameOf(AvRig.GID_HIGH, i + 1, 1)).isEqualTo(peer == null ? FiAddr.NOTAVAIL : names[i]);
        }
        final long again = vector.insert(device(2, 1));
        assertThat(again).isNotEqualTo(names[1]);
        assertThat(find(vector, again).index()).isEqualTo(1);
        assertThat(find(vector, names[1])).isNull();
    }

    @Test
    void socketsFollowEachOtherToo() {
        final AvRig sockets = new AvRig(AddressFormat.SOCKADDR_IN);
        final FabricAddressVector vector = sockets.open(AvType.TABLE, AvFlag.SYMMETRIC);
        final FabricAddress[] all = new FabricAddress[4_000];
        for (int i = 0; i < all.length; i++) {
            all[i] = socket("10.1." + i / 4 / 250 + "." + i / 4 % 250, 5000 + i % 4);
        }
        vector.insert(all, null, null);
        assertThat(vector.memoryUse()).isLessThan(6_000);
        for (int i = 0; i < all.length; i++) {
            assertThat(vector.lookup(i)).isEqualTo(all[i]);
            final long ip = (10 << 24) + (1 << 16) + (i / 1000 << 8) + i / 4 % 250;
            assertThat(vector.nameOf(0, ip, 5000 + i % 4)).isEqualTo(i);
        }
    }

    @Test
    void onePeerOfManyMoves() throws InterruptedException {
        final AvRig sockets = new AvRig(AddressFormat.SOCKADDR_IN);
        final FabricAddressVector vector = sockets.open(AvType.MAP, AvFlag.SYMMETRIC);
        final long[] names = new long[250];
        final FabricAddress[] all = new FabricAddress[names.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = socket("10.1.1." + i, 5000);
        }
        vector.insert(all, names, null);
        sockets.resolver.moved = 7;
        vector.resolveAgain(names[100]);
        Await.until("it has moved", () -> find(vector, names[100]).qpn() == 5007);
        assertThat(vector.lookup(names[100])).isEqualTo(all[100]);
        assertThat(vector.nameOf(0, 0x0a010164, 5007)).isEqualTo(names[100]);
        assertThat(vector.nameOf(0, 0x0a010164, 5000)).isEqualTo(FiAddr.NOTAVAIL);
        assertThat(find(vector, names[99]).qpn()).isEqualTo(5000);
        assertThat(find(vector, names[101]).qpn()).isEqualTo(5000);
        assertThat(vector.size()).isEqualTo(250);
        vector.close();
    }
}
