/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

/** A program with all that it has started: shells, compilers and builds do their work in children. */
public final class ProcessTree {
    private ProcessTree() {
    }

    /**
     * Kills a program and its children, which would live on by themselves. Harmless where it has ended.
     *
     * @param process the program.
     */
    public static void kill(final Process process) {
        if (process.isAlive()) {
            // Once it is gone nothing tells whose children they were, and those that it traced run on unhindered: a
            // User-Mode Linux' programs on the host. So they go first, then those that were started meanwhile.
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}
