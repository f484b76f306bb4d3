/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.RdmaException;
import io.rdma4j.tools.foreign.ForeignListener;
import io.rdma4j.tools.foreign.ForeignSocket;
import io.rdma4j.verbs.RdmaConnection;
import io.rdma4j.verbs.RdmaConnector;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaListener;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * The end that answers, for a {@link PingPong} or a {@link Perf} of another process: listens for it, and answers until
 * it says farewell. Every wait has a deadline. Not thread-safe, but for {@link #progress()}.
 */
public final class Answering implements AutoCloseable {
    private final Door door;
    private final Responding responding;
    private final Function<InetSocketAddress, Patience> patience;
    private volatile boolean isConnected;
    private final AtomicLong progress = new AtomicLong();
    private Duration first;

    private Answering(final Door door, final Responding responding,
        final Function<InetSocketAddress, Patience> patience, final Duration first) {
        this.first = first;
        this.door = door;
        this.responding = responding;
        this.patience = patience;
    }

    /**
     * Makes the end of a ping-pong, and listens. The end is closed together with its device.
     *
     * @param context the device.
     * @param options what is asked for; how long to measure is the other process' matter.
     * @param at      where to listen; port 0 for any that is free.
     * @return to be run once.
     * @throws RdmaException if the device cannot do it, or the address cannot be had.
     */
    public static Answering pingPong(
        final RdmaContext context, final PingPongOptions options, final InetSocketAddress at) {
        final PingPongEnd end = new PingPongEnd(context, options, true);
        return new Answering(new OurDoor(end.meeting(), RdmaConnector.listen(at)), end.responder(),
            peer -> patience(context, options, end, peer), options.timeout());
    }

    /**
     * Makes the end of a ping-pong with ibv_rc_pingpong, or ibv_ud_pingpong for datagrams, and listens. The end is
     * closed together with its device.
     *
     * @param context the device.
     * @param options what is asked for: messages, a number of iterations; the program was asked for the same.
     * @param at      where to listen; port 0 for any that is free.
     * @return to be run once.
     * @throws RdmaException if the device cannot do it, or the address cannot be had.
     */
    public static Answering ibverbs(
        final RdmaContext context, final PingPongOptions options, final InetSocketAddress at) {
        final PingPongEnd end = PingPongEnd.forIbverbs(context, options, true);
        return new Answering(new ForeignDoor(end, new ForeignListener(at), options.timeout()), end.responder(),
            peer -> patience(context, options, end, peer), options.timeout());
    }

    private static Patience patience(final RdmaContext context, final PingPongOptions options, final PingPongEnd end,
        final InetSocketAddress peer) {
        return new Patience(options.timeout(), options.pace().mode(), Patience.Diagnosis.of("ping-pong", context,
            null, what -> what.replace("nothing came", "nothing came from " + textOf(peer)) + "; " + end.state(),
            "the other process ended, or its device does not reach this one"));
    }

    /**
     * Makes the end of a measurement, and listens. The end is closed together with its device.
     *
     * @param context the device.
     * @param options what is asked for; how long to measure is the other process' matter.
     * @param at      where to listen; port 0 for any that is free.
     * @return to be run once.
     * @throws RdmaException if the device cannot do it, or the address cannot be had.
     */
    public static Answering perf(final RdmaContext context, final PerfOptions options, final InetSocketAddress at) {
        final PerfEnd end = new PerfEnd(context, options, true);
        return new Answering(new OurDoor(end.meeting(), RdmaConnector.listen(at)),
            new PerfResponder(end, options.test()), peer -> Perf.patience(options, end, null), options.timeout());
    }

    /**
     * Chooses how long to wait until somebody comes; otherwise as long as for each message. Before {@link #run}.
     *
     * @param timeout longest wait.
     * @return this.
     */
    public Answering waitingFor(final Duration timeout) {
        first = timeout;
        return this;
    }

    /**
     * Where it listens.
     *
     * @return the address, with the port that was found free.
     */
    public InetSocketAddress address() {
        return door.address();
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
     * Whether the other process came. For any thread.
     *
     * @return true while it is answered, and afterwards.
     */
    public boolean isConnected() {
        return isConnected;
    }

    /**
     * Messages that were answered. For any thread.
     *
     * @return a count; 0 for operations that the other end does alone.
     */
    public long progress() {
        return progress.get();
    }

    /**
     * Waits for the other process, and answers until it has enough.
     *
     * @return whom it answered, and how often.
     * @throws RdmaException      ETIMEDOUT if nobody came; EINVAL if it was asked for something else; EIO naming the
     *                            work request and its status, or the byte that is wrong.
     * @throws DiagnosedException if no message came for too long, or the thread was interrupted; with the state of the
     *                            device.
     */
    public Outcome run() {
        final Guest guest = door.await(first);
        isConnected = true;
        final Patience waiting = patience.apply(guest.peer());
        while (!responding.isOver()) {
            if (responding.step() > 0) {
                progress.lazySet(responding.messages());
                waiting.progress();
            } else {
                waiting.idle();
            }
        }
        return new Outcome(responding.messages(), guest.qpNumber(), guest.peerQpNumber(), guest.peer());
    }

    /** Stops listening. Harmless when repeated. */
    @Override
    public void close() {
        door.close();
    }

    /** Who came. */
    private record Guest(int qpNumber, int peerQpNumber, InetSocketAddress peer) {
    }

    /** Where somebody will come. */
    private interface Door extends AutoCloseable {
        InetSocketAddress address();

        Guest await(Duration first);

        @Override
        void close();
    }

    /** For a process of ours. */
    private record OurDoor(Meeting meeting, RdmaListener listener) implements Door {
        @Override
        public InetSocketAddress address() {
            return listener.address();
        }

        @Override
        public Guest await(final Duration first) {
            final RdmaConnection connection = meeting.accept(listener, first);
            return new Guest(meeting.qpNumber(), connection.remote().qpn(), connection.peer());
        }

        @Override
        public void close() {
            listener.close();
        }
    }

    /** For a program of another project. */
    private record ForeignDoor(PingPongEnd end, ForeignListener listener, Duration timeout) implements Door {
        @Override
        public InetSocketAddress address() {
            return listener.address();
        }

        @Override
        public Guest await(final Duration first) {
            try (ForeignSocket socket = listener.accept(first, timeout)) {
                return new Guest(end.qpNumber(), end.meet(socket).qpn(), socket.peer());
            }
        }

        @Override
        public void close() {
            listener.close();
        }
    }

    /**
     * What came of it.
     *
     * @param messages     that were answered, and checked if that was asked for, or that perf's other end made; those
     *                     for warming up included.
     * @param qpNumber     number of the own first QP.
     * @param peerQpNumber number of the other one.
     * @param peer         where the other process was reached.
     */
    public record Outcome(long messages, int qpNumber, int peerQpNumber, InetSocketAddress peer) {
    }
}
