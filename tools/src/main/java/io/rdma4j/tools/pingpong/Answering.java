/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.RdmaConnection;
import io.rdma4j.verbs.RdmaConnector;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaListener;
import org.agrona.concurrent.IdleStrategy;

import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The end that answers, for a {@link PingPong} of another process: listens for it, plays until it says farewell. Every
 * wait has a deadline. Not thread-safe, but for {@link #progress()}.
 */
public final class Answering implements AutoCloseable {
    private final PingPongOptions options;
    private final RdmaContext context;
    private final Player player;
    private final RdmaListener listener;
    private final AtomicLong progress = new AtomicLong();

    /**
     * Makes the end, and listens. The end is closed together with its device.
     *
     * @param context the device.
     * @param options what is asked for; how long to measure is the other process' matter.
     * @param at      where to listen; port 0 for any that is free.
     * @throws RdmaException if the device cannot do it, or the address cannot be had.
     */
    public Answering(final RdmaContext context, final PingPongOptions options, final InetSocketAddress at) {
        this.context = context;
        this.options = options;
        player = new Player(context, options, true);
        listener = RdmaConnector.listen(at);
    }

    /**
     * Where it listens.
     *
     * @return the address, with the port that was found free.
     */
    public InetSocketAddress address() {
        return listener.address();
    }

    /**
     * An address as it is given on the command line.
     *
     * @param address an address.
     * @return host and port.
     */
    public static String textOf(final InetSocketAddress address) {
        final String host = address.getAddress() == null ? address.getHostString()
            : address.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : '[' + host + ']') + ':' + address.getPort();
    }

    /**
     * Moves that were answered. For any thread.
     *
     * @return a count; 0 for operations that the other end does alone.
     */
    public long progress() {
        return progress.get();
    }

    /**
     * Waits for the other process, and plays until it has enough.
     *
     * @return whom it played with, and how often.
     * @throws RdmaException      ETIMEDOUT if nobody came; EINVAL if it was asked for something else; EIO naming the
     *                            work request and its status, or the byte that is wrong.
     * @throws DiagnosedException if no message came for too long; with the state of the device.
     */
    public Outcome run() {
        final RdmaConnection connection = new Meeting(player).accept(listener);
        final Responder responder = new Responder(player);
        final IdleStrategy idle = Waiting.strategy(options.pace().mode());
        final Watch watch = new Watch(options.timeout());
        watch.begin(0);
        int emptyPolls = 0;
        while (!player.turn().isFarewell()) {
            final int work = responder.step();
            progress.lazySet(responder.iteration());
            idle.idle(work);
            if (work == 0 && ++emptyPolls % Waiting.pollsBetweenChecks(options.pace().mode()) == 0
                && watch.isStuckAt(responder.iteration())) {
                throw timedOut(connection);
            }
        }
        return new Outcome(responder.iteration(), player.qpNumber(), connection.remote().qpn(), connection.peer());
    }

    private DiagnosedException timedOut(final RdmaConnection connection) {
        final RdmaException timeout = RdmaException.of("ping-pong")
            .device(context.address())
            .detail("nothing came from %s for %s s; %s", textOf(connection.peer()),
                options.timeout().toMillis() / 1000.0, player)
            .errno(RdmaException.ETIMEDOUT)
            .hint("the other process ended, or its device does not reach this one; what the device was like:")
            .build();
        return new DiagnosedException(timeout, context.dump());
    }

    /** Stops listening. Harmless when repeated. */
    @Override
    public void close() {
        listener.close();
    }

    /**
     * What came of it.
     *
     * @param answered     moves that were answered and, if that was asked for, checked.
     * @param qpNumber     number of the own QP.
     * @param peerQpNumber number of the other one.
     * @param peer         where the other process was reached.
     */
    public record Outcome(long answered, int qpNumber, int peerQpNumber, InetSocketAddress peer) {
    }
}
