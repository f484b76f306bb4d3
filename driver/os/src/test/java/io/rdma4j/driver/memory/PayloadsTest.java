/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.testing.Allocations;
import io.rdma4j.testing.CutOffFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who copies what, and what is said of memory that is gone. */
class PayloadsTest {
    private static final int LENGTH = 100_000;
    private static final int PAGE = 4096;

    static Stream<UnsafeBuffer> targets() {
        return Stream.of(new UnsafeBuffer(new byte[LENGTH + 8]),
            new UnsafeBuffer(ByteBuffer.allocateDirect(LENGTH + 8)));
    }

    private static void fill(final UnsafeBuffer bytes) {
        for (int i = 0; i < bytes.capacity(); i++) {
            bytes.putByte(i, (byte) (i * 7 + 3));
        }
    }

    private static void assertCopied(final UnsafeBuffer from, final UnsafeBuffer to) {
        for (int i = 8; i < LENGTH; i++) {
            assertThat(to.getByte(i - 1)).isEqualTo(from.getByte(i));
        }
    }

    @ParameterizedTest
    @MethodSource("targets")
    void copiesFromEveryKindOfMemory(final UnsafeBuffer to) {
        try (CutOffFile file = new CutOffFile(LENGTH)) {
            for (final UnsafeBuffer from : new UnsafeBuffer[] {new UnsafeBuffer(new byte[LENGTH]),
                new UnsafeBuffer(ByteBuffer.allocateDirect(LENGTH)), new UnsafeBuffer(file.bytes())}) {
                fill(from);
                to.setMemory(0, LENGTH, (byte) 0);
                assertThat(Payloads.copy(from, 8, LENGTH - 8, to, 7)).isTrue();
                assertCopied(from, to);
                if (from.byteArray() == null) {
                    for (final boolean kept : new boolean[] {false, true}) {
                        to.setMemory(0, LENGTH, (byte) 0);
                        assertThat(Payloads.read(from.addressOffset() + 8, kept, to, 7, LENGTH - 8)).isTrue();
                        assertCopied(from, to);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("targets")
    void saysOfAFileThatWasCutOff(final UnsafeBuffer to) {
        try (CutOffFile file = new CutOffFile(LENGTH)) {
            final UnsafeBuffer from = new UnsafeBuffer(file.bytes());
            final UnsafeBuffer part = new UnsafeBuffer(file.bytes().slice().duplicate(), 8, 64);
            file.cutOff();
            assertThat(Payloads.copy(from, 0, LENGTH, to, 0)).isFalse();
            assertThat(Payloads.copy(part, 0, 64, to, 0)).isFalse();
            assertThat(Payloads.copy(from, 0, 0, to, 0)).isTrue();
        }
    }

    @Test
    void saysOfMemoryThatIsNotThere() {
        final UnsafeBuffer there = new UnsafeBuffer(ByteBuffer.allocateDirect(PAGE));
        try (MappedMemory memory = MappedMemory.anonymous(2 * PAGE)) {
            Libc.mmap(memory.address() + PAGE, PAGE, LibcConstants.PROT_NONE,
                LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
            assertThat(Payloads.read(memory.address() + PAGE - 8, false, there, 0, 16)).isFalse();
            assertThat(Payloads.write(there.addressOffset(), memory.address() + PAGE - 8, false, 16)).isFalse();
            assertThat(Payloads.write(there.addressOffset(), memory.address() + PAGE - 8, false, 8)).isTrue();
            assertThat(Payloads.copy(new UnsafeBuffer(memory.address(), 2 * PAGE), PAGE - 8, 16, there, 0)).isFalse();
            assertThat(Payloads.copy(new UnsafeBuffer(memory.address(), 2 * PAGE), PAGE - 8, 8, there, 0)).isTrue();
        }
    }

    @Test
    void knowsWhoKeepsMemory() {
        try (CutOffFile file = new CutOffFile(PAGE)) {
            final ByteBuffer direct = ByteBuffer.allocateDirect(PAGE);
            assertThat(BufferOwners.keeps(direct)).isTrue();
            assertThat(BufferOwners.keeps(new UnsafeBuffer(direct.slice()))).isTrue();
            assertThat(BufferOwners.keeps(file.bytes())).isFalse();
            assertThat(BufferOwners.keeps(new UnsafeBuffer(file.bytes().duplicate()))).isFalse();
            assertThat(BufferOwners.keeps(new UnsafeBuffer(file.bytes()).addressOffset())).isFalse();
            assertThat(BufferOwners.keeps(null)).isFalse();
            assertThat(BufferOwners.keeps(ByteBuffer.allocate(8))).isFalse();
            assertThat(BufferOwners.keeps(new UnsafeBuffer(ByteBuffer.allocate(8)))).isFalse();
            assertThat(BufferOwners.mayGo(new UnsafeBuffer(file.bytes().slice()))).isTrue();
            assertThat(BufferOwners.mayGo(new UnsafeBuffer(direct))).isFalse();
            assertThat(BufferOwners.mayGo(new UnsafeBuffer(new byte[1]))).isFalse();
            assertThat(BufferOwners.mayGo(new UnsafeBuffer(4096L, 8))).isTrue();
            assertThat(BufferOwners.mayGo(new UnsafeBuffer(0, 0))).isFalse();
        }
    }

    /** Its buffers have no cleaner; the tests are compiled for a JDK that has no segments. */
    @Test
    @EnabledForJreRange(min = JRE.JAVA_22)
    void knowsAFileThatAMemorySegmentMaps() throws ReflectiveOperationException, IOException {
        final Class<?> type = Class.forName("java.lang.foreign.Arena");
        final Object arena = type.getMethod("ofShared").invoke(null);
        final Path path = Files.createTempFile("rdma4j-segment", null);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            final Object segment = FileChannel.class
                .getMethod("map", FileChannel.MapMode.class, long.class, long.class, type)
                .invoke(file, FileChannel.MapMode.READ_WRITE, 0, PAGE, arena);
            final UnsafeBuffer bytes = new UnsafeBuffer((ByteBuffer) Class.forName("java.lang.foreign.MemorySegment")
                .getMethod("asByteBuffer").invoke(segment));
            final UnsafeBuffer to = new UnsafeBuffer(new byte[PAGE]);
            assertThat(Payloads.copy(bytes, 0, PAGE, to, 0)).isTrue();
            file.truncate(0);
            assertThat(Payloads.copy(bytes, 0, PAGE, to, 0)).isFalse();
        } finally {
            type.getMethod("close").invoke(arena);
            Files.delete(path);
        }
    }

    @ParameterizedTest
    @MethodSource("targets")
    void allocatesNothing(final UnsafeBuffer to) {
        try (CutOffFile file = new CutOffFile(PAGE)) {
            final UnsafeBuffer from = new UnsafeBuffer(file.bytes());
            final long address = from.addressOffset();
            assertThat(Allocations.perStep(10_000, () -> {
                Payloads.copy(from, 0, 64, to, 0);
                Payloads.read(address, false, to, 0, 64);
            })).isZero();
        }
    }
}
