/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.driver.pci.DmaMemory;

import org.agrona.BufferUtil;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

class RamDmaDomainTest {
    private static final int PAGE = 4096;
    private static final int RAM = 4 << 20;

    @TempDir
    private Path folder;

    private Path file;
    private RamDmaDomain dma;

    @BeforeEach
    void makesRam() throws IOException {
        file = folder.resolve("ram");
        resize(RAM);
        dma = new RamDmaDomain("qtest:test", GuestRam.map(file));
    }

    private void resize(final long bytes) throws IOException {
        try (RandomAccessFile ram = new RandomAccessFile(file.toFile(), "rw")) {
            ram.setLength(bytes);
        }
    }

    private static void assertFailure(final ThrowingCallable call, final int errno, final String... words) {
        assertThatThrownBy(call).asInstanceOf(type(RdmaException.class))
            .satisfies(e -> assertThat(RdmaException.errnoName(e.errno())).isEqualTo(RdmaException.errnoName(errno)))
            .satisfies(e -> assertThat(List.of(words)).allMatch(e.getMessage()::contains, e.getMessage()));
    }

    @Test
    void memoryIsThePartOfTheFileThatItsAddressSays() throws IOException {
        try (DmaMemory memory = dma.allocate(100); RandomAccessFile ram = new RandomAccessFile(file.toFile(), "r")) {
            assertThat(memory.length()).isEqualTo(PAGE);
            memory.buffer().putLong(64, 0x1122334455667788L);
            ram.seek(memory.iova() + 64);
            assertThat(Long.reverseBytes(ram.readLong())).isEqualTo(0x1122334455667788L);
            assertThat(memory.shared()).as("a file by its name, which others do not open").isEmpty();
        }
    }

    @Test
    void staysClearOfTheFirstMebibyteAndTheInterruptPage() {
        assertThat(dma.allocate(PAGE).iova()).isEqualTo(GuestRam.FIRST_DMA).isGreaterThan(GuestRam.INTERRUPT_PAGE);
    }

    @Test
    void givesUsedMemoryOutZeroed() {
        final DmaMemory first = dma.allocate(PAGE);
        first.buffer().setMemory(0, PAGE, (byte) 0x5a);
        first.close();
        final DmaMemory second = dma.allocate(PAGE);
        assertThat(second.iova()).isEqualTo(first.iova());
        for (int i = 0; i < PAGE; i++) {
            assertThat(second.buffer().getByte(i)).as("byte %d", i).isZero();
        }
    }

    @Test
    void mapsEveryPageThatARangeTouches() {
        final DmaMemory memory = dma.allocate(4 * PAGE);
        try (DmaMapping mapping = dma.map(memory.address() + PAGE - 1, 2, memory)) {
            assertThat(mapping.pageAddress()).isEqualTo(memory.address());
            assertThat(mapping.iova()).isEqualTo(memory.iova());
            assertThat(mapping.length()).isEqualTo(2 * PAGE);
            assertThat(dma.reachableBytes()).isEqualTo(6 * PAGE);
        }
        assertThat(dma.reachableBytes()).isEqualTo(4 * PAGE);
        memory.close();
        memory.close();
        assertThat(dma.reachableBytes()).isZero();
    }

    @Test
    void refusesMemoryOfOthersAndWhatReachesBeyondItsOwn() {
        final DmaMemory memory = dma.allocate(PAGE);
        final ByteBuffer foreign = ByteBuffer.allocateDirect(64);
        assertFailure(() -> dma.map(BufferUtil.address(foreign), 64, foreign), RdmaException.EFAULT, "no IOMMU",
            "allocate the memory from the device context");
        assertFailure(() -> dma.map(memory.address(), PAGE + 1, memory), RdmaException.EFAULT);
        assertFailure(() -> dma.map(memory.address() - 1, 1, memory), RdmaException.EFAULT);
        assertFailure(() -> dma.map(memory.address(), 0, memory), RdmaException.EINVAL);
        assertFailure(() -> dma.map(-5, 10, memory), RdmaException.EINVAL, "wraps");
        assertThat(dma.mapsAnyMemory()).isFalse();
    }

    @Test
    void memoryThatIsMappedIsNotGivenOutAgain() {
        final DmaMemory memory = dma.allocate(PAGE);
        final DmaMapping mapping = dma.map(memory.address(), PAGE, memory);
        memory.close();
        final DmaMemory other = dma.allocate(PAGE);
        assertThat(other.iova()).isNotEqualTo(memory.iova());
        mapping.close();
        assertThat(dma.allocate(PAGE).iova()).isEqualTo(memory.iova());
    }

    @Test
    void closedMemoryCanNoLongerBeMapped() {
        final DmaMemory memory = dma.allocate(PAGE);
        memory.close();
        assertFailure(() -> dma.map(memory.address(), PAGE, memory), RdmaException.EFAULT);
    }

    @Test
    void saysHowMuchIsLeftWhenThereIsNotEnough() {
        final DmaMemory all = dma.allocate(RAM - GuestRam.FIRST_DMA);
        assertFailure(() -> dma.allocate(PAGE), RdmaException.ENOMEM, "4096 bytes", "0 of " + RAM);
        all.close();
        assertFailure(() -> dma.allocate(RAM), RdmaException.ENOMEM);
        assertFailure(() -> dma.allocate(0), RdmaException.EINVAL);
        assertFailure(() -> dma.allocate(1L << 40), RdmaException.EINVAL);
        assertThat(dma.reachableBytes()).isZero();
    }

    @Test
    void refusesAFileThatCannotBeTheMachinesRam() throws IOException {
        assertFailure(() -> GuestRam.map(folder.resolve("none")), RdmaException.ENOENT, "none", "mem-path");
        resize(GuestRam.FIRST_DMA);
        assertFailure(() -> GuestRam.map(file), RdmaException.EINVAL, Long.toString(GuestRam.FIRST_DMA));
        resize(3L << 30);
        assertFailure(() -> GuestRam.map(file), RdmaException.EINVAL);
    }
}
