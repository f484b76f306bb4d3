/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.Completion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** From the holder of the lanes to the reader: nothing is lost, doubled or out of order, whoever is faster. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ArrivalRingTest {
    private static final int RINGS = 7;
    private static final int SIZE = 4;
    private static final int EACH = 10_000;
    private static final long PAUSE_NANOS = 1_000;
    private static final InwardLane LANE = new InwardLane() {
        @Override
        public boolean arrived(final Completion completion) {
            return false;
        }

        @Override
        public void refill() {
            // Nothing is posted here.
        }

        @Override
        public void mendIfFailed() {
            // It does not fail.
        }
    };

    @RegisterExtension
    final Queues queues = new Queues();

    @Test
    void everyArrivalIsReadOnceAndInOrder() throws Exception {
        final RmaArrivals arrivals = new RmaArrivals((EndpointHost) queues.domain, 8);
        final ArrivalRing[] rings = new ArrivalRing[RINGS];
        for (int i = 0; i < RINGS; i++) {
            rings[i] = new ArrivalRing(arrivals, queues.endpoint, 1_000 + i, LANE, SIZE);
        }
        final ExecutorService holder = Executors.newSingleThreadExecutor();
        try {
            final Future<?> put = holder.submit(() -> put(rings));
            final ReadyRings ready = new ReadyRings();
            final Entry entry = new Entry();
            final int[] next = new int[RINGS];
            int left = RINGS * EACH;
            while (left > 0 && (!put.isDone() || put.get() == null)) {
                arrivals.moveTo(ready);
                if (!ready.hasNext()) {
                    LockSupport.parkNanos(PAUSE_NANOS); // Both threads may have one processor only.
                }
                while (ready.hasNext()) {
                    ready.take(entry);
                    final int ring = (int) entry.length();
                    assertThat(entry.context()).isEqualTo(1_000 + ring);
                    assertThat(entry.data()).isEqualTo(next[ring]++);
                    left--;
                }
                arrivals.refill();
            }
            assertThat(next).containsOnly(EACH);
            Patience.get(put);
        } finally {
            holder.shutdownNow();
        }
        arrivals.close();
    }

    private static void put(final ArrivalRing[] rings) {
        for (int i = 0; i < EACH; i++) {
            for (int ring = 0; ring < RINGS; ring++) {
                while (rings[ring].unread() == SIZE && !Thread.currentThread().isInterrupted()) {
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
                rings[ring].put(i, ring);
            }
        }
    }
}
