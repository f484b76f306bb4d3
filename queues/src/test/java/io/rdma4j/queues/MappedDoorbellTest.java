/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.hw.pvrdma.Uar;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MappedDoorbellTest {
    @Test
    void doesOneOrderedStore() {
        final UnsafeBuffer page = new UnsafeBuffer(RingMemory.allocate(1));
        new MappedDoorbell(page).ring(Uar.CQ_OFFSET, 77);
        assertThat(page.getInt(Uar.CQ_OFFSET)).isEqualTo(77);
        assertThat(page.getInt(0) | page.getInt(Uar.SRQ_OFFSET)).as("the others").isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {-4, 2, 12, 4096, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void refusesWhatIsNoDoorbell(final int offset) {
        final MappedDoorbell doorbell = new MappedDoorbell(new UnsafeBuffer(RingMemory.allocate(1)));
        assertThatThrownBy(() -> doorbell.ring(offset, 77)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(Integer.toString(offset));
    }

    @Test
    void refusesAPageInTheHeap() {
        assertThatThrownBy(() -> new MappedDoorbell(new UnsafeBuffer(new byte[4096])))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("heap");
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
