/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SendLinesTest {
    /** Less than a page, wherever the system has room for it. */
    @Test
    void aSmallQueueHasAllItsMemory() {
        for (int i = 0; i < 10; i++) {
            final SendLines.Queue queue = new SendLines.Queue(2);
            queue.add(0, 7);
            queue.add(1, 8);
            assertThat(queue.take(0)).isEqualTo(7);
            assertThat(queue.take(1)).isEqualTo(8);
        }
    }
}
