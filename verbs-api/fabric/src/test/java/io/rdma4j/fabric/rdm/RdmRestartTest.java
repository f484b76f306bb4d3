/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.name.TestNames;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.verbs.RdmaContext;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client begins anew, with the same address of a socket: its server keeps the name that it has for it. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RdmRestartTest {
    @RegisterExtension
    final World world = new World();

    /** How the first life ends, and where the second one is. */
    enum End { SAYS_BYE_AND_STAYS_ON_ITS_DEVICE, SAYS_BYE, IS_KILLED }

    private RdmaContext device;
    private Rank server;
    private Rank client;
    private FabricAddress address;
    private long toClient;
    private long toServer;

    @BeforeEach
    void names() {
        TestNames.use();
    }

    private Rank rank(final RdmaContext on, final String service) {
        return rank(on, service, new AvAttributes());
    }

    private Rank rank(final RdmaContext on, final String service, final AvAttributes vector) {
        return world.rank(on, World.hints(on).addressFormat(AddressFormat.SOCKADDR_IN)
            .capabilities(Capability.MSG, Capability.SOURCE, Capability.DIRECTED_RECV),
            World.options().service(service), vector);
    }

    private void begin() {
        server = rank(world.device(""), null);
        device = world.device("");
        client = rank(device, null);
        meet();
        address = client.ep.address();
        toClient = server.av.insert(address);
    }

    private void meet() {
        world.acquainted(server, client);
        toServer = client.av.insert(server.ep.address());
    }

    /** The first life ends, the second one begins. */
    private void restart(final End how) {
        server.others.clear();
        if (how == End.IS_KILLED) {
            // It can say nothing any more, and its queue pairs are gone.
            device.close();
        }
        client.close();
        if (how != End.IS_KILLED) {
            // What it sent before it hears this would be under way.
            server.until(() -> ((RdmEndpoint) server.ep).connections() == 0);
        }
        client = rank(how == End.SAYS_BYE_AND_STAYS_ON_ITS_DEVICE ? device : world.device(""),
            Integer.toString(address.socketAddress().getPort()));
        assertThat(client.ep.address()).isEqualTo(address);
        meet();
    }

    private void clientSends(final long from) {
        server.post(() -> server.ep.receive(server.at(0), 64, server.region, from, 1));
        clientAnswers();
    }

    private void clientAnswers() {
        client.succeeds(() -> client.ep.send(client.at(0), 16, client.region, toServer, 2));
        final Done got = server.next();
        assertThat(got.errno()).as("%s", got).isZero();
        assertThat(got.source()).isEqualTo(toClient);
    }

    private void serverSends() {
        client.post(() -> client.ep.receive(client.at(0), 64, client.region, FiAddr.UNSPEC, 3));
        server.succeeds(() -> server.ep.send(server.at(0), 17, server.region, toClient, 4));
        assertThat(client.next().length()).isEqualTo(17);
    }

    @ParameterizedTest
    @EnumSource
    void itIsKnownWhenItSpeaksFirst(final End how) {
        begin();
        clientSends(FiAddr.UNSPEC);
        restart(how);
        clientSends(FiAddr.UNSPEC);
        clientSends(toClient);
        serverSends();
    }

    @Test
    void receivesThatWaitForItGetItsMessages() {
        begin();
        clientSends(toClient);
        server.post(() -> server.ep.receive(server.at(0), 64, server.region, toClient, 1));
        restart(End.SAYS_BYE);
        clientAnswers();
    }

    /** While it is being filled it is in no list of receives that wait. */
    @Test
    void aReceiveWhoseMessageBrokeOffFollowsItsPeer() {
        begin();
        clientSends(toClient);
        server.post(() -> server.ep.receive(server.at(0), 200_000, server.region, toClient, 1));
        client.post(() -> client.ep.send(client.at(0), 200_000, client.region, toServer, 5));
        server.until(() -> ((RdmEndpoint) server.ep).resources().contexts()[0].matcher().posted() == 0);
        restart(End.IS_KILLED);
        client.succeeds(() -> client.ep.send(client.at(0), 16, client.region, toServer, 2));
        final Done got = server.nextAfterSilence();
        assertThat(got.errno()).as("%s", got).isZero();
        assertThat(got.context()).isEqualTo(1);
        assertThat(got.length()).isEqualTo(16);
        assertThat(got.source()).isEqualTo(toClient);
    }

    /** Of two vectors of one name only the one that is asked learns by itself where a peer is. */
    @Test
    void receivesThroughAnotherVectorOfTheSameNameGetThemToo() {
        final RdmaContext both = world.device("");
        final String name = "restart-" + ProcessHandle.current().pid();
        server = rank(both, null, new AvAttributes().name(name));
        final Rank second = rank(both, null, new AvAttributes().name(name));
        device = world.device("");
        client = rank(device, null);
        meet();
        address = client.ep.address();
        toClient = server.av.insert(address);
        clientSends(toClient);
        second.post(() -> second.ep.receive(second.at(0), 64, second.region, toClient, 1));
        restart(End.SAYS_BYE);
        clientSends(FiAddr.UNSPEC);
        client.others.add(second);
        second.others.add(client);
        final long toSecond = client.av.insert(second.ep.address());
        client.succeeds(() -> client.ep.send(client.at(0), 16, client.region, toSecond, 2));
        final Done got = second.next();
        assertThat(got.errno()).as("%s", got).isZero();
        assertThat(got.source()).isEqualTo(toClient);
    }

    /** It asks as others do, and keeps for itself what it is told. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoReadsASharedVectorFollowsToo(final boolean clientSpeaksFirst) {
        final RdmaContext both = world.device("");
        final String name = "restart-reader-" + ProcessHandle.current().pid();
        final Rank writer = rank(both, null, new AvAttributes().name(name));
        server = rank(both, null, new AvAttributes().name(name).flags(AvFlag.READ));
        device = world.device("");
        client = rank(device, null);
        meet();
        address = client.ep.address();
        toClient = writer.av.insert(address);
        clientSends(toClient);
        if (clientSpeaksFirst) {
            server.post(() -> server.ep.receive(server.at(0), 64, server.region, toClient, 1));
        }
        restart(End.SAYS_BYE);
        if (clientSpeaksFirst) {
            clientAnswers();
        }
        serverSends();
        clientSends(toClient);
    }

    @ParameterizedTest
    @EnumSource(value = End.class, names = "IS_KILLED", mode = EnumSource.Mode.EXCLUDE)
    void nothingIsLostThatIsSentAfterwards(final End how) {
        begin();
        serverSends();
        restart(how);
        serverSends();
        clientSends(FiAddr.UNSPEC);
    }

    @Test
    void onlyWhatIsUnderWayIsLostWhenItWasKilled() {
        begin();
        serverSends();
        restart(End.IS_KILLED);
        server.post(() -> server.ep.send(server.at(0), 16, server.region, toClient, 4));
        assertThat(FiErrno.name(server.nextAfterSilence().errno())).isEqualTo("FI_ECONNRESET");
        serverSends();
    }

    @ParameterizedTest
    @EnumSource
    void whoWasNeverSpokenToIsFound(final End how) {
        begin();
        restart(how);
        serverSends();
    }

    /** Messages to one peer stay in order when the one that waits for the connection moves with it. */
    @Test
    void messagesStayInOrder() {
        begin();
        restart(End.SAYS_BYE_AND_STAYS_ON_ITS_DEVICE);
        final int count = 20;
        for (int i = 0; i < 16; i++) {
            final int n = i;
            client.post(() -> client.ep.receive(client.at(64 * n), 64, client.region, FiAddr.UNSPEC, n));
        }
        for (int i = 0; i < count; i++) {
            final int n = i;
            server.post(() -> server.ep.send(server.at(0), 8 + n, server.region, toClient, n));
            if (n == 15) {
                server.until(() -> client.done.size() == 16);
                for (int more = 16; more < count; more++) {
                    final int m = more;
                    client.post(() -> client.ep.receive(client.at(64 * m), 64, client.region, FiAddr.UNSPEC, m));
                }
            }
        }
        server.until(() -> client.done.size() == count);
        assertThat(client.done).extracting(Done::length).containsExactly(
            java.util.stream.LongStream.range(8, 8 + count).boxed().toArray(Long[]::new));
        assertThat(server.done).allMatch(one -> one.errno() == 0);
    }

    /** While its name leads nowhere else it is not there. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoDoesNotComeBackIsNotReached(final boolean sameDevice) {
        begin();
        final Rank impatient = world.rank(server.context, World.hints(server.context)
            .addressFormat(AddressFormat.SOCKADDR_IN), new EndpointOptions().sizes(16, 16)
            .connectTimeout(Duration.ofMillis(500)), new AvAttributes());
        final long name = impatient.av.insert(address);
        server.others.clear();
        client.close();
        if (!sameDevice) {
            device.close();
        }
        impatient.fails(FiErrno.FI_EHOSTUNREACH,
            () -> impatient.ep.send(impatient.at(0), 8, impatient.region, name, 1));
        impatient.fails(FiErrno.FI_EHOSTUNREACH,
            () -> impatient.ep.send(impatient.at(0), 8, impatient.region, name, 2));
    }
}
