/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import com.sun.management.ThreadMXBean;
import io.rdma4j.testing.Patience;
import io.rdma4j.tools.traffic.PingPongOptions.Pace;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.management.ManagementFactory;

import static org.assertj.core.api.Assertions.assertThat;

class PingPongTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** More round trips must not allocate more: what a run allocates at all is its set-up. */
    @ParameterizedTest
    @CsvSource({
        "fake:, SEND, RC", "fake:, SEND, UD", "fake:, WRITE, RC", "fake:, CAS, RC",
        "emulated:, SEND, RC", "emulated:, SEND, UD", "emulated:, WRITE, RC", "emulated:, READ, RC",
        "emulated:, CAS, RC", "emulated:, FAA, RC"
    })
    void roundTripsAllocateNothing(final String address, final Operation operation, final QpType transport) {
        allocatedBy(address, operation, transport, 20_000);
        final long few = allocatedBy(address, operation, transport, 1_000);
        final long many = allocatedBy(address, operation, transport, 101_000);
        // A compiler that finishes in between may change a handful of bytes; 100,000 objects would be megabytes.
        assertThat(many - few).isLessThan(100_000);
    }

    private static long allocatedBy(
        final String address, final Operation operation, final QpType transport, final long iterations) {
        try (RdmaContext context = RdmaDevices.open(address)) {
            final PingPong pingPong = PingPong.inOneProcess(context, context, new PingPongOptions(
                operation, transport, operation.isAtomic() ? 8 : 64, null, new Pace(1, WaitMode.YIELD), true,
                Span.of(0), Span.of(iterations), Patience.duration()));
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            final PingPongResult result = pingPong.run();
            final long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            assertThat(result.times().iterations()).isEqualTo(iterations);
            assertThat(pingPong.progress()).isEqualTo(iterations);
            return allocated;
        }
    }
}
