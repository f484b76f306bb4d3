/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;

/** A CQ with just enough entries loses nothing, although its handler posts anew before the batch is over. */
class TightCqTest {
    private static final int ROUNDS = 400;

    @RegisterExtension
    final Devices devices = new Devices();

    /** Posts again whatever completes, and checks that it comes in order. */
    private static final class Reposter {
        private final Peer me;
        private long sent;
        private long received;

        Reposter(final Peer me) {
            this.me = me;
        }

        void begin() {
            for (int i = 0; i < me.qp.maxReceiveWr(); i++) {
                assertThat(me.qp.postReceive(i, me.at(64), 8, me.lkey())).isZero();
            }
        }

        void send() {
            for (int i = 0; i < me.qp.maxSendWr(); i++) {
                assertThat(me.qp.postSend(i, me.at(0), 8, me.lkey())).isZero();
            }
        }

        void onCompletion(final Completion c) {
            final WcOpcode opcode = c.opcode();
            assertThat(c.status()).isEqualTo(WcStatus.SUCCESS);
            if (opcode == WcOpcode.RECV) {
                assertThat(c.wrId()).isEqualTo(received);
                assertThat(me.qp.postReceive(received++ + me.qp.maxReceiveWr(), me.at(64), 8, me.lkey())).isZero();
            } else {
                assertThat(c.wrId()).isEqualTo(sent);
                assertThat(me.qp.postSend(sent++ + me.qp.maxSendWr(), me.at(0), 8, me.lkey())).isZero();
            }
            assertThat(c.opcode()).as("after posting").isEqualTo(opcode);
            assertThat(c.byteLength()).as("after posting").isEqualTo(8);
            assertThat(c.status()).as("after posting").isEqualTo(WcStatus.SUCCESS);
        }
    }

    @ParameterizedTest
    @CsvSource({"'', 16, 0, true", "'', 16, 0, false", "'', 32, 4, true", "'', 64, 0, true",
        Devices.QEMU + ", 16, 0, true", Devices.QEMU + ", 32, 4, true"})
    void losesNothingThoughTheHandlerPosts(
        final String options, final int capacity, final int others, final boolean reserve) {
        final PvrdmaContext device = devices.open(options);
        final var pd = device.allocatePd();
        final Peer a = new Peer(device, pd, device.createCq(capacity),
            new QpOptions().maxSendWr(8).maxReceiveWr(8).reserveCq(reserve));
        if (others > 0) {
            pd.createQp(new QpOptions().cq(a.cq).maxSendWr(others).maxReceiveWr(others));
        }
        final Peer b = new Peer(devices.open(), new QpOptions().maxSendWr(64).maxReceiveWr(64));
        a.connect(b);
        final Reposter near = new Reposter(a);
        final Reposter far = new Reposter(b);
        near.begin();
        far.begin();
        near.send();
        far.send();
        final long deadline = System.nanoTime() + Patience.nanos();
        while ((near.sent < ROUNDS * 8L || near.received < ROUNDS * 8L) && System.nanoTime() < deadline) {
            assertThat(a.cq.poll(near::onCompletion, 16)).isNotNegative();
            assertThat(b.cq.poll(far::onCompletion, 64)).isNotNegative();
        }
        assertThat(Devices.emulated(device).counters().get(Counter.CQ_OVERFLOWS)).as("overflows").isZero();
        assertThat(near.sent).isGreaterThanOrEqualTo(ROUNDS * 8L);
        assertThat(near.received).isGreaterThanOrEqualTo(ROUNDS * 8L);
        assertThat(a.cq.dropped()).isZero();
    }

    @Test
    void givesEntriesBackOncePerBatchWhereThereIsRoom() {
        assertThat(consumerIndexSeenByTheHandler(32)).containsExactly(0, 0, 0, 0, 0, 0, 0, 0);
    }

    @Test
    void givesEntriesBackBeforeTheHandlerWhereThereIsNoRoom() {
        assertThat(consumerIndexSeenByTheHandler(16)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
    }

    private List<Integer> consumerIndexSeenByTheHandler(final int capacity) {
        final PvrdmaContext device = devices.open();
        final Peer a = new Peer(device, device.allocatePd(), device.createCq(capacity),
            new QpOptions().maxSendWr(8).maxReceiveWr(8));
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        for (int i = 0; i < 8; i++) {
            a.qp.postReceive(i, a.at(0), 8, a.lkey());
            b.qp.postSend(i, b.at(0), 8, b.lkey());
        }
        final UnsafeBuffer ring = ((PvrdmaCq) a.cq).ringBuffer();
        final List<Integer> heads = new ArrayList<>();
        assertThat(a.cq.poll(c -> heads.add(ring.getInt(RingState.RX_CONS_HEAD_OFFSET)), 8)).isEqualTo(8);
        assertThat(ring.getInt(RingState.RX_CONS_HEAD_OFFSET)).isEqualTo(8);
        return heads;
    }
}
