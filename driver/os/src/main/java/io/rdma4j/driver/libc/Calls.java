/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import io.rdma4j.RdmaException;
import java.util.Locale;

/**
 * The functions of the C library, bound by JNA's direct mapping. To have an instance means that they are bound; there
 * is one, made at the first call of any of them.
 *
 * <p>Every argument is a 32-bit or a 64-bit integer: C's {@code int}, {@code unsigned} and {@code mode_t} are
 * {@code int} here; {@code size_t}, {@code off_t}, {@code nfds_t}, {@code unsigned long} and all pointers are
 * {@code long}. {@code open}, {@code fcntl}, {@code ioctl}, {@code mremap} and {@code syscall} are variadic in C, and
 * are bound here with fixed arguments: the calling conventions of Linux on x86-64 (System V) and on aarch64 (AAPCS64)
 * pass the first six integer arguments in the same registers either way. (Apple's aarch64 does not, which is one reason
 * to refuse other systems.)
 *
 * <p>errno: JNA's stub copies it into the calling thread's storage right after the call, before it goes back to the
 * JVM, which may overwrite the C library's own. {@link Native#getLastError()} reads that copy: it is the errno of this
 * thread's last call through JNA. It must therefore be read before anything else that calls through JNA. The other way
 * that JNA offers, methods that throw {@code LastErrorException}, is not used: it throws whenever errno is not 0
 * afterwards, also when the call succeeded, and fills in a stack trace for an EAGAIN that is no failure.
 *
 * <p>A test may {@linkplain #replace put others in their place}, to have one fail or to know which were made.
 */
class Calls {
    /** Plain: it changes in tests alone, and then the threads that matter begin afterwards or make a call soon. */
    private static Calls bound;
    private static final String WHY_NOT;
    private static final Throwable CAUSE;

    static {
        Calls made = null;
        Throwable cause = null;
        String whyNot = unsupported(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
        if (whyNot == null) {
            try {
                // The process itself: every JVM is linked to a C library, whatever that one's file is called.
                Native.register(Calls.class, NativeLibrary.getProcess());
                made = new Calls();
            } catch (final LinkageError | RuntimeException e) {
                // What JNA throws when it is missing, cannot be unpacked, must not be loaded or finds no function.
                whyNot = "JNA cannot load or bind the C library: " + rootOf(e);
                cause = e;
            }
        }
        bound = made;
        WHY_NOT = whyNot;
        CAUSE = cause;
    }

    Calls() {
        // To be extended, by what replaces these.
    }

    /** The functions, or one exception that says why there are none and what to do. */
    static Calls bound(final String call) {
        final Calls calls = bound;
        if (calls == null) {
            throw unavailable(call, WHY_NOT, CAUSE);
        }
        return calls;
    }

    /** Has all threads of the process call others from now on; returns those of before. */
    static Calls replace(final Calls others) {
        final Calls before = bound("replace calls");
        bound = others;
        return before;
    }

    static String unsupported(final String os, final String architecture) {
        final boolean known = switch (architecture) {
            case "amd64", "x86_64", "aarch64" -> true;
            default -> false;
        };
        return os.toLowerCase(Locale.ROOT).startsWith("linux") && known ? null
            : "this needs a JVM on 64-bit Linux, x86-64 or aarch64; this one says " + os + ", " + architecture;
    }

    static RdmaException unavailable(final String call, final String whyNot, final Throwable cause) {
        final RdmaException.Builder failure = RdmaException.of(call).detail("%s", whyNot)
            .errno(RdmaException.EOPNOTSUPP).cause(cause);
        if (cause == null) {
            return failure.hint("devices that need no system call, such as emulated:, work everywhere").build();
        }
        return failure.hint("start the JVM with --enable-native-access=ALL-UNNAMED (JDK 24 and later ask for it), "
            + "have jna 5 on the class path, and if /tmp is mounted noexec, set -Djna.tmpdir to a folder where "
            + "libraries may be executed").build();
    }

    private static Throwable rootOf(final Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    native int open(long path, int flags, int mode);

    native int close(int fd);

    native int ioctl(int fd, long request, long argument);

    native long read(int fd, long address, long length);

    native long write(int fd, long address, long length);

    native long pread(int fd, long address, long length, long position);

    native long pwrite(int fd, long address, long length, long position);

    native long mmap(long hint, long length, int prot, int flags, int fd, long offset);

    native int munmap(long address, long length);

    native int mlock(long address, long length);

    native int munlock(long address, long length);

    native int madvise(long address, long length, int advice);

    native long mremap(long oldAddress, long oldLength, long newLength, int flags, long newAddress);

    native long syscall(long number, long argument);

    native long syscall(long number, long address, long operation, long value, long timeout);

    @SuppressWarnings("checkstyle:MethodName") // JNA looks for the C function of this name.
    native int memfd_create(long name, int flags);

    native int ftruncate(int fd, long length);

    native int setns(int fd, int nstype);

    @SuppressWarnings("checkstyle:MethodName") // The C function's.
    native int if_nametoindex(long name);

    native int fallocate(int fd, int mode, long offset, long length);

    /** The argument is a number or an address: the register is the same. */
    native int fcntl(int fd, int command, long argument);

    native long lseek(int fd, long offset, int whence);

    native int msync(long address, long length, int flags);

    native int eventfd(int count, int flags);

    native int ppoll(long fds, long count, long timeout, long signalMask);

    native long sysconf(int name);

    native int getrlimit(int resource, long limit);

    native int geteuid();

    native int socket(int domain, int type, int protocol);

    native int setsockopt(int fd, int level, int name, long value, int length);

    native int bind(int fd, long address, int length);

    native int listen(int fd, int backlog);

    native int accept4(int fd, long address, long length, int flags);

    native int connect(int fd, long address, int length);

    native long sendmsg(int fd, long message, int flags);

    native long recvmsg(int fd, long message, int flags);

    native int sendmmsg(int fd, long messages, int count, int flags);

    native int recvmmsg(int fd, long messages, int count, int flags, long timeout);
}
