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
import io.rdma4j.verbs.Gid;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Datagrams that do not arrive, or not as a whole. */
@Timeout(120)
class LossTest {
    private static final String FULL = "";
    private static final String LIKE_QEMU = "?quirks=qemu-7.2";

    /** Sends one, which is complete for the sender whatever becomes of it. */
    private static void send(final Rig rig, final AddressedEndpoint from, final long to, final int size) {
        rig.post(() -> from.send(rig.at(0), size, null, to, 1));
        final Rig.Done sent = rig.sent(from);
        assertThat(sent.errno()).as("%s", sent).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {FULL, LIKE_QEMU})
    void withoutAReceiveTheyAreLost(final String options) {
        try (Rig rig = new Rig(options)) {
            final AddressedEndpoint a = rig.open();
            final AddressedEndpoint b = rig.open();
            final long toB = rig.name(b);
            send(rig, a, toB, 10);
            rig.silence();
            rig.post(() -> b.receive(rig.at(4096), 64, null, FiAddr.UNSPEC, 2));
            rig.silence();
            send(rig, a, toB, 11);
            assertThat(rig.received(b).length()).isEqualTo(11);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {FULL, LIKE_QEMU})
    void peersThatAreNotThere(final String options) {
        try (Rig rig = new Rig(options)) {
            final AddressedEndpoint a = rig.open();
            final FabricAddress own = a.address();
            final long noQp = rig.vector.insert(
                FabricAddress.device(own.gid(), 0xfff_fff & 0xff_fffe, 5, EndpointType.DGRAM));
            final long noGid = rig.vector.insert(
                FabricAddress.device(Gid.linkLocal(0x1234_5678_9abcL), own.qpn(), own.qkey(), EndpointType.DGRAM));
            send(rig, a, noQp, 10);
            assertThat(a.send(rig.at(0), 8, null, noGid, 10)).isEqualTo(-FiErrno.FI_EHOSTUNREACH);
            rig.silence();
            final long self = rig.name(a);
            rig.post(() -> a.receive(rig.at(4096), 64, null, FiAddr.UNSPEC, 2));
            send(rig, a, self, 12);
            assertThat(rig.received(a).length()).isEqualTo(12);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {FULL, LIKE_QEMU})
    void whoDoesNotKnowTheQueueKeyReachesNobody(final String options) {
        try (Rig rig = new Rig(options)) {
            final AddressedEndpoint a = rig.open();
            final AddressedEndpoint b = rig.open();
            final FabricAddress right = b.address();
            assertThat(right.qkey()).isNotEqualTo(a.address().qkey()).isNotNegative();
            final long wrong = rig.vector.insert(
                FabricAddress.device(right.gid(), right.qpn(), right.qkey() ^ 1, EndpointType.DGRAM));
            rig.post(() -> b.receive(rig.at(4096), 64, null, FiAddr.UNSPEC, 2));
            send(rig, a, wrong, 10);
            rig.silence();
            send(rig, a, rig.name(b), 11);
            assertThat(rig.received(b).length()).isEqualTo(11);
        }
    }

    /** The address alone is not enough. */
    @Test
    void whoHasAnotherAuthorizationKeyReachesNobody() {
        try (Rig rig = new Rig(FULL)) {
            final AddressedEndpoint plain = rig.open();
            final AddressedEndpoint a = rig.open(rig.options().authKey(new byte[] {1, 2, 3}));
            final AddressedEndpoint b = rig.open(rig.options().authKey(new byte[] {1, 2, 3}));
            final AddressedEndpoint c = rig.open(rig.options().authKey(new byte[] {1, 2, 4}));
            final long toB = rig.name(b);
            rig.post(() -> b.receive(rig.at(4096), 64, null, FiAddr.UNSPEC, 2));
            send(rig, plain, toB, 10);
            send(rig, c, toB, 10);
            rig.silence();
            send(rig, a, toB, 11);
            assertThat(rig.received(b).length()).isEqualTo(11);
        }
    }

    @Test
    void addressesThatWereRemoved() {
        try (Rig rig = new Rig(FULL)) {
            final AddressedEndpoint a = rig.open();
            final AddressedEndpoint b = rig.open();
            final long toB = rig.name(b);
            final long fromA = rig.name(a);
            rig.post(() -> b.receive(rig.at(4096), 64, null, FiAddr.UNSPEC, 2));
            send(rig, a, toB, 10);
            assertThat(rig.received(b).source()).isEqualTo(fromA);
            rig.vector.remove(new long[] {fromA}, 1, 0);
            rig.post(() -> b.receive(rig.at(4096), 64, null, FiAddr.UNSPEC, 2));
            send(rig, a, toB, 10);
            assertThat(rig.received(b).source()).isEqualTo(FiAddr.NOTAVAIL);
            rig.vector.remove(new long[] {toB}, 1, 0);
            for (final long name : new long[] {toB, FiAddr.UNSPEC, toB + 100, Long.MIN_VALUE, 1L << 40}) {
                assertThat(a.send(rig.at(0), 10, null, name, 1)).isEqualTo(-FiErrno.FI_EINVAL);
                assertThat(a.inject(rig.bytes, 0, 10, name)).isEqualTo(-FiErrno.FI_EINVAL);
            }
            rig.silence();
        }
    }

    /** What is too long for its receive is cut, and told with how much was lost; nothing beyond is written. */
    @ParameterizedTest
    @ValueSource(strings = {FULL, LIKE_QEMU})
    void tooLongForTheReceive(final String options) {
        try (Rig rig = new Rig(options)) {
            final AddressedEndpoint a = rig.open();
            final AddressedEndpoint b = rig.open();
            final long toB = rig.name(b);
            final int mtu = (int) rig.info.endpointAttributes().maxMessageSize();
            for (final int capacity : new int[] {0, 1, 99, mtu - 1}) {
                for (final int size : new int[] {capacity + 1, mtu}) {
                    rig.fill(0, size, size);
                    rig.bytes.setMemory(8192, 8192, (byte) 0x55);
                    rig.post(() -> b.receive(rig.at(8192), capacity, null, FiAddr.UNSPEC, 2));
                    send(rig, a, toB, size);
                    final Rig.Done received = rig.received(b);
                    assertThat(received.error()).isEqualTo("FI_ETRUNC");
                    assertThat(received.overflow()).isEqualTo(size - capacity);
                    assertThat(received.context()).isEqualTo(2);
                    assertThat(received.text()).contains("longer than its receive");
                    rig.expect(8192, capacity, size);
                    assertThat(rig.bytes.getByte(8192 + capacity)).isEqualTo((byte) 0x55);
                }
            }
            // It lives on.
            rig.post(() -> b.receive(rig.at(8192), 64, null, FiAddr.UNSPEC, 2));
            send(rig, a, toB, 12);
            assertThat(rig.received(b).errno()).isZero();
        }
    }

    @Test
    void longerThanTheMtuIsRefused() {
        try (Rig rig = new Rig(FULL)) {
            final AddressedEndpoint a = rig.open();
            final long self = rig.name(a);
            final int mtu = (int) rig.info.endpointAttributes().maxMessageSize();
            assertThat(mtu).isEqualTo(rig.context.queryPort(1).activeMtu().bytes());
            assertThat(a.send(rig.at(0), mtu + 1, null, self, 1)).isEqualTo(-FiErrno.FI_EMSGSIZE);
            assertThat(a.send(rig.bytes, 0, mtu + 1, self, 1)).isEqualTo(-FiErrno.FI_EMSGSIZE);
            assertThat(a.sendMessage(new Message(2).add(rig.at(0), mtu, null).add(rig.at(0), 1, null).peer(self), 0))
                .isEqualTo(-FiErrno.FI_EMSGSIZE);
            rig.silence();
        }
    }
}
