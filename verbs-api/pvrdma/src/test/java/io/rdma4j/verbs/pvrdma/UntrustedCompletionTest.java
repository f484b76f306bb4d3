/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hw.pvrdma.WcFlags;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Completions in an order and with lengths that only some devices, or none, should report. */
class UntrustedCompletionTest {
    private static final int SEND = WcOpcode.PVRDMA_WC_SEND;
    private static final int RECV = WcOpcode.PVRDMA_WC_RECV;
    private static final int OK = WcStatus.PVRDMA_WC_SUCCESS;

    @RegisterExtension
    final Devices devices = new Devices();

    /** Sends of 24 bytes each; they wait, as the peer has no receives. */
    private Peer withThreeSendsThatWait(final int firstFlags) {
        final Peer a = Peer.rc(devices.open(Devices.QEMU));
        a.connect(Peer.rc(devices.open()));
        assertThat(a.qp.postSend(new SendRequest().wrId(10).flags(firstFlags).sge(a.at(0), 24, a.lkey()))).isZero();
        assertThat(a.qp.postSend(11, a.at(0), 24, a.lkey())).isZero();
        assertThat(a.qp.postSend(12, a.at(0), 24, a.lkey())).isZero();
        return a;
    }

    @Test
    void aFailureAheadOfOlderRequestsDoesNotSwallowTheirCompletions() {
        final Peer a = withThreeSendsThatWait(SendRequest.SIGNALED);
        final Forgery device = new Forgery(a.cq);
        device.write(a.qp, SEND, WcStatus.PVRDMA_WC_GENERAL_ERR, 0, 1);
        assertThat(Completions.await(a.cq, 1).get(0).wrId()).isEqualTo(11);
        assertThat(((PvrdmaQp) a.qp).sends.queue.outstanding()).as("no slot is free before the oldest").isEqualTo(3);
        device.write(a.qp, SEND, OK, 0, 0);
        device.write(a.qp, SEND, OK, 0, 1);
        device.write(a.qp, SEND, OK, 0, 2);

        final List<Completions.Copy> rest = Completions.await(a.cq, 2);
        assertThat(rest).extracting(Completions.Copy::wrId).containsExactly(10L, 12L);
        Completions.assertNone(a.cq);
        assertThat(a.cq.dropped()).as("the one that had failed").isEqualTo(1);
        assertThat(((PvrdmaQp) a.qp).sends.queue.outstanding()).isZero();
    }

    @Test
    void aSilentOneIsRetiredAfterAFailureAheadOfIt() {
        final Peer a = withThreeSendsThatWait(0);
        final Forgery device = new Forgery(a.cq);
        device.write(a.qp, SEND, WcStatus.PVRDMA_WC_GENERAL_ERR, 0, 1);
        device.write(a.qp, SEND, OK, 0, 0);
        assertThat(Completions.await(a.cq, 1).get(0).wrId()).isEqualTo(11);
        Completions.assertNone(a.cq);
        assertThat(a.cq.dropped()).isZero();
        assertThat(((PvrdmaQp) a.qp).sends.queue.oldestOutstanding()).isEqualTo(2);
    }

    @Test
    void aReceiveThatFailsAtOnceDoesNotSwallowOlderOnes() {
        final Peer a = Peer.rc(devices.open(Devices.QEMU));
        a.connect(Peer.rc(devices.open()));
        for (int i = 0; i < 3; i++) {
            assertThat(a.qp.postReceive(20 + i, a.at(0), 8, a.lkey())).isZero();
        }
        final Forgery device = new Forgery(a.cq);
        device.write(a.qp, RECV, WcStatus.PVRDMA_WC_GENERAL_ERR, 0, 2);
        device.write(a.qp, RECV, OK, 8, 0);
        device.write(a.qp, RECV, OK, 8, 1);
        assertThat(Completions.await(a.cq, 3)).extracting(Completions.Copy::wrId).containsExactly(22L, 20L, 21L);
        assertThat(((PvrdmaQp) a.qp).receives.queue.outstanding()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {49, Integer.MAX_VALUE, Integer.MIN_VALUE, -1})
    void aReceiveHasNoMoreBytesThanWerePosted(final int claimed) {
        final Peer a = Peer.rc(devices.open());
        a.connect(Peer.rc(devices.open()));
        final var two = new io.rdma4j.verbs.ReceiveRequest(2).wrId(1).addSge(a.at(0), 40, a.lkey())
            .addSge(a.at(64), 8, a.lkey());
        assertThat(a.qp.postReceive(two)).isZero();
        assertThat(a.qp.postReceive(2, a.at(0), 48, a.lkey())).isZero();
        assertThat(a.qp.postReceive(3, a.at(0), 48, a.lkey())).isZero();
        final Forgery device = new Forgery(a.cq);
        device.write(a.qp, RECV, OK, claimed, 0);
        device.write(a.qp, RECV, OK, claimed, 1);
        device.write(a.qp, RECV, OK, 48, 2);

        final List<Completions.Copy> all = Completions.await(a.cq, 3);
        assertThat(all).extracting(Completions.Copy::wrId).containsExactly(1L, 2L, 3L);
        assertThat(all.subList(0, 2)).allMatch(
            copy -> copy.status() == io.rdma4j.verbs.WcStatus.LOC_LEN_ERR && copy.bytes() == 0);
        assertThat(all.get(2).status()).isEqualTo(io.rdma4j.verbs.WcStatus.SUCCESS);
        assertThat(all.get(2).bytes()).isEqualTo(48);
    }

    @Test
    void aSharedReceiveHasNoMoreBytesThanTheLargest() {
        final PvrdmaContext context = devices.open();
        final var pd = context.allocatePd();
        final SharedReceiveQueue srq = pd.createSrq(4, 1);
        final Peer a = new Peer(context, pd, context.createCq(512), new QpOptions().srq(srq));
        a.connect(Peer.rc(devices.open()));
        srq.postReceive(1, a.at(0), 100, a.lkey());
        srq.postReceive(2, a.at(0), 8, a.lkey());
        final Forgery device = new Forgery(a.cq);
        device.write(a.qp, RECV, OK, 101, 1);
        device.write(a.qp, RECV, OK, 100, 2);
        final List<Completions.Copy> all = Completions.await(a.cq, 2);
        assertThat(all.get(0).status()).isEqualTo(io.rdma4j.verbs.WcStatus.LOC_LEN_ERR);
        assertThat(all.get(1).bytes()).isEqualTo(100);
    }

    /** The longest message that there is. Its length is no int, and neither is that of its buffers. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMessageOfTwoGibibytesFitsIntoAsMany(final boolean shared) {
        final PvrdmaContext context = devices.open();
        final var pd = context.allocatePd();
        final SharedReceiveQueue srq = shared ? pd.createSrq(4, 2) : null;
        final Peer a = new Peer(context, pd, context.createCq(512), new QpOptions().maxReceiveSge(4).srq(srq));
        a.connect(Peer.rc(devices.open()));
        final var two = new io.rdma4j.verbs.ReceiveRequest(2).wrId(1).addSge(a.at(0), 1 << 30, a.lkey())
            .addSge(a.at(0), 1 << 30, a.lkey());
        assertThat(shared ? srq.postReceive(two) : a.qp.postReceive(two)).isZero();
        new Forgery(a.cq).write(a.qp, RECV, OK, 1 << 31, shared ? 1 : 0);
        assertThat(Completions.awaitSuccess(a.cq).bytes()).as("as many as an int can tell")
            .isEqualTo(Integer.MAX_VALUE);
        assertThat(a.qp.state()).isEqualTo(QpState.RTS);
        assertThat(((PvrdmaCq) a.cq).counts.toString()).contains(" received=" + (1L << 31) + " ");
        assertThat(shared ? srq.postReceive(two) : a.qp.postReceive(two)).isZero();
        new Forgery(a.cq).write(a.qp, RECV, OK, (1 << 31) + 1, 1);
        assertThat(Completions.await(a.cq, 1).get(0).status()).as("there is no longer one")
            .isEqualTo(io.rdma4j.verbs.WcStatus.LOC_LEN_ERR);
    }

    @Test
    void aLengthThatNoBufferLimitsIsNotNegative() {
        final Peer a = Peer.rc(devices.open());
        a.connect(Peer.rc(devices.open()));
        a.qp.postReceive(1, a.at(0), 8, a.lkey());
        new Forgery(a.cq).write(a.qp, WcOpcode.PVRDMA_WC_RECV_RDMA_WITH_IMM, OK, 1 << 31, 0);
        assertThat(Completions.awaitSuccess(a.cq).bytes()).isEqualTo(Integer.MAX_VALUE);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void nonsenseInEveryFieldHarmsNobody(final long seed) {
        final Random random = new Random(seed);
        final int[] numbers = {0, 1, 5, 7, 8, 9, 10, 11, 63, 127, 128, 129, 130, 255, 1 << 31, -1, Integer.MAX_VALUE};
        final Peer a = Peer.rc(devices.open(Devices.QEMU));
        a.connect(Peer.rc(devices.open()));
        final Forgery device = new Forgery(a.cq);
        final StringBuilder read = new StringBuilder();
        for (int i = 0; i < 2_000; i++) {
            a.qp.postSend(i, a.at(0), 24, a.lkey());
            a.qp.postReceive(i, a.at(0), 24, a.lkey());
            device.flags(random.nextInt(), random.nextInt());
            device.write(a.qp, numbers[random.nextInt(numbers.length)], numbers[random.nextInt(numbers.length)],
                numbers[random.nextInt(numbers.length)], random.nextInt(40) - 4);
            assertThat(a.cq.poll(c -> {
                read.setLength(0);
                read.append(c).append(c.opcode()).append(c.status()).append(c.hasImmData()).append(c.immData())
                    .append(c.isInvalidated()).append(c.invalidatedRkey()).append(c.hasGrh()).append(c.sourceQp())
                    .append(c.pkeyIndex()).append(c.vendorError()).append(c.qpNumber());
                assertThat(c.byteLength()).isNotNegative();
            }, 16)).as("seed %d, round %d", seed, i).isNotNegative();
        }
        assertThat(a.context.failure()).isNull();
    }

    /**
     * QEMU hands on the flags of its host's libibverbs, in which 4 means a checksum, and neither immediate data nor
     * keys; it says of connections, too, that there is a header in front.
     */
    @Test
    void whatTheDeviceNeverDeliversIsNotTold() {
        final Peer a = Peer.rc(devices.open(Devices.QEMU));
        a.connect(Peer.rc(devices.open()));
        assertThat(a.qp.postReceive(1, a.at(0), 8, a.lkey())).isZero();
        final Forgery device = new Forgery(a.cq);
        device.flags(WcFlags.PVRDMA_WC_WITH_IMM | WcFlags.PVRDMA_WC_WITH_INVALIDATE | WcFlags.PVRDMA_WC_GRH, 0);
        device.write(a.qp, RECV, OK, 8, 0);
        final List<Boolean> told = new ArrayList<>();
        assertThat(a.cq.poll(c -> told.addAll(List.of(c.hasImmData(), c.isInvalidated(), c.hasGrh())), 1))
            .isEqualTo(1);
        assertThat(told).containsExactly(false, false, false);
    }

    @Test
    void aSendHasTheBytesThatWerePosted() {
        final Peer a = withThreeSendsThatWait(SendRequest.SIGNALED);
        new Forgery(a.cq).write(a.qp, SEND, OK, -1, 0);
        assertThat(Completions.awaitSuccess(a.cq).bytes()).isEqualTo(24);
    }
}
