/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.rdma4j.RdmaException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Calls into the C library of 64-bit Linux. All are static and may be used from any thread.
 *
 * <p>Arguments are checked first; what is wrong gives EINVAL (EBADF for a negative file descriptor) and nothing was
 * done. A call that fails gives one {@link RdmaException} with the call's name, its arguments and its errno. A JVM in
 * which the C library cannot be called gives EOPNOTSUPP and says what to do; this is found out at the first call, not
 * before.
 *
 * <p>A signal that interrupts a call (EINTR) is of no interest to a driver: {@link #open}, the reads, the writes,
 * {@link #ftruncate} and each piece of {@link #fallocate} start again, {@link #poll} returns early and {@link #close}
 * is finished, since Linux gives the descriptor up first. {@link #ioctl} reports it: whether a request may be repeated
 * depends on the request.
 */
public final class Libc {
    private static final int OWNER_ONLY = 0600;
    private static final int SIZEOF_RLIMIT = 16;
    private static final int RLIM_CUR_OFFSET = 0;
    private static final int RLIM_MAX_OFFSET = 8;
    /** Filled in far less time than lies between two signals of a profiler. */
    private static final long FALLOCATE_PIECE = 4 << 20;

    private Libc() {
    }

    /** The page size, asked for once. */
    private static final class PageSize {
        static final long VALUE = sysconf(LibcConstants._SC_PAGESIZE);
    }

    /**
     * Opens a file. {@code O_CLOEXEC} is added.
     *
     * @param path  the file
     * @param flags {@code O_} flags; not {@code O_CREAT}, as there is no mode
     * @return the file descriptor; {@link Fd} can own it
     * @throws RdmaException if it cannot be opened
     */
    public static int open(final String path, final int flags) {
        Checks.that((flags & LibcConstants.O_CREAT) == 0, "open", "'%s': O_CREAT needs a mode", path);
        return open(path, flags, 0);
    }

    /**
     * Makes a file, for its owner alone, and opens it for reading and writing, in one step: it was not there before,
     * not even as a symbolic link, and nobody can put another in between.
     *
     * @param path the file
     * @return the file descriptor; {@link Fd} can own it
     * @throws RdmaException EEXIST if there is something of that name, or what else stands against it
     */
    public static int create(final String path) {
        return open(path, LibcConstants.O_RDWR | LibcConstants.O_CREAT | LibcConstants.O_EXCL, OWNER_ONLY);
    }

    private static int open(final String path, final int flags, final int mode) {
        final Calls calls = Calls.bound("open");
        final UnsafeBuffer name = CString.of("open", path);
        while (true) {
            final int fd = calls.open(name.addressOffset(), flags | LibcConstants.O_CLOEXEC, mode);
            if (fd >= 0) {
                Reference.reachabilityFence(name);
                return fd;
            }
            final int errno = Native.getLastError();
            if (errno != Errno.EINTR) {
                throw failure("open", errno).object(path).detail("flags %#x", flags).build();
            }
        }
    }

    /**
     * Closes a file descriptor. It is given up even if this throws: closing again could hit somebody else's file.
     *
     * @param fd the file descriptor
     * @throws RdmaException EBADF if it was not open; EIO and others of the file's own
     */
    public static void close(final int fd) {
        Checks.fd("close", fd);
        if (Calls.bound("close").close(fd) < 0) {
            final int errno = Native.getLastError();
            if (errno != Errno.EINTR) {
                throw failure("close", errno).detail("fd %d", fd).build();
            }
        }
    }

    /**
     * Makes a request that takes a value or nothing.
     *
     * @param fd      the file descriptor
     * @param request the request; one without an argument in memory
     * @param value   the value, 0 if it takes none
     * @return what the request returns, not negative
     * @throws RdmaException if the request fails
     */
    public static int ioctl(final int fd, final IoctlRequest request, final long value) {
        checkRequest(fd, request);
        Checks.that(request.minLength() == 0, "ioctl", "%s takes the address of %d bytes, not a value",
            request.name(), request.minLength());
        final int result = Calls.bound("ioctl").ioctl(fd, request.number(), value);
        if (result < 0) {
            throw ioctlFailure(Native.getLastError(), request).detail("fd %d, value %d", fd, value).build();
        }
        return result;
    }

    /**
     * Makes a request whose argument is in memory.
     *
     * @param fd       the file descriptor
     * @param request  the request
     * @param argument off-heap, at least as long as the request says; where the request has {@code argsz}, that field
     *                 is set and lies between the request's minimum and the buffer's capacity. The request may write
     *                 into it
     * @return what the request returns, not negative
     * @throws RdmaException if the request fails
     */
    public static int ioctl(final int fd, final IoctlRequest request, final DirectBuffer argument) {
        checkRequest(fd, request);
        final long address = Checks.offHeap("ioctl", argument, 0);
        Checks.that(request.minLength() > 0, "ioctl", "%s takes a value, not an address", request.name());
        Checks.that(argument.capacity() >= request.minLength(), "ioctl", "%s needs %d bytes, the buffer has %d",
            request.name(), request.minLength(), argument.capacity());
        if (request.hasArgsz()) {
            final long argsz = Integer.toUnsignedLong(argument.getInt(0, ByteOrder.nativeOrder()));
            Checks.that(argsz >= request.minLength() && argsz <= argument.capacity(), "ioctl",
                "%s: argsz %d is not within %d and the buffer's %d", request.name(), argsz, request.minLength(),
                argument.capacity());
        }
        final int result = Calls.bound("ioctl").ioctl(fd, request.number(), address);
        if (result < 0) {
            throw ioctlFailure(Native.getLastError(), request)
                .detail("fd %d, argument of %d bytes", fd, argument.capacity()).build();
        }
        Reference.reachabilityFence(argument);
        return result;
    }

    /**
     * Makes a request for which a refusal is an answer and no failure: nothing is thrown or allocated for it.
     *
     * @param fd       the file descriptor
     * @param request  the request; one without {@code argsz}
     * @param argument as for {@link #ioctl(int, IoctlRequest, DirectBuffer)}
     * @return what the request returns, not negative; or the negative errno
     * @throws RdmaException EINVAL or EBADF for arguments that cannot be
     */
    public static int tryIoctl(final int fd, final IoctlRequest request, final DirectBuffer argument) {
        checkRequest(fd, request);
        final long address = Checks.offHeap("ioctl", argument, 0);
        if (request.hasArgsz() || request.minLength() == 0 || argument.capacity() < request.minLength()) {
            throw Checks.invalid("ioctl", "%s takes the address of %d bytes and has%s argsz, the buffer has %d",
                request.name(), request.minLength(), request.hasArgsz() ? "" : " no", argument.capacity());
        }
        final int result = Calls.bound("ioctl").ioctl(fd, request.number(), address);
        final int answer = result < 0 ? -Native.getLastError() : result;
        Reference.reachabilityFence(argument);
        return answer;
    }

    private static void checkRequest(final int fd, final IoctlRequest request) {
        Checks.that(request != null, "ioctl", "no request");
        Checks.fd("ioctl", fd);
    }

    private static RdmaException.Builder ioctlFailure(final int errno, final IoctlRequest request) {
        return failure("ioctl", errno).object(request.name());
    }

    /**
     * Reads at a position.
     *
     * @param fd       the file descriptor
     * @param dst      off-heap; filled from its beginning
     * @param length   how much to read at most
     * @param position where in the file
     * @return the bytes read, less than {@code length} at the end of the file
     * @throws RdmaException if reading fails
     */
    public static int pread(final int fd, final MutableDirectBuffer dst, final int length, final long position) {
        final long address = checkTransfer("pread", fd, dst, length);
        Checks.notNegative("pread", "position", position);
        final Calls calls = Calls.bound("pread");
        while (true) {
            final long count = calls.pread(fd, address, length, position);
            if (count >= 0) {
                Reference.reachabilityFence(dst);
                return (int) count;
            }
            throwUnlessInterrupted("pread", Native.getLastError(), fd, length, position);
        }
    }

    /**
     * Writes at a position.
     *
     * @param fd       the file descriptor
     * @param src      off-heap; written from its beginning
     * @param length   how much to write at most
     * @param position where in the file
     * @return the bytes written
     * @throws RdmaException if writing fails
     */
    public static int pwrite(final int fd, final DirectBuffer src, final int length, final long position) {
        final long address = checkTransfer("pwrite", fd, src, length);
        Checks.notNegative("pwrite", "position", position);
        final Calls calls = Calls.bound("pwrite");
        while (true) {
            final long count = calls.pwrite(fd, address, length, position);
            if (count >= 0) {
                Reference.reachabilityFence(src);
                return (int) count;
            }
            throwUnlessInterrupted("pwrite", Native.getLastError(), fd, length, position);
        }
    }

    /**
     * Reads from where the file stands.
     *
     * @param fd     the file descriptor
     * @param dst    off-heap; filled from its beginning
     * @param length how much to read at most
     * @return the bytes read, 0 at the end
     * @throws RdmaException if reading fails; EAGAIN if it would block and must not
     */
    public static long read(final int fd, final MutableDirectBuffer dst, final int length) {
        final long address = checkTransfer("read", fd, dst, length);
        final Calls calls = Calls.bound("read");
        while (true) {
            final long count = calls.read(fd, address, length);
            if (count >= 0) {
                Reference.reachabilityFence(dst);
                return count;
            }
            throwUnlessInterrupted("read", Native.getLastError(), fd, length, -1);
        }
    }

    /**
     * Writes to where the file stands.
     *
     * @param fd     the file descriptor
     * @param src    off-heap; written from its beginning
     * @param length how much to write at most
     * @return the bytes written
     * @throws RdmaException if writing fails; EAGAIN if it would block and must not
     */
    public static long write(final int fd, final DirectBuffer src, final int length) {
        final long address = checkTransfer("write", fd, src, length);
        final Calls calls = Calls.bound("write");
        while (true) {
            final long count = calls.write(fd, address, length);
            if (count >= 0) {
                Reference.reachabilityFence(src);
                return count;
            }
            throwUnlessInterrupted("write", Native.getLastError(), fd, length, -1);
        }
    }

    private static long checkTransfer(final String call, final int fd, final DirectBuffer buffer, final int length) {
        Checks.fd(call, fd);
        return Checks.offHeap(call, buffer, length);
    }

    private static void throwUnlessInterrupted(final String call, final int errno, final int fd, final int length,
            final long position) {
        if (errno != Errno.EINTR) {
            throw failure(call, errno).detail("fd %d, %d bytes%s", fd, length,
                position < 0 ? "" : String.format(" at %#x", position)).build();
        }
    }

    /**
     * Maps memory. {@link MappedMemory#map} does the same and owns the result.
     *
     * @param addressHint where it should be, page-aligned; 0 for anywhere; binding with {@code MAP_FIXED}, which
     *                    replaces whatever is there
     * @param length      bytes; the kernel rounds up to whole pages
     * @param prot        {@code PROT_} flags
     * @param flags       {@code MAP_} flags
     * @param fd          the file; -1 with {@code MAP_ANONYMOUS}
     * @param offset      where in the file, page-aligned
     * @return the address
     * @throws RdmaException if it cannot be mapped
     */
    public static long mmap(final long addressHint, final long length, final int prot, final int flags, final int fd,
            final long offset) {
        Checks.that(length > 0, "mmap", "length %d", length);
        Checks.notNegative("mmap", "address", addressHint);
        Checks.notNegative("mmap", "offset", offset);
        Checks.pageAligned("mmap", "address", addressHint);
        Checks.pageAligned("mmap", "offset", offset);
        Checks.that((flags & LibcConstants.MAP_FIXED) == 0 || addressHint != 0, "mmap", "MAP_FIXED at address 0");
        if ((flags & LibcConstants.MAP_ANONYMOUS) == 0) {
            Checks.fd("mmap", fd);
        }
        final long address = Calls.bound("mmap").mmap(addressHint, length, prot, flags, fd, offset);
        if (address == -1) {
            throw failure("mmap", Native.getLastError()).detail(
                "address %#x, length %d, prot %#x, flags %#x, fd %d, offset %#x", addressHint, length, prot, flags, fd,
                offset).build();
        }
        return address;
    }

    /**
     * Unmaps memory. Whoever touches it afterwards crashes the JVM.
     *
     * @param address page-aligned
     * @param length  bytes; the kernel rounds up to whole pages
     * @throws RdmaException if it cannot be unmapped
     */
    public static void munmap(final long address, final long length) {
        Checks.range("munmap", address, length);
        Checks.pageAligned("munmap", "address", address);
        onMemory("munmap", Calls.bound("munmap").munmap(address, length), address, length);
    }

    /**
     * Locks memory: its pages are present and stay where they are in RAM until {@link #munlock}, which undoes any
     * number of these.
     *
     * @param address where
     * @param length  bytes; every page that they touch is locked
     * @throws RdmaException ENOMEM or EPERM beyond RLIMIT_MEMLOCK, ENOMEM where nothing is mapped
     */
    public static void mlock(final long address, final long length) {
        Checks.range("mlock", address, length);
        if (Calls.bound("mlock").mlock(address, length) < 0) {
            final int errno = Native.getLastError();
            final Rlimit limit = getrlimit(LibcConstants.RLIMIT_MEMLOCK);
            throw failure("mlock", errno).detail("address %#x, length %d", address, length)
                .hint(limit.isUnlimited() ? "part of the range is not mapped or not accessible"
                    : "without CAP_IPC_LOCK %d KiB may be locked in all (ulimit -l, LimitMEMLOCK= of a systemd unit); "
                    + "it may also be that part of the range is not mapped or not accessible", limit.soft() / 1024)
                .build();
        }
    }

    /**
     * Undoes {@link #mlock}.
     *
     * @param address where
     * @param length  bytes; every page that they touch is unlocked
     * @throws RdmaException ENOMEM where nothing is mapped
     */
    public static void munlock(final long address, final long length) {
        Checks.range("munlock", address, length);
        onMemory("munlock", Calls.bound("munlock").munlock(address, length), address, length);
    }

    /**
     * Tells the kernel how memory is used.
     *
     * @param address page-aligned
     * @param length  bytes; the kernel rounds up to whole pages
     * @param advice  one of {@code MADV_}
     * @throws RdmaException EINVAL for advice that this kernel does not know
     */
    public static void madvise(final long address, final long length, final int advice) {
        Checks.range("madvise", address, length);
        Checks.pageAligned("madvise", "address", address);
        if (Calls.bound("madvise").madvise(address, length, advice) < 0) {
            throw failure("madvise", Native.getLastError())
                .detail("address %#x, length %d, advice %d", address, length, advice).build();
        }
    }

    private static void onMemory(final String call, final int result, final long address, final long length) {
        if (result < 0) {
            throw failure(call, Native.getLastError()).detail("address %#x, length %d", address, length).build();
        }
    }

    /**
     * Makes a file that exists only in memory. {@code MFD_CLOEXEC} is added.
     *
     * @param name  for {@code /proc/self/maps}; need not be unique
     * @param flags {@code MFD_} flags
     * @return the file descriptor; {@link Fd} can own it
     * @throws RdmaException if it cannot be made: EINVAL or ENODEV where the kernel has no pages of that size
     */
    public static int memfdCreate(final String name, final int flags) {
        final Calls calls = Calls.bound("memfd_create");
        final UnsafeBuffer text = CString.of("memfd_create", name);
        final int fd = calls.memfd_create(text.addressOffset(), flags | LibcConstants.MFD_CLOEXEC);
        if (fd < 0) {
            throw failure("memfd_create", Native.getLastError()).object(name).detail("flags %#x", flags).build();
        }
        Reference.reachabilityFence(text);
        return fd;
    }

    /**
     * Sets a file's length.
     *
     * @param fd     the file descriptor
     * @param length bytes
     * @throws RdmaException if it cannot be set
     */
    public static void ftruncate(final int fd, final long length) {
        Checks.fd("ftruncate", fd);
        Checks.notNegative("ftruncate", "length", length);
        final Calls calls = Calls.bound("ftruncate");
        while (calls.ftruncate(fd, length) < 0) {
            final int errno = Native.getLastError();
            if (errno != Errno.EINTR) {
                throw failure("ftruncate", errno).detail("fd %d, length %d", fd, length).build();
            }
        }
    }

    /**
     * Allocates a file's blocks or pages, so that touching them later cannot fail for want of any. Done in pieces:
     * older kernels undo a call that a signal comes in, and with a profiler's signals a long one would never end.
     *
     * @param fd     the file descriptor
     * @param offset where in the file
     * @param length bytes; the file grows if need be
     * @throws RdmaException ENOSPC or ENOMEM if there are not enough; the file may have got a part of them
     */
    public static void fallocate(final int fd, final long offset, final long length) {
        Checks.fd("fallocate", fd);
        Checks.notNegative("fallocate", "offset", offset);
        Checks.that(length > 0, "fallocate", "length %d", length);
        final Calls calls = Calls.bound("fallocate");
        long done = 0;
        while (done < length) {
            final long piece = Math.min(length - done, FALLOCATE_PIECE);
            final int errno = calls.fallocate(fd, 0, offset + done, piece) < 0 ? Native.getLastError() : 0;
            if (errno == 0) {
                done += piece;
            } else if (errno != Errno.EINTR) {
                throw failure("fallocate", errno).detail("fd %d, offset %#x, length %d", fd, offset, length).build();
            }
        }
    }

    /**
     * Waits for one of several files. Allocates nothing unless it fails.
     *
     * @param set          the files and what to wait for; afterwards it says what came
     * @param timeoutNanos how long to wait at most, in the kernel's timer resolution; 0 and less only looks
     * @return how many files are ready; 0 when the time is over, and also earlier if a signal came
     * @throws RdmaException if the call fails
     */
    public static int poll(final PollSet set, final long timeoutNanos) {
        if (set == null) {
            throw Checks.invalid("ppoll", "no set");
        }
        final Calls calls = Calls.bound("ppoll");
        final int ready = calls.ppoll(set.fdsAddress(), set.size(), set.timeout(timeoutNanos), 0);
        if (ready < 0) {
            final int errno = Native.getLastError();
            set.clearRevents();
            if (errno != Errno.EINTR) {
                throw failure("ppoll", errno).detail("%d files, timeout %d ns", set.size(), timeoutNanos).build();
            }
            return 0;
        }
        Reference.reachabilityFence(set);
        return ready;
    }

    /**
     * Asks for a number of the system.
     *
     * @param name one of {@code _SC_}
     * @return the number; -1 for no limit
     * @throws RdmaException EINVAL for a name that the C library does not know
     */
    public static long sysconf(final int name) {
        final Calls calls = Calls.bound("sysconf");
        Native.setLastError(0); // -1 is also the answer "no limit", which leaves errno alone.
        final long value = calls.sysconf(name);
        if (value == -1 && Native.getLastError() == RdmaException.EINVAL) {
            throw failure("sysconf", RdmaException.EINVAL).detail("name %d is not known", name).build();
        }
        return value;
    }

    /**
     * The page size.
     *
     * @return bytes, a power of two
     * @throws RdmaException EOPNOTSUPP if the C library cannot be called
     */
    public static long pageSize() {
        Calls.bound("sysconf"); // What is thrown here must not be thrown while a class is initialised.
        return PageSize.VALUE;
    }

    /**
     * Asks for a limit of this process.
     *
     * @param resource one of {@code RLIMIT_}
     * @return the limit
     * @throws RdmaException EINVAL for a resource that there is not
     */
    public static Rlimit getrlimit(final int resource) {
        final Calls calls = Calls.bound("getrlimit");
        final UnsafeBuffer rlimit = new UnsafeBuffer(ByteBuffer.allocateDirect(SIZEOF_RLIMIT));
        if (calls.getrlimit(resource, rlimit.addressOffset()) < 0) {
            throw failure("getrlimit", Native.getLastError()).detail("resource %d", resource).build();
        }
        return new Rlimit(rlimit.getLong(RLIM_CUR_OFFSET), rlimit.getLong(RLIM_MAX_OFFSET));
    }

    /**
     * The user whose rights the process has.
     *
     * @return the effective user id, 0 for root
     */
    public static int geteuid() {
        return Calls.bound("geteuid").geteuid();
    }

    /**
     * Shows memory as a ByteBuffer. It owns nothing: the memory has to outlive the buffer and all its slices.
     *
     * @param address where
     * @param length  bytes, at most 2 GiB - 1
     * @return the buffer, in the machine's byte order
     * @throws RdmaException EINVAL if that is no range of memory, or too large
     */
    public static ByteBuffer directBuffer(final long address, final long length) {
        Checks.range("direct buffer", address, length);
        Checks.that(length <= Integer.MAX_VALUE, "direct buffer", "length %d: a ByteBuffer has at most %d", length,
            Integer.MAX_VALUE);
        Calls.bound("direct buffer"); // JNA makes it.
        return new Pointer(address).getByteBuffer(0, length);
    }

    /** With what to do where the errno alone says that; whoever knows better gives another hint. */
    static RdmaException.Builder failure(final String call, final int errno) {
        final RdmaException.Builder failure = RdmaException.of(call).errno(errno);
        final String hint = Errno.hint(errno);
        return hint == null ? failure : failure.hint(hint);
    }
}
