/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.device.raw.RawWirePair;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;

/** A peer without a receive, between two devices that are served by the test alone. */
@Timeout(120)
class RnrOverWireTest {
    /** Hours. */
    private static final int LONGEST = 31;
    private static final Duration MOST_OF_IT = Duration.ofSeconds(7_900);
    private static final Duration RNR = Duration.ofSeconds(1);
    private static final Duration THE_REST = Duration.ofSeconds(1_800);

    private final RawWirePair pair = new RawWirePair("rnr");

    RnrOverWireTest() {
        pair.a.timeout = LONGEST;
        // 655 ms, the longest one.
        pair.b.minRnrTimer = 0;
        RawQp.connect(pair.a, pair.b);
    }

    @AfterEach
    void close() {
        pair.close();
    }

    /** The time of the first message has passed, and that of the next one was set by its acknowledgement. */
    @Test
    void isTriedAgainInItsOwnTimeAlsoAfterAStream() {
        pair.b.receive(1, pair.to.start(), 500, pair.to.lkey);
        pair.a.send(10, pair.from.start(), 64, pair.from.lkey);
        pair.left.device().faults().passTime(MOST_OF_IT);
        pair.right.device().service();
        pair.a.send(11, pair.from.start(), 64, pair.from.lkey);
        assertThat(pair.leftCq.awaitServing(pair.left).wrId()).isEqualTo(10);
        pair.left.device().faults().passTime(THE_REST);
        pair.left.device().service();
        pair.right.device().service();
        pair.left.device().service();
        pair.b.receive(2, pair.to.start(), 500, pair.to.lkey);
        pair.left.device().faults().passTime(RNR);
        assertThat(pair.leftCq.awaitServing(pair.left, pair.right).wrId()).isEqualTo(11);
    }

    /** The peer has taken nothing of it: the next one has its number. */
    @Test
    void losesItsMemoryAndLeavesItsNumberToTheNext() {
        final RawRegion gone = pair.left.register(500, 0);
        final int first = pair.a.query().get(QpAttr.SQ_PSN);
        pair.a.send(10, gone.start(), 64, gone.lkey);
        pair.a.send(11, pair.from.start(), 64, pair.from.lkey);
        pair.right.device().service();
        pair.left.device().service();
        assertThat(pair.left.destroy(Command.DESTROY_MR, gone.handle)).isZero();
        pair.left.device().faults().passTime(RNR);
        assertThat(pair.leftCq.awaitServing(pair.left)).extracting(RawCq.Completion::wrId, RawCq.Completion::status)
            .containsExactly(10L, WcStatus.PVRDMA_WC_LOC_PROT_ERR);
        assertThat(pair.a.query().get(QpAttr.SQ_PSN)).isEqualTo(first);
    }
}
