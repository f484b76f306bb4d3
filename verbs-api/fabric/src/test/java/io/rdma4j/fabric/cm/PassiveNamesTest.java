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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.InetSocketAddress;

/** Passive endpoints that the name service tells of. */
@Timeout(60)
final class PassiveNamesTest {
    static {
        TestNames.use();
    }

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
        try (MsgNode a = new MsgNode(new Hints().addressFormat(format));
            MsgNode b = new MsgNode(new Hints().addressFormat(format))) {
            final PassiveEndpoint passive = b.listen();
            assertThat(passive.address().format()).isEqualTo(format);
            connects(a, b, passive.address());
        }
    }

    @Test
    void servicesAreFoundAndGivenBack() {
        try (MsgNode a = new MsgNode(new Hints().addressFormat(AddressFormat.SOCKADDR_IN));
            MsgNode b = new MsgNode(new Hints().addressFormat(AddressFormat.SOCKADDR_IN))) {
            final PassiveEndpoint passive = b.fabric.openPassiveEndpoint(b.info, b.eq, "7471");
            b.passives.add(passive);
            passive.listen();
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
            final PassiveEndpoint again = b.fabric.openPassiveEndpoint(b.info, b.eq, "7471");
            b.passives.add(again);
            again.listen();
            late.connect(to, null);
            b.accept(b.await(FabricEvent.CONNREQ, a).request(), null);
            assertThat(a.await(FabricEvent.CONNECTED, b).isError()).isFalse();
        }
    }
}
