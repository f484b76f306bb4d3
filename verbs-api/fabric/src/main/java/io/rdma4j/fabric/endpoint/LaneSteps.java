/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;

import java.util.Set;

/** The steps by which the queue pair of a lane comes up; with numbers of its own, other than QpConnector. */
final class LaneSteps {
    /** 0.54 s until a request is tried again; times 8 the peer has to answer. */
    private static final int TIMEOUT_CODE = 17;
    private static final int RETRIES = 7;
    private static final int FOR_EVER = 7;
    /** 0.64 ms (InfiniBand specification, RNR NAK timer field). */
    private static final int MIN_RNR_TIMER_CODE = 12;
    private static final int MOST_READS = 16;
    private static final int MAX_24_BITS = 0xff_ffff;
    /** So far from each other are the sequence numbers of two lives of a lane. */
    private static final int EPOCH_STEP = 0x9e_3779;
    private static final Set<AccessFlag> REMOTE_RIGHTS =
        Set.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);

    private LaneSteps() {
    }

    /** First sequence number of a lane's life. */
    static int psn(final int first, final int epoch) {
        return first + epoch * EPOCH_STEP & MAX_24_BITS;
    }

    static void init(final QueuePair qp, final boolean reachable) {
        qp.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).accessFlags(reachable ? REMOTE_RIGHTS : Set.of()));
    }

    static void connect(
        final QueuePair qp, final Gid gid, final int remoteQpn, final int receivePsn, final int sendPsn) {
        answer(qp, gid, remoteQpn, receivePsn);
        qp.modify(QpAttributes.to(QpState.RTS)
            .sqPsn(sendPsn)
            .timeout(TIMEOUT_CODE)
            .retryCnt(RETRIES)
            .rnrRetry(FOR_EVER)
            .maxRdAtomic(reads(qp.pd().context().attributes().maxQpInitRdAtom())));
    }

    /**
     * To RTR: all that a lane needs which only answers. A step more would be too late at times, as what waited for this
     * one may have failed in the meantime.
     */
    static void answer(final QueuePair qp, final Gid gid, final int remoteQpn, final int receivePsn) {
        final DeviceAttributes device = qp.pd().context().attributes();
        qp.modify(QpAttributes.to(QpState.RTR)
            .ah(AhAttributes.to(gid))
            .pathMtu(Mtu.MTU_1024)
            .destQpn(remoteQpn)
            .rqPsn(receivePsn)
            .maxDestRdAtomic(reads(device.maxQpRdAtom()))
            .minRnrTimer(MIN_RNR_TIMER_CODE));
    }

    private static int reads(final int limit) {
        return Math.max(1, Math.min(limit, MOST_READS));
    }

    /** What is under way is flushed. Where it cannot be done the queue pair is being closed, or brought up again. */
    static void fail(final QueuePair qp) {
        try {
            qp.modify(QpAttributes.to(QpState.ERR));
        } catch (final RdmaException e) {
            if (qp.state() == QpState.RTS || qp.state() == QpState.RTR) {
                throw FabricException.from("end connection", e);
            }
        }
    }
}
