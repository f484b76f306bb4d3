/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.memory.AddressRangeMap.Range;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which memory is refused, and with which words. */
class MappingRefusalTest {
    private static final int PAGE = MappingMachine.PAGE;
    private static final String MAPS = String.join("\n",
        "55d0c8a00000-55d0c8a21000 rw-p 00000000 00:00 0                          [heap]",
        "7f0000000000-7f0000004000 rw-s 00000000 00:01 1024                       /memfd:mine (deleted)",
        "7f0000004000-7f0000005000 r--p 00000000 08:01 99                         /lib/a file.so",
        "7f0000005000-7f0000006000 r-xp 00001000 08:01 99                         /lib/a file.so",
        "7f0000007000-7f0000008000 ---p 00000000 00:00 0 ",
        "7f0000008000-7f0000009000 rw-s 00000000 00:01 32769                      /SYSV00000000 (deleted)",
        "7f0000009000-7f000000a000 rw-s 00000000 00:01 2048                       /memfd:java_heap (deleted)",
        "7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]",
        "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]");

    private MappingWatch watch;

    @BeforeEach
    void open() throws IOException {
        watch = MappingMachine.open();
    }

    @AfterEach
    void close() throws IOException {
        watch.close();
        assertThat(MappingMachine.registered()).isEmpty();
    }

    @Test
    void linesSayWhoseMemoryItIs() {
        final MappingAreas areas = MappingAreas.of(MAPS);
        assertThat(areas.refusal(0x7f0000000010L, 0x7f0000003000L)).isNull();
        assertThat(areas.refusal(0x7f0000003000L, 0x7f0000005000L)).as("two areas that touch").isNull();
        assertThat(areas.refusal(0x55d0c8a00100L, 0x55d0c8a00200L)).contains("malloc", "[heap]");
        assertThat(areas.refusal(0x7ffd00000100L, 0x7ffd00000200L)).contains("system", "[stack]");
        assertThat(areas.refusal(0x7f0000004ff0L, 0x7f0000005010L)).contains("JVM", "/lib/a file.so");
        assertThat(areas.refusal(0x7f0000007000L, 0x7f0000008000L)).contains("cannot be read");
        assertThat(areas.refusal(0x7f0000008000L, 0x7f0000009000L)).contains("System V");
        assertThat(areas.refusal(0x7f0000009000L, 0x7f000000a000L)).contains("JVM", "java_heap");
        assertThat(areas.refusal(0x7f0000000000L, 0x7f0000007000L)).contains("JVM");
        assertThat(areas.refusal(0x7f0000006000L, 0x7f0000007000L)).isEqualTo("nothing is mapped at 0x7f0000006000");
        assertThat(areas.refusal(0x1000, 0x2000)).isEqualTo("nothing is mapped at 0x1000");
        assertThat(MappingAreas.of("").refusal(0x1000, 0x2000)).contains("/proc/self/maps cannot be read");
        assertThat(areas.within(new Range(0x7f0000003000L, 0x7f0000004100L))).containsExactly(
            new Range(0x7f0000003000L, 0x7f0000004000L), new Range(0x7f0000004000L, 0x7f0000004100L));
        assertThat(areas.areaAt(0x7f0000006000L)).isNull();
    }

    @Test
    void otherMallocsMakeAllPrivateMemoryTheirs() {
        final MappingAreas areas = MappingAreas.of(String.join("\n",
            "7f0000000000-7f0000004000 rw-p 00000000 00:00 0 ",
            "7f0000004000-7f0000005000 r--p 00000000 08:01 99    /usr/lib/libjemalloc.so.2"));
        assertThat(areas.refusal(0x7f0000000000L, 0x7f0000001000L)).contains("libjemalloc is loaded");
    }

    /** From the main arena, from another thread's, from mappings of their own; at the beginning and in the middle. */
    @ParameterizedTest
    @ValueSource(ints = {16, 1_000, 100_000, 130_000, 1 << 20, 20 << 20, 40 << 20})
    void memoryOfMallocIsRefused(final int size) throws Exception {
        final ByteBuffer[] buffers = {ByteBuffer.allocateDirect(size), null};
        final Thread thread = new Thread(() -> buffers[1] = ByteBuffer.allocateDirect(size));
        thread.start();
        thread.join();
        for (final ByteBuffer buffer : buffers) {
            final long address = new UnsafeBuffer(buffer).addressOffset();
            for (final int at : new int[] {0, size / 2, size - 1}) {
                final MappingGuard guard = watch.watch(address + at, size - at, (hit, from, to) -> { });
                assertThat(guard.intact()).as("%d at %d: %s", size, at, guard).isFalse();
                assertThat(guard.whyNot()).contains("malloc");
            }
        }
        Reference.reachabilityFence(buffers);
    }

    @Test
    void memoryThatAnObjectOwnsIsRefusedUnseen() {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(PAGE);
        final MappingGuard guard = watch.watch(buffer, PAGE, PAGE, (hit, from, to) -> { });
        assertThat(guard.intact()).isFalse();
        assertThat(guard.whyNot()).contains("java.nio.DirectByteBuffer", "watch the owner instead");
        assertThat(guard.toString()).contains("refused", "DirectByteBuffer");
        guard.close();
        assertThat(guard.whyNot()).contains("DirectByteBuffer");
    }

    @Test
    void memoryThatIsNotThereIsRefused() {
        final long address = MappingMachine.map(3 * PAGE);
        Libc.munmap(address + PAGE, PAGE);
        final MappingGuard guard = watch.watch(address, 3 * PAGE, (hit, from, to) -> { });
        assertThat(guard.intact()).isFalse();
        assertThat(guard.whyNot()).isEqualTo(String.format("nothing is mapped at %#x", address + PAGE));
        Libc.munmap(address, PAGE);
        Libc.munmap(address + 2 * PAGE, PAGE);
    }

    @Test
    void filesAreWatchedOrTheKernelIsTooOld(@TempDir final Path folder) throws IOException {
        final Path path = Files.write(folder.resolve("file"), new byte[2 * PAGE]);
        try (Fd file = Fd.open(path.toString(), LibcConstants.O_RDWR)) {
            final long address = Libc.mmap(0, 2 * PAGE, MappingMachine.RW, LibcConstants.MAP_SHARED, file.fd(), 0);
            final String type = Files.getFileStore(path).type();
            final MappingGuard guard = watch.watch(address, PAGE, (hit, from, to) -> { });
            if (!guard.intact()) {
                assertThat(guard.whyNot()).contains("since 6.7", path.toString());
                final String[] kernel = System.getProperty("os.version").split("[^0-9]");
                assertThat(Integer.parseInt(kernel[0]) * 100 + Integer.parseInt(kernel[1])).as(type).isLessThan(607);
            }
            Libc.munmap(address, 2 * PAGE);
            MappingMachine.await("told", () -> watch.quiet() && !guard.intact());
        }
    }

    @Test
    void filesThatCannotBeWrittenAreRefused(@TempDir final Path folder) throws IOException {
        final Path path = Files.write(folder.resolve("file"), new byte[PAGE]);
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            final ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, PAGE);
            final MappingGuard guard = watch.watch(new UnsafeBuffer(mapped).addressOffset(), PAGE,
                (hit, from, to) -> { });
            assertThat(guard.intact()).isFalse();
            assertThat(guard.whyNot()).contains(path.toString());
            Reference.reachabilityFence(mapped);
        }
    }

    @Test
    void memoryThatAnotherUserfaultfdWatchesIsRefused() {
        final long address = MappingMachine.map(PAGE);
        final UserfaultFd other = UserfaultFd.open(UserfaultSource.ofLinux());
        try {
            assertThat(other.register(address, address + PAGE)).isZero();
            final MappingGuard guard = watch.watch(address, PAGE, (hit, from, to) -> { });
            assertThat(guard.intact()).isFalse();
            assertThat(guard.whyNot()).contains("another userfaultfd");
        } finally {
            other.close();
        }
        assertThat(watch.watch(address, PAGE, (hit, from, to) -> { }).intact()).isTrue();
        Libc.munmap(address, PAGE);
    }

    @Test
    void nonsenseIsAnError() {
        final MappingListener listener = (hit, from, to) -> { };
        for (final long[] range : new long[][] {{0, 1}, {-4096, 1}, {4096, 0}, {4096, -1}, {4096, Long.MAX_VALUE}}) {
            final RdmaException e = catchThrowableOfType(RdmaException.class,
                () -> watch.watch(range[0], range[1], listener));
            assertThat(e.errno()).isEqualTo(RdmaException.EINVAL);
            assertThat(e).hasMessageContaining("no range of memory");
        }
        final RdmaException e = catchThrowableOfType(RdmaException.class,
            () -> watch.watch(4096, 1, null));
        assertThat(e).hasMessageContaining("no listener for 1 bytes at 0x1000");
        final MappingWatch closed = MappingWatch.open();
        closed.close();
        closed.close();
        assertThat(closed.toString()).contains("closed");
        assertThat(catchThrowableOfType(RdmaException.class,
            () -> closed.watch(4096, 1, listener)).errno()).isEqualTo(RdmaException.EBADFD);
        assertThat(closed.quiet()).isTrue();
    }
}
