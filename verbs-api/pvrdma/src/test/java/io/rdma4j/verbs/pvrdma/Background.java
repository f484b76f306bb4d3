/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

/** A thread for each task: none of them waits for another one, and none keeps the JVM from ending. */
final class Background {
    private Background() {
    }

    static void run(final Runnable task) {
        final Thread thread = new Thread(task, "background");
        thread.setDaemon(true);
        thread.start();
    }
}
