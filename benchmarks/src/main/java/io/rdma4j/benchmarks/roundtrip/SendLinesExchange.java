/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.harness.SendLines;

/** {@link SendLines} each way, as {@link LeanSendExchange} has them, but for completions of sends. */
final class SendLinesExchange implements Exchange {
    private static final int RECEIVES = 32;
    private static final int BATCH = 8;
    private static final int COMPLETIONS = 128;

    private final SendLines there = new SendLines(RECEIVES);
    private final SendLines.Queue thereQueue = new SendLines.Queue(COMPLETIONS);
    private final SendLines back = new SendLines(RECEIVES);
    private final SendLines.Queue backQueue = new SendLines.Queue(COMPLETIONS);
    private final Patience patience;

    SendLinesExchange(final Patience patience) {
        this.patience = patience;
    }

    @Override
    public void ping(final long n) {
        send(there, thereQueue, n);
        if (n % BATCH == 0 && n > 0) {
            back.giveBack(n, BATCH);
        }
        await(back, backQueue, n);
    }

    @Override
    public void pong(final long n) {
        await(there, thereQueue, n);
        send(back, backQueue, n);
        if ((n + 1) % BATCH == 0) {
            there.giveBack(n + 1, BATCH);
        }
    }

    private static void send(final SendLines lines, final SendLines.Queue queue, final long n) {
        if (!lines.send(n, queue, n)) {
            throw new IllegalStateException("no receive for message " + n);
        }
    }

    private void await(final SendLines lines, final SendLines.Queue queue, final long n) {
        while (!queue.has(n)) {
            patience.check();
        }
        if (lines.message(queue.take(n)) != n) {
            throw new IllegalStateException("message " + n + " is another one");
        }
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
