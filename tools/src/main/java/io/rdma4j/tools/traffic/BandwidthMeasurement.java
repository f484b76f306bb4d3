/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/** As many under way as fit, in all lanes. The clock is read when completions came. */
final class BandwidthMeasurement implements Measurement {
    private static final double MIB = 1 << 20;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICRO = 1_000.0;

    private final PerfEnd end;
    private final Lane[] lanes;
    private final long[] last;
    private final Patience patience;
    private final SignsOfLife signs;
    private final Peak peak;
    private long messages;
    private long nanos;

    BandwidthMeasurement(
        final PerfEnd end, final PerfOptions options, final Patience patience, final SignsOfLife signs) {
        this.end = end;
        this.patience = patience;
        this.signs = signs;
        lanes = end.lanes();
        last = new long[lanes.length];
        peak = new Peak((long) options.queues().qps() * options.queues().txDepth());
    }

    @Override
    public void begin(final int bytes) {
        end.aim(bytes);
    }

    @Override
    public long run(final Span span) {
        final long before = end.completed();
        for (int i = 0; i < lanes.length; i++) {
            last[i] = span.isCounted() ? lanes[i].posted() + span.iterations() : Long.MAX_VALUE;
        }
        final long began = System.nanoTime();
        long now = began;
        boolean open = !span.isCounted();
        signs.begin(began);
        peak.begin(began);
        boolean posted = post();
        while (posted || !isDone()) {
            patience.share();
            if (end.pollSends() > 0) {
                now = System.nanoTime();
                peak.mark(end.completed() - before, now);
                patience.progress();
                signs.give(end.completed() - before, now);
                if (open && now - began >= span.nanos()) {
                    open = false;
                    closeLanes();
                }
            } else if (!posted) {
                patience.idle();
            }
            posted = post();
        }
        messages = end.completed() - before;
        nanos = Math.max(1, now - began);
        return messages;
    }

    /** As many lists as there is room for; whether there was room for one. */
    private boolean post() {
        boolean posted = false;
        for (int i = 0; i < lanes.length; i++) {
            while (lanes[i].post(last[i]) > 0) {
                posted = true;
            }
        }
        return posted;
    }

    /** No more, except for one that makes a completion where the last one does not. */
    private void closeLanes() {
        for (int i = 0; i < lanes.length; i++) {
            last[i] = lanes[i].posted() + (lanes[i].endsSignaled(last[i]) ? 0 : 1);
        }
    }

    private boolean isDone() {
        for (int i = 0; i < lanes.length; i++) {
            if (lanes[i].completed() != last[i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public PerfRow row(final int bytes) {
        final double perNano = messages / (double) nanos;
        final double toMib = bytes * NANOS_PER_SECOND / MIB;
        return new BandwidthRow(bytes, messages, nanos / NANOS_PER_SECOND, peak.best(perNano) * toMib,
            perNano * toMib, perNano * NANOS_PER_MICRO);
    }

    @Override
    public double[] samples() {
        return new double[0];
    }
}
