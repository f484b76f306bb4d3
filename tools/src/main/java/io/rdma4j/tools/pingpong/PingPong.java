/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.RdmaContext;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs a ping-pong between two QPs of one device, or of two. Every wait in it has a deadline. Not thread-safe, but for
 * {@link #progress()} and {@link #isMeasuring()}.
 */
public final class PingPong {
    private static final long SPINS = 100;
    private static final int POLLS_BETWEEN_CHECKS = 256;

    private final PingPongOptions options;
    private final RdmaContext context;
    private final RdmaContext peer;
    private final AtomicLong progress = new AtomicLong();
    private final Initiator initiator;
    private final Responder responder;
    private ResponderThread responderThread;
    private volatile boolean measuring;
    private int emptyPolls;
    private long seenIteration;
    private long seenAt;

    /**
     * Makes and connects both ends. They are closed together with their devices.
     *
     * @param context the device of the end that begins.
     * @param peer    the device of the end that answers; may be the same.
     * @param options what is asked for.
     * @throws RdmaException if a device cannot do it.
     */
    public PingPong(final RdmaContext context, final RdmaContext peer, final PingPongOptions options) {
        this.options = options;
        this.context = context;
        this.peer = peer;
        final Endpoint near = new Endpoint(context, options, false);
        final Endpoint far = new Endpoint(peer, options, true);
        final Mtu mtu = smaller(context.queryPort(1).activeMtu(), peer.queryPort(1).activeMtu());
        far.connect(near.address(), mtu);
        near.connect(far.address(), mtu);
        initiator = new Initiator(near, progress);
        responder = new Responder(far);
    }

    private static Mtu smaller(final Mtu one, final Mtu other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /**
     * Warms up, then measures.
     *
     * @return what was measured.
     * @throws RdmaException      EIO naming the work request and its status, or the byte that is wrong.
     * @throws DiagnosedException if no message came for too long; with the state of the devices.
     */
    public PingPongResult run() {
        final IdleStrategy idle = idleStrategy();
        try (ResponderThread thread = options.pace().threads() == 1 ? null
            : new ResponderThread(responder, idleStrategy())) {
            responderThread = thread;
            run(options.warmup(), idle);
            final long warmupIterations = initiator.iterations();
            measuring = true;
            run(options.measured(), idle);
            return new PingPongResult(initiator.iterations(), warmupIterations, initiator.elapsedNanos(),
                initiator.roundTrips(), initiator.end().address().qpn(), responder.end().address().qpn());
        }
    }

    /**
     * Round trips made since the warm-up, or since the beginning while it lasts. For any thread.
     *
     * @return a count.
     */
    public long progress() {
        return progress.get();
    }

    /**
     * Whether the warm-up is over. For any thread.
     *
     * @return true while measuring and afterwards.
     */
    public boolean isMeasuring() {
        return measuring;
    }

    private IdleStrategy idleStrategy() {
        switch (options.pace().mode()) {
            case SPIN:
                return BusySpinIdleStrategy.INSTANCE;
            case BLOCK:
                // The ends sleep themselves.
                return NoOpIdleStrategy.INSTANCE;
            default:
                return yielding();
        }
    }

    /**
     * Spins for a few times as long as an answer takes, then lets others run: on a busy machine the other end may be
     * among those that wait for a processor; on one with a single processor certainly.
     */
    private static IdleStrategy yielding() {
        final long spins = Runtime.getRuntime().availableProcessors() > 1 ? SPINS : 0;
        return new BackoffIdleStrategy(spins, Long.MAX_VALUE, 1, 1);
    }

    private void run(final PingPongOptions.Span span, final IdleStrategy idle) {
        final int pollsBetweenChecks = options.pace().mode() == WaitMode.BLOCK ? 1 : POLLS_BETWEEN_CHECKS;
        initiator.begin(span);
        seenIteration = initiator.iteration();
        seenAt = System.nanoTime();
        while (!initiator.isDone()) {
            final int work = responderThread == null ? initiator.step() + responder.step() : initiator.step();
            idle.idle(work);
            if (work == 0 && ++emptyPolls % pollsBetweenChecks == 0) {
                checkProgress();
            }
        }
    }

    private void checkProgress() {
        if (responderThread != null) {
            responderThread.rethrowFailure();
        }
        final long now = System.nanoTime();
        if (initiator.iteration() != seenIteration) {
            seenIteration = initiator.iteration();
            seenAt = now;
        } else if (now - seenAt > options.timeout().toNanos()) {
            throw timedOut();
        }
    }

    private DiagnosedException timedOut() {
        if (responderThread != null) {
            responderThread.close();
        }
        final RdmaException timeout = RdmaException.of("ping-pong")
            .device(context.address())
            .detail("nothing came for %s s in round trip %d; %s waits for %s; %s waits for %s",
                options.timeout().toMillis() / 1000.0, seenIteration, initiator.end(), initiator.end().waitingFor(),
                responder.end(), responder.end().waitingFor())
            .errno(RdmaException.ETIMEDOUT)
            .hint("a message or its completion was lost, or --timeout is too short; what the device was like:")
            .build();
        final String other = peer == context ? "" : System.lineSeparator() + peer.dump();
        return new DiagnosedException(timeout, context.dump() + other);
    }
}
