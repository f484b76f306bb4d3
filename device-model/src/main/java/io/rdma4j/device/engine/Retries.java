/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.link.Ack;
import io.rdma4j.device.link.Waiter;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.queues.Padded;

/**
 * What becomes of a request that was not acknowledged. It is tried again when its time has come: after the responder's
 * RNR timer if that had no receive, after the local ACK timeout if nobody answered. Each such try uses up one of
 * rnr_retry or retry_cnt, which count anew with the next request.
 *
 * <p>Where rnr_retry has no limit a receive that comes is told, but nobody tells that the responder is gone: it is
 * asked again after a timeout each, and then it is silent.
 *
 * <p>It is also tried when something has changed that may help: a receive was posted, a queue pair or a GID appeared, a
 * port came up. Those tries use up nothing, and what the request waits for stays as it was.
 *
 * <p>Used under the send queue's lock, but for {@link #deadline}.
 */
final class Retries extends Padded {
    /** Of {@link #whatNow} and {@link #refused}: the request waits; the queue will be run again. */
    static final int STALLED = -1;
    /** Of {@link #whatNow}: the request is to be executed. */
    static final int TRY = -2;

    /** Of {@link SendExecutor#execute}: it is sent over a wire, and over when the peer says so. */
    static final int UNDERWAY = -3;

    /** The rnr_retry that stands for no limit. */
    static final int RNR_FOR_EVER = 7;
    /** Local ACK timeouts count in this unit, 4.096 us, doubled as often as the attribute says. */
    private static final long TIMEOUT_UNIT_NANOS = 4096;
    private static final int MOST_DOUBLINGS = 2;
    /** With timeout 0, which stands for no limit, how long until the next look. */
    private static final long NOW_AND_THEN_NANOS = 10_000_000;

    private final EngineContext context;
    private final QpAttributes attributes;
    private final Requester requester;
    private final Waiter again;
    private int waitsFor = Ack.ACK;
    private boolean early;
    /** Whether the link may still know of this, which would keep a destroyed queue pair from the collector. */
    private boolean listens;
    private int rnrLeft;
    private int timeoutsLeft;
    private long tries;
    private volatile long deadline;
    private volatile boolean hurried;

    Retries(EngineContext context, QpAttributes attributes, Requester requester) {
        this.context = context;
        this.attributes = attributes;
        this.requester = requester;
        this.again = new Waiter(this::tryAgain);
    }

    /** Tries the request that waits, whatever its time. Called by any thread that holds no lock of a device. */
    Waiter again() {
        return again;
    }

    private void tryAgain() {
        hurried = true;
        context.resume(requester);
    }

    /** Whether the request at the head of the queue has begun and is not over. */
    boolean isWaiting() {
        return waitsFor != Ack.ACK;
    }

    /** When the request that waits is to be tried again; of {@link Timers#now()}. */
    long deadline() {
        return deadline;
    }

    /** The request that waits is over, by an acknowledgement, by an error, or because it is forgotten. */
    void end() {
        if (listens) {
            context.link().forget(again);
            listens = false;
        }
        again.end();
        waitsFor = Ack.ACK;
        hurried = false;
        early = false;
    }

    /** What is to happen with a request that waits: {@link #TRY}, {@link #STALLED}, or the status of its failure. */
    int whatNow() {
        early = hurried;
        if (early) {
            hurried = false;
            return TRY;
        }
        if (waitsForEver()) {
            return STALLED;
        }
        if (deadline - context.timers().now() > 0) {
            context.timers().add(requester);
            return STALLED;
        }
        return timeIsUp();
    }

    private boolean waitsForEver() {
        return waitsFor == Ack.RNR_NAK && attributes.rnrRetry == RNR_FOR_EVER && attributes.timeout == 0;
    }

    private int timeIsUp() {
        if (waitsFor == Ack.RNR_NAK) {
            rnrLeft -= attributes.rnrRetry == RNR_FOR_EVER ? 0 : 1;
        } else if (attributes.timeout != 0 && --timeoutsLeft < 0) {
            return exceeded(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
        }
        context.counters().increment(Counter.RETRIES);
        return TRY;
    }

    private int exceeded(int status) {
        context.counters().increment(Counter.RETRIES_EXCEEDED);
        return status;
    }

    /**
     * The request was not acknowledged.
     *
     * @param ack      what came instead, one of {@link Ack}.
     * @param rnrNanos with {@link Ack#RNR_NAK}: how long the responder asks to wait.
     * @return {@link #STALLED} if it is to be tried again, or the status that it completes with.
     */
    int refused(int ack, long rnrNanos) {
        switch (ack) {
            case Ack.NAK_INVALID_REQUEST:
                return WcStatus.PVRDMA_WC_REM_INV_REQ_ERR;
            case Ack.NAK_REMOTE_ACCESS:
                return WcStatus.PVRDMA_WC_REM_ACCESS_ERR;
            case Ack.PAYLOAD_LOST:
                return WcStatus.PVRDMA_WC_LOC_PROT_ERR;
            case Ack.NAK_REMOTE_OPERATION:
                return WcStatus.PVRDMA_WC_REM_OP_ERR;
            default:
                return wait(ack, rnrNanos);
        }
    }

    private int wait(int ack, long rnrNanos) {
        if (!isWaiting()) {
            rnrLeft = attributes.rnrRetry;
            timeoutsLeft = attributes.retryCnt;
            tries = 0;
        }
        tries++;
        if (early && waitsFor == ack) {
            return stillWaits(ack);
        }
        waitsFor = ack;
        if (ack == Ack.RNR_NAK && rnrLeft == 0 && attributes.rnrRetry != RNR_FOR_EVER) {
            return exceeded(WcStatus.PVRDMA_WC_RNR_RETRY_EXC_ERR);
        }
        deadline = context.timers().now() + (ack == Ack.RNR_NAK ? untilAskedAgain(rnrNanos) : timeoutNanos(attributes));
        return stillWaits(ack);
    }

    private long untilAskedAgain(long rnrNanos) {
        return attributes.rnrRetry == RNR_FOR_EVER ? Math.max(rnrNanos, timeoutNanos(attributes)) : rnrNanos;
    }

    private int stillWaits(int ack) {
        if (ack != Ack.RNR_NAK) {
            context.link().whenChanged(again);
            listens = true;
        }
        if (!waitsForEver()) {
            context.timers().add(requester);
        }
        return STALLED;
    }

    /** How long to wait for an answer. */
    static long timeoutNanos(QpAttributes attributes) {
        return attributes.timeout == 0 ? NOW_AND_THEN_NANOS : TIMEOUT_UNIT_NANOS << attributes.timeout;
    }

    /**
     * How long to wait for an answer after so many tries. The specification lets the timer run for up to four times as
     * long as was asked for (9.7.6.1.3, from memory): what was lost once is sent again soon, and a peer that has no
     * processor for a while is given more.
     */
    static long timeoutNanos(QpAttributes attributes, int tries) {
        return attributes.timeout == 0 ? NOW_AND_THEN_NANOS
            : timeoutNanos(attributes) << Math.max(0, Math.min(tries, MOST_DOUBLINGS));
    }

    @Override
    public String toString() {
        if (!isWaiting()) {
            return "";
        }
        final String what = waitsFor == Ack.RNR_NAK ? "a receive, rnr retries left "
            + (attributes.rnrRetry == RNR_FOR_EVER ? "without limit" : rnrLeft) : "an answer, retries left "
            + (attributes.timeout == 0 ? "without limit" : timeoutsLeft);
        return " tried " + tries + " times, waits for " + what
            + (waitsForEver() ? "" : ", next try in " + (deadline - context.timers().now()) / 1000 + " us");
    }
}
