/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.hw.pvrdma.Uar;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class MappedDoorbellTest {
    @Test
    void doesOneOrderedStore() {
        final List<String> log = new ArrayList<>();
        new MappedDoorbell(new RecordingBuffer(RingMemory.allocate(1), log)).ring(Uar.CQ_OFFSET, 77);
        assertThat(log).containsExactly("release 4 = 77");
    }

    @Test
    void refusesAPageWithoutRoomForAllDoorbells() {
        assertThatThrownBy(() -> new MappedDoorbell(new UnsafeBuffer(RingMemory.allocate(1), 0, 8)))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("8 bytes");
    }

    @Test
    void refusesAnUnalignedPage() {
        assertThatThrownBy(() -> new MappedDoorbell(new UnsafeBuffer(RingMemory.allocate(1), 2, 64)))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("aligned");
    }
}
