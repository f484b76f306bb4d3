/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.fabric.testing.TestDomain;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.ConnectOptions;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaConnector;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Devices of one name in two processes are two devices. Without a wire they do not reach each other and say so. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
@Tag("slow")
class OtherProcessTest {
    private static final int EHOSTUNREACH = 113;
    private static final String DEVICE = "emulated:?wire=none";

    private OtherProcess other;
    private RdmaContext context;

    @BeforeEach
    void open() throws IOException {
        context = RdmaDevices.open(DEVICE);
        other = new OtherProcess(DEVICE);
    }

    @AfterEach
    void close() throws IOException {
        context.close();
        other.close();
    }

    private static void assertUnreachable(final org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        final RdmaException refusal = catchThrowableOfType(RdmaException.class, call);
        assertThat(refusal.errno()).as("%s", refusal).isEqualTo(EHOSTUNREACH);
        assertThat(refusal).hasMessageContaining("process");
    }

    private static void assertFabricUnreachable(final org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        final FabricException refusal = catchThrowableOfType(FabricException.class, call);
        assertThat(FiErrno.name(refusal.errno())).as("%s", refusal).isEqualTo("FI_EHOSTUNREACH");
        assertThat(refusal).hasMessageContaining("process");
    }

    @Test
    void queuePairsAreNotConnected() throws IOException {
        final QueuePair qp = OtherProcess.qp(context);
        final QpAddress there = QpAddress.parse(other.ask("qp"));
        assertThat(there.gid()).isNotEqualTo(qp.localAddress().gid());
        assertUnreachable(() -> QpConnector.connect(qp, there));
        assertThat(qp.state()).isEqualTo(QpState.RESET);
        assertUnreachable(() -> qp.pd().createAh(AhAttributes.to(there.gid())));
    }

    @Test
    void bothAreToldWhenTheyConnectOverTcp() throws IOException {
        final QueuePair qp = OtherProcess.qp(context);
        final int port = Integer.parseInt(other.ask("port"));
        other.tell("accept");
        assertUnreachable(() -> RdmaConnector.connect(qp,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
            new ConnectOptions().timeout(Duration.ofSeconds(60)).patience(Duration.ofSeconds(60))));
        assertThat(qp.state()).isEqualTo(QpState.RESET);
        assertThat(other.answer()).startsWith(EHOSTUNREACH + " RESET").contains("process");
    }

    @Test
    void reliableDatagramsFailAtOnceAndDoNotComeBack() throws IOException {
        try (AddressedNode own = new AddressedNode(context, EndpointType.RDM, AddressedNode.patient())) {
            final long there = own.vector.insert(FabricAddress.parse(other.ask("rdm")));
            own.receive(1);
            own.send(10, there, 2);
            // Nothing but the refusal can be there before the connection's time is over.
            final Done first = own.next();
            assertThat(FiErrno.name(first.errno())).as("%s", first).isEqualTo("FI_EHOSTUNREACH");
            assertThat(first.context()).isEqualTo(2);
            assertThat(own.done).isEmpty();
        }
    }

    @Test
    void datagramsAreRefused() throws IOException {
        try (AddressedNode own = new AddressedNode(context, EndpointType.DGRAM, new EndpointOptions())) {
            final long there = own.vector.insert(FabricAddress.parse(other.ask("datagrams")));
            own.receive(1);
            assertThat(own.endpoint.send(own.memory.address(), 8, null, there, 2))
                .isEqualTo(-FiErrno.FI_EHOSTUNREACH);
            own.take();
            assertThat(own.done).isEmpty();
        }
    }

    @Test
    void connectedEndpointsRefuse() throws IOException {
        try (TestDomain own = new TestDomain(new Hints().context(context).endpointType(EndpointType.MSG))) {
            final var cq = own.keep(own.domain.openCompletionQueue(64));
            final var events = own.keep(own.fabric.openEventQueue(0));
            final MsgEndpoint endpoint = own.keep(own.domain.openEndpoint(
                new EndpointOptions().completionQueue(cq).eventQueue(events).sizes(4, 4)));
            final byte[] name = HexFormat.of().parseHex(other.ask("name"));
            assertFabricUnreachable(() -> endpoint.connect(name));
            final FabricAddress passive = FabricAddress.parse(other.ask("passive"));
            assertFabricUnreachable(() -> endpoint.connect(passive, null));
            final MsgEndpoint near =
                own.keep(own.domain.openEndpoint(new EndpointOptions().completionQueue(cq).sizes(4, 4)));
            endpoint.connect(near.name());
            assertThat(endpoint.isConnected()).as("it can still be connected with somebody else").isTrue();
        }
    }

    /** What the address chooses is the same in all processes, which then must not be taken for one another. */
    @Test
    void aChosenIdentityIsKept() throws IOException {
        final String chosen = "emulated:chosen?wire=none&guid=0211:22ff:fe33:4455";
        try (OtherProcess twin = new OtherProcess(chosen); RdmaContext same = RdmaDevices.open(chosen);
             AddressedNode own = new AddressedNode(same, EndpointType.RDM,
                 new EndpointOptions().connectTimeout(Duration.ofMillis(500)))) {
            final FabricAddress there = FabricAddress.parse(twin.ask("rdm"));
            assertThat(there.gid()).isEqualTo(same.queryGid(1, 0)).isEqualTo(Gid.parse("fe80::211:22ff:fe33:4455"));
            assertThat(there.qpn()).isEqualTo(own.endpoint.address().qpn());
            own.receive(1);
            own.send(10, own.vector.insert(there), 2);
            final Done first = own.next();
            assertThat(FiErrno.name(first.errno())).as("%s", first).isEqualTo("FI_EHOSTUNREACH");
            assertThat(own.done).isEmpty();
        }
    }
}
