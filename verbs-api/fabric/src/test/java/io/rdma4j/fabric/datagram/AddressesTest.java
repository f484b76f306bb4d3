/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.name.TestNames;
import io.rdma4j.verbs.RdmaDevices;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Addresses of datagram endpoints in each format. */
@Timeout(120)
class AddressesTest {
    @BeforeAll
    static void names() {
        TestNames.use();
    }

    @ParameterizedTest
    @EnumSource(AddressFormat.class)
    void whatAnEndpointTellsLeadsToIt(final AddressFormat format) {
        try (Rig rig = new Rig(RdmaDevices.open(Rig.device("")), new Hints().addressFormat(format))) {
            final AddressedEndpoint a = rig.open();
            final AddressedEndpoint b = rig.open();
            assertThat(a.address().format()).isEqualTo(format);
            assertThat(a.address()).isNotEqualTo(b.address()).isEqualTo(a.address());
            final long toB = rig.name(b);
            final long fromA = rig.name(a);
            rig.post(() -> b.receive(rig.at(4096), 64, null, FiAddr.UNSPEC, 1));
            rig.post(() -> a.send(rig.at(0), 10, null, toB, 2));
            assertThat(rig.received(b).source()).isEqualTo(fromA);
        }
    }

    @Test
    void theDevicesOwnFormatSaysWhatTheDeviceNeeds() {
        try (Rig rig = new Rig("")) {
            final AddressedEndpoint a = rig.open();
            assertThat(a.address().kind()).isEqualTo(EndpointType.DGRAM);
            assertThat(a.address().gid()).isEqualTo(rig.context.queryGid(1, 0));
            assertThat(a.address().qpn()).isPositive();
            assertThat(a.type()).isEqualTo(EndpointType.DGRAM);
            assertThat(a.addressVector()).isSameAs(rig.vector);
            assertThat(a.domain()).isSameAs(rig.domain);
        }
    }

    @Test
    void aServiceIsTakenOnceAndGivenBack() {
        try (Rig rig = new Rig("")) {
            final AddressedEndpoint a = rig.open(rig.options().service("4711"));
            final FabricException taken = catchThrowableOfType(
                FabricException.class, () -> rig.open(rig.options().service("4711")));
            assertThat(FiErrno.name(taken.errno())).isEqualTo("FI_EADDRINUSE");
            final FabricException nonsense = catchThrowableOfType(
                FabricException.class, () -> rig.open(rig.options().service("70000")));
            assertThat(FiErrno.name(nonsense.errno())).isEqualTo("FI_EINVAL");
            final long[] names = new long[1];
            assertThat(rig.vector.insertService("127.0.0.1", "4711", names, null)).isEqualTo(1);
            rig.post(() -> a.receive(rig.at(4096), 64, null, FiAddr.UNSPEC, 1));
            rig.post(() -> a.send(rig.at(0), 10, null, names[0], 2));
            assertThat(rig.received(a).source()).isEqualTo(names[0]);
            a.close();
            rig.open(rig.options().service("4711"));
        }
    }
}
