/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A QP that goes to the error state gives back each of its requests, exactly once, whoever flushes. */
class FlushTest {
    @RegisterExtension
    final Devices devices = new Devices();

    @ParameterizedTest
    @ValueSource(strings = {"", Devices.QEMU})
    void givesBackEachReceiveOnceInOrder(final String options) {
        final Peer a = Peer.rc(devices.open(options));
        a.connect(Peer.rc(devices.open()));
        for (int i = 0; i < 20; i++) {
            a.qp.postReceive(i, a.at(0), 8, a.lkey());
        }
        a.qp.modify(QpAttributes.to(QpState.ERR));

        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
        assertFlushed(Completions.await(a.cq, 20), WcOpcode.RECV, 0);
        Completions.assertNone(a.cq);
        assertThat(a.cq.dropped()).isZero();
    }

    private static void assertFlushed(final List<Completions.Copy> copies, final WcOpcode opcode, final int first) {
        int expected = first;
        for (final Completions.Copy copy : copies) {
            assertThat(copy.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
            assertThat(copy.opcode()).isEqualTo(opcode);
            assertThat(copy.wrId()).isEqualTo(expected++);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", Devices.QEMU})
    void givesBackWhatIsPostedInTheErrorState(final String options) {
        final Peer a = Peer.rc(devices.open(options));
        a.connect(Peer.rc(devices.open()));
        a.qp.modify(QpAttributes.to(QpState.ERR));
        for (int round = 0; round < 3; round++) {
            assertThat(a.qp.postSend(10 + round, a.at(0), 8, a.lkey())).isZero();
            assertFlushed(Completions.await(a.cq, 1), WcOpcode.SEND, 10 + round);
            assertThat(a.qp.postReceive(20 + round, a.at(0), 8, a.lkey())).isZero();
            assertFlushed(Completions.await(a.cq, 1), WcOpcode.RECV, 20 + round);
        }
        Completions.assertNone(a.cq);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", Devices.QEMU})
    void handsOverWhatTheDeviceCompletedFirst(final String options) {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open(options));
        a.connect(b);
        for (int i = 0; i < 10; i++) {
            b.qp.postReceive(i, b.at(0), 8, b.lkey());
        }
        for (int i = 0; i < 4; i++) {
            a.qp.postSend(i, a.at(0), 8, a.lkey());
        }
        Completions.await(a.cq, 4);
        b.qp.modify(QpAttributes.to(QpState.ERR));

        final List<Completions.Copy> all = Completions.await(b.cq, 10);
        assertThat(all.subList(0, 4)).allMatch(copy -> copy.status() == WcStatus.SUCCESS);
        assertFlushed(all.subList(4, 10), WcOpcode.RECV, 4);
        Completions.assertNone(b.cq);
    }

    @Test
    void flushesIntoTheCqOfEachDirectionAndRespectsTheLimit() {
        final PvrdmaContext device = devices.open(Devices.QEMU);
        final var pd = device.allocatePd();
        final var sendCq = device.createCq(64);
        final var receiveCq = device.createCq(64);
        final var qp = pd.createQp(
            new QpOptions().sendCq(sendCq).receiveCq(receiveCq).maxSendWr(16).maxReceiveWr(16));
        final Peer other = Peer.rc(devices.open());
        QpConnector.connect(qp, other.qp.localAddress());
        for (int i = 0; i < 16; i++) {
            assertThat(qp.postReceive(i, 0, 0, 0)).isZero();
        }
        qp.modify(QpAttributes.to(QpState.ERR));
        for (int i = 0; i < 16; i++) {
            assertThat(qp.postSend(i, 0, 0, 0)).isZero();
        }
        final Completions completions = new Completions();
        assertThat(receiveCq.poll(completions, 10)).isEqualTo(10);
        assertThat(receiveCq.poll(completions, 10)).isEqualTo(6);
        assertThat(receiveCq.poll(completions, 10)).isZero();
        assertFlushed(completions.list, WcOpcode.RECV, 0);
        assertFlushed(Completions.await(sendCq, 16), WcOpcode.SEND, 0);
    }

    @Test
    void dropsWhatIsLeftWhenTheQpIsClosed() {
        final Peer a = Peer.rc(devices.open(Devices.QEMU));
        a.connect(Peer.rc(devices.open()));
        for (int i = 0; i < 5; i++) {
            a.qp.postReceive(i, a.at(0), 8, a.lkey());
        }
        a.qp.modify(QpAttributes.to(QpState.ERR));
        final List<Long> seen = new ArrayList<>();
        a.cq.poll(c -> {
            seen.add(c.wrId());
            a.qp.close();
        }, 16);
        assertThat(seen).containsExactly(0L);
        Completions.assertNone(a.cq);
    }

    @Test
    void endsAWaitForAnEvent() throws InterruptedException {
        final Peer a = Peer.rc(devices.open(Devices.QEMU));
        a.connect(Peer.rc(devices.open()));
        a.qp.postReceive(1, a.at(0), 8, a.lkey());
        a.cq.requestNotify(false);
        final Thread killer = new Thread(() -> a.qp.modify(QpAttributes.to(QpState.ERR)));
        killer.start();

        assertThat(a.cq.awaitEvent(Patience.duration())).isTrue();
        Patience.join(killer);
        assertFlushed(Completions.await(a.cq, 1), WcOpcode.RECV, 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void wakesWhoWaitsWhenSomethingIsPostedInTheErrorState(final boolean send) throws InterruptedException {
        final Peer a = Peer.rc(devices.open(Devices.QEMU));
        a.connect(Peer.rc(devices.open()));
        a.qp.modify(QpAttributes.to(QpState.ERR));
        Completions.assertNone(a.cq);
        a.cq.awaitEvent(Duration.ZERO);
        a.cq.requestNotify(false);
        Completions.assertNone(a.cq);
        assertThat(a.cq.awaitEvent(Duration.ofMillis(30))).as("nothing was posted").isFalse();
        final Thread poster = new Thread(() -> {
            if (send) {
                a.qp.postSend(1, a.at(0), 8, a.lkey());
            } else {
                a.qp.postReceive(1, a.at(0), 8, a.lkey());
            }
        });
        poster.start();

        assertThat(a.cq.awaitEvent(Patience.duration())).isTrue();
        Patience.join(poster);
        assertFlushed(Completions.await(a.cq, 1), send ? WcOpcode.SEND : WcOpcode.RECV, 1);
        a.qp.postSend(2, a.at(0), 8, a.lkey());
        assertThat(a.cq.awaitEvent(Duration.ofMillis(30))).as("nobody asked again").isFalse();
        Completions.await(a.cq, 1);
    }

    /** Two QPs in error on one CQ of a device that does not flush, each with two sends and three receives. */
    private Peer[] twoToFlush() {
        final PvrdmaContext device = devices.open(Devices.QEMU);
        final var pd = device.allocatePd();
        final var cq = device.createCq(512);
        final Peer[] both = {new Peer(device, pd, cq, new QpOptions()), new Peer(device, pd, cq, new QpOptions())};
        for (int i = 0; i < 2; i++) {
            both[i].connect(Peer.rc(devices.open()));
            both[i].qp.modify(QpAttributes.to(QpState.ERR));
            for (int n = 0; n < 3; n++) {
                assertThat(n == 2 ? 0 : both[i].qp.postSend(10 * i + n, 0, 0, 0)).isZero();
                assertThat(both[i].qp.postReceive(10 * i + n, 0, 0, 0)).isZero();
            }
        }
        return both;
    }

    @Test
    void theLimitIsOneForAllThatAreFlushed() {
        final Peer[] both = twoToFlush();
        final Completions completions = new Completions();
        assertThat(both[0].cq.poll(completions, 4)).isEqualTo(4);
        assertThat(completions.list).extracting(Completions.Copy::wrId).containsExactly(0L, 1L, 0L, 1L);
        assertThat(both[0].cq.poll(completions, 4)).isEqualTo(4);
        assertThat(completions.list.subList(4, 8)).extracting(Completions.Copy::wrId)
            .containsExactly(2L, 10L, 11L, 10L);
        assertThat(both[0].cq.poll(completions, 4)).isEqualTo(2);
        assertThat(completions.list).hasSize(10);
        Completions.assertNone(both[0].cq);
    }

    @Test
    void oneThatIsClosedTakesNothingFromTheOther() {
        final Peer[] both = twoToFlush();
        both[0].qp.close();
        final List<Completions.Copy> left = Completions.await(both[0].cq, 5);
        assertThat(left).allMatch(copy -> copy.qp() == both[1].qp && copy.status() == WcStatus.WR_FLUSH_ERR);
        Completions.assertNone(both[0].cq);
    }

    @Test
    void aQpIsForgottenWhenItIsClosed() {
        final Peer a = Peer.rc(devices.open(Devices.QEMU));
        a.connect(Peer.rc(devices.open()));
        a.qp.modify(QpAttributes.to(QpState.ERR));
        assertThat(((PvrdmaCq) a.cq).dump()).contains("flushing=[" + a.qp + "]");
        a.qp.close();
        assertThat(((PvrdmaCq) a.cq).dump()).contains("flushing=[]");
    }
}
