/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

class TrafficTest {
    private static final int GRH = 40;

    @RegisterExtension
    final Devices devices = new Devices();

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 64, 4095, 4096, 4097, 32_768})
    void carriesAMessageOverAConnection(final int length) {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        a.fill(1000, length, length);

        assertThat(b.qp.postReceive(71, b.at(3), 33_000, b.lkey())).isZero();
        assertThat(a.qp.postSend(-5, a.at(1000), length, a.lkey())).isZero();

        final Completions.Copy received = Completions.awaitSuccess(b.cq);
        assertThat(received.wrId()).isEqualTo(71);
        assertThat(received.opcode()).isEqualTo(WcOpcode.RECV);
        assertThat(received.bytes()).isEqualTo(length);
        assertThat(received.qp()).isSameAs(b.qp);
        assertThat(b.firstDifference(3, length, length)).isEqualTo(-1);
        final Completions.Copy sent = Completions.awaitSuccess(a.cq);
        assertThat(sent.wrId()).isEqualTo(-5);
        assertThat(sent.opcode()).isEqualTo(WcOpcode.SEND);
        assertThat(sent.qp()).isSameAs(a.qp);
        Completions.assertNone(a.cq);
        Completions.assertNone(b.cq);
    }

    @Test
    void carriesAMessageBetweenTwoQpsOfOneDevice() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(device);
        final Peer b = Peer.rc(device);
        a.connect(b);
        a.fill(0, 100, 9);
        b.qp.postReceive(1, b.at(0), 100, b.lkey());
        a.qp.postSend(2, a.at(0), 100, a.lkey());

        assertThat(Completions.awaitSuccess(b.cq).bytes()).isEqualTo(100);
        assertThat(b.firstDifference(0, 100, 9)).isEqualTo(-1);
        Completions.awaitSuccess(a.cq);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void gathersAndScattersAnySplit(final long seed) {
        final Random random = new Random(seed);
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        final SendRequest send = new SendRequest(4);
        final ReceiveRequest receive = new ReceiveRequest(4);
        for (int round = 0; round < 50; round++) {
            final byte[] expected = new byte[2_000];
            int sum = 0;
            send.clearSges().wrId(round);
            for (int i = 0, n = 1 + random.nextInt(4); i < n; i++) {
                final int length = random.nextInt(500);
                final int from = random.nextInt(Peer.LENGTH - 500);
                a.fill(from, length, round + i);
                send.addSge(a.at(from), length, a.lkey());
                sum += length;
            }
            int at = 0;
            for (int i = 0; i < send.sges().size(); i++) {
                for (int j = 0; j < send.sges().length(i); j++) {
                    expected[at++] = a.bytes.getByte((int) (send.sges().address(i) - a.at(0)) + j);
                }
            }
            final int[] lengths = {random.nextInt(sum + 1), random.nextInt(sum + 1), 2_000};
            receive.clearSges().wrId(1000 + round);
            for (int i = 0; i < lengths.length; i++) {
                receive.addSge(b.at(10 + i * 4_000), lengths[i], b.lkey());
            }
            assertThat(b.qp.postReceive(receive)).isZero();
            assertThat(a.qp.postSend(send)).isZero();

            assertThat(Completions.awaitSuccess(b.cq).bytes()).as("seed %d round %d", seed, round).isEqualTo(sum);
            Completions.awaitSuccess(a.cq);
            int k = 0;
            for (int i = 0; i < lengths.length; i++) {
                for (int j = 0; j < lengths[i] && k < sum; j++) {
                    assertThat(b.bytes.getByte(10 + i * 4_000 + j)).as("seed %d round %d byte %d", seed, round, k)
                        .isEqualTo(expected[k++]);
                }
            }
        }
    }

    @Test
    void carriesImmediateDataAsGiven() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        b.qp.postReceive(1, b.at(0), 8, b.lkey());
        b.qp.postReceive(2, b.at(0), 8, b.lkey());
        a.qp.postSend(new SendRequest().opcode(SendOpcode.SEND_WITH_IMM).immData(0x01020384).sge(a.at(0), 8, a.lkey()));
        a.qp.postSend(1, a.at(0), 8, a.lkey());

        final List<Completions.Copy> received = Completions.await(b.cq, 2);
        assertThat(received.get(0).hasImm()).isTrue();
        assertThat(received.get(0).imm()).isEqualTo(0x01020384);
        assertThat(received.get(1).hasImm()).isFalse();
    }

    @Test
    void completesOnlyWhatIsSignaled() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        for (int i = 0; i < 4; i++) {
            b.qp.postReceive(i, b.at(0), 8, b.lkey());
        }
        final SendRequest silent = new SendRequest().flags(0).sge(a.at(0), 8, a.lkey());
        for (int i = 0; i < 3; i++) {
            assertThat(a.qp.postSend(silent.wrId(i))).isZero();
        }
        a.qp.postSend(3, a.at(0), 8, a.lkey());

        assertThat(Completions.awaitSuccess(a.cq).wrId()).isEqualTo(3);
        Completions.assertNone(a.cq);
        Completions.await(b.cq, 4);
        assertThat(((PvrdmaQp) a.qp).sends.queue.outstanding()).isZero();
    }

    @Test
    void keepsUnsignaledSendsSilentWhereTheDeviceCompletesAll() {
        final Peer a = Peer.rc(devices.open(Devices.QEMU));
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        for (int i = 0; i < 3; i++) {
            b.qp.postReceive(i, b.at(0), 8, b.lkey());
        }
        final SendRequest silent = new SendRequest().flags(0).sge(a.at(0), 8, a.lkey());
        a.qp.postSend(silent.wrId(0));
        a.qp.postSend(silent.wrId(1));
        a.qp.postSend(2, a.at(0), 8, a.lkey());

        assertThat(Completions.awaitSuccess(a.cq).wrId()).isEqualTo(2);
        Completions.assertNone(a.cq);
        assertThat(a.cq.dropped()).isZero();
        Completions.await(b.cq, 3);
    }

    @Test
    void postsBatchesWithOneCall() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        final ReceiveRequest[] receives = new ReceiveRequest[16];
        final SendRequest[] sends = new SendRequest[16];
        for (int i = 0; i < 16; i++) {
            receives[i] = new ReceiveRequest().wrId(i).sge(b.at(64 * i), 64, b.lkey());
            sends[i] = new SendRequest().wrId(100 + i).sge(a.at(64 * i), 64, a.lkey());
            a.fill(64 * i, 64, i);
        }
        assertThat(b.qp.postReceive(receives, 16)).isEqualTo(16);
        assertThat(a.qp.postSend(sends, 16)).isEqualTo(16);

        final List<Completions.Copy> received = Completions.await(b.cq, 16);
        for (int i = 0; i < 16; i++) {
            assertThat(received.get(i).wrId()).isEqualTo(i);
            assertThat(b.firstDifference(64 * i, 64, i)).isEqualTo(-1);
        }
        assertThat(Completions.await(a.cq, 16)).extracting(Completions.Copy::wrId).startsWith(100L, 101L);
        Completions.assertNone(a.cq);
    }

    @Test
    void postsOfABatchWhatFits() {
        final Peer a = new Peer(devices.open(), new QpOptions().maxSendWr(4));
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        final SendRequest[] sends = new SendRequest[6];
        for (int i = 0; i < 6; i++) {
            b.qp.postReceive(i, b.at(0), 8, b.lkey());
            sends[i] = new SendRequest().wrId(i).sge(a.at(0), 8, a.lkey());
        }
        assertThat(a.qp.postSend(sends, 6)).isEqualTo(4);
        assertThat(a.qp.postSend(sends, 6)).isEqualTo(ReturnCode.QUEUE_FULL);
        assertThat(Completions.await(a.cq, 4)).extracting(Completions.Copy::wrId).containsExactly(0L, 1L, 2L, 3L);

        sends[1] = new SendRequest(2).addSge(a.at(0), 8, a.lkey()).addSge(a.at(8), 8, a.lkey());
        assertThat(a.qp.postSend(sends, 3)).as("the second has too many elements").isEqualTo(1);
        assertThat(a.qp.postSend(new SendRequest[] {sends[1]}, 1)).isEqualTo(ReturnCode.TOO_MANY_SGES);
        Completions.awaitSuccess(a.cq);
    }

    @Test
    void goesRoundTheRingsManyTimes() {
        final Peer a = new Peer(devices.open(), new QpOptions().maxSendWr(4).maxReceiveWr(4));
        final Peer b = new Peer(devices.open(), new QpOptions().maxSendWr(4).maxReceiveWr(4));
        a.connect(b);
        for (int i = 0; i < 5_000; i++) {
            assertThat(b.qp.postReceive(i, b.at(0), 8, b.lkey())).isZero();
            a.bytes.putLong(0, i);
            assertThat(a.qp.postSend(~i, a.at(0), 8, a.lkey())).isZero();
            assertThat(Completions.awaitSuccess(b.cq).wrId()).isEqualTo(i);
            assertThat(Completions.awaitSuccess(a.cq).wrId()).isEqualTo(~i);
            assertThat(b.bytes.getLong(0)).isEqualTo(i);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1000})
    void carriesADatagram(final int length) {
        final Peer a = Peer.ud(devices.open());
        final Peer b = Peer.ud(devices.open());
        final AddressHandle toB = a.pd.createAh(AhAttributes.to(b.qp.localAddress().gid()));
        a.fill(0, length, 3);
        b.qp.postReceive(1, b.at(0), 2_000, b.lkey());

        assertThat(a.qp.postSend(new SendRequest().wrId(2).to(toB, b.qp.qpNumber(), Peer.QKEY)
            .sge(a.at(0), length, a.lkey()))).isZero();

        final Completions.Copy received = Completions.awaitSuccess(b.cq);
        assertThat(received.bytes()).isEqualTo(GRH + length);
        assertThat(received.hasGrh()).isTrue();
        assertThat(received.sourceQp()).isEqualTo(a.qp.qpNumber());
        assertThat(b.firstDifference(GRH, length, 3)).isEqualTo(-1);
        assertThat(Completions.awaitSuccess(a.cq).wrId()).isEqualTo(2);
    }

    @Test
    void sendsTheQpsOwnKeyWhereTheTopBitIsSet() {
        final Peer a = Peer.ud(devices.open());
        final Peer b = Peer.ud(devices.open());
        final AddressHandle toB = a.pd.createAh(AhAttributes.to(b.qp.localAddress().gid()));
        b.qp.postReceive(1, b.at(0), 2_000, b.lkey());
        a.qp.postSend(new SendRequest().to(toB, b.qp.qpNumber(), 0x8000_0000).sge(a.at(0), 8, a.lkey()));

        assertThat(Completions.awaitSuccess(b.cq).wrId()).isEqualTo(1);
    }

    @Test
    void takesReceivesOfManyQpsFromASharedQueue() {
        final PvrdmaContext device = devices.open();
        final PvrdmaContext other = devices.open();
        final Peer a = Peer.rc(other);
        final CompletionQueue cq = device.createCq(256);
        final var pd = device.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(32, 2);
        final QpOptions options = new QpOptions().srq(srq).maxSendWr(1);
        final Peer b = new Peer(device, pd, cq, options);
        final Peer c = new Peer(device, pd, cq, options);
        final QueuePair toC = a.pd.createQp(new QpOptions().cq(a.cq));
        a.connect(b);
        QpConnector.connect(toC, c.qp.localAddress());
        QpConnector.connect(c.qp, toC.localAddress());

        final Set<Long> expected = new HashSet<>();
        for (int i = 0; i < 32; i++) {
            assertThat(srq.postReceive(500 + i, b.at(64 * i), 64, b.lkey())).isZero();
            expected.add(500L + i);
        }
        assertThat(srq.postReceive(1, b.at(0), 64, b.lkey())).isEqualTo(ReturnCode.QUEUE_FULL);
        assertThat(b.qp.postReceive(1, b.at(0), 64, b.lkey())).isEqualTo(ReturnCode.HAS_SRQ);
        for (int i = 0; i < 32; i++) {
            assertThat((i % 3 == 0 ? toC : a.qp).postSend(i, a.at(0), 8 + i, a.lkey())).isZero();
        }
        final Set<Long> seen = new HashSet<>();
        int ofC = 0;
        for (final Completions.Copy copy : Completions.await(cq, 32)) {
            assertThat(copy.status()).isEqualTo(WcStatus.SUCCESS);
            ofC += copy.qp() == c.qp ? 1 : 0;
            seen.add(copy.wrId());
        }
        assertThat(seen).isEqualTo(expected);
        assertThat(ofC).isEqualTo(11);
        assertThat(srq.postReceive(new ReceiveRequest().wrId(1).sge(b.at(0), 64, b.lkey()))).isZero();
        Completions.await(a.cq, 32);
    }

    @Test
    void servesManyQpsOnOneCq() {
        final PvrdmaContext device = devices.open();
        final var pd = device.allocatePd();
        final CompletionQueue cq = device.createCq(2048);
        final Peer memory = new Peer(device, pd, cq, new QpOptions().maxSendWr(1).maxReceiveWr(1));
        final List<QueuePair> qps = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            qps.add(pd.createQp(new QpOptions().cq(cq).maxSendWr(2).maxReceiveWr(2)));
        }
        for (int i = 0; i < 200; i += 2) {
            QpConnector.connect(qps.get(i), qps.get(i + 1).localAddress());
            QpConnector.connect(qps.get(i + 1), qps.get(i).localAddress());
        }
        for (int i = 0; i < 200; i++) {
            assertThat(qps.get(i).postReceive(i, memory.at(64 * i), 64, memory.lkey())).isZero();
        }
        for (int i = 0; i < 200; i++) {
            assertThat(qps.get(i).postSend(1000 + i, memory.at(20_000), 1 + i % 64, memory.lkey())).isZero();
        }
        for (final Completions.Copy copy : Completions.await(cq, 400)) {
            final int i = qps.indexOf(copy.qp());
            assertThat(copy.status()).isEqualTo(WcStatus.SUCCESS);
            assertThat(copy.wrId()).isEqualTo(copy.opcode() == WcOpcode.RECV ? i : 1000 + i);
            if (copy.opcode() == WcOpcode.RECV) {
                assertThat(copy.bytes()).isEqualTo(1 + (i ^ 1) % 64);
            }
        }
        Completions.assertNone(cq);
    }

    @Test
    void letsTheHandlerPost() {
        final Peer a = new Peer(devices.open(), new QpOptions().maxSendWr(1));
        final Peer b = new Peer(devices.open(), new QpOptions().maxReceiveWr(1));
        a.connect(b);
        b.qp.postReceive(0, b.at(0), 8, b.lkey());
        a.qp.postSend(0, a.at(0), 8, a.lkey());
        final long[] received = new long[1];
        final long deadline = System.nanoTime() + Patience.nanos();
        while (received[0] < 100 && System.nanoTime() < deadline) {
            b.cq.poll(c -> {
                received[0]++;
                assertThat(b.qp.postReceive(received[0], b.at(0), 8, b.lkey())).isZero();
            }, 8);
            a.cq.poll(c -> assertThat(a.qp.postSend(c.wrId() + 1, a.at(0), 8, a.lkey())).isZero(), 8);
        }
        assertThat(received[0]).isGreaterThanOrEqualTo(100);
    }

    @Test
    void consumesWhatAHandlerSawAlsoIfItThrows() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        for (int i = 0; i < 3; i++) {
            b.qp.postReceive(i, b.at(0), 8, b.lkey());
            a.qp.postSend(i, a.at(0), 8, a.lkey());
        }
        Completions.await(a.cq, 3);
        final List<Long> seen = new ArrayList<>();
        assertThatThrownBy(() -> b.cq.poll(c -> {
            seen.add(c.wrId());
            if (c.wrId() == 1) {
                throw new IllegalStateException("handler");
            }
        }, 8)).hasMessage("handler");

        assertThat(seen).containsExactly(0L, 1L);
        assertThat(Completions.await(b.cq, 1)).extracting(Completions.Copy::wrId).containsExactly(2L);
        Completions.assertNone(b.cq);
    }

    @Test
    void reportsATooLongMessageAtBothEndsAndShowsTheErrorState() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        b.qp.postReceive(1, b.at(0), 7, b.lkey());
        a.qp.postSend(2, a.at(0), 8, a.lkey());

        assertThat(Completions.await(b.cq, 1).get(0).status()).isEqualTo(WcStatus.LOC_LEN_ERR);
        assertThat(Completions.await(a.cq, 1).get(0).status()).isEqualTo(WcStatus.REM_INV_REQ_ERR);
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
        assertThat(b.qp.state()).isEqualTo(QpState.ERR);
        assertThat(a.qp.failure()).contains("wr_id 0x2, 8 bytes: REM_INV_REQ_ERR [EIO]").doesNotContain(";");
        assertThat(b.qp.failure()).startsWith("RECV failed on '" + b.context.address() + "'")
            .contains(b.qp.toString(), "wr_id 0x1, the message is longer than the 7 bytes of the receive: ",
                "LOC_LEN_ERR");
    }

    /** The others are flushed. */
    @Test
    void tellsOfTheFirstSendThatFailed() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        final SendRequest write = new SendRequest().opcode(SendOpcode.RDMA_WRITE).sge(a.at(0), 16, a.lkey());
        for (int i = 0; i < 6; i++) {
            assertThat(a.qp.postSend(write.wrId(i).remote(b.at(8 * i), i < 3 ? b.region.rkey() : 0xbad0 + i)))
                .isZero();
        }
        final List<Completions.Copy> all = Completions.await(a.cq, 6);
        assertThat(all.get(3).status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(all.subList(4, 6)).allMatch(copy -> copy.status() == WcStatus.WR_FLUSH_ERR);
        assertThat(a.qp.failure()).startsWith("RDMA_WRITE failed on '" + a.context.address() + "'")
            .contains(a.qp.toString(), "wr_id 0x3, 16 bytes at remote address 0x" + Long.toHexString(b.at(24))
                + " with rkey 0xbad3: REM_ACCESS_ERR [EACCES]; the peer's region");
    }

    @Test
    void tellsOfASharedReceiveThatFailed() {
        final Peer a = Peer.rc(devices.open());
        final RdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(8, 1);
        final Peer b = new Peer(device, pd, device.createCq(512), new QpOptions().srq(srq));
        a.connect(b);
        srq.postReceive(0x14, b.at(0), 7, b.lkey());
        a.qp.postSend(2, a.at(0), 8, a.lkey());

        assertThat(Completions.await(b.cq, 1).get(0).status()).isEqualTo(WcStatus.LOC_LEN_ERR);
        assertThat(b.qp.failure()).contains("RECV failed",
            "wr_id 0x14, the message is longer than the receive, which has at most 7 bytes: LOC_LEN_ERR");
    }

    @Test
    void scattersIntoAsManyElementsAsASharedReceiveHas() {
        final PvrdmaContext device = devices.open();
        final var pd = device.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(4, 2);
        final Peer b = new Peer(device, pd, device.createCq(64), new QpOptions().maxSendWr(4).srq(srq));
        final Peer a = Peer.rc(devices.open());
        a.connect(b);
        a.fill(0, 25, 6);
        assertThat(srq.postReceive(new ReceiveRequest(2).wrId(9).addSge(b.at(100), 10, b.lkey())
            .addSge(b.at(200), 20, b.lkey()))).isZero();
        assertThat(a.qp.postSend(1, a.at(0), 25, a.lkey())).isZero();
        final Completions.Copy received = Completions.awaitSuccess(b.cq);
        assertThat(received.wrId()).isEqualTo(9);
        assertThat(received.bytes()).isEqualTo(25);
        for (int i = 0; i < 25; i++) {
            assertThat(b.bytes.getByte(i < 10 ? 100 + i : 190 + i)).as("byte %d", i).isEqualTo(Peer.pattern(i, 6));
        }
    }
}
