/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.RdmaException;

import io.rdma4j.base.Deadline;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Waits for completions of one queue or of several, in one of the ways between lowest latency and lowest load. For one
 * thread at a time, as polling is.
 *
 * <pre>{@code
 * CompletionWaiter waiter = CompletionWaiter.blocking(cq);
 * while (running) {
 *     int n = waiter.await(handler, 64, Duration.ofSeconds(1));
 *     if (n < 0) {
 *         throw new IllegalStateException(ReturnCode.nameOf(n));
 *     }
 * }
 * }</pre>
 *
 * <table>
 * <caption>What to choose</caption>
 * <tr><th>way</th><th>an empty queue costs</th><th>a completion is seen after</th></tr>
 * <tr><td>{@link #spinning}</td><td>a processor</td><td>nanoseconds</td></tr>
 * <tr><td>{@link #yielding}</td><td>a processor that others may have</td><td>nanoseconds to a time slice</td></tr>
 * <tr><td>{@link #backingOff}</td><td>less the longer it is empty</td><td>up to a millisecond</td></tr>
 * <tr><td>{@link #blocking}</td><td>nothing</td><td>an interrupt and the wake-up of a thread</td></tr>
 * </table>
 *
 * <p>All but the blocking one allocate nothing.
 */
public final class CompletionWaiter {
    /** Polls that a blocking waiter makes, at most, before it goes to sleep; none on a single processor. */
    public static final int DEFAULT_SPINS = Runtime.getRuntime().availableProcessors() > 1 ? 1_000 : 0;

    private static final String OPERATION = "create completion waiter";
    /** The clock is slow beside a poll. */
    private static final int SPINS_PER_LOOK_AT_THE_CLOCK = 32;
    /** A sleep shorter than this would better have been spent spinning. */
    private static final long SHORT_SLEEP_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final int LEAST_SPINS_DIVISOR = 16;

    private final CompletionQueue[] cqs;
    /** Null for blocking. */
    private final IdleStrategy idle;
    private final int spinsPerLook;
    private int maxSpins = DEFAULT_SPINS;
    private int spins = DEFAULT_SPINS;
    private boolean solicitedOnly;
    private int next;

    private CompletionWaiter(final IdleStrategy idle, final int spinsPerLook, final CompletionQueue... cqs) {
        if (cqs == null || cqs.length == 0) {
            throw refused("there is no completion queue to wait for");
        }
        for (final CompletionQueue cq : cqs) {
            if (cq == null) {
                throw refused("a completion queue is null");
            }
        }
        this.cqs = cqs.clone();
        this.idle = idle;
        this.spinsPerLook = spinsPerLook;
    }

    private static RdmaException refused(final String detail, final Object... args) {
        return RdmaException.of(OPERATION).detail(detail, args).errno(RdmaException.EINVAL).build();
    }

    /**
     * Polls without pause.
     *
     * @param cqs queues, at least one.
     * @return a new waiter.
     * @throws RdmaException EINVAL without a queue.
     */
    public static CompletionWaiter spinning(final CompletionQueue... cqs) {
        return new CompletionWaiter(BusySpinIdleStrategy.INSTANCE, SPINS_PER_LOOK_AT_THE_CLOCK, cqs);
    }

    /**
     * Lets other threads run between polls.
     *
     * @param cqs queues, at least one.
     * @return a new waiter.
     * @throws RdmaException EINVAL without a queue.
     */
    public static CompletionWaiter yielding(final CompletionQueue... cqs) {
        return new CompletionWaiter(YieldingIdleStrategy.INSTANCE, 1, cqs);
    }

    /**
     * Spins first, then yields, then sleeps between polls for longer and longer, up to a millisecond.
     *
     * @param cqs queues, at least one.
     * @return a new waiter.
     * @throws RdmaException EINVAL without a queue.
     */
    public static CompletionWaiter backingOff(final CompletionQueue... cqs) {
        return new CompletionWaiter(new BackoffIdleStrategy(), 1, cqs);
    }

    /**
     * Does between polls what the application wants.
     *
     * @param idle what to do after a poll that found nothing; reset when a wait begins. A deadline holds as exactly as
     *             this comes back.
     * @param cqs  queues, at least one.
     * @return a new waiter.
     * @throws RdmaException EINVAL without a strategy or queue.
     */
    public static CompletionWaiter idling(final IdleStrategy idle, final CompletionQueue... cqs) {
        if (idle == null) {
            throw refused("the idle strategy is null");
        }
        return new CompletionWaiter(idle, 1, cqs);
    }

    /**
     * Polls for a short time, then asks the device for an event, polls once more and sleeps until the event comes. How
     * long it polls adapts itself: less while sleeps are long, more when they turn out to be short.
     *
     * @param cqs one queue; or several that have a channel in common, and then nobody else may wait on that channel
     *            and it should serve no other queues: their events would be taken here.
     * @return a new waiter.
     * @throws RdmaException EINVAL without a queue, or if several have no common channel.
     */
    public static CompletionWaiter blocking(final CompletionQueue... cqs) {
        final CompletionWaiter waiter = new CompletionWaiter(null, 1, cqs);
        for (final CompletionQueue cq : waiter.cqs) {
            if (cqs.length > 1 && (cq.channel() == null || cq.channel() != waiter.cqs[0].channel())) {
                throw RdmaException.of(OPERATION).device(cq.context().address())
                    .detail("%s and %s have no channel in common", waiter.cqs[0], cq)
                    .errno(RdmaException.EINVAL)
                    .hint("create a channel, and the queues with createCq(cqe, channel)").build();
            }
        }
        return waiter;
    }

    /**
     * Limits how long a blocking waiter polls before it sleeps. Without effect on the others. However many, a wait ends
     * at its deadline and by an interrupt.
     *
     * @param polls most polls, 0 to {@link Integer#MAX_VALUE}; 0: it sleeps at once. Default: {@link #DEFAULT_SPINS}.
     * @return this.
     * @throws RdmaException EINVAL if negative.
     */
    public CompletionWaiter spins(final int polls) {
        if (polls < 0) {
            throw refused("spins is %d, allowed are 0 and more", polls);
        }
        maxSpins = polls;
        spins = polls;
        return this;
    }

    /**
     * Has only completions end a sleep that the sender marked as solicited, or that are errors; others are handed over
     * when it ends. Without effect on waiters that do not sleep, and on devices without {@link Feature#SOLICITED}.
     *
     * @param only whether only those. Default: false.
     * @return this.
     */
    public CompletionWaiter solicitedOnly(final boolean only) {
        solicitedOnly = only;
        return this;
    }

    /**
     * Waits until there is at least one completion, and hands over what there is. Several queues are polled in turn.
     *
     * @param handler called on this thread once per completion, see {@link CompletionQueue#poll}.
     * @param limit   most completions to hand over, at least 1.
     * @param timeout longest wait; zero or less only polls.
     * @return how many were handed over; 0 if none came in time, the thread was interrupted (which it still is then) or
     *         woken up by {@link CompletionChannel#wakeUp()} or by another queue of the channel that was closed;
     *         {@link ReturnCode#CLOSED} and {@link ReturnCode#DEVICE_FAILED}, also when that happens to one of several
     *         queues while waiting, or {@link ReturnCode#INVALID_REQUEST} as of polling, and without a timeout.
     */
    public int await(final CompletionHandler handler, final int limit, final Duration timeout) {
        if (timeout == null) {
            return ReturnCode.INVALID_REQUEST;
        }
        final int ready = poll(handler, limit);
        if (ready != 0 || timeout.isNegative() || timeout.isZero()) {
            return ready;
        }
        final long deadline = Deadline.after(timeout);
        return idle == null ? block(handler, limit, deadline) : idle(handler, limit, deadline);
    }

    private int poll(final CompletionHandler handler, final int limit) {
        return cqs.length == 1 ? cqs[0].poll(handler, limit) : pollAll(handler, limit);
    }

    /** Begins where the last time ended, so that a busy queue does not starve the others. */
    private int pollAll(final CompletionHandler handler, final int limit) {
        int handed = 0;
        for (int i = 0; i < cqs.length && (i == 0 || handed < limit); i++) {
            final int code = cqs[next].poll(handler, limit - handed);
            if (code < 0) {
                // What was handed over counts; the code comes again with the next call.
                return handed > 0 ? handed : code;
            }
            next = next + 1 == cqs.length ? 0 : next + 1;
            handed += code;
        }
        return handed;
    }

    private int idle(final CompletionHandler handler, final int limit, final long deadline) {
        idle.reset();
        int untilLook = spinsPerLook;
        while (true) {
            idle.idle();
            final int ready = poll(handler, limit);
            if (ready != 0) {
                return ready;
            }
            if (--untilLook == 0) {
                untilLook = spinsPerLook;
                if (isOver(deadline)) {
                    return 0;
                }
            }
        }
    }

    private static boolean isOver(final long deadline) {
        return System.nanoTime() - deadline >= 0 || Thread.currentThread().isInterrupted();
    }

    private int block(final CompletionHandler handler, final int limit, final long deadline) {
        for (int i = spins; i > 0; i--) {
            Thread.onSpinWait();
            final int ready = poll(handler, limit);
            if (ready != 0 || i % SPINS_PER_LOOK_AT_THE_CLOCK == 0 && isOver(deadline)) {
                return ready;
            }
        }
        while (true) {
            final int refusal = arm();
            final int ready = refusal == ReturnCode.OK ? poll(handler, limit) : refusal;
            if (ready != 0 || isOver(deadline)) {
                return ready;
            }
            final int slept = sleep(deadline);
            // Also without an event: whoever gives up has looked.
            final int found = slept < 0 ? slept : poll(handler, limit);
            if (found != 0 || slept == 0) {
                return found;
            }
        }
    }

    private int arm() {
        for (final CompletionQueue cq : cqs) {
            final int code = cq.requestNotify(solicitedOnly);
            if (code != ReturnCode.OK) {
                return code;
            }
        }
        return ReturnCode.OK;
    }

    /** 1 for an event, 0 without one, or a code. */
    private int sleep(final long deadline) {
        final long begin = System.nanoTime();
        final Duration left = Duration.ofNanos(Math.max(0, deadline - begin));
        try {
            final boolean event =
                cqs.length == 1 ? cqs[0].awaitEvent(left) : cqs[0].channel().await(left) != null;
            adapt(System.nanoTime() - begin);
            return event ? 1 : 0;
        } catch (final RdmaException e) {
            return cqs[0].context().isFailed() ? ReturnCode.DEVICE_FAILED : ReturnCode.CLOSED;
        }
    }

    private void adapt(final long slept) {
        final int least = maxSpins / LEAST_SPINS_DIVISOR;
        spins = slept < SHORT_SLEEP_NANOS ? (int) Math.min(maxSpins, 2L * spins + 1) : Math.max(least, spins / 2);
    }
}
