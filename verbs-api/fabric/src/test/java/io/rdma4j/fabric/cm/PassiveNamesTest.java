/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.PassiveEndpoint;
import io.rdma4j.fabric.name.TestNames;
import io.rdma4j.fabric.testing.TestDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.InetSocketAddress;

/** Passive endpoints that the name service tells of. */
@Timeout(60)
final class PassiveNamesTest {
    static {
        TestNames.use();
    }

    @RegisterExtension
    final TestDevices devices = new TestDevices();

    private static void connects(final MsgNode a, final MsgNode b, final FabricAddress to) {
        final MsgEndpoint asker = a.open();
        asker.connect(to, null);
        b.accept(b.await(FabricEvent.CONNREQ, a).request(), null);
        assertThat(a.await(FabricEvent.CONNECTED, b).isError()).isFalse();
        assertThat(b.await(FabricEvent.CONNECTED, a).isError()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(AddressFormat.class)
    void addressesOfEveryFormatAreConnectedTo(final AddressFormat format) {
        final MsgNode a = MsgNode.on(devices, new Hints().addressFormat(format));
        final MsgNode b = MsgNode.on(devices, new Hints().addressFormat(format));
        final PassiveEndpoint passive = b.listen();
        assertThat(passive.address().format()).isEqualTo(format);
        connects(a, b, passive.address());
    }

    @Test
    void servicesAreFoundAndGivenBack() {
        final MsgNode a = MsgNode.on(devices, new Hints().addressFormat(AddressFormat.SOCKADDR_IN));
        final MsgNode b = MsgNode.on(devices, new Hints().addressFormat(AddressFormat.SOCKADDR_IN));
        final PassiveEndpoint passive = b.listen("7471");
        assertThat(passive.address().socketAddress().getPort()).isEqualTo(7471);
        final FabricAddress to = FabricAddress.socket(new InetSocketAddress("127.0.0.1", 7471));
        connects(a, b, to);
        final String before = b.objects();
        assertThatThrownBy(() -> b.fabric.openPassiveEndpoint(b.info, b.eq, "7471"))
            .isInstanceOfSatisfying(FabricException.class,
                e -> assertThat(e.errno()).isEqualTo(FiErrno.FI_EADDRINUSE));
        assertThat(b.objects()).isEqualTo(before);
        passive.close();
        final MsgEndpoint late = a.open();
        assertThatThrownBy(() -> late.connect(to, null)).isInstanceOf(FabricException.class);
        final PassiveEndpoint again = b.listen("7471");
        late.connect(to, null);
        b.accept(b.await(FabricEvent.CONNREQ, a).request(), null);
        assertThat(a.await(FabricEvent.CONNECTED, b).isError()).isFalse();
    }
}
