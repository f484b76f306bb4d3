/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.thread;

import io.rdma4j.base.DaemonThreads;
import io.rdma4j.base.Uninterrupted;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A daemon that works until it is closed, and keeps what went wrong there for who asks. */
public final class KeptThread implements AutoCloseable {
    private static final long LONGEST_STOP_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Thread thread;
    private volatile boolean stopped;
    private volatile Throwable failure;

    /**
     * Starts it.
     *
     * @param name of the thread.
     * @param work gets what tells whether it shall go on, and ends soon after that is false.
     */
    public KeptThread(final String name, final Consumer<BooleanSupplier> work) {
        thread = DaemonThreads.of(name, () -> work.accept(() -> !stopped));
        thread.setUncaughtExceptionHandler((dead, thrown) -> failure = thrown);
        thread.start();
    }

    /** Throws what ended the thread, if something did. */
    public void rethrowFailure() {
        final Throwable thrown = failure;
        if (thrown instanceof Error) {
            throw (Error) thrown;
        }
        if (thrown != null) {
            throw (RuntimeException) thrown;
        }
    }

    /** Stops the thread and waits for its end, so that what it uses can be closed. */
    @Override
    public void close() {
        stopped = true;
        Uninterrupted.join(thread, LONGEST_STOP_NANOS);
    }
}
