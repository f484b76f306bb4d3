/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.WcStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;

/** Time that is said to have passed ends waiting. */
class EmulatedTimeTest {
    /** 2.4 hours. */
    private static final int AGES = 31;

    @RegisterExtension
    final Devices devices = new Devices();
    @RegisterExtension
    final Crew crew = new Crew();

    @Test
    void isSeenByWhoSleepsUntilAPeerAnswers() throws InterruptedException {
        final Peer near = Peer.rc(devices.open());
        final Peer gone = Peer.rc(devices.open());
        QpConnector.connect(near.qp, gone.qp.localAddress(), new QpAttributes().timeout(AGES).retryCnt(0));
        gone.qp.close();
        assertThat(near.cq.requestNotify(false)).isZero();
        assertThat(near.qp.postSend(1, near.at(0), 8, near.lkey())).isZero();
        final Thread sleeper = crew.start(() -> assertThat(near.cq.awaitEvent(Patience.duration())).isTrue());
        Crew.awaitSleep(sleeper);
        Devices.emulated((PvrdmaContext) near.context).faults().passTime(Duration.ofDays(1));
        crew.join();
        assertThat(Completions.await(near.cq, 1).get(0).status()).isEqualTo(WcStatus.RETRY_EXC_ERR);
    }
}
