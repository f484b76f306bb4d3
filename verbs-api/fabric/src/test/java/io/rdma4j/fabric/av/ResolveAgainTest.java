/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static io.rdma4j.fabric.av.AvRig.find;
import static io.rdma4j.fabric.av.AvRig.socket;
import static io.rdma4j.fabric.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.event.FabricEventQueue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;

/** Peers that are somewhere else now. */
@Timeout(60)
class ResolveAgainTest {
    private final AvRig rig = new AvRig(AddressFormat.SOCKADDR_IN);

    @Test
    void theNameStaysTheSame() {
        final FabricAddressVector vector = rig.open(AvType.MAP);
        final long name = vector.insert(socket("10.0.0.1", 100));
        rig.resolver.moved = 5;
        vector.resolveAgain(name);
        until("it has moved", () -> find(vector, name).qpn() == 105);
        until("the index follows the address", () -> vector.nameOf(0, 0x0a000001, 105) == name);
        assertThat(vector.nameOf(0, 0x0a000001, 100)).isEqualTo(FiAddr.NOTAVAIL);
        assertThat(vector.lookup(name)).isEqualTo(socket("10.0.0.1", 100));
        vector.close();
    }

    @Test
    void itIsAskedOnceAtATime() {
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        final long name = vector.insert(socket("10.0.0.1", 100));
        final int before = rig.resolver.asked.get();
        rig.resolver.gate = new CountDownLatch(1);
        for (int i = 0; i < 1_000; i++) {
            vector.resolveAgain(name);
        }
        rig.resolver.moved = 5;
        rig.resolver.gate.countDown();
        until("it has moved", () -> find(vector, name).qpn() == 105);
        assertThat(rig.resolver.asked.get() - before).isEqualTo(1);
        vector.close();
    }

    @Test
    void anAddressThatWasRemovedMeanwhileStaysAway() {
        for (final AvType type : new AvType[] {AvType.TABLE, AvType.MAP}) {
            final FabricAddressVector vector = rig.open(type);
            final long name = vector.insert(socket("10.0.0.1", 100));
            final int before = rig.resolver.asked.get();
            rig.resolver.gate = new CountDownLatch(1);
            vector.resolveAgain(name);
            until("somebody has asked", () -> rig.resolver.asked.get() > before);
            vector.remove(new long[] {name}, 1, 0);
            final CountDownLatch gate = rig.resolver.gate;
            rig.resolver.gate = new CountDownLatch(0);
            final long other = vector.insert(socket("10.0.0.2", 200));
            rig.resolver.moved = 5;
            gate.countDown();
            vector.close();
            assertThat(find(vector, other).qpn()).isEqualTo(200);
            assertThat(vector.nameOf(0, 0x0a000001, 105)).isEqualTo(FiAddr.NOTAVAIL);
            rig.resolver.moved = 0;
        }
    }

    @Test
    void whereThereIsNoThreadItIsAskedAgainLater() {
        final FabricAddressVector vector = rig.open(new AvAttributes(), AvRig.without(1));
        final long name = vector.insert(socket("10.0.0.1", 100));
        rig.resolver.moved = 5;
        assertThatCode(() -> assertThat(vector.resolveAgain(name)).isFalse()).doesNotThrowAnyException();
        assertThat(vector.isResolving(name)).isFalse();
        assertThat(vector.resolveAgain(name)).isTrue();
        until("it has moved", () -> find(vector, name).qpn() == 105);
        vector.close();
    }

    /** As a service that nobody answers for. */
    @Test
    void insertionsThatAreUnderWayHoldUpNobody() {
        final FabricAddressVector vector = rig.open(AvType.TABLE, AvFlag.EVENT);
        final FabricEventQueue queue = rig.queue();
        vector.bind(queue, 0);
        vector.insert(new FabricAddress[] {socket("10.0.0.1", 100)}, null, null);
        AvRig.next(queue);
        rig.resolver.silent.add(socket("10.0.0.2", 200));
        final int before = rig.resolver.asked.get();
        rig.resolver.gate = new CountDownLatch(1);
        vector.insert(new FabricAddress[] {socket("10.0.0.2", 200)}, null, null);
        until("the insertion has asked", () -> rig.resolver.asked.get() > before);
        rig.resolver.moved = 5;
        assertThat(vector.resolveAgain(0)).isTrue();
        until("it has moved", () -> find(vector, 0).qpn() == 105);
        vector.close();
        queue.close();
    }

    @Test
    void aSilentNodeHoldsUpItsOwnAddressesOnly() {
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        final long[] far = new long[2 * Moves.MOST_NODES];
        for (int i = 0; i < far.length; i++) {
            far[i] = vector.insert(socket("10.0.0.1", 100 + i));
            rig.resolver.silent.add(socket("10.0.0.1", 100 + i));
        }
        final long near = vector.insert(socket("10.0.0.2", 50));
        rig.resolver.moved = 5;
        rig.resolver.gate = new CountDownLatch(1);
        for (final long name : far) {
            assertThat(vector.resolveAgain(name)).isTrue();
        }
        assertThat(vector.resolveAgain(near)).isTrue();
        until("the other node's has moved", () -> find(vector, near).qpn() == 55);
        for (int i = 0; i < far.length; i++) {
            assertThat(vector.isResolving(far[i])).isTrue();
            assertThat(find(vector, far[i]).qpn()).isEqualTo(100 + i);
        }
        rig.resolver.gate.countDown();
        until("all have moved", () -> find(vector, far[far.length - 1]).qpn() == 105 + far.length - 1);
        until("nobody asks any more", () -> LongStream.of(far).noneMatch(vector::isResolving));
        vector.close();
    }

    @Test
    void closingEndsWhatIsUnderWayAndWhatWaits() {
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        final long[] names = new long[4];
        for (int i = 0; i < names.length; i++) {
            names[i] = vector.insert(socket("10.0.0." + i % 2, 100 + i));
        }
        final int before = rig.resolver.asked.get();
        rig.resolver.gate = new CountDownLatch(1);
        for (final long name : names) {
            vector.resolveAgain(name);
        }
        until("both nodes are asked", () -> rig.resolver.asked.get() >= before + 2);
        vector.close();
        for (final long name : names) {
            assertThat(vector.isResolving(name)).isFalse();
        }
    }

    /** What it throws is nobody's: the next one asks again. */
    @Test
    void anAskerThatFailsLeavesNothingBehind() {
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        final long name = vector.insert(socket("10.0.0.1", 100));
        rig.resolver.failure = new IllegalStateException("pretended");
        vector.resolveAgain(name);
        until("it has failed", () -> !vector.isResolving(name));
        rig.resolver.failure = null;
        rig.resolver.moved = 5;
        assertThat(vector.resolveAgain(name)).isTrue();
        until("it has moved", () -> find(vector, name).qpn() == 105);
        vector.close();
    }

    @Test
    void harmlessElse() {
        final FabricAddressVector sockets = rig.open(AvType.TABLE);
        sockets.resolveAgain(0);
        sockets.resolveAgain(FiAddr.UNSPEC);
        sockets.close();
        sockets.resolveAgain(0);
        final FabricAddressVector devices = new AvRig().open(AvType.TABLE);
        devices.resolveAgain(devices.insert(AvRig.device(1)));
        devices.close();
        assertThat(rig.resolver.asked).hasValue(0);
    }
}
