/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;

/**
 * Keeps the queue pair going. A send that fails stops the sends alone; they go on once those behind it were flushed. A
 * receive that fails stops all: then the queue pair begins anew, with the receives that it had. For the thread that
 * uses the endpoint.
 */
final class Health {
    private final QueuePair qp;
    private final int key;
    private final SendSide sends;
    private final ReceiveSide receives;
    private final boolean mends;
    private boolean sendsFailed;
    private boolean allFailed;
    private boolean lost;
    private String refusal = "";
    private long mended;

    Health(final DatagramResources resources, final SendSide sends, final ReceiveSide receives) {
        this.qp = resources.qp();
        this.key = resources.deviceKey();
        this.sends = sends;
        this.receives = receives;
        this.mends = qp.pd().context().supports(Feature.QP_RESET);
    }

    /** From RESET to where it sends. */
    void start() {
        qp.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).qkey(key));
        qp.modify(QpAttributes.to(QpState.RTR));
        qp.modify(QpAttributes.to(QpState.RTS).sqPsn(qp.localAddress().psn()));
    }

    /** Whether what is flushed is posted again. */
    boolean repeats() {
        return mends && !lost;
    }

    boolean isWell() {
        return !sendsFailed && !allFailed;
    }

    /** Whether nothing is to be done: it is well, or will never be again. */
    boolean isSettled() {
        return isWell() || lost;
    }

    /** 0, or why nothing can be sent. */
    int sends() {
        return isWell() ? 0 : lost ? -FiErrno.FI_EIO : -FiErrno.FI_EAGAIN;
    }

    /** 0, or why nothing can be received. */
    int receives() {
        return !allFailed ? 0 : lost ? -FiErrno.FI_EIO : -FiErrno.FI_EAGAIN;
    }

    void failed(final boolean receive) {
        if (receive || qp.state() == QpState.ERR) {
            allFailed = true;
        } else {
            sendsFailed = true;
        }
    }

    /** Brings it up again if need be; whether that is to be tried again. */
    boolean mend() {
        if (isSettled()) {
            return false;
        }
        try {
            if (allFailed || qp.state() == QpState.ERR) {
                beginAnew();
            } else if (sends.underWay() == 0) {
                continueSends();
            }
        } catch (final RdmaException e) {
            // Completions from before are in the way for a while; else the device does not want it any more.
            if (e.errno() != RdmaException.EBUSY) {
                lose();
            }
        }
        return !isSettled();
    }

    /** What is under way the device tells of, and writes no more; what was kept to be posted again is over. */
    private void lose() {
        lost = true;
        allFailed = true;
        try {
            qp.modify(QpAttributes.to(QpState.ERR));
        } catch (final RdmaException e) {
            // The device is gone, or takes no step at all: there is no other means.
            refusal = e.getMessage();
        }
        if (mends) {
            sends.cancelAll(Failures.LANE_LOST);
            receives.cancelAll(Failures.LANE_LOST);
        }
    }

    private void continueSends() {
        if (qp.state() == QpState.SQE) {
            qp.modify(QpAttributes.to(QpState.RTS));
        }
        goOn(sends.postAgain());
    }

    private void goOn(final int code) {
        if (code != ReturnCode.OK) {
            lose();
            return;
        }
        mended++;
        sendsFailed = false;
        allFailed = false;
    }

    private void beginAnew() {
        allFailed = true;
        if (!mends) {
            lose();
            return;
        }
        if (qp.state() != QpState.RESET) {
            if (sends.underWay() > 0) {
                // Each is sent or flushed: the device will say which.
                return;
            }
            qp.modify(QpAttributes.to(QpState.RESET));
        }
        start();
        final int code = receives.postAgain();
        goOn(code == ReturnCode.OK ? sends.postAgain() : code);
    }

    long mended() {
        return mended;
    }

    @Override
    public String toString() {
        return (lost ? "lost, " + refusal : isWell() ? "" : "failed, ") + "mended " + mended + ", " + qp;
    }
}
