/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static io.rdma4j.driver.libc.Failing.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class FileCallsTest {
    private static final long PAGE = Libc.pageSize();
    private static final int NOT_OPEN = 1 << 30;

    @Test
    void aDuplicateIsTheSameFileAndOutlivesTheFirst() throws IOException {
        final int first = Libc.memfdCreate("first", 0);
        Libc.ftruncate(first, 3 * PAGE);
        final int second = FileCalls.duplicate(first);
        assertThat(second).isNotEqualTo(first);
        Libc.close(first);
        assertThat(FileCalls.seekEnd(second)).isEqualTo(3 * PAGE);
        assertThat(ProcSelf.flags(second) & LibcConstants.O_CLOEXEC).as("closed on exec").isNotZero();
        Libc.close(second);
    }

    @Test
    void anOpenFileNeedNotBlock() throws Exception {
        try (Fd fd = Fd.of(Libc.memfdCreate("blocking", 0), "blocking")) {
            assertThat(ProcSelf.flags(fd.fd()) & LibcConstants.O_NONBLOCK).isZero();
            FileCalls.setNonBlocking(fd.fd());
            assertThat(ProcSelf.flags(fd.fd()) & LibcConstants.O_NONBLOCK).isNotZero();
        }
        assertFails("fcntl F_GETFL", "EBADF", () -> FileCalls.setNonBlocking(NOT_OPEN));
    }

    @Test
    void sealsHold() {
        try (Fd fd = Fd.of(Libc.memfdCreate("sealed", LibcConstants.MFD_ALLOW_SEALING), "sealed");
            Fd other = Fd.of(Libc.memfdCreate("not-to-be-sealed", 0), "other")) {
            Libc.ftruncate(fd.fd(), 2 * PAGE);
            FileCalls.addSeals(fd.fd(), LibcConstants.F_SEAL_SHRINK);
            assertFails("ftruncate", "EPERM", () -> Libc.ftruncate(fd.fd(), PAGE));
            Libc.ftruncate(fd.fd(), 3 * PAGE);
            assertFails("fcntl F_ADD_SEALS", "EPERM",
                () -> FileCalls.addSeals(other.fd(), LibcConstants.F_SEAL_SHRINK));
        }
    }

    @Test
    void aPunchedPartIsZeroInMappingsAndTheFileStaysAsLong() {
        try (Fd fd = Fd.of(Libc.memfdCreate("punched", 0), "punched")) {
            Libc.ftruncate(fd.fd(), 3 * PAGE);
            try (MappedMemory memory = MappedMemory.map(0, 3 * PAGE, LibcConstants.PROT_READ
                | LibcConstants.PROT_WRITE, LibcConstants.MAP_SHARED, fd.fd(), 0)) {
                final UnsafeBuffer bytes = new UnsafeBuffer(memory.address(), (int) (3 * PAGE));
                bytes.setMemory(0, bytes.capacity(), (byte) 1);
                FileCalls.punchHole(fd.fd(), PAGE, PAGE);
                assertThat(bytes.getByte((int) PAGE - 1)).isEqualTo((byte) 1);
                assertThat(bytes.getLong((int) PAGE)).isZero();
                assertThat(bytes.getByte((int) (2 * PAGE))).isEqualTo((byte) 1);
                assertThat(FileCalls.seekEnd(fd.fd())).isEqualTo(3 * PAGE);
            }
            final String call = "fallocate FALLOC_FL_PUNCH_HOLE";
            assertFails(call, "EINVAL", () -> FileCalls.punchHole(fd.fd(), -1, PAGE));
            assertFails(call, "EINVAL", () -> FileCalls.punchHole(fd.fd(), 0, 0));
            assertFails(call, "EBADF", () -> FileCalls.punchHole(NOT_OPEN, 0, PAGE));
            assertFails(call, "EBADF", () -> FileCalls.punchHole(-1, 0, PAGE));
        }
    }

    @Test
    void filesThatAreNotOpenAreRefused() {
        assertFails("fcntl F_DUPFD_CLOEXEC", "EBADF", () -> FileCalls.duplicate(-1));
        assertFails("fcntl F_DUPFD_CLOEXEC", "EBADF", () -> FileCalls.duplicate(NOT_OPEN));
        assertFails("fcntl F_ADD_SEALS", "EBADF", () -> FileCalls.addSeals(NOT_OPEN, 2));
        assertFails("lseek", "EBADF", () -> FileCalls.seekEnd(-7));
        assertFails("lseek", "EBADF", () -> FileCalls.seekEnd(NOT_OPEN));
    }

    @Test
    void msyncNeedsMappedWholePages() {
        try (FencedPages pages = new FencedPages(2)) {
            final long address = pages.address();
            FileCalls.msync(address, 2 * PAGE);
            assertFails("msync", "EINVAL", () -> FileCalls.msync(address + 1, PAGE));
            assertFails("msync", "EINVAL", () -> FileCalls.msync(address, 0));
            assertFails("msync", "EINVAL", () -> FileCalls.msync(0, PAGE));
            assertFails("msync", "EINVAL", () -> FileCalls.msync(address, Long.MAX_VALUE));
            Libc.munmap(address, 2 * PAGE);
            assertFails("msync", "ENOMEM", () -> FileCalls.msync(address, PAGE));
        }
    }
}
