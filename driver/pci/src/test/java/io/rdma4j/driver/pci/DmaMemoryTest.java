/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class DmaMemoryTest {
    private static final long IOVA = 0x10000;

    private final AtomicInteger releases = new AtomicInteger();

    private static ByteBuffer pages(final int count) {
        return ByteBuffer.allocateDirect((count + 1) * 4096).alignedSlice(4096).slice(0, count * 4096);
    }

    private static void refresh(final long address, final long length, final boolean write) {
        throw new AssertionError("nobody asked for it");
    }

    @Test
    void closingReleasesOnceAndTheMemoryStaysUsable() {
        final DmaMemory memory = new DmaMemory(pages(1), IOVA, releases::incrementAndGet);
        final UnsafeBuffer buffer = memory.buffer();
        assertThat(memory.isClosed()).isFalse();

        memory.close();
        memory.close();

        assertThat(releases).hasValue(1);
        assertThat(memory.isClosed()).isTrue();
        buffer.putLong(4088, 7);
        assertThat(memory.buffer(4088, 8).getLong(0)).isEqualTo(7);
        assertThat(memory.toString()).contains("iova=0x10000", "closed");
    }

    @Test
    void eachPageMayBeSomewhereElse() {
        final LongUnaryOperator backwards = offset -> 0x9000 - offset / 4096 * 4096 + offset % 4096;
        final DmaMemory memory = new DmaMemory(pages(2), backwards, () -> { }, null);
        final DmaMapping mapping =
            new DmaMapping(0x5000, 8192, backwards, null, () -> { }, DmaMemoryTest::refresh);
        assertThat(memory.iova()).isEqualTo(mapping.iova()).isEqualTo(0x9000);
        assertThat(memory.iova(4096 + 5)).isEqualTo(mapping.iova(4096 + 5)).isEqualTo(0x8005);
        assertThatThrownBy(() -> memory.iova(8192)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> mapping.iova(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void saysWhereOthersFindIt() {
        final SharedFile place = new SharedFile(7, 8192);
        assertThat(new DmaMemory(pages(1), offset -> IOVA + offset, () -> { }, place).shared()).contains(place);
        assertThat(new DmaMemory(pages(1), IOVA, () -> { }).shared()).isEmpty();
    }

    @Test
    void refusesMemoryThatIsNotWholeAlignedPages() {
        assertThatIllegalArgumentException().isThrownBy(
            () -> new DmaMemory(ByteBuffer.allocate(4096), IOVA, () -> { }));
        assertThatIllegalArgumentException().isThrownBy(
            () -> new DmaMemory(pages(2).slice(8, 4096), IOVA, () -> { }));
        assertThatIllegalArgumentException().isThrownBy(
            () -> new DmaMemory(pages(1).slice(0, 4095), IOVA, () -> { }));
        assertThatIllegalArgumentException().isThrownBy(() -> new DmaMemory(pages(1), 0, () -> { }));
        assertThatIllegalArgumentException().isThrownBy(() -> new DmaMemory(pages(1), 4097, () -> { }));
    }

    @Test
    void aMappingReleasesOnceAndRefusesOddNumbers() {
        final DmaMapping mapping = new DmaMapping(0x5000, 4096, IOVA, "owner", releases::incrementAndGet);

        mapping.close();
        mapping.close();

        assertThat(releases).hasValue(1);
        assertThat(mapping.toString()).contains("0x5000", "closed");
        assertThatIllegalArgumentException().isThrownBy(() -> new DmaMapping(1, 4096, IOVA, null, () -> { }));
        assertThatIllegalArgumentException().isThrownBy(() -> new DmaMapping(4096, 0, IOVA, null, () -> { }));
        assertThatIllegalArgumentException().isThrownBy(() -> new DmaMapping(4096, 100, IOVA, null, () -> { }));
        assertThatIllegalArgumentException().isThrownBy(() -> new DmaMapping(4096, 4096, 0, null, () -> { }));
    }
}
