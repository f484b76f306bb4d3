/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.AddressSpace;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.testing.Patience;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is taken for which memory, and that a second mapping is nobody's business. */
@Timeout(60)
class MemoryHoldTest {
    private static final long PAGE = 4096;
    private static final int RW = LibcConstants.PROT_READ | LibcConstants.PROT_WRITE;

    private final CountDownLatch told = new CountDownLatch(1);

    private static MappedMemory shared(final int fd) {
        return MappedMemory.map(0, 4 * PAGE, RW, LibcConstants.MAP_SHARED
            | (fd < 0 ? LibcConstants.MAP_ANONYMOUS : 0), fd, 0);
    }

    private MemoryHold hold(final MappingWatch watch, final MappedMemory memory) {
        return MemoryHold.of(memory.address(), memory.length(), watch, hold -> told.countDown());
    }

    @Test
    void privateMemoryIsWatchedAndCopiedByTheKernel() throws InterruptedException {
        try (MappingWatch watch = MappingWatch.open(); MappedMemory memory = MappedMemory.anonymous(4 * PAGE)) {
            final MemoryHold hold = hold(watch, memory);
            assertThat(hold.isWatched()).isTrue();
            assertThat(hold.mayFault()).isTrue();
            assertThat(hold.address()).isEqualTo(memory.address());
            assertThat(hold.intact()).isTrue();
            Libc.madvise(memory.address(), PAGE, LibcConstants.MADV_DONTNEED);
            Patience.await(told, "word of the range that went");
            assertThat(hold.intact()).isFalse();
            hold.renew(memory.address(), PAGE);
            assertThat(hold.intact()).as("though it was emptied a moment ago").isTrue();
            hold.close();
            assertThat(watch.guarded()).isZero();
        }
    }

    @Test
    void sharedMemoryIsMappedTwice() throws IOException {
        final int before = MappedMemory.mappedCount();
        final Path file = Files.createTempFile("rdma4j-hold", ".dat");
        try (MappingWatch watch = MappingWatch.open(); MappedMemory without = shared(-1);
            Fd sealed = memfd(LibcConstants.F_SEAL_SHRINK); Fd open = memfd(0);
            FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
            MappedMemory ofSealed = shared(sealed.fd()); MappedMemory ofOpen = shared(open.fd())) {
            assertTwice(watch, without, false);
            assertTwice(watch, ofSealed, false);
            assertTwice(watch, ofOpen, true);
            final ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 4 * PAGE);
            assertThat(BufferOwners.mayBeFile(BufferOwners.rootOf(mapped.slice(1, 5)))).isTrue();
            assertThat(BufferOwners.mayBeFile(ByteBuffer.allocateDirect(1))).isFalse();
            assertThat(MemoryHold.ofKept(ofSealed.address(), PAGE)).as("nothing can happen to it").isNull();
            MemoryHold.ofKept(ofOpen.address(), PAGE).close();
        } finally {
            Files.delete(file);
        }
        assertThat(MappedMemory.mappedCount()).isEqualTo(before);
    }

    private static Fd memfd(final int seals) {
        final Fd file = Fd.of(Libc.memfdCreate("hold", LibcConstants.MFD_ALLOW_SEALING), "hold");
        Libc.ftruncate(file.fd(), 4 * PAGE);
        FileCalls.addSeals(file.fd(), seals);
        return file;
    }

    private void assertTwice(final MappingWatch watch, final MappedMemory memory, final boolean mayFault) {
        try (MappingGuard other = watch.watch(memory.address(), memory.length(), (guard, from, to) -> { });
            MemoryHold hold = hold(watch, memory)) {
            assertThat(hold.mayFault()).isEqualTo(mayFault);
            assertThat(hold.isWatched()).isFalse();
            assertThat(hold.address()).isNotEqualTo(memory.address());
            new UnsafeBuffer(memory.address(), 8).putLong(0, 42);
            assertThat(new UnsafeBuffer(hold.address(), 8).getLong(0)).isEqualTo(42);
            assertThat(watch.awaitQuiet(Patience.nanos())).isTrue();
            assertThat(other.intact()).as("to map it twice is no change for who watches it").isTrue();
            assertThat(hold.intact()).isTrue();
        }
    }

    @Test
    void privateMemoryCannotBeMappedTwiceAndWhatIsNotThereCannotBeHeld() {
        try (MappingWatch watch = MappingWatch.open(); MappedMemory from = MappedMemory.anonymous(PAGE);
            MappedMemory to = MappedMemory.anonymous(PAGE)) {
            assertFails(RdmaException.EINVAL, () -> AddressSpace.mapAgain(from.address(), PAGE, to.address()));
            assertFails(RdmaException.EFAULT, () -> MemoryHold.of(PAGE, PAGE, watch, hold -> { }));
        }
    }

    private static void assertFails(final int errno, final ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }
}
