/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static io.rdma4j.driver.libc.Failing.assertFails;
import static io.rdma4j.driver.libc.LibcConstants.MREMAP_DONTUNMAP;
import static io.rdma4j.driver.libc.LibcConstants.MREMAP_FIXED;
import static io.rdma4j.driver.libc.LibcConstants.MREMAP_MAYMOVE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class AddressSpaceTest {
    private static final int PAGE = (int) Libc.pageSize();
    private static final int RW = LibcConstants.PROT_READ | LibcConstants.PROT_WRITE;
    private static final int ANONYMOUS = LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS;

    private static long map(final int pages) {
        return Libc.mmap(0, (long) pages * PAGE, RW, ANONYMOUS, -1, 0);
    }

    private static UnsafeBuffer direct(final int length) {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(length));
    }

    @Test
    void mremapMovesWhatIsThere() throws Exception {
        try (FencedPages from = new FencedPages(1); FencedPages to = new FencedPages(3)) {
            assertMoves(from.address(), to.address());
        }
    }

    private static void assertMoves(final long from, final long to) throws IOException {
        Libc.directBuffer(from, 8).putLong(0, 42);
        assertThat(AddressSpace.mremap(from, PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to)).isEqualTo(to);
        assertThat(Libc.directBuffer(to, 8).getLong(0)).isEqualTo(42);
        assertThat(ProcSelf.isMapped(from)).isFalse();
        assertThat(AddressSpace.mremap(to, 3 * PAGE, PAGE, 0, 0)).isEqualTo(to);
        assertThat(ProcSelf.isMapped(to + PAGE)).isFalse();
        final long moved = AddressSpace.mremap(to, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0);
        assertThat(Libc.directBuffer(moved, 8).getLong(0)).isEqualTo(42);
        assertThat(Libc.directBuffer(to, 8).getLong(0)).isZero();
        Libc.munmap(moved, PAGE);
    }

    @Test
    void mremapRefusesWhatCannotBe() {
        try (FencedPages pages = new FencedPages(2)) {
            assertRefuses(pages.address());
        }
    }

    private static void assertRefuses(final long address) {
        assertFails("mremap", "EINVAL", () -> AddressSpace.mremap(0, PAGE, PAGE, 0, 0)).hasMessageContaining("range");
        assertFails("mremap", "EINVAL", () -> AddressSpace.mremap(address, 0, PAGE, 0, 0));
        assertFails("mremap", "EINVAL", () -> AddressSpace.mremap(address, PAGE, -PAGE, 0, 0));
        assertFails("mremap", "EINVAL", () -> AddressSpace.mremap(address + 1, PAGE, PAGE, 0, 0));
        assertFails("mremap", "EINVAL", () -> AddressSpace.mremap(address, PAGE, PAGE, 8, 0))
            .hasMessageContaining("flags 0x8");
        assertFails("mremap", "EINVAL", () -> AddressSpace.mremap(address, PAGE, PAGE, MREMAP_MAYMOVE, address));
        assertFails("mremap", "EINVAL", () -> AddressSpace.mremap(address, PAGE, PAGE, MREMAP_FIXED, 0));
        final long last = Long.MAX_VALUE & -PAGE;
        assertFails("mremap", "EINVAL", () -> AddressSpace.mremap(address, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
            last)).hasMessageContaining("no range");
        assertFails("mremap", "EINVAL", () -> AddressSpace.mapAgain(address, PAGE, last))
            .hasMessageContaining("no range");
        assertFails("mremap", "EINVAL", () -> AddressSpace.mapAgain(address, PAGE, 0)).hasMessageContaining("no range");
        Libc.munmap(address + PAGE, PAGE);
        assertFails("mremap", "EFAULT", () -> AddressSpace.mremap(address, 2 * PAGE, PAGE * 4, MREMAP_MAYMOVE, 0))
            .hasMessageContaining(String.format("address %#x", address));
    }

    @Test
    void userfaultfdIsMadeOrTheKernelSaysWhyNot() {
        try (Fd fd = Fd.of(AddressSpace.userfaultfd(LibcConstants.O_NONBLOCK
                | LibcConstants.UFFD_USER_MODE_ONLY), "userfaultfd")) {
            assertThat(fd.isOpen()).isTrue();
            final UnsafeBuffer nothing = direct(32);
            assertThat(Libc.tryIoctl(fd.fd(), new IoctlRequest("UFFDIO_REGISTER", 0xC020AA00L, 32, false), nothing))
                .as("before UFFDIO_API").isEqualTo(-RdmaException.EINVAL);
        } catch (final RdmaException e) {
            assertThat(RdmaException.errnoName(e.errno())).as(e.getMessage()).isIn("ENOSYS", "EPERM", "EINVAL");
        }
        assertFails("userfaultfd", "EINVAL", () -> AddressSpace.userfaultfd(1 << 30))
            .hasMessageContaining("flags 0x40000000");
    }

    @Test
    void tryIoctlAnswersAndChecksItsArguments() {
        final IoctlRequest request = new IoctlRequest("FIONREAD", 0x541B, Integer.BYTES, false);
        try (Fd fd = Fd.of(Libc.memfdCreate("asked", 0), "asked"); EventFd event = EventFd.create()) {
            final UnsafeBuffer answer = direct(Integer.BYTES);
            Libc.ftruncate(fd.fd(), 7);
            assertThat(Libc.tryIoctl(fd.fd(), request, answer)).isZero();
            assertThat(answer.getInt(0)).isEqualTo(7);
            assertThat(RdmaException.errnoName(-Libc.tryIoctl(event.fd(), request, answer))).isEqualTo("ENOTTY");
            assertFails("ioctl", "EINVAL", () -> Libc.tryIoctl(fd.fd(), request, direct(3)))
                .hasMessageContaining("the buffer has 3");
            assertFails("ioctl", "EINVAL", () -> Libc.tryIoctl(fd.fd(), IoctlRequest.ofValue("X", 1), answer));
            assertFails("ioctl", "EINVAL", () -> Libc.tryIoctl(fd.fd(), request, new UnsafeBuffer(new byte[4])));
            assertFails("ioctl", "EBADF", () -> Libc.tryIoctl(-1, request, answer));
            assertThat(RdmaException.errnoName(-Libc.tryIoctl(1 << 29, request, answer))).isEqualTo("EBADF");
        }
    }

    @Test
    void peekReadsUntilThereIsNothing() {
        final long address = map(4);
        for (int i = 0; i < 4; i++) {
            Libc.directBuffer(address + i * PAGE, 8).putLong(0, 10 + i);
        }
        Libc.munmap(address + 2 * PAGE, PAGE);
        final UnsafeBuffer words = direct(4 * Long.BYTES);
        assertThat(AddressSpace.peek(address, PAGE, Long.BYTES, words)).isEqualTo(2);
        assertThat(words.getLong(0)).isEqualTo(10);
        assertThat(words.getLong(8)).isEqualTo(11);
        assertThat(AddressSpace.peek(address + 3 * PAGE, -PAGE, Long.BYTES, words)).isEqualTo(1);
        assertThat(words.getLong(0)).isEqualTo(13);
        assertThat(AddressSpace.peek(address + 2 * PAGE, 0, Long.BYTES, words)).isZero();
        assertThat(AddressSpace.peek(8, 0, Long.BYTES, words)).isZero();
        assertThat(AddressSpace.peek(address, 0, Long.BYTES, direct(100_000))).as("at most").isEqualTo(1024);
        assertFails("process_vm_readv", "EINVAL", () -> AddressSpace.peek(address, 0, 0, words));
        assertFails("process_vm_readv", "EINVAL", () -> AddressSpace.peek(address, 0, 64, words));
        Libc.munmap(address, 2 * PAGE);
        Libc.munmap(address + 3 * PAGE, PAGE);
    }
}
