/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import io.rdma4j.device.raw.RawPair;

import java.lang.management.ManagementFactory;

import org.junit.jupiter.api.Test;

/** The data path makes no garbage. */
class AllocationTest {
    private static final int WARM_UP = 20_000;
    private static final int MEASURED = 20_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void sendsWithoutAllocating() {
        try (RawPair pair = RawPair.connected("emulated:alloc")) {
            run(pair, WARM_UP, false);
            final long before = threads.getCurrentThreadAllocatedBytes();
            run(pair, MEASURED, false);
            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(MEASURED / 10);
        }
    }

    @Test
    void stallsAndResumesWithoutAllocating() {
        try (RawPair pair = RawPair.connected("emulated:allocrnr")) {
            run(pair, WARM_UP, true);
            final long before = threads.getCurrentThreadAllocatedBytes();
            run(pair, MEASURED, true);
            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(MEASURED / 10);
        }
    }

    private static void run(RawPair pair, int messages, boolean late) {
        for (int i = 0; i < messages; i++) {
            if (!late) {
                pair.b.receive(i, pair.to.start(), 64, pair.to.lkey);
            }
            pair.a.send(i, pair.from.start(), 64, pair.from.lkey);
            if (late) {
                pair.b.receive(i, pair.to.start(), 64, pair.to.lkey);
            }
            if (pair.cqA.pollQuick() != i || pair.cqB.pollQuick() != i) {
                throw new AssertionError(pair.driver.device().describe());
            }
        }
    }
}
