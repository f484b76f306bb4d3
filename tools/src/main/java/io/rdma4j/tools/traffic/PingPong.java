/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.RdmaException;
import io.rdma4j.tools.foreign.ForeignSocket;
import io.rdma4j.verbs.RdmaContext;

import java.net.InetSocketAddress;

/**
 * Plays a ping-pong and measures it: between two QPs of one device, or of two, or with another process that runs
 * {@link Answering}. Every wait in it has a deadline. Not thread-safe, but for {@link #progress()} and
 * {@link #isMeasuring()}.
 */
public final class PingPong {
    private final PingPongOptions options;
    private final PingPongEnd near;
    private final Initiator initiator;
    /** The other end; null if another process has it. */
    private final PingPongEnd far;
    private final int peerQpNumber;
    private final Patience patience;
    private volatile boolean measuring;

    private PingPong(final PingPongEnd near, final PingPongEnd far, final int peerQpNumber) {
        this.near = near;
        this.far = far;
        this.peerQpNumber = peerQpNumber;
        options = near.options();
        initiator = new Initiator(near::poll, near.turn(), options.operation().transfersPerRoundTrip(),
            far == null ? SignsOfLife.every(options.timeout()) : Long.MAX_VALUE);
        patience = new Patience(options.timeout(), options.pace().mode(), Patience.Diagnosis.of("ping-pong",
            near.context(), far == null ? null : far.context(), what -> what + " in round trip " + initiator.iteration()
                + "; " + near.state() + "; " + (far == null ? "the other end is in another process" : far.state()),
            "a message or its completion was lost, or --timeout is too short"));
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
        final PingPongEnd near = new PingPongEnd(context, options, false);
        final PingPongEnd far = new PingPongEnd(peer, options, true);
        near.meeting().here(far.meeting());
        return new PingPong(near, far, far.qpNumber());
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
        final PingPongEnd near = new PingPongEnd(context, options, false);
        return new PingPong(near, null, near.meeting().connect(to).remote().qpn());
    }

    /**
     * Makes the end that begins and connects it to a program that listens: ibv_rc_pingpong, or ibv_ud_pingpong for
     * datagrams. It is closed together with its device.
     *
     * @param context the device.
     * @param options what is asked for: messages, a number of iterations, nothing to warm up; the program was asked for
     *                the same.
     * @param to      where the program listens.
     * @return a game to be run once.
     * @throws RdmaException if the device cannot do it, or the program is not there, says something else than its like,
     *                       or cannot be reached by this device.
     */
    public static PingPong withIbverbs(
        final RdmaContext context, final PingPongOptions options, final InetSocketAddress to) {
        final PingPongEnd near = PingPongEnd.forIbverbs(context, options, false);
        try (ForeignSocket socket = ForeignSocket.connect(to, options.timeout())) {
            return new PingPong(near, null, near.meet(socket).qpn());
        }
    }

    /**
     * Warms up, then measures.
     *
     * @return what was measured.
     * @throws RdmaException      EIO naming the work request and its status, or the byte that is wrong.
     * @throws DiagnosedException if no message came for too long; with the state of the devices.
     */
    public PingPongResult run() {
        try (OtherEnd other = other()) {
            patience.with(other);
            run(options.warmup());
            final long warmupIterations = initiator.iterations();
            measuring = true;
            run(options.measured());
            if (far == null) {
                sayFarewell();
            }
            return new PingPongResult(options.operation(), initiator.row(options.size()), warmupIterations,
                near.qpNumber(), peerQpNumber);
        }
    }

    private OtherEnd other() {
        if (far == null || !options.operation().isMutual()) {
            return OtherEnd.ELSEWHERE;
        }
        final Responder responder = far.responder();
        return options.pace().threads() == 1 ? responder::step
            : OtherEnd.onItsThread("rdma4j-responder", responder, Idling.of(options.pace().mode()));
    }

    /**
     * Round trips made since the warm-up, or since the beginning while it lasts. For any thread.
     *
     * @return a count.
     */
    public long progress() {
        return initiator.progress();
    }

    /**
     * Whether the warm-up is over. For any thread.
     *
     * @return true while measuring and afterwards.
     */
    public boolean isMeasuring() {
        return measuring;
    }

    private void run(final Span span) {
        initiator.begin(span);
        patience.play(initiator);
    }

    /** The peer may be gone as soon as it has heard it, so what becomes of it here does not matter. */
    private void sayFarewell() {
        near.turn().sayFarewell();
        try {
            while (!near.isIdle()) {
                if (near.poll() == 0) {
                    patience.idle();
                }
            }
        } catch (final RdmaException | DiagnosedException ignored) {
            // It went before its device had confirmed.
        }
    }
}
