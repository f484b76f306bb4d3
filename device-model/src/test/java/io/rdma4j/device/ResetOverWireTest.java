/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawWirePair;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.testing.Patience;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Queue pairs that are reset and connected again with the numbers that they had before: what is under way from then is
 * not for them.
 */
@Timeout(120)
class ResetOverWireTest {
    private static final int TIMES = 40;

    private final RawWirePair pair = new RawWirePair("reset");

    ResetOverWireTest() {
        for (final RawQp qp : new RawQp[] {pair.a, pair.b}) {
            // Nothing is sent again by itself.
            qp.timeout = 0;
        }
        RawQp.connect(pair.a, pair.b);
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private static void reset(final RawQp qp) {
        assertThat(qp.modifyState(QpState.PVRDMA_QPS_RESET)).isZero();
        qp.zeroIndices();
    }

    /** Of the message of 500 bytes. */
    private void bothAreTold(long received, long sent) {
        assertThat(pair.rightCq.awaitServing(pair.left, pair.right))
            .extracting(RawCq.Completion::wrId, RawCq.Completion::byteLen).containsExactly(received, 500);
        assertThat(pair.leftCq.awaitServing(pair.left, pair.right).wrId()).isEqualTo(sent);
    }

    @Test
    void aMessageOfBeforeIsNotTaken() {
        pair.a.send(1, pair.from.start(), 64, pair.from.lkey);
        reset(pair.a);
        reset(pair.b);
        RawQp.connect(pair.a, pair.b);

        pair.b.receive(2, pair.to.start(), 500, pair.to.lkey);
        assertThat(pair.rightCq.isEmpty()).as("a completion of the message of before").isTrue();
        pair.a.send(3, pair.from.start(), 500, pair.from.lkey);

        bothAreTold(2, 3);
    }

    @Test
    void anAcknowledgementOfBeforeIsNotTaken() {
        pair.b.receive(1, pair.to.start(), 500, pair.to.lkey);
        pair.a.send(2, pair.from.start(), 64, pair.from.lkey);
        pair.rightCq.awaitServing(pair.right);
        // The answer is under way. Nobody has taken it.
        reset(pair.b);
        reset(pair.a);
        RawQp.connect(pair.b, pair.a);

        pair.a.send(3, pair.from.start(), 500, pair.from.lkey);
        pair.left.device().service();
        assertThat(pair.leftCq.isEmpty()).as("a completion though nobody has received").isTrue();
        pair.b.receive(4, pair.to.start(), 500, pair.to.lkey);

        bothAreTold(4, 3);
    }

    /** Where a thread serves the wire it sleeps with the turn, and would take it again before anybody else. */
    @Test
    void whoIsMadeReadyGetsTheTurnOfTheThreadThatSleeps() {
        final long begun = System.nanoTime();
        try (RawDriver one = RawDriver.ready("emulated:resetone?shortcut=false&wire=shm");
            RawDriver other = RawDriver.ready("emulated:resetother?shortcut=false&wire=shm")) {
            final RawQp here = one.createQp(RawQp.with().cq(one.createCq(16)));
            final RawQp there = other.createQp(RawQp.with().cq(other.createCq(16)));
            for (int i = 0; i < TIMES; i++) {
                RawQp.connect(here, there);
                reset(here);
                reset(there);
            }
        }
        assertThat(System.nanoTime() - begun).as("of %d seconds, if each step waited in vain", 2 * TIMES)
            .isLessThan(Patience.nanos());
    }
}
