/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

/**
 * A thread for each task: none of them waits for another one, and none keeps the JVM from ending. The common pool has a
 * single thread on two processors, and whoever waits there keeps it.
 */
public final class Background {
    private Background() {
    }

    /**
     * Runs a task beside the caller; as an executor, {@code Background::run}.
     *
     * @param task what to do
     */
    public static void run(final Runnable task) {
        final Thread thread = new Thread(task, "background");
        thread.setDaemon(true);
        thread.start();
    }
}
