/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.wire;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;

/** What the threads of one end have allocated: the one that measures or answers, and those of devices with a wire. */
final class Allocated {
    private static final String DEVICE_THREADS = "rdma4j-wire-";
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocated() {
    }

    /** So far; for the thread that works. */
    static long bytes() {
        long bytes = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
        for (final ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().startsWith(DEVICE_THREADS)) {
                bytes += Math.max(0, THREADS.getThreadAllocatedBytes(thread.getThreadId()));
            }
        }
        return bytes;
    }
}
