/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each CQE is shown once, in the order of the device. */
@Timeout(60)
class ObservedCompletionQueueTest {
    private static final int COUNT = 4;

    private final RingMemory memory = RingMemory.plain(COUNT, Cqe.LENGTH);
    private final CqeProducer device = memory.cqeProducer(COUNT);
    private final List<Long> shown = new ArrayList<>();
    private final CompletionQueue queue = new ObservedCompletionQueue(memory.driver, RingState.RX_OFFSET,
        Pdir.PAGE_SIZE, COUNT, memory.doorbell, RingMemory.HANDLE, (ring, at) -> shown.add(Cqe.wrId(ring, at)));
    private long produced;

    private void produce(final int n) {
        for (int i = 0; i < n; i++) {
            assertThat(device.claim()).isTrue();
            Cqe.wrId(device.page(), device.offset(), produced++);
            device.publish();
        }
        assertThat(queue.available()).isNotNegative();
    }

    @Test
    void onlyOnceHoweverOftenItIsLookedAt() {
        produce(3);
        assertThat(shown).as("nobody looked").isEmpty();
        assertThat(queue.cqeOffset(0)).isEqualTo(Pdir.PAGE_SIZE);
        assertThat(shown).containsExactly(0L);
        assertThat(queue.cqeOffset(2)).isEqualTo(Pdir.PAGE_SIZE + 2 * Cqe.LENGTH);
        queue.cqeOffset(1);
        queue.cqeOffset(0);
        assertThat(shown).as("and those before it").containsExactly(0L, 1L, 2L);
        queue.consume(2);
        queue.cqeOffset(0);
        queue.consume(1);
        assertThat(shown).containsExactly(0L, 1L, 2L);
    }

    @Test
    void evenIfItIsGivenBackUnseen() {
        for (int round = 0; round < 5; round++) {
            produce(3);
            queue.cqeOffset(0);
            queue.consume(2);
            queue.consume(0);
            queue.consume(1);
            assertThat(memory.driver.getInt(RingState.RX_CONS_HEAD_OFFSET)).isEqualTo((int) produced % (2 * COUNT));
        }
        assertThat(shown).hasSize(15).isSorted().doesNotHaveDuplicates();
    }
}
