/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static io.rdma4j.fabric.av.AvRig.device;
import static io.rdma4j.fabric.av.AvRig.find;
import static io.rdma4j.fabric.av.AvRig.socket;
import static io.rdma4j.fabric.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FabricAddress;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.net.InetSocketAddress;

/** Which addresses are asked for again when a peer that is not in the vector says where it is. */
@Timeout(60)
class ToldSocketsTest {
    private static final int PORT = 100;

    private final AvRig rig = new AvRig(AddressFormat.SOCKADDR_IN);

    private static InetSocketAddress told(final String host, final int port) {
        return new InetSocketAddress(host, port);
    }

    @Test
    void theOneThatWasInsertedIsAskedForAlone() {
        final FabricAddressVector vector = rig.open(AvType.MAP);
        vector.insert(socket("10.0.0.1", PORT));
        final long name = vector.insert(socket("10.0.0.2", PORT));
        final long again = vector.insert(socket("10.0.0.2", PORT));
        rig.resolver.moved = 5;
        assertThat(vector.resolveAgain(told("10.0.0.2", PORT))).containsExactly(name, again);
        until("it has moved", () -> find(vector, name).qpn() == PORT + 5);
        vector.close();
    }

    @Test
    void whereThereIsNoneThoseWithItsPortAreAndNotAllOfMany() {
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        for (int i = 0; i < 40; i++) {
            vector.insert(socket("10.0.0." + i, i % 2 == 0 ? PORT : PORT + 1));
        }
        assertThat(vector.resolveAgain(told("10.1.1.1", PORT + 1))).hasSize(16).startsWith(1, 3, 5).endsWith(31);
        assertThat(vector.resolveAgain(told("10.1.1.1", PORT + 2))).isEmpty();
        vector.close();
    }

    @Test
    void placesThatAreFreeEndNoSearch() {
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        for (int i = 0; i < 4; i++) {
            vector.insert(socket("10.0.0." + i, PORT + i));
        }
        vector.remove(new long[] {0, 1}, 2, 0);
        assertThat(vector.resolveAgain(told("10.0.0.3", PORT + 3))).containsExactly(3);
        assertThat(vector.resolveAgain(told("10.0.0.0", PORT))).isEmpty();
        vector.close();
    }

    @Test
    void whatNobodyCanAskForIsNotNamed() {
        final FabricAddressVector vector = rig.open(new AvAttributes(), AvRig.without(1));
        vector.insert(socket("10.0.0.1", PORT));
        assertThat(vector.resolveAgain(told("10.0.0.1", PORT))).as("without a thread").isEmpty();
        assertThat(vector.resolveAgain(told("10.0.0.1", PORT))).containsExactly(0);
        vector.close();
    }

    @Test
    void deviceAddressesAreNotAskedFor() {
        final AvRig devices = new AvRig();
        final FabricAddressVector vector = devices.open(AvType.TABLE);
        vector.insert(device(1));
        assertThat(vector.resolveAgain(told("10.0.0.1", PORT))).isEmpty();
        assertThat(vector.resolveAgain(0)).isFalse();
        assertThat(vector.isResolving(0)).isFalse();
        vector.close();
        assertThat(devices.resolver.asked).hasValue(0);
    }

    /** Who closes a store gives its memory back. */
    @Test
    void aVectorThatWasClosedHasNone() {
        final AvStore store = new HeapStore(AvType.TABLE, AddressFormat.SOCKADDR_IN, 0);
        final AvEntry entry = new AvEntry();
        entry.inserted(socket("10.0.0.1", PORT));
        store.insert(entry);
        final Contents contents = new Contents(store);
        assertThat(contents.namesAt(told("10.0.0.1", PORT))).containsExactly(0);
        contents.close();
        assertThat(contents.namesAt(told("10.0.0.1", PORT))).isEmpty();
    }

    @Test
    void textMayBeASocketOrAnythingElse() {
        assertThat(Contents.socket(FabricAddress.text("fi_sockaddr_in://10.0.0.1:100")))
            .isEqualTo(told("10.0.0.1", PORT));
        assertThat(Contents.socket(FabricAddress.text(device(1).toString()))).isNull();
        assertThat(Contents.socket(FabricAddress.text("nonsense"))).isNull();
        assertThat(Contents.socket(device(1))).isNull();
        assertThat(Contents.socket(socket("10.0.0.1", PORT))).isEqualTo(told("10.0.0.1", PORT));
    }

    /** It may be back there. */
    @Test
    void whoIsNotFoundStaysWhereItWas() {
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        vector.insert(socket("10.0.0.1", PORT));
        vector.insert(socket("10.0.0.1", PORT + 1));
        rig.resolver.gone.add(socket("10.0.0.1", PORT));
        rig.resolver.moved = 5;
        assertThat(vector.resolveAgain(0)).isTrue();
        until("somebody has answered", () -> !vector.isResolving(0));
        assertThat(find(vector, 0).qpn()).isEqualTo(PORT);
        assertThat(vector.moves()).isZero();
        assertThat(vector.resolveAgain(1)).isTrue();
        until("it has moved", () -> find(vector, 1).qpn() == PORT + 6);
        until("that is told", () -> vector.moves() == 1);
        vector.close();
    }
}
