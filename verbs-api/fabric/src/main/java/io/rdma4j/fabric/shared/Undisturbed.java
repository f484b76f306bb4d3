/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import io.rdma4j.base.DaemonThreads;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.BiFunction;

/**
 * What is done with channels of files is done by threads that nobody else knows: an interrupt, whenever it comes,
 * closes the channel that a thread is using, and with it go all locks of the process.
 */
final class Undisturbed {
    /** A test may have it find no thread. */
    private static volatile BiFunction<String, Runnable, Thread> threads = DaemonThreads::of;

    private Undisturbed() {
    }

    static void threadsOf(final BiFunction<String, Runnable, Thread> maker) {
        threads = maker;
    }

    static void threadsAsUsual() {
        threads = DaemonThreads::of;
    }

    /** Work with a file. */
    interface Work<T> {
        T carryOut() throws IOException;
    }

    /** Carries it out, and waits for its end; an interrupt of the caller is kept for later. */
    static <T> T carryOut(final Work<T> work) throws IOException {
        final FutureTask<T> task = new FutureTask<>(work::carryOut);
        threads.apply("rdma4j-shared-file", task).start();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (final InterruptedException e) {
                    interrupted = true;
                } catch (final ExecutionException e) {
                    throw asIs(e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static IOException asIs(final Throwable cause) {
        if (cause instanceof Error) {
            throw (Error) cause;
        }
        if (cause instanceof RuntimeException) {
            throw (RuntimeException) cause;
        }
        return (IOException) cause;
    }
}
