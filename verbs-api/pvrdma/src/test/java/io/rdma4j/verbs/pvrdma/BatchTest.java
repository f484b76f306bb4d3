/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Several requests, one call: what it returns, and what then happens, when some of them cannot be posted. */
class BatchTest {
    private static final int SLOTS = 8;

    @RegisterExtension
    final Devices devices = new Devices();

    private Peer a;
    private Peer b;

    @BeforeEach
    void connect() {
        a = new Peer(devices.open(), new QpOptions().maxSendWr(SLOTS).maxReceiveWr(SLOTS).maxSendSge(2).maxInline(64));
        b = Peer.rc(devices.open());
        a.connect(b);
    }

    private SendRequest send(final int wrId) {
        return new SendRequest().wrId(wrId).sge(a.at(0), 8, a.lkey());
    }

    private SendRequest to(final int wrId, final SendOpcode opcode, final int offset) {
        return send(wrId).opcode(opcode).remote(b.at(offset), b.region.rkey());
    }

    /** What can never be posted, in the order of {@link #codes()}. */
    private SendRequest[] refused() {
        final SendRequest three = new SendRequest(3);
        for (int i = 0; i < 3; i++) {
            three.addSge(a.at(0), 8, a.lkey());
        }
        return new SendRequest[] {null, three, send(0).opcode(SendOpcode.ATOMIC_FETCH_AND_ADD).clearSges(),
            new SendRequest().inline(null, 0, 0),
            new SendRequest(2).addSge(0, Integer.MAX_VALUE, 0).addSge(0, Integer.MAX_VALUE, 0)};
    }

    private static int[] codes() {
        return new int[] {ReturnCode.INVALID_REQUEST, ReturnCode.TOO_MANY_SGES, ReturnCode.INVALID_REQUEST,
            ReturnCode.INVALID_REQUEST, ReturnCode.INVALID_REQUEST};
    }

    private void receives(final int count) {
        for (int i = 0; i < count; i++) {
            assertThat(b.qp.postReceive(i, b.at(1000 + 100 * i), 100, b.lkey())).isZero();
        }
    }

    private void assertSent(final int... wrIds) {
        final List<Long> expected = new ArrayList<>();
        for (final int wrId : wrIds) {
            expected.add((long) wrId);
        }
        final List<Completions.Copy> sent = Completions.await(a.cq, wrIds.length);
        assertThat(sent).extracting(Completions.Copy::wrId).containsExactlyElementsOf(expected);
        assertThat(sent).allMatch(c -> c.status() == WcStatus.SUCCESS);
        Completions.assertNone(a.cq);
        assertThat(((PvrdmaQp) a.qp).sends.queue.outstanding()).isZero();
    }

    @Test
    void mixesOperationsAndKeepsTheirOrder() {
        receives(4);
        b.bytes.putLong(0, 40);
        b.bytes.putLong(8, 7);
        a.bytes.putLong(0, 0x1122334455667788L);
        final SendRequest[] batch = {send(0), to(1, SendOpcode.RDMA_WRITE, 16),
            to(2, SendOpcode.ATOMIC_FETCH_AND_ADD, 0).sge(a.at(64), 8, a.lkey()).atomic(2, 0),
            new SendRequest().wrId(3).inline(new UnsafeBuffer(new byte[] {9, 9}), 0, 2),
            to(4, SendOpcode.ATOMIC_CMP_AND_SWP, 8).sge(a.at(72), 8, a.lkey()).atomic(7, 70),
            to(5, SendOpcode.RDMA_READ, 16).sge(a.at(80), 8, a.lkey()),
            to(6, SendOpcode.RDMA_WRITE_WITH_IMM, 24).immData(66),
            send(7).opcode(SendOpcode.SEND_WITH_IMM).immData(77)};
        assertThat(a.qp.postSend(batch, 8)).isEqualTo(8);

        assertThat(Completions.await(a.cq, 8)).extracting(Completions.Copy::opcode).containsExactly(WcOpcode.SEND,
            WcOpcode.RDMA_WRITE, WcOpcode.FETCH_ADD, WcOpcode.SEND, WcOpcode.COMP_SWAP, WcOpcode.RDMA_READ,
            WcOpcode.RDMA_WRITE, WcOpcode.SEND);
        final List<Completions.Copy> received = Completions.await(b.cq, 4);
        assertThat(received).extracting(Completions.Copy::opcode).containsExactly(WcOpcode.RECV, WcOpcode.RECV,
            WcOpcode.RECV_RDMA_WITH_IMM, WcOpcode.RECV);
        assertThat(received).extracting(Completions.Copy::imm).endsWith(66, 77);
        assertThat(b.bytes.getLong(0)).isEqualTo(42);
        assertThat(b.bytes.getLong(8)).isEqualTo(70);
        assertThat(a.bytes.getLong(80)).as("the read saw the write").isEqualTo(0x1122334455667788L);
    }

    @Test
    void stopsBeforeTheFirstThatIsRefused() {
        final SendRequest[] bad = refused();
        for (int i = 0; i < bad.length; i++) {
            receives(2);
            assertThat(a.qp.postSend(new SendRequest[] {send(10), send(11), bad[i], send(12)}, 4)).as("bad %d", i)
                .isEqualTo(2);
            assertSent(10, 11);
            Completions.await(b.cq, 2);
        }
    }

    @Test
    void tellsWhyTheFirstIsRefusedAndPostsNone() {
        final SendRequest[] bad = refused();
        for (int i = 0; i < bad.length; i++) {
            assertThat(a.qp.postSend(new SendRequest[] {bad[i], send(1)}, 2)).as("bad %d", i).isEqualTo(codes()[i]);
        }
        assertSent();
    }

    @Test
    void theRestCanBePostedWithoutTheRefusedOne() {
        receives(3);
        final SendRequest[] batch = {send(0), null, send(2), send(3)};
        assertThat(a.qp.postSend(batch, 4)).isEqualTo(1);
        assertThat(a.qp.postSend(new SendRequest[] {batch[2], batch[3]}, 2)).isEqualTo(2);
        assertSent(0, 2, 3);
    }

    @Test
    void postsAsManyAsThereIsRoomFor() {
        final SendRequest[] batch = new SendRequest[SLOTS + 3];
        for (int i = 0; i < batch.length; i++) {
            batch[i] = send(i);
        }
        assertThat(a.qp.postSend(batch, 5)).isEqualTo(5);
        assertThat(a.qp.postSend(batch, batch.length)).isEqualTo(3);
        assertThat(a.qp.postSend(batch, batch.length)).isEqualTo(ReturnCode.QUEUE_FULL);
        receives(SLOTS);
        assertSent(0, 1, 2, 3, 4, 0, 1, 2);
    }

    @Test
    void aFullQueueIsToldBeforeWhatIsWrongWithALaterRequest() {
        final SendRequest[] batch = new SendRequest[SLOTS + 1];
        for (int i = 0; i < SLOTS; i++) {
            batch[i] = send(i);
        }
        assertThat(a.qp.postSend(batch, SLOTS + 1)).isEqualTo(SLOTS);
        assertThat(a.qp.postSend(new SendRequest[] {send(0), null}, 2)).isEqualTo(ReturnCode.QUEUE_FULL);
        assertThat(a.qp.postSend(new SendRequest[] {null, send(0)}, 2)).isEqualTo(ReturnCode.INVALID_REQUEST);
        receives(SLOTS);
        assertSent(0, 1, 2, 3, 4, 5, 6, 7);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 3, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void refusesACountThatTheArrayDoesNotHave(final int count) {
        assertThat(a.qp.postSend(new SendRequest[] {send(0), send(1)}, count)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(a.qp.postReceive(new ReceiveRequest[] {new ReceiveRequest(), new ReceiveRequest()}, count))
            .isEqualTo(ReturnCode.INVALID_REQUEST);
        assertSent();
    }

    @Test
    void anEmptyBatchIsFine() {
        assertThat(a.qp.postSend(new SendRequest[0], 0)).isZero();
        assertThat(a.qp.postSend(new SendRequest[] {null}, 0)).isZero();
        assertThat(a.qp.postSend(null, 0)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertSent();
    }

    @Test
    void aBatchOfReceivesStopsLikewise() {
        final ReceiveRequest good = new ReceiveRequest().wrId(1).sge(a.at(0), 8, a.lkey());
        final ReceiveRequest two = new ReceiveRequest(2).addSge(a.at(0), 8, a.lkey()).addSge(a.at(8), 8, a.lkey());
        assertThat(a.qp.postReceive(new ReceiveRequest[] {good, good, null, good}, 4)).isEqualTo(2);
        assertThat(a.qp.postReceive(new ReceiveRequest[] {good, two, good}, 3)).isEqualTo(1);
        assertThat(a.qp.postReceive(new ReceiveRequest[] {two, good}, 2)).isEqualTo(ReturnCode.TOO_MANY_SGES);
        assertThat(a.qp.postReceive(new ReceiveRequest[] {null, good}, 2)).isEqualTo(ReturnCode.INVALID_REQUEST);
        final ReceiveRequest[] many = new ReceiveRequest[SLOTS];
        Arrays.fill(many, good);
        assertThat(a.qp.postReceive(many, SLOTS)).isEqualTo(SLOTS - 3);
        assertThat(a.qp.postReceive(many, SLOTS)).isEqualTo(ReturnCode.QUEUE_FULL);
        assertThat(((PvrdmaQp) a.qp).receives.queue.outstanding()).isEqualTo(SLOTS);
    }

    @Test
    void theStateOfTheQpIsToldBeforeAnythingElse() {
        a.qp.modify(QpAttributes.to(QpState.RESET));
        assertThat(a.qp.postSend(new SendRequest[] {null}, 7)).isEqualTo(ReturnCode.WRONG_STATE);
        a.qp.close();
        assertThat(a.qp.postSend(null, -1)).isEqualTo(ReturnCode.CLOSED);
    }
}
