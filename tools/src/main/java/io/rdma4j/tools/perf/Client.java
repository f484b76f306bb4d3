/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import io.rdma4j.RdmaException;

/** The end that measures: tells the other one what comes next, does it, and hears what came of it. For one thread. */
final class Client {
    private final End end;
    private final Control control;
    private final PerfOptions options;
    private final Patience patience;
    private final Task task;

    Client(final End end, final PerfOptions options, final Patience patience, final Signs signs) {
        this.end = end;
        this.options = options;
        this.patience = patience;
        control = end.control();
        task = options.test().isLatency()
            ? new Rally(Exchange.of(options.test().verb(), end, patience), recorder(options), patience, signs)
            : new Flood(end, options, patience, signs);
    }

    private static Recorder recorder(final PerfOptions options) {
        return new Recorder(options.load().samples() ? Math.toIntExact(options.load().iterations()) : 0,
            options.test().divisor());
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
        task.begin(bytes);
        control.say(Control.START, bytes, 0);
        await(Control.READY);
        final long messages = task.run(span);
        control.say(Control.STOP, 0, messages);
        final long counted = await(Control.DONE);
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
        control.say(Control.BYE, 0, 0);
        try {
            control.flush(patience);
        } catch (final RdmaException ignored) {
            // It went before its device had confirmed.
        }
    }

    PerfRow row(final int bytes) {
        return task.row(bytes);
    }

    double[] samples() {
        return task.samples();
    }
}
