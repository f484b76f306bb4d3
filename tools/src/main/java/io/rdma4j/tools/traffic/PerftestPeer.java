/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.RdmaException;
import io.rdma4j.tools.foreign.ForeignListener;
import io.rdma4j.tools.foreign.ForeignSocket;
import io.rdma4j.tools.foreign.PerftestHandshake;
import io.rdma4j.tools.foreign.PerftestKeys;
import io.rdma4j.tools.foreign.PerftestReport;
import io.rdma4j.tools.foreign.PingpongHandshake;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.RdmaContext;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * One end of a measurement whose other end is a program of perftest: {@code ib_send_lat} and its like, as client or as
 * server. Every wait in it has a deadline.
 *
 * <p>Who begins: in write_lat the server, else the client. READs, atomics and WRITEs of bandwidth tests are the
 * client's alone; the server hears when they are over.
 */
public final class PerftestPeer {
    private final PerfOptions options;
    private final boolean server;
    private final PerfEnd end;
    private final ForeignSocket socket;
    private final PerftestHandshake handshake;
    private final Patience patience;
    private final SignsOfLife signs = new SignsOfLife(null, Long.MAX_VALUE);
    private PerftestKeys own;

    private PerftestPeer(
        final RdmaContext context, final PerfOptions options, final ForeignSocket socket, final boolean server) {
        this.options = options;
        this.server = server;
        this.socket = socket;
        end = new PerfEnd(context, options, server);
        handshake = new PerftestHandshake(socket, server);
        patience = new Patience(options.timeout(), null, Patience.Diagnosis.of("perf", context, null,
            what -> what + "; " + end + "; the other end is perftest at " + Answering.textOf(socket.peer()),
            "it ended, was given another -s or -n, or --timeout is too short"));
    }

    /**
     * Connects with a program that listens, and measures.
     *
     * @param context the device; what is made on it goes when it is closed.
     * @param options what is asked for: one size, one QP, a number of iterations, nothing to warm up.
     * @param to      where the program listens.
     * @return what came of it.
     * @throws RdmaException      if the program is not there, says something else than its like, or ends; if the device
     *                            cannot do it or a request fails.
     * @throws DiagnosedException if no message came for too long; with the state of the device.
     */
    public static Outcome asClient(
        final RdmaContext context, final PerfOptions options, final InetSocketAddress to) {
        try (ForeignSocket socket = ForeignSocket.connect(to, options.timeout())) {
            return new PerftestPeer(context, options, socket, false).run();
        }
    }

    /**
     * Waits for a program, and answers it or measures with it.
     *
     * @param context  the device; what is made on it goes when it is closed.
     * @param options  what is asked for: one size, one QP, a number of iterations, nothing to warm up.
     * @param listener where it will come.
     * @param first    longest wait until it does.
     * @return what came of it.
     * @throws RdmaException      if nobody comes, says something else than perftest, or ends; if the device cannot do
     *                            it or a request fails.
     * @throws DiagnosedException if no message came for too long; with the state of the device.
     */
    public static Outcome asServer(
        final RdmaContext context, final PerfOptions options, final ForeignListener listener, final Duration first) {
        try (ForeignSocket socket = listener.accept(first, options.timeout())) {
            return new PerftestPeer(context, options, socket, true).run();
        }
    }

    private Outcome run() {
        final int bytes = options.load().largest();
        final Mtu mtu = handshake.agree(options.queues().mtu() != null ? options.queues().mtu()
            : end.context().queryPort(1).activeMtu());
        Agreed.requireMtu("perf", socket.peer(), options.queues().mtu(), mtu);
        own = keys();
        handshake.exchange(own);
        final PerftestKeys theirs = handshake.exchange(own);
        requireOuts(theirs);
        end.connect(new QpAddress(theirs.gid(), theirs.qpn(), theirs.psn(), PingpongHandshake.QKEY), mtu,
            theirs.outs(), new RemoteMemory(theirs.address(), theirs.rkey()));
        final Part part = part();
        part.begin(bytes);
        handshake.exchange(own);
        if (!isOneSidedBandwidth()) {
            handshake.exchange(own);
        }
        part.play();
        final PerftestReport report = sayFarewell(part, bytes);
        return new Outcome(part.rows(bytes), part.samples(), isUncounted() ? null : options.load().iterations(), report,
            socket.peer());
    }

    private PerftestKeys keys() {
        final QpAddress address = end.lane().qp().localAddress();
        final RemoteMemory lent = end.lane().lent();
        return new PerftestKeys(end.outsLent(), address.qpn(), address.psn(), lent.rkey(), lent.address(),
            address.gid());
    }

    /** An end of a READ or atomic test that takes none was started for another test; one that takes fewer is told. */
    private void requireOuts(final PerftestKeys theirs) {
        if (!server && !options.operation().isMutual() && theirs.outs() < 1) {
            throw RdmaException.of("perf").object(Answering.textOf(socket.peer()))
                .detail("it takes no READs or atomics").errno(RdmaException.EINVAL)
                .hint("start ib_" + options.test().option() + " there").build();
        }
        if (!server) {
            Agreed.requireOuts("perf", socket.peer(), options.queues().outs(), theirs.outs());
        }
    }

    private boolean isOneSidedBandwidth() {
        return !options.test().isLatency() && options.operation() != Operation.SEND;
    }

    /** Whoever READs, or does atomics, in a latency test says nothing of how many there were. */
    private boolean isUncounted() {
        return server && options.test().isLatency() && !options.operation().isMutual();
    }

    private Part part() {
        final boolean pulls = !options.operation().isMutual() || isOneSidedBandwidth();
        if (server && pulls) {
            return new Lending();
        }
        if (server && !options.test().isLatency()) {
            return new Taking();
        }
        final boolean answers = options.test().isLatency() && options.operation().isMutual()
            && server == (options.operation() == Operation.SEND);
        return new Measuring(answers ? new AnswerMeasurement(end, options, patience, signs)
            : Measurement.of(end, options, patience, signs));
    }

    /** What the client reports of a bandwidth test; null if there is no report. */
    private PerftestReport sayFarewell(final Part part, final int bytes) {
        PerftestReport report = null;
        if (isOneSidedBandwidth()) {
            handshake.exchange(own);
            report = handshake.report(part.report(bytes));
            requireSame(report, bytes);
        }
        if (options.test() != PerfTest.WRITE_LAT) {
            handshake.finish(own);
        } else if (server) {
            // The ends know by the last message that it is over; but seen in memory it may not be acknowledged yet.
            socket.awaitEnd();
        }
        return report;
    }

    private void requireSame(final PerftestReport report, final int bytes) {
        if (server && (report.bytes() != bytes || report.iterations() != options.load().iterations())) {
            throw RdmaException.of("perf").object(Answering.textOf(socket.peer()))
                .detail("it moved %d messages of %d bytes, this side was told of %d of %d", report.iterations(),
                    report.bytes(), options.load().iterations(), bytes)
                .errno(RdmaException.EINVAL).hint("give both the same -s and -n").build();
        }
    }

    /** What this end does once both are connected. */
    private interface Part {
        /** Before the other end may begin. */
        void begin(int bytes);

        void play();

        default List<PerfRow> rows(final int bytes) {
            return List.of();
        }

        default List<double[]> samples() {
            return List.of();
        }

        default PerftestReport report(final int bytes) {
            return new PerftestReport(0, 0, 0, 0, 0);
        }
    }

    /** Sends, and what it was for. */
    private final class Measuring implements Part {
        private final Measurement measurement;

        Measuring(final Measurement measurement) {
            this.measurement = measurement;
        }

        @Override
        public void begin(final int bytes) {
            measurement.begin(bytes);
        }

        /** The other end may wait for what was posted last, and this one is about to close its QP. */
        @Override
        public void play() {
            patience.progress();
            measurement.run(options.load().measured());
            while (end.lane().completed() != end.lane().posted()) {
                if (end.pollSends() == 0) {
                    patience.idle();
                }
            }
        }

        @Override
        public List<PerfRow> rows(final int bytes) {
            return List.of(measurement.row(bytes));
        }

        @Override
        public List<double[]> samples() {
            return List.of(measurement.samples());
        }

        @Override
        public PerftestReport report(final int bytes) {
            final PerfRow row = measurement.row(bytes);
            return row instanceof BandwidthRow bandwidth ? new PerftestReport(bytes, bandwidth.iterations(),
                bandwidth.peak(), bandwidth.average(), bandwidth.rate()) : Part.super.report(bytes);
        }
    }

    /** Takes messages. */
    private final class Taking implements Part {
        private final PerfAnswer.Sink sink = new PerfAnswer.Sink(end);

        @Override
        public void begin(final int bytes) {
            sink.begin(bytes);
        }

        @Override
        public void play() {
            final long awaited = options.load().iterations();
            patience.progress();
            while (sink.done(awaited) < awaited) {
                if (sink.step() > 0) {
                    patience.progress();
                } else {
                    patience.idle();
                }
            }
        }
    }

    /** The device does everything with the memory that is lent; the client's next words say that it is over. */
    private static final class Lending implements Part {
        @Override
        public void begin(final int bytes) {
            // There is nothing to prepare.
        }

        @Override
        public void play() {
            // There is nothing to do.
        }
    }

    /**
     * What came of it.
     *
     * @param rows     one if this side measured, else none.
     * @param samples  its single times in microseconds, if they were asked for.
     * @param messages that both sides were told to move: round trips, or messages; null if this side lent its memory
     *                 and heard of no number.
     * @param report   what the client found in a bandwidth test of one-sided operations; else null.
     * @param peer     where the program is.
     */
    public record Outcome(List<PerfRow> rows, List<double[]> samples, Long messages, PerftestReport report,
        InetSocketAddress peer) {
    }
}
