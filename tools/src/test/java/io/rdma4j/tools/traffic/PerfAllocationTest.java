/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import com.sun.management.ThreadMXBean;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.management.ManagementFactory;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Both ends on one thread, so that what either allocates is seen. */
class PerfAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** More iterations must not allocate more: what a run allocates at all is its set-up. */
    @ParameterizedTest
    @EnumSource(PerfTest.class)
    void iterationsAllocateNothing(final PerfTest test) {
        allocatedBy(test, 20_000);
        final long few = allocatedBy(test, 1_000);
        final long many = allocatedBy(test, 101_000);
        // A compiler that finishes in between may change a handful of bytes; 100,000 objects would be megabytes.
        assertThat(many - few).isLessThan(100_000);
    }

    private static long allocatedBy(final PerfTest test, final long iterations) {
        try (RdmaContext context = RdmaDevices.open("emulated:")) {
            final int list = test == PerfTest.MSG_RATE ? 16 : 1;
            final Perf perf = Perf.inOneProcess(context, context, new PerfOptions(test,
                new PerfOptions.Load(List.of(8), iterations, null, 0L, false, false),
                new PerfOptions.Queues(test.isLatency() ? 1 : 2, test.isLatency() ? 1 : 32, 64, 512, list, 0, null, 0),
                true, Patience.duration()));
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            final Perf.Measured measured = perf.run();
            final long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            assertThat(measured.rows()).singleElement()
                .matches(row -> row.iterations() == iterations * (test.isLatency() ? 1 : 2));
            return allocated;
        }
    }
}
