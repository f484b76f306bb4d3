/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.RdmaContext;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures: between QPs of one device, or of two, or with another process that runs {@link Answering}. Every wait in
 * it has a deadline. Not thread-safe, but for {@link #progress()}.
 */
public final class Perf {
    private final PerfOptions options;
    private final PerfEnd near;
    /** Null if it is in another process. */
    private final PerfEnd far;
    private final Patience patience;
    private final SignsOfLife signs;
    private volatile String doing = "starting";

    private Perf(final PerfOptions options, final PerfEnd near, final PerfEnd far) {
        this.options = options;
        this.near = near;
        this.far = far;
        patience = patience(options, near, far);
        signs = new SignsOfLife(near.control(), SignsOfLife.every(options.timeout()));
    }

    /** The other end is null if it is in another process. */
    static Patience patience(final PerfOptions options, final PerfEnd end, final PerfEnd other) {
        return new Patience(options.timeout(), null, Patience.Diagnosis.of("perf", end.context(),
            other == null ? null : other.context(),
            what -> what + "; " + end + "; " + (other == null ? "the other end is in another process" : other),
            "a message or its completion was lost, the other process ended, or --timeout is too short"));
    }

    /**
     * Makes and connects both ends. They are closed together with their devices.
     *
     * @param context the device of the end that measures.
     * @param peer    the device of the end that answers; may be the same.
     * @param options what is asked for.
     * @return a run to be run once.
     * @throws RdmaException if a device cannot do it.
     */
    public static Perf inOneProcess(final RdmaContext context, final RdmaContext peer, final PerfOptions options) {
        final PerfEnd near = new PerfEnd(context, options, false);
        final PerfEnd far = new PerfEnd(peer, options, true);
        near.meeting().here(far.meeting());
        return new Perf(options, near, far);
    }

    /**
     * Makes the end that measures and connects it to that of another process. It is closed together with its device.
     *
     * @param context the device.
     * @param options what is asked for; the other process was asked for the same.
     * @param to      where the other process listens.
     * @return a run to be run once.
     * @throws RdmaException if the device cannot do it, or the other process is not there, was asked for something
     *                       else, or cannot be reached by this device.
     */
    public static Perf withServer(final RdmaContext context, final PerfOptions options, final InetSocketAddress to) {
        final PerfEnd near = new PerfEnd(context, options, false);
        near.meeting().connect(to);
        return new Perf(options, near, null);
    }

    /**
     * Warms up and measures, with each size.
     *
     * @return what was measured.
     * @throws RdmaException      EIO naming the request and its status.
     * @throws DiagnosedException if nothing came for too long, or the thread was interrupted; with the state of the
     *                            devices.
     */
    public Measured run() {
        try (OtherEnd other = other()) {
            patience.with(other);
            final PerfClient client = new PerfClient(near, options, patience, signs);
            final List<PerfRow> rows = new ArrayList<>();
            final List<double[]> samples = new ArrayList<>();
            for (final int bytes : options.load().sizes()) {
                doing = "warming up with " + bytes + " bytes: ";
                client.run(bytes, options.load().warmup(rows.isEmpty()));
                doing = bytes + " bytes: ";
                client.run(bytes, options.load().measured());
                rows.add(client.row(bytes));
                samples.add(client.samples());
            }
            client.sayBye();
            return new Measured(rows, samples);
        }
    }

    private OtherEnd other() {
        if (far == null) {
            return OtherEnd.ELSEWHERE;
        }
        final PerfResponder server = new PerfResponder(far, options.test());
        return options.oneThread() ? server::step
            : OtherEnd.onItsThread("rdma4j-perf-server", server, Idling.measuring());
    }

    /**
     * What it is doing. For any thread.
     *
     * @return a few words.
     */
    public String progress() {
        return doing + signs.progress();
    }

    /**
     * What was measured.
     *
     * @param rows    one for each size.
     * @param samples the single times of each size in microseconds, if they were asked for; else none.
     */
    public record Measured(List<PerfRow> rows, List<double[]> samples) {
    }
}
