/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.RdmaException;

/** The end that measures: tells the other one what comes next, does it, and hears what came of it. For one thread. */
final class PerfClient {
    private final PerfEnd end;
    private final ControlChannel control;
    private final PerfOptions options;
    private final Patience patience;
    private final Measurement measurement;

    PerfClient(final PerfEnd end, final PerfOptions options, final Patience patience, final SignsOfLife signs) {
        this.end = end;
        this.options = options;
        this.patience = patience;
        control = end.control();
        measurement = Measurement.of(end, options, patience, signs);
    }

    /**
     * Runs with one size.
     *
     * @return how many messages went.
     * @throws RdmaException EIO if a request failed, or the other end counted something else.
     */
    long run(final int bytes, final Span span) {
        if (span.iterations() == 0) {
            return 0;
        }
        measurement.begin(bytes);
        control.say(ControlChannel.START, bytes, 0);
        await(ControlChannel.READY);
        final long messages = measurement.run(span);
        control.say(ControlChannel.STOP, 0, messages);
        final long counted = await(ControlChannel.DONE);
        if (counted != messages) {
            throw RdmaException.of(options.test().option()).device(end.context().address()).object(end)
                .detail("%d messages of %d bytes went, the other end counted %d", messages, bytes, counted)
                .errno(RdmaException.EIO).build();
        }
        return messages;
    }

    private long await(final int word) {
        while (!control.poll()) {
            patience.idle();
        }
        if (control.word() != word) {
            throw RdmaException.of("hear the other end").device(end.context().address()).object(control)
                .detail("it said %d instead of %d", control.word(), word).errno(RdmaException.EIO).build();
        }
        final long count = control.count();
        control.take();
        patience.progress();
        return count;
    }

    /** Tells the other end that this was all. It may be gone as soon as it has heard it. */
    void sayBye() {
        control.say(ControlChannel.BYE, 0, 0);
        try {
            control.flush(patience);
        } catch (final RdmaException ignored) {
            // It went before its device had confirmed.
        }
    }

    PerfRow row(final int bytes) {
        return measurement.row(bytes);
    }

    double[] samples() {
        return measurement.samples();
    }
}
