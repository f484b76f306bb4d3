/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Counter;
import io.rdma4j.queues.Padded;

/**
 * How long a requester over a wire waits for its peer, and how often it tries again (specification, 9.7): the local ACK
 * timeout and retry_cnt, or the responder's RNR timer and rnr_retry where that has no receive. Both count anew when
 * something was acknowledged. What is sent again is {@link WireSender}'s to know.
 *
 * <p>Used under the send queue's lock, but for {@link #deadline}.
 */
final class WireRetries extends Padded {
    private final EngineContext context;
    private final QpAttributes attributes;
    private final Requester requester;
    private boolean waitsForReceive;
    private int retriesLeft;
    private int rnrLeft;
    private volatile long deadline;
    /** The deadline that the timers were told last. */
    private long armed;

    WireRetries(EngineContext context, QpAttributes attributes, Requester requester) {
        this.context = context;
        this.attributes = attributes;
        this.requester = requester;
    }

    /** When to look again; of {@link Timers#now()}. */
    long deadline() {
        return deadline;
    }

    boolean isDue() {
        return deadline - context.timers().now() <= 0;
    }

    /** Has the timers run the queue at the deadline, unless they do so by then. */
    void arm() {
        if (!requester.isTimed || deadline - armed < 0) {
            tellTimers();
        }
    }

    private void tellTimers() {
        armed = deadline;
        context.timers().add(requester);
    }

    /** Something was acknowledged, or is the first to be. */
    void anew() {
        waitsForReceive = false;
        retriesLeft = attributes.retryCnt;
        rnrLeft = attributes.rnrRetry;
        deadline = context.timers().now() + Retries.timeoutNanos(attributes);
    }

    /** Whether nothing is to be sent before the deadline, as the peer has no receive. */
    boolean waitsForReceive() {
        return waitsForReceive;
    }

    /**
     * The peer has no receive.
     *
     * @param timer code of the time that it asks for.
     * @return false if it has said so too often.
     */
    boolean waitForReceive(int timer) {
        if (attributes.rnrRetry != Retries.RNR_FOR_EVER && --rnrLeft < 0) {
            context.counters().increment(Counter.RETRIES_EXCEEDED);
            return false;
        }
        waitsForReceive = true;
        deadline = context.timers().now() + RnrTimer.nanos(timer);
        // Sooner than what the timers know, of which the time may have passed while packets were acknowledged.
        tellTimers();
        return true;
    }

    /** The time that the peer asked for is over: what is sent now has its own. */
    void endWait() {
        waitsForReceive = false;
        deadline = context.timers().now() + Retries.timeoutNanos(attributes);
    }

    /** The peer did not answer in time; false if that was so too often. */
    boolean tryAgain() {
        if (attributes.timeout != 0 && --retriesLeft < 0) {
            context.counters().increment(Counter.RETRIES_EXCEEDED);
            return false;
        }
        context.counters().increment(Counter.RETRIES);
        deadline = context.timers().now() + Retries.timeoutNanos(attributes, attributes.retryCnt - retriesLeft);
        return true;
    }

    /** Nothing is under way any more. */
    void forget() {
        waitsForReceive = false;
    }

    @Override
    public String toString() {
        return (waitsForReceive ? ", waits for a receive" : "") + ", retries left " + retriesLeft;
    }
}
