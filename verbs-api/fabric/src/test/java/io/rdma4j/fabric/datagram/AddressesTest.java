/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.name.TestNames;
import io.rdma4j.fabric.testing.TestDevices;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Addresses of datagram endpoints in each format. */
@Timeout(120)
class AddressesTest {
    @RegisterExtension
    final TestDevices devices = new TestDevices();

    @BeforeAll
    static void names() {
        TestNames.use();
    }

    @ParameterizedTest
    @EnumSource(AddressFormat.class)
    void whatAnEndpointTellsLeadsToIt(final AddressFormat format) {
        final DatagramNode node =
            DatagramNode.on(devices, new Hints().context(devices.device("")).addressFormat(format));
        final AddressedEndpoint a = node.open();
        final AddressedEndpoint b = node.open();
        assertThat(a.address().format()).isEqualTo(format);
        assertThat(a.address()).isNotEqualTo(b.address()).isEqualTo(a.address());
        final long toB = node.name(b);
        final long fromA = node.name(a);
        node.post(() -> b.receive(node.at(4096), 64, null, FiAddr.UNSPEC, 1));
        node.post(() -> a.send(node.at(0), 10, null, toB, 2));
        assertThat(node.received(b).source()).isEqualTo(fromA);
    }

    @Test
    void theDevicesOwnFormatSaysWhatTheDeviceNeeds() {
        final DatagramNode node = DatagramNode.on(devices, "");
        final AddressedEndpoint a = node.open();
        assertThat(a.address().kind()).isEqualTo(EndpointType.DGRAM);
        assertThat(a.address().gid()).isEqualTo(node.context.queryGid(1, 0));
        assertThat(a.address().qpn()).isPositive();
        assertThat(a.type()).isEqualTo(EndpointType.DGRAM);
        assertThat(a.addressVector()).isSameAs(node.vector);
        assertThat(a.domain()).isSameAs(node.domain);
    }

    /** A peer has one place for datagrams. */
    @Test
    void noneGoesToOneOfAPeersContexts() {
        final DatagramNode node = DatagramNode.on(devices, "");
        final AddressVector vector = node.keep(node.domain.openAddressVector(new AvAttributes().rxCtxBits(4)));
        final AddressedEndpoint a = node.open(node.options().addressVector(vector));
        final long self = vector.insert(a.address());
        assertThat(a.send(node.at(0), 8, null, FiAddr.rxAddr(self, 1, 4), 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(a.send(node.at(0), 8, null, FiAddr.rxAddr(self, 0, 4), 2)).isZero();
        assertThat(node.sent(a).context()).isEqualTo(2);
    }

    @Test
    void aServiceIsTakenOnceAndGivenBack() {
        final DatagramNode node = DatagramNode.on(devices, "");
        final AddressedEndpoint a = node.open(node.options().service("4711"));
        final FabricException taken = catchThrowableOfType(
            FabricException.class, () -> node.open(node.options().service("4711")));
        assertThat(FiErrno.name(taken.errno())).isEqualTo("FI_EADDRINUSE");
        final FabricException nonsense = catchThrowableOfType(
            FabricException.class, () -> node.open(node.options().service("70000")));
        assertThat(FiErrno.name(nonsense.errno())).isEqualTo("FI_EINVAL");
        final long[] names = new long[1];
        assertThat(node.vector.insertService("127.0.0.1", "4711", names, null)).isEqualTo(1);
        node.post(() -> a.receive(node.at(4096), 64, null, FiAddr.UNSPEC, 1));
        node.post(() -> a.send(node.at(0), 10, null, names[0], 2));
        assertThat(node.received(a).source()).isEqualTo(names[0]);
        a.close();
        node.open(node.options().service("4711"));
    }
}
