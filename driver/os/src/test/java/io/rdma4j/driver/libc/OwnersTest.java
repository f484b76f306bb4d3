/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static io.rdma4j.driver.libc.Failing.assertFails;
import static io.rdma4j.driver.libc.LibcConstants.O_RDONLY;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class OwnersTest {
    private static final long PAGE = Libc.pageSize();
    private static final int THREADS = 4;
    private static final int ATTEMPTS = 20;

    @Test
    void aFileIsCountedAndClosedOnce() throws Exception {
        final int before = Fd.openCount();
        final Fd fd = Fd.of(Libc.memfdCreate("rdma4j-once", 0), "once");
        assertThat(Fd.openCount()).isEqualTo(before + 1);
        assertThat(fd).hasToString("once (fd " + fd.fd() + ")");
        assertThat(fd.isOpen()).isTrue();
        fd.close();
        assertThat(ProcSelf.openFiles("memfd:rdma4j-once")).isZero();
        try (Fd next = Fd.open("/dev/null", O_RDONLY)) { // Very likely of the same number.
            fd.close();
            assertThat(Fd.openCount()).isEqualTo(before + 1);
            assertThat(Libc.read(next.fd(), Failing.offHeap(1), 1)).as("end of /dev/null").isZero();
        }
        assertThat(fd.isOpen()).isFalse();
        assertThat(Fd.openCount()).isEqualTo(before);
        assertFails("use of file", "EBADFD", fd::fd).hasMessageContaining("(once)");
    }

    @Test
    void aFileThatSomebodyElseClosedIsReportedAndGivenUp() {
        final int before = Fd.openCount();
        final Fd fd = Fd.of(1 << 29, "stolen");
        assertFails("close", "EBADF", fd::close);
        assertThat(Fd.openCount()).isEqualTo(before);
        fd.close();
        assertFails("stolen", "EBADF", () -> Fd.of(-1, "stolen"));
        assertFails("open", "ENOENT", () -> Fd.open("/nowhere/at/all", O_RDONLY));
        assertThat(Fd.openCount()).isEqualTo(before);
    }

    /**
     * The whole process is counted and mapped here, also memory of earlier tests that the garbage collector gives back
     * meanwhile, and stacks of threads that start. What is wrong is so each time.
     */
    private static void undisturbed(final ThrowingCallable body) throws Throwable {
        for (int attempt = 1; ; attempt++) {
            try {
                body.call();
                return;
            } catch (final AssertionError e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
                System.gc();
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    @Test
    void memoryIsCountedAndUnmappedOnce() throws Throwable {
        undisturbed(OwnersTest::mapCountAndUnmap);
    }

    private static void mapCountAndUnmap() throws IOException {
        final int count = MappedMemory.mappedCount();
        final long bytes = MappedMemory.mappedBytes();
        final MappedMemory memory = MappedMemory.anonymous(3 * PAGE);
        final long address = memory.address();
        assertThat(memory).hasToString(String.format("%d bytes at %#x", 3 * PAGE, address));
        assertThat(memory.length()).isEqualTo(3 * PAGE);
        assertThat(MappedMemory.mappedCount()).isEqualTo(count + 1);
        assertThat(MappedMemory.mappedBytes()).isEqualTo(bytes + 3 * PAGE);
        memory.close();
        assertThat(ProcSelf.isMapped(address)).isFalse();
        memory.close();
        assertThat(MappedMemory.mappedCount()).isEqualTo(count);
        assertThat(MappedMemory.mappedBytes()).isEqualTo(bytes);
        assertThat(memory.isOpen()).isFalse();
        assertFails("use of mapped memory", "EBADFD", memory::address).hasMessageContaining("are unmapped");
    }

    @Test
    void takesOverAMappingAndRefusesWhatIsNone() throws Throwable {
        undisturbed(OwnersTest::takeOverAndBeRefused);
    }

    private static void takeOverAndBeRefused() throws IOException {
        final int count = MappedMemory.mappedCount();
        final long address = Libc.mmap(0, PAGE, LibcConstants.PROT_READ,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS, -1, 0);
        try (MappedMemory adopted = MappedMemory.of(address, PAGE)) {
            assertThat(adopted.address()).isEqualTo(address);
        }
        assertThat(ProcSelf.isMapped(address)).isFalse();
        assertThat(MappedMemory.mappedCount()).isEqualTo(count);
        assertFails("mapped memory", "EINVAL", () -> MappedMemory.of(address + 1, PAGE));
        assertFails("mapped memory", "EINVAL", () -> MappedMemory.of(0, PAGE));
        assertFails("mmap", "ENOMEM", () -> MappedMemory.anonymous(1L << 50));
        assertThat(MappedMemory.mappedCount()).isEqualTo(count);
    }

    @Test
    void ofManyThreadsThatCloseOneDoes() throws Exception {
        final int before = Fd.openCount();
        final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            for (int round = 0; round < 100; round++) {
                final Fd fd = Fd.of(Libc.memfdCreate("raced", 0), "raced");
                final CyclicBarrier start = new CyclicBarrier(THREADS);
                final Callable<Integer> close = () -> {
                    start.await();
                    fd.close(); // A second close of the number would be EBADF.
                    return 0;
                };
                for (final Future<Integer> closed : threads.invokeAll(Collections.nCopies(THREADS, close))) {
                    assertThat(closed.get()).isZero();
                }
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(Fd.openCount()).isEqualTo(before);
    }
}
