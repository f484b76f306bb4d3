/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static io.rdma4j.driver.libc.Failing.assertFails;
import static io.rdma4j.driver.libc.Failing.offHeap;
import static io.rdma4j.driver.libc.LibcConstants.O_CLOEXEC;
import static org.assertj.core.api.Assertions.assertThat;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LibcIoctlTest {
    private static final IoctlRequest FIONREAD = new IoctlRequest("FIONREAD", 0x541B, Integer.BYTES, false);
    private static final IoctlRequest FIONCLEX = IoctlRequest.ofValue("FIONCLEX", 0x5450);
    private static final IoctlRequest SIZED = new IoctlRequest("SIZED", 0x3B70, 16, true);
    private static final IoctlRequest LARGE_NUMBER = IoctlRequest.ofValue("LARGE", 0xC000_BEEFL);

    private Fd out;
    private Fd in;

    @BeforeEach
    void open() {
        final Fd[] pipe = PosixThreads.newPipe();
        out = pipe[0];
        in = pipe[1];
    }

    @AfterEach
    void close() {
        out.close();
        in.close();
    }

    @Test
    void theKernelWritesIntoTheArgument() {
        Libc.write(in.fd(), offHeap(5), 5);
        final UnsafeBuffer argument = offHeap(8);
        argument.setMemory(0, 8, (byte) 0x11);
        assertThat(Libc.ioctl(out.fd(), FIONREAD, new UnsafeBuffer(argument, 4, 4))).isZero();
        assertThat(argument.getInt(4)).isEqualTo(5);
        assertThat(argument.getInt(0)).as("what is before the argument").isEqualTo(0x11111111);
    }

    @Test
    void aRequestWithoutArgumentActsOnTheFile() throws Exception {
        try (Fd fd = Fd.open("/dev/null", 0)) {
            assertThat(Libc.ioctl(fd.fd(), FIONCLEX, 0)).isZero();
            assertThat(ProcSelf.flags(fd.fd()) & O_CLOEXEC).as("no longer closed on exec").isZero();
        }
    }

    @Test
    void aRequestThatTheFileDoesNotKnowIsNamed() {
        final UnsafeBuffer argument = offHeap(16);
        argument.putInt(0, 16);
        assertFails("ioctl", "ENOTTY", () -> Libc.ioctl(out.fd(), SIZED, argument))
            .hasMessageContainingAll("(SIZED)", "fd " + out.fd(), "16 bytes");
        assertFails("ioctl", "ENOTTY", () -> Libc.ioctl(out.fd(), LARGE_NUMBER, 3))
            .hasMessageContainingAll("(LARGE)", "value 3");
        assertFails("ioctl", "EBADF", () -> Libc.ioctl(1 << 29, FIONCLEX, 0)).hasMessageContaining("(FIONCLEX)");
    }

    @Test
    void anArgumentThatIsTooSmallIsNotHandedOver() {
        assertFails("ioctl", "EINVAL", () -> Libc.ioctl(out.fd(), FIONREAD, offHeap(3)))
            .hasMessageContaining("FIONREAD needs 4 bytes, the buffer has 3");
        assertFails("ioctl", "EINVAL", () -> Libc.ioctl(out.fd(), FIONREAD, offHeap(0)));
        assertFails("ioctl", "EINVAL", () -> Libc.ioctl(out.fd(), FIONREAD, null)).hasMessageContaining("no buffer");
        assertFails("ioctl", "EINVAL", () -> Libc.ioctl(out.fd(), FIONREAD, new UnsafeBuffer(new byte[4])))
            .hasMessageContaining("on the heap");
        assertFails("ioctl", "EINVAL", () -> Libc.ioctl(out.fd(), null, offHeap(4))).hasMessageContaining("no request");
        assertFails("ioctl", "EBADF", () -> Libc.ioctl(-1, FIONREAD, offHeap(4)));
    }

    @Test
    void argszLiesBetweenTheRequestAndTheBuffer() {
        final UnsafeBuffer argument = offHeap(24);
        for (final int argsz : new int[] {0, 15, 25, -1}) {
            argument.putInt(0, argsz);
            assertFails("ioctl", "EINVAL", () -> Libc.ioctl(out.fd(), SIZED, argument))
                .hasMessageContaining("argsz %s is not within 16 and the buffer's 24", Integer.toUnsignedString(argsz));
        }
        for (final int argsz : new int[] {16, 24}) {
            argument.putInt(0, argsz);
            assertFails("ioctl", "ENOTTY", () -> Libc.ioctl(out.fd(), SIZED, argument));
        }
    }

    @Test
    void valuesAndAddressesAreNotMixedUp() {
        assertFails("ioctl", "EINVAL", () -> Libc.ioctl(out.fd(), FIONREAD, 4)).hasMessageContaining("not a value");
        assertFails("ioctl", "EINVAL", () -> Libc.ioctl(out.fd(), FIONCLEX, offHeap(4)))
            .hasMessageContaining("not an address");
    }

    @Test
    void aRequestIsCheckedWhenItIsMade() {
        assertFails("ioctl request", "EINVAL", () -> new IoctlRequest(null, 1, 0, false));
        assertFails("ioctl request", "EINVAL", () -> new IoctlRequest(" ", 1, 0, false));
        assertFails("ioctl request", "EINVAL", () -> new IoctlRequest("X", -1, 0, false));
        assertFails("ioctl request", "EINVAL", () -> new IoctlRequest("X", 1L << 32, 0, false));
        assertFails("ioctl request", "EINVAL", () -> new IoctlRequest("X", 1, -1, false));
        assertFails("ioctl request", "EINVAL", () -> new IoctlRequest("X", 1, 3, true)).hasMessageContaining("argsz");
        assertFails("ioctl request", "EINVAL", () -> new IoctlRequest("UFFDIO_API", 0xC018_AA3FL, 23, false))
            .hasMessageContaining("says 24");
        assertFails("ioctl request", "EINVAL", () -> IoctlRequest.ofValue("DMA_BUF_IOCTL_SYNC", 0x4008_6200L))
            .hasMessageContaining("says 8");
    }
}
