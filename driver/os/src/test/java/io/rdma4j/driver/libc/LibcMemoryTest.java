/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static io.rdma4j.driver.libc.Failing.assertFails;
import static io.rdma4j.driver.libc.LibcConstants.MADV_DONTNEED;
import static io.rdma4j.driver.libc.LibcConstants.MAP_ANONYMOUS;
import static io.rdma4j.driver.libc.LibcConstants.MAP_FIXED;
import static io.rdma4j.driver.libc.LibcConstants.MAP_FIXED_NOREPLACE;
import static io.rdma4j.driver.libc.LibcConstants.MAP_PRIVATE;
import static io.rdma4j.driver.libc.LibcConstants.MAP_SHARED;
import static io.rdma4j.driver.libc.LibcConstants.MFD_HUGETLB;
import static io.rdma4j.driver.libc.LibcConstants.MFD_HUGE_2MB;
import static io.rdma4j.driver.libc.LibcConstants.PROT_NONE;
import static io.rdma4j.driver.libc.LibcConstants.PROT_READ;
import static io.rdma4j.driver.libc.LibcConstants.PROT_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rdma4j.RdmaException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class LibcMemoryTest {
    private static final int RW = PROT_READ | PROT_WRITE;
    private static final int ANONYMOUS = MAP_PRIVATE | MAP_ANONYMOUS;
    private static final long PAGE = Libc.pageSize();
    private static final long TWO_MB = 2 << 20;
    private static final long BEYOND_ANY_MACHINE = 1L << 50;

    @Test
    void twoMappingsOfAFileShowTheSameBytes() {
        try (Fd fd = Fd.of(Libc.memfdCreate("twice", 0), "twice")) {
            Libc.ftruncate(fd.fd(), 2 * PAGE);
            try (MappedMemory whole = MappedMemory.map(0, 2 * PAGE, RW, MAP_SHARED, fd.fd(), 0);
                    MappedMemory second = MappedMemory.map(0, PAGE, PROT_READ, MAP_SHARED, fd.fd(), PAGE)) {
                view(whole).putLong((int) PAGE + 8, 0x1122334455667788L);
                assertThat(view(second).getLong(8)).isEqualTo(0x1122334455667788L);
            }
        }
    }

    @Test
    void fixedMappingsReplaceAndNoReplaceRefuses() {
        try (MappedMemory memory = MappedMemory.anonymous(2 * PAGE)) {
            final long address = memory.address();
            view(memory).putLong(0, 1);
            view(memory).putLong((int) PAGE, 2);
            assertFails("mmap", "EEXIST",
                () -> Libc.mmap(address, PAGE, RW, ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
            assertThat(view(memory).getLong(0)).isOne();
            assertThat(Libc.mmap(address, PAGE, RW, ANONYMOUS | MAP_FIXED, -1, 0)).isEqualTo(address);
            assertThat(view(memory).getLong(0)).as("new memory").isZero();
            assertThat(view(memory).getLong((int) PAGE)).as("the other page").isEqualTo(2);
        }
    }

    @Test
    void mmapRefusesWhatCannotBeMapped() {
        assertFails("mmap", "EINVAL", () -> Libc.mmap(0, 0, RW, ANONYMOUS, -1, 0)).hasMessageContaining("length 0");
        assertFails("mmap", "EINVAL", () -> Libc.mmap(0, -1, RW, ANONYMOUS, -1, 0)).hasMessageContaining("length -1");
        assertFails("mmap", "EINVAL", () -> Libc.mmap(PAGE + 1, PAGE, RW, ANONYMOUS, -1, 0))
            .hasMessageContainingAll("address", "not aligned to the page size");
        assertFails("mmap", "EINVAL", () -> Libc.mmap(-PAGE, PAGE, RW, ANONYMOUS, -1, 0));
        assertFails("mmap", "EINVAL", () -> Libc.mmap(0, PAGE, RW, MAP_SHARED, 1, 8))
            .hasMessageContaining("offset 0x8");
        assertFails("mmap", "EINVAL", () -> Libc.mmap(0, PAGE, RW, ANONYMOUS | MAP_FIXED, -1, 0))
            .hasMessageContaining("MAP_FIXED at address 0");
        assertFails("mmap", "EBADF", () -> Libc.mmap(0, PAGE, RW, MAP_SHARED, -1, 0)).hasMessageContaining("-1");
    }

    @Test
    void mmapSaysWhatTheKernelSays() {
        assertFails("mmap", "ENOMEM", () -> MappedMemory.anonymous(BEYOND_ANY_MACHINE))
            .hasMessageContaining("length " + BEYOND_ANY_MACHINE);
        assertFails("mmap", "EBADF", () -> Libc.mmap(0, PAGE, RW, MAP_SHARED, 1 << 29, 0));
        assertFails("mmap", "EINVAL", () -> Libc.mmap(0, PAGE, RW, MAP_ANONYMOUS, -1, 0));
        try (EventFd event = EventFd.create()) {
            assertFails("mmap", "ENODEV", () -> Libc.mmap(0, PAGE, RW, MAP_SHARED, event.fd(), 0));
        }
        try (Fd readOnly = Fd.open("/proc/self/exe", 0)) {
            assertFails("mmap", "EACCES", () -> Libc.mmap(0, PAGE, RW, MAP_SHARED, readOnly.fd(), 0));
        }
    }

    @Test
    void munmapTakesTheMemoryAway() throws Exception {
        try (FencedPages page = new FencedPages(1)) {
            assertTakesAway(page.address());
        }
    }

    private static void assertTakesAway(final long address) throws IOException {
        assertThat(ProcSelf.isMapped(address)).isTrue();
        assertFails("munmap", "EINVAL", () -> Libc.munmap(address + 8, PAGE)).hasMessageContaining("not aligned");
        assertFails("munmap", "EINVAL", () -> Libc.munmap(address, 0));
        assertFails("munmap", "EINVAL", () -> Libc.munmap(0, PAGE));
        assertFails("munmap", "EINVAL", () -> Libc.munmap(address, Long.MAX_VALUE)).hasMessageContaining("no range");
        assertThat(ProcSelf.isMapped(address)).as("refused calls do nothing").isTrue();
        Libc.munmap(address, PAGE);
        assertThat(ProcSelf.isMapped(address)).isFalse();
        assertFails("munmap", "EINVAL", () -> Libc.munmap(1L << 62, PAGE)).hasMessageContaining("0x4000000000000000");
    }

    @Test
    void mlockLocksWholePagesAndMunlockUndoesAnyNumberOfThem() throws Exception {
        try (MappedMemory memory = MappedMemory.anonymous(4 * PAGE)) {
            final long before = ProcSelf.status("VmLck");
            Libc.mlock(memory.address() + PAGE - 1, 2);
            assertThat(ProcSelf.status("VmLck") - before).as("two bytes in two pages").isEqualTo(2 * PAGE / 1024);
            Libc.mlock(memory.address() + PAGE - 1, 2);
            Libc.munlock(memory.address(), 2 * PAGE);
            assertThat(ProcSelf.status("VmLck") - before).isZero();
        }
    }

    @Test
    void mlockSaysWhatTheKernelSays() {
        try (MappedMemory memory = MappedMemory.map(0, PAGE, PROT_NONE, ANONYMOUS, -1, 0)) {
            final long address = memory.address();
            assertFails("mlock", "ENOMEM", () -> Libc.mlock(address, PAGE))
                .hasMessageContaining(String.format("address %#x, length %d", address, PAGE));
            assertFails("munlock", "ENOMEM", () -> Libc.munlock(1L << 62, PAGE));
        }
        assertFails("mlock", "EINVAL", () -> Libc.mlock(0, PAGE)).hasMessageContaining("no range of memory");
        assertFails("mlock", "EINVAL", () -> Libc.mlock(PAGE, -PAGE));
        assertFails("munlock", "EINVAL", () -> Libc.munlock(PAGE, Long.MAX_VALUE));
    }

    @Test
    void adviceArrives() {
        try (MappedMemory memory = MappedMemory.anonymous(PAGE)) {
            final long address = memory.address();
            view(memory).putLong(0, 7);
            Libc.madvise(address, PAGE, MADV_DONTNEED);
            assertThat(view(memory).getLong(0)).isZero();
            assertFails("madvise", "EINVAL", () -> Libc.madvise(address, PAGE, 9999))
                .hasMessageContaining("advice 9999");
            assertFails("madvise", "EINVAL", () -> Libc.madvise(address + 8, 8, MADV_DONTNEED))
                .hasMessageContaining("not aligned");
        }
    }

    /** Whether there are any is the machine's affair; it must be one of the two, and nothing else. */
    @Test
    void hugepagesAreMappedOrThereAreNone() throws Exception {
        final int pages = (int) TWO_MB;
        try (Fd fd = Fd.of(Libc.memfdCreate("huge", MFD_HUGETLB | MFD_HUGE_2MB), "huge");
                MappedMemory memory = MappedMemory.map(0, pages, RW, MAP_SHARED, fd.fd(), 0)) {
            assertThat(memory.address() & TWO_MB - 1).isZero();
            Libc.directBuffer(memory.address(), pages).putLong(pages - 8, 1);
        } catch (final RdmaException e) {
            assertThat(RdmaException.errnoName(e.errno())).as(e.getMessage())
                .isIn("ENOMEM", "ENOSYS", "ENODEV", "EINVAL", "EPERM");
        }
        assertThat(ProcSelf.openFiles("memfd:huge")).isZero();
    }

    @Test
    void aDirectBufferShowsMemoryThatItDoesNotOwn() {
        try (MappedMemory memory = MappedMemory.anonymous(PAGE)) {
            final ByteBuffer buffer = Libc.directBuffer(memory.address() + 16, 32);
            assertThat(buffer.isDirect()).isTrue();
            assertThat(buffer.capacity()).isEqualTo(32);
            assertThat(buffer.order()).isEqualTo(ByteOrder.nativeOrder());
            assertThat(new UnsafeBuffer(buffer).addressOffset()).isEqualTo(memory.address() + 16);
            buffer.putInt(4, 0xABCD);
            assertThat(view(memory).getInt(20)).isEqualTo(0xABCD);
        }
        final long tooLong = 1L << 31;
        assertFails("direct buffer", "EINVAL", () -> Libc.directBuffer(PAGE, tooLong))
            .hasMessageContaining("" + tooLong);
        assertFails("direct buffer", "EINVAL", () -> Libc.directBuffer(0, 8));
        assertFails("direct buffer", "EINVAL", () -> Libc.directBuffer(PAGE, -8));
        assertThat(catchThrowable(() -> Libc.directBuffer(PAGE, 0))).hasMessageContaining("length 0");
    }

    private static UnsafeBuffer view(final MappedMemory memory) {
        return new UnsafeBuffer(memory.address(), (int) memory.length());
    }
}
