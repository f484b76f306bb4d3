/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import com.sun.jna.Native;
import io.rdma4j.RdmaException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Rarer calls that concern the whole address space. As for {@link Libc}, whose manners these have. */
public final class AddressSpace {
    private static final int MREMAP_FLAGS = LibcConstants.MREMAP_MAYMOVE | LibcConstants.MREMAP_FIXED
        | LibcConstants.MREMAP_DONTUNMAP;

    private static final int SIZEOF_IOVEC = 16;
    /** limits.h calls it IOV_MAX. */
    private static final int UIO_MAXIOV = 1024;

    private AddressSpace() {
    }

    /**
     * Makes a userfaultfd, which tells of faults and changes in this address space. {@code O_CLOEXEC} is added.
     *
     * @param flags {@code O_NONBLOCK}, {@code UFFD_USER_MODE_ONLY}
     * @return the file descriptor; {@link Fd} can own it
     * @throws RdmaException ENOSYS if the kernel has none, EPERM if it is forbidden, EINVAL for a flag that this kernel
     *                       does not know
     */
    public static int userfaultfd(final int flags) {
        // The C library has no function for it. The numbers are those of asm/unistd_64.h and asm-generic/unistd.h.
        final long number = "aarch64".equals(System.getProperty("os.arch")) ? 282 : 323;
        final long fd = Calls.bound("userfaultfd").syscall(number, flags | LibcConstants.O_CLOEXEC);
        if (fd < 0) {
            throw Libc.failure("userfaultfd", Native.getLastError()).detail("flags %#x", flags).build();
        }
        return (int) fd;
    }

    /**
     * Makes a mapping longer or shorter, or moves it. Whoever touches what it leaves crashes the JVM.
     *
     * @param oldAddress page-aligned
     * @param oldLength  bytes; the kernel rounds up to whole pages
     * @param newLength  bytes
     * @param flags      {@code MREMAP_} flags
     * @param newAddress where to, page-aligned, with {@code MREMAP_FIXED}; 0 otherwise
     * @return where it is now
     * @throws RdmaException if it cannot be done; EFAULT also for a range of several mappings
     */
    public static long mremap(final long oldAddress, final long oldLength, final long newLength, final int flags,
            final long newAddress) {
        Checks.range("mremap", oldAddress, oldLength);
        Checks.range("mremap", oldAddress, newLength);
        Checks.pageAligned("mremap", "address", oldAddress);
        Checks.pageAligned("mremap", "new address", newAddress);
        Checks.that((flags & ~MREMAP_FLAGS) == 0, "mremap", "flags %#x", flags);
        if ((flags & LibcConstants.MREMAP_FIXED) != 0) {
            Checks.range("mremap", newAddress, newLength);
        } else {
            Checks.that(newAddress == 0, "mremap", "flags %#x with new address %#x", flags, newAddress);
        }
        final long address = Calls.bound("mremap").mremap(oldAddress, oldLength, newLength, flags, newAddress);
        if (address == -1) {
            throw Libc.failure("mremap", Native.getLastError()).detail(
                "address %#x, length %d to %d, flags %#x, to %#x", oldAddress, oldLength, newLength, flags, newAddress)
                .build();
        }
        return address;
    }

    /**
     * Maps the pages of a shared mapping a second time, with the rights that it has: {@code mremap} with an old length
     * of 0. Both mappings live on their own: what becomes of one is nothing to the other.
     *
     * @param address    page-aligned, in a shared mapping
     * @param length     bytes, whole pages, all of that mapping
     * @param newAddress where to, page-aligned; what is mapped there goes
     * @throws RdmaException EINVAL for a private mapping, EFAULT for one that cannot be mapped again, as of a device's
     *                       registers, ENOMEM if there is no room for another mapping
     */
    public static void mapAgain(final long address, final long length, final long newAddress) {
        Checks.range("mremap", address, length);
        Checks.range("mremap", newAddress, length);
        Checks.pageAligned("mremap", "address", address);
        Checks.pageAligned("mremap", "new address", newAddress);
        final long result = Calls.bound("mremap").mremap(address, 0, length,
            LibcConstants.MREMAP_MAYMOVE | LibcConstants.MREMAP_FIXED, newAddress);
        if (result == -1) {
            throw Libc.failure("mremap", Native.getLastError()).detail("%d bytes at %#x a second time, at %#x", length,
                address, newAddress).build();
        }
    }

    /**
     * Reads small pieces of this process' memory that lie at equal distances, some of which may not be there (any
     * more): what a load would answer with a signal only ends this.
     *
     * @param address of the first piece
     * @param step    from a piece to the next, negative to go down
     * @param length  bytes of a piece
     * @param dst     off-heap; gets the pieces one after the other, as many as it has room for, at most 1024
     * @return how many pieces were read
     * @throws RdmaException EPERM or ENOSYS if it is forbidden
     */
    public static int peek(final long address, final long step, final int length, final MutableDirectBuffer dst) {
        final long local = Checks.offHeap("process_vm_readv", dst, length);
        Checks.that(length > 0, "process_vm_readv", "length %d", length);
        final int count = Math.min(UIO_MAXIOV, dst.capacity() / length);
        final UnsafeBuffer iovecs = new UnsafeBuffer(ByteBuffer.allocateDirect((count + 1) * SIZEOF_IOVEC));
        iovec(iovecs, 0, local, (long) count * length);
        for (int i = 0; i < count; i++) {
            iovec(iovecs, i + 1, address + i * step, length);
        }
        Calls.bound("process_vm_readv");
        if (VmCalls.BOUND == null) {
            throw Libc.failure("process_vm_readv", Errno.ENOSYS).detail("the C library does not have it").build();
        }
        final long at = iovecs.addressOffset();
        final long read = VmCalls.BOUND.process_vm_readv(VmCalls.PID, at, 1, at + SIZEOF_IOVEC, count, 0);
        final int errno = read < 0 ? Native.getLastError() : 0;
        Reference.reachabilityFence(iovecs);
        Reference.reachabilityFence(dst);
        if (errno != 0 && errno != RdmaException.EFAULT) {
            throw Libc.failure("process_vm_readv", errno).detail("%d pieces of %d bytes from %#x", count, length,
                address).build();
        }
        return errno == 0 ? (int) (read / length) : 0;
    }

    private static void iovec(final UnsafeBuffer iovecs, final int index, final long base, final long length) {
        iovecs.putLong(index * SIZEOF_IOVEC, base);
        iovecs.putLong(index * SIZEOF_IOVEC + Long.BYTES, length);
    }
}
