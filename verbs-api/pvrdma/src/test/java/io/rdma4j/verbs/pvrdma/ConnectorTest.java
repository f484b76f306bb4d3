/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Background;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.ConnectOptions;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaConnection;
import io.rdma4j.verbs.RdmaConnector;
import io.rdma4j.verbs.RdmaListener;
import io.rdma4j.verbs.SendRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What the connector is for: two sides that come to terms. */
class ConnectorTest {
    @RegisterExtension
    final Devices devices = new Devices();

    private static ConnectOptions options() {
        return new ConnectOptions().timeout(Patience.duration()).patience(Patience.duration().dividedBy(2));
    }

    /** Both sides of a connection, the first one that of who listened. */
    private static RdmaConnection[] connect(
        final QueuePair a, final ConnectOptions of, final QueuePair b, final ConnectOptions with) throws Exception {
        try (RdmaListener listener = RdmaConnector.listen(0)) {
            final CompletableFuture<RdmaConnection> accepted =
                CompletableFuture.supplyAsync(() -> listener.accept(a, of), Background::run);
            final RdmaConnection connected = RdmaConnector.connect(b, listener.address(), with);
            return new RdmaConnection[] {Patience.get(accepted), connected};
        }
    }

    private static void assertTraffic(final Peer from, final Peer to) {
        from.fill(0, 500, 3);
        assertThat(to.qp.postReceive(7, to.at(4096), 1000, to.lkey())).isZero();
        assertThat(from.qp.postSend(8, from.at(0), 500, from.lkey())).isZero();
        assertThat(Completions.awaitSuccess(from.cq).wrId()).isEqualTo(8);
        assertThat(Completions.awaitSuccess(to.cq).bytes()).isEqualTo(500);
        assertThat(to.firstDifference(4096, 500, 3)).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", Devices.QEMU})
    void connectsAndTrafficFlowsBothWays(final String kind) throws Exception {
        final Peer a = Peer.rc(devices.open(kind));
        final Peer b = Peer.rc(devices.open(kind));
        final RdmaConnection[] both = connect(a.qp, options(), b.qp, options());
        assertThat(both[0].remote()).isEqualTo(both[1].local()).isEqualTo(b.qp.localAddress());
        assertThat(both[1].remote()).isEqualTo(both[0].local()).isEqualTo(a.qp.localAddress());
        assertThat(both[0].qp()).isSameAs(a.qp);
        assertThat(both[1].qp()).isSameAs(b.qp);
        assertThat(a.qp.state()).isEqualTo(QpState.RTS);
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
        assertTraffic(a, b);
        assertTraffic(b, a);
    }

    @Test
    void handsPrivateDataOver() throws Exception {
        final byte[] most = new byte[ConnectOptions.MAX_PRIVATE_DATA];
        most[most.length - 1] = 5;
        final byte[] word = "rkey 7".getBytes(StandardCharsets.US_ASCII);
        final RdmaConnection[] both = connect(Peer.rc(devices.open()).qp, options().privateData(most),
            Peer.rc(devices.open()).qp, options().privateData(word));
        assertThat(both[0].privateData()).isEqualTo(word);
        assertThat(both[1].privateData()).isEqualTo(most);
        assertThat(both[1].toString()).contains("1024 bytes of private data", both[0].local().toString());
    }

    @Test
    void takesTheSmallerOfWhatBothOffer() throws Exception {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        final RdmaConnection[] both = connect(
            a.qp, options().attributes(new QpAttributes().pathMtu(Mtu.MTU_512).maxRdAtomic(4).maxDestRdAtomic(1)),
            b.qp, options().attributes(new QpAttributes().pathMtu(Mtu.MTU_1024).maxRdAtomic(3).maxDestRdAtomic(2)));
        assertThat(a.qp.query().pathMtu()).isEqualTo(both[0].pathMtu()).isEqualTo(Mtu.MTU_512);
        assertThat(b.qp.query().pathMtu()).isEqualTo(both[1].pathMtu()).isEqualTo(Mtu.MTU_512);
        assertThat(a.qp.query().maxRdAtomic()).isEqualTo(both[0].maxRdAtomic()).isEqualTo(2);
        assertThat(b.qp.query().maxDestRdAtomic()).isEqualTo(both[1].maxDestRdAtomic()).isEqualTo(2);
        assertThat(b.qp.query().maxRdAtomic()).isEqualTo(both[1].maxRdAtomic()).isEqualTo(1);
        assertThat(a.qp.query().maxDestRdAtomic()).isEqualTo(both[0].maxDestRdAtomic()).isEqualTo(1);
    }

    @Test
    void offersTheMtuOfThePort() throws Exception {
        final Peer a = Peer.rc(devices.open());
        final Mtu active = a.context.queryPort(1).activeMtu();
        final RdmaConnection[] both = connect(a.qp, options(), Peer.rc(devices.open()).qp, options());
        assertThat(both[0].pathMtu()).isEqualTo(both[1].pathMtu()).isEqualTo(active);
    }

    @Test
    void usesTheAttributesAndLeavesThemAsTheyAre() throws Exception {
        final Peer a = Peer.rc(devices.open());
        final QpAttributes wished = new QpAttributes().pathMtu(Mtu.MTU_256).accessFlags(AccessFlag.REMOTE_READ)
            .timeout(9).retryCnt(5).rnrRetry(4).minRnrTimer(3);
        final String before = wished.toString();
        connect(a.qp, options().attributes(wished), Peer.rc(devices.open()).qp, options());
        final QpAttributes has = a.qp.query();
        assertThat(List.of(has.timeout(), has.retryCnt(), has.rnrRetry(), has.minRnrTimer(), has.accessFlags()))
            .containsExactly(9, 5, 4, 3, wished.accessFlags());
        assertThat(wished.toString()).isEqualTo(before);
    }

    @Test
    void sendsWithThePacketNumbersThatWereWished() throws Exception {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        final RdmaConnection[] both =
            connect(a.qp, options().attributes(new QpAttributes().sqPsn(0x123456)), b.qp, options());
        assertThat(both[1].remote().psn()).isEqualTo(both[0].local().psn()).isEqualTo(0x123456);
        assertThat(a.qp.query().sqPsn()).isEqualTo(b.qp.query().rqPsn()).isEqualTo(0x123456);
        assertThat(b.qp.query().sqPsn()).isEqualTo(a.qp.query().rqPsn()).isEqualTo(b.qp.localAddress().psn());
        assertTraffic(a, b);
        assertTraffic(b, a);
    }

    @Test
    void refusesPacketNumbersThatCannotBe() {
        final QueuePair qp = Peer.rc(devices.open()).qp;
        final InetSocketAddress nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        for (final int psn : new int[] {-1, 1 << 24}) {
            assertInvalid(() -> RdmaConnector.connect(qp, nobody,
                options().attributes(new QpAttributes().sqPsn(psn))), "SQ_PSN is " + psn, "0 to 16777215");
        }
        assertInvalid(() -> RdmaConnector.connect(qp, nobody,
            options().attributes(new QpAttributes().rqPsn(5))), "RQ_PSN is 5", "SQ_PSN");
        assertThat(qp.state()).isEqualTo(QpState.RESET);
    }

    @Test
    void postsReceivesBeforeThePeerCanSend() throws Exception {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        final QpAttributes impatient = new QpAttributes().rnrRetry(0);
        connect(a.qp, options().beforeReady(c -> {
            assertThat(c.remote()).isEqualTo(b.qp.localAddress());
            assertThat(a.qp.postReceive(1, a.at(0), 64, a.lkey())).isZero();
        }), b.qp, options().attributes(impatient));
        assertThat(b.qp.postSend(2, b.at(0), 8, b.lkey())).isZero();
        assertThat(Completions.awaitSuccess(b.cq).wrId()).isEqualTo(2);
        assertThat(Completions.awaitSuccess(a.cq).wrId()).isEqualTo(1);
    }

    @Test
    void connectsDatagramQps() throws Exception {
        final Peer a = new Peer(devices.open(), new QpOptions().type(QpType.UD));
        final Peer b = new Peer(devices.open(), new QpOptions().type(QpType.UD));
        final RdmaConnection[] both = connect(a.qp, options().attributes(new QpAttributes().qkey(0x77)), b.qp,
            options());
        assertThat(both[1].remote().qkey()).isEqualTo(0x77);
        assertThat(both[0].remote()).isEqualTo(b.qp.localAddress());
        assertThat(both[0].remote().qkey()).as("drawn at random").isPositive();
        assertThat(a.qp.postReceive(1, a.at(0), 200, a.lkey())).isZero();
        assertThat(b.qp.postSend(new SendRequest().sge(b.at(0), 10, b.lkey()).to(
            b.pd.createAh(AhAttributes.to(both[1].remote().gid())), both[1].remote().qpn(), both[1].remote().qkey())))
            .isZero();
        assertThat(Completions.awaitSuccess(a.cq).bytes()).isEqualTo(50);
    }

    @Test
    void onlyExchangesAddressesOfDatagramQpsThatRun() throws Exception {
        final Peer a = Peer.ud(devices.open());
        assertThat(a.qp.postReceive(1, a.at(0), 200, a.lkey())).isZero();
        for (int i = 0; i < 2; i++) {
            final Peer b = new Peer(devices.open(), new QpOptions().type(QpType.UD));
            final RdmaConnection[] both = connect(a.qp, options(), b.qp, options());
            assertThat(both[1].remote()).isEqualTo(a.qp.localAddress());
            assertThat(both[1].remote().qkey()).isEqualTo(Peer.QKEY);
        }
        assertThat(a.qp.state()).isEqualTo(QpState.RTS);
        QpConnector.activate(a.pd.createQp(new QpOptions().type(QpType.UD).cq(a.cq)), 1);
    }

    @Test
    void aListenerServesManyAtOnce() throws Exception {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        final int count = 24;
        final List<CompletableFuture<RdmaConnection>> all = new ArrayList<>();
        try (RdmaListener listener = RdmaConnector.listen(0)) {
            for (int i = 0; i < count; i++) {
                final QueuePair near = a.pd.createQp(new QpOptions().cq(a.cq).reserveCq(false));
                final QueuePair far = b.pd.createQp(new QpOptions().cq(b.cq).reserveCq(false));
                all.add(CompletableFuture.supplyAsync(() -> listener.accept(near, options()), Background::run));
                all.add(CompletableFuture.supplyAsync(
                    () -> RdmaConnector.connect(far, listener.address(), options()), Background::run));
            }
            final Map<Integer, Integer> pairs = new HashMap<>();
            for (final CompletableFuture<RdmaConnection> one : all) {
                final RdmaConnection connection = Patience.get(one);
                pairs.put(connection.qp().qpNumber() | (connection.qp().pd() == a.pd ? 1 << 24 : 0),
                    connection.remote().qpn() | (connection.qp().pd() == a.pd ? 0 : 1 << 24));
            }
            assertThat(pairs).hasSize(2 * count).allSatisfy((own, other) ->
                assertThat(pairs.get(other)).isEqualTo(own));
            assertThat(listener.refused()).isZero();
        }
    }

    @Test
    void oneWhoConnectsWaitsUntilSomebodyAccepts() throws Exception {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        try (RdmaListener listener = RdmaConnector.listen(0)) {
            final CompletableFuture<RdmaConnection> connected = CompletableFuture.supplyAsync(
                () -> RdmaConnector.connect(b.qp, listener.address(), options()), Background::run);
            Thread.sleep(200);
            assertThat(connected).isNotDone();
            assertThat(b.qp.state()).isEqualTo(QpState.RESET);
            listener.accept(a.qp, options());
            Patience.get(connected);
        }
        assertTraffic(b, a);
    }
}
