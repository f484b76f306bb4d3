/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.verbs.Gid;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Datagrams that do not arrive, or not as a whole. */
@Timeout(120)
class LossTest {
    private static final String FULL = "";

    @RegisterExtension
    final TestDevices devices = new TestDevices();

    /** Sends one, which is complete for the sender whatever becomes of it. */
    private static void send(final DatagramNode node, final AddressedEndpoint from, final long to, final int size) {
        node.post(() -> from.send(node.at(0), size, null, to, 1));
        final Done sent = node.sent(from);
        assertThat(sent.errno()).as("%s", sent).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {FULL, TestDevices.QEMU})
    void withoutAReceiveTheyAreLost(final String options) {
        final DatagramNode node = DatagramNode.on(devices, options);
        final AddressedEndpoint a = node.open();
        final AddressedEndpoint b = node.open();
        final long toB = node.name(b);
        send(node, a, toB, 10);
        node.silence();
        node.post(() -> b.receive(node.at(4096), 64, null, FiAddr.UNSPEC, 2));
        node.silence();
        send(node, a, toB, 11);
        assertThat(node.received(b).length()).isEqualTo(11);
    }

    @ParameterizedTest
    @ValueSource(strings = {FULL, TestDevices.QEMU})
    void peersThatAreNotThere(final String options) {
        final DatagramNode node = DatagramNode.on(devices, options);
        final AddressedEndpoint a = node.open();
        final FabricAddress own = a.address();
        final long noQp = node.vector.insert(
            FabricAddress.device(own.gid(), 0xfff_fff & 0xff_fffe, 5, EndpointType.DGRAM));
        final long noGid = node.vector.insert(
            FabricAddress.device(Gid.linkLocal(0x1234_5678_9abcL), own.qpn(), own.qkey(), EndpointType.DGRAM));
        send(node, a, noQp, 10);
        assertThat(a.send(node.at(0), 8, null, noGid, 10)).isEqualTo(-FiErrno.FI_EHOSTUNREACH);
        node.silence();
        final long self = node.name(a);
        node.post(() -> a.receive(node.at(4096), 64, null, FiAddr.UNSPEC, 2));
        send(node, a, self, 12);
        assertThat(node.received(a).length()).isEqualTo(12);
    }

    @ParameterizedTest
    @ValueSource(strings = {FULL, TestDevices.QEMU})
    void whoDoesNotKnowTheQueueKeyReachesNobody(final String options) {
        final DatagramNode node = DatagramNode.on(devices, options);
        final AddressedEndpoint a = node.open();
        final AddressedEndpoint b = node.open();
        final FabricAddress right = b.address();
        assertThat(right.qkey()).isNotEqualTo(a.address().qkey()).isNotNegative();
        final long wrong = node.vector.insert(
            FabricAddress.device(right.gid(), right.qpn(), right.qkey() ^ 1, EndpointType.DGRAM));
        node.post(() -> b.receive(node.at(4096), 64, null, FiAddr.UNSPEC, 2));
        send(node, a, wrong, 10);
        node.silence();
        send(node, a, node.name(b), 11);
        assertThat(node.received(b).length()).isEqualTo(11);
    }

    /** The address alone is not enough. */
    @Test
    void whoHasAnotherAuthorizationKeyReachesNobody() {
        final DatagramNode node = DatagramNode.on(devices, FULL);
        final AddressedEndpoint plain = node.open();
        final AddressedEndpoint a = node.open(node.options().authKey(new byte[] {1, 2, 3}));
        final AddressedEndpoint b = node.open(node.options().authKey(new byte[] {1, 2, 3}));
        final AddressedEndpoint c = node.open(node.options().authKey(new byte[] {1, 2, 4}));
        final long toB = node.name(b);
        node.post(() -> b.receive(node.at(4096), 64, null, FiAddr.UNSPEC, 2));
        send(node, plain, toB, 10);
        send(node, c, toB, 10);
        node.silence();
        send(node, a, toB, 11);
        assertThat(node.received(b).length()).isEqualTo(11);
    }

    @Test
    void addressesThatWereRemoved() {
        final DatagramNode node = DatagramNode.on(devices, FULL);
        final AddressedEndpoint a = node.open();
        final AddressedEndpoint b = node.open();
        final long toB = node.name(b);
        final long fromA = node.name(a);
        node.post(() -> b.receive(node.at(4096), 64, null, FiAddr.UNSPEC, 2));
        send(node, a, toB, 10);
        assertThat(node.received(b).source()).isEqualTo(fromA);
        node.vector.remove(new long[] {fromA}, 1, 0);
        node.post(() -> b.receive(node.at(4096), 64, null, FiAddr.UNSPEC, 2));
        send(node, a, toB, 10);
        assertThat(node.received(b).source()).isEqualTo(FiAddr.NOTAVAIL);
        node.vector.remove(new long[] {toB}, 1, 0);
        for (final long name : new long[] {toB, FiAddr.UNSPEC, toB + 100, Long.MIN_VALUE, 1L << 40}) {
            assertThat(a.send(node.at(0), 10, null, name, 1)).isEqualTo(-FiErrno.FI_EINVAL);
            assertThat(a.inject(node.bytes, 0, 10, name)).isEqualTo(-FiErrno.FI_EINVAL);
        }
        node.silence();
    }

    /** What is too long for its receive is cut, and told with how much was lost; nothing beyond is written. */
    @ParameterizedTest
    @ValueSource(strings = {FULL, TestDevices.QEMU})
    void tooLongForTheReceive(final String options) {
        final DatagramNode node = DatagramNode.on(devices, options);
        final AddressedEndpoint a = node.open();
        final AddressedEndpoint b = node.open();
        final long toB = node.name(b);
        final int mtu = (int) node.info.endpointAttributes().maxMessageSize();
        for (final int capacity : new int[] {0, 1, 99, mtu - 1}) {
            for (final int size : new int[] {capacity + 1, mtu}) {
                node.fill(0, size, size);
                node.bytes.setMemory(8192, 8192, (byte) 0x55);
                node.post(() -> b.receive(node.at(8192), capacity, null, FiAddr.UNSPEC, 2));
                send(node, a, toB, size);
                final Done received = node.received(b);
                assertThat(received.error()).isEqualTo("FI_ETRUNC");
                assertThat(received.length()).isEqualTo(capacity);
                assertThat(received.overflow()).isEqualTo(size - capacity);
                assertThat(received.context()).isEqualTo(2);
                assertThat(received.text()).contains("longer than its receive");
                node.expect(8192, capacity, size);
                assertThat(node.bytes.getByte(8192 + capacity)).isEqualTo((byte) 0x55);
            }
        }
        // It lives on.
        node.post(() -> b.receive(node.at(8192), 64, null, FiAddr.UNSPEC, 2));
        send(node, a, toB, 12);
        assertThat(node.received(b).errno()).isZero();
    }

    @Test
    void longerThanTheMtuIsRefused() {
        final DatagramNode node = DatagramNode.on(devices, FULL);
        final AddressedEndpoint a = node.open();
        final long self = node.name(a);
        final int mtu = (int) node.info.endpointAttributes().maxMessageSize();
        assertThat(mtu).isEqualTo(node.context.queryPort(1).activeMtu().bytes());
        assertThat(a.send(node.at(0), mtu + 1, null, self, 1)).isEqualTo(-FiErrno.FI_EMSGSIZE);
        assertThat(a.send(node.bytes, 0, mtu + 1, self, 1)).isEqualTo(-FiErrno.FI_EMSGSIZE);
        assertThat(a.sendMessage(new Message(2).add(node.at(0), mtu, null).add(node.at(0), 1, null).peer(self), 0))
            .isEqualTo(-FiErrno.FI_EMSGSIZE);
        final Message huge = new Message(2).add(node.at(0), Integer.MAX_VALUE, null)
            .add(node.at(0), Integer.MAX_VALUE, null).peer(self);
        assertThat(a.sendMessage(huge, 0)).isEqualTo(-FiErrno.FI_EMSGSIZE);
        node.silence();
    }
}
