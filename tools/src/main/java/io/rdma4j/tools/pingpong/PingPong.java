/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.RdmaContext;
import org.agrona.concurrent.IdleStrategy;

import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Plays a ping-pong and measures it: between two QPs of one device, or of two, or with another process that runs
 * {@link Answering}. Every wait in it has a deadline. Not thread-safe, but for {@link #progress()} and
 * {@link #isMeasuring()}.
 */
public final class PingPong {
    private final PingPongOptions options;
    private final RdmaContext context;
    private final AtomicLong progress = new AtomicLong();
    private final Initiator initiator;
    /** The other end; null if another process has it. */
    private final Player far;
    private final int peerQpNumber;
    private final Watch watch;
    private Answers answers = Answers.NONE_HERE;
    private volatile boolean measuring;
    private int emptyPolls;

    private PingPong(
        final RdmaContext context, final PingPongOptions options, final Player near, final Player far,
        final int peerQpNumber) {
        this.context = context;
        this.options = options;
        this.far = far;
        this.peerQpNumber = peerQpNumber;
        // A quarter of what the other process waits, if it was asked for the same.
        initiator = new Initiator(near, far == null ? options.timeout().toNanos() / 4 : Long.MAX_VALUE, progress);
        watch = new Watch(options.timeout());
    }

    /**
     * Makes and connects both ends. They are closed together with their devices.
     *
     * @param context the device of the end that begins.
     * @param peer    the device of the end that answers; may be the same.
     * @param options what is asked for.
     * @return a game to be run once.
     * @throws RdmaException if a device cannot do it.
     */
    public static PingPong inOneProcess(
        final RdmaContext context, final RdmaContext peer, final PingPongOptions options) {
        final Player near = new Player(context, options, false);
        final Player far = new Player(peer, options, true);
        InOneProcess.introduce(near, far);
        return new PingPong(context, options, near, far, far.qpNumber());
    }

    /**
     * Makes the end that begins and connects it to that of another process. It is closed together with its device.
     *
     * @param context the device.
     * @param options what is asked for; the other process was asked for the same.
     * @param to      where the other process listens.
     * @return a game to be run once.
     * @throws RdmaException if the device cannot do it, or the other process is not there, was asked for something
     *                       else, or cannot be reached by this device.
     */
    public static PingPong withOtherProcess(
        final RdmaContext context, final PingPongOptions options, final InetSocketAddress to) {
        final Player near = new Player(context, options, false);
        final int peerQpNumber = new Meeting(near).connect(to).remote().qpn();
        return new PingPong(context, options, near, null, peerQpNumber);
    }

    /**
     * Warms up, then measures.
     *
     * @return what was measured.
     * @throws RdmaException      EIO naming the work request and its status, or the byte that is wrong.
     * @throws DiagnosedException if no message came for too long; with the state of the devices.
     */
    public PingPongResult run() {
        final IdleStrategy idle = Waiting.strategy(options.pace().mode());
        try (Answers running = answers()) {
            answers = running;
            run(options.warmup(), idle);
            final long warmupIterations = initiator.iterations();
            measuring = true;
            run(options.measured(), idle);
            if (far == null) {
                sayFarewell(idle);
            }
            return new PingPongResult(options.operation(), initiator.iterations(), warmupIterations,
                initiator.elapsedNanos(), initiator.roundTrips(), initiator.player().qpNumber(), peerQpNumber);
        }
    }

    private Answers answers() {
        if (far == null || !options.operation().isMutual()) {
            return Answers.NONE_HERE;
        }
        final Responder responder = new Responder(far);
        return options.pace().threads() == 1
            ? responder::step : new ResponderThread(responder, Waiting.strategy(options.pace().mode()));
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

    private void run(final PingPongOptions.Span span, final IdleStrategy idle) {
        initiator.begin(span);
        watch.begin(initiator.iteration());
        while (!initiator.isDone()) {
            final int work = initiator.step() + answers.step();
            idle.idle(work);
            if (work == 0) {
                checkProgress();
            }
        }
    }

    private void checkProgress() {
        if (++emptyPolls % Waiting.pollsBetweenChecks(options.pace().mode()) == 0) {
            answers.rethrowFailure();
            if (watch.isStuckAt(initiator.iteration())) {
                throw timedOut();
            }
        }
    }

    /** The peer may be gone as soon as it has heard it, so what becomes of it here does not matter. */
    private void sayFarewell(final IdleStrategy idle) {
        final Endpoint end = initiator.player().end();
        initiator.player().turn().sayFarewell();
        watch.begin(0);
        try {
            while (!end.isIdle() && !watch.isStuckAt(0)) {
                idle.idle(end.poll());
            }
        } catch (final RdmaException ignored) {
            // It went before its device had confirmed.
        }
    }

    private DiagnosedException timedOut() {
        answers.close();
        final RdmaException timeout = RdmaException.of("ping-pong")
            .device(context.address())
            .detail("nothing came for %s s in round trip %d; %s; %s", options.timeout().toMillis() / 1000.0,
                initiator.iteration(), initiator.player(),
                far == null ? "the other end is in another process" : far)
            .errno(RdmaException.ETIMEDOUT)
            .hint("a message or its completion was lost, or --timeout is too short; what the device was like:")
            .build();
        final RdmaContext peer = far == null ? context : far.end().context();
        return new DiagnosedException(timeout,
            context.dump() + (peer == context ? "" : System.lineSeparator() + peer.dump()));
    }
}
