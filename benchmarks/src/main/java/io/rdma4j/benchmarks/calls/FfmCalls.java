/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.calls;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;

/**
 * The foreign function interface of JDK 22 and later, as it is fastest: errno is lost. All else is as in {@link
 * FfmErrnoCalls}; a handle must be a constant of the class that calls it, so neither can have the other's.
 */
public class FfmCalls extends NativeCallBenchmark {
    private static final ForeignFunctions C = new ForeignFunctions(false);
    private static final MethodHandle GETEUID = C.bind("geteuid", -1, methodType(int.class));
    private static final MethodHandle IOCTL = C.bind("ioctl", 2,
        methodType(int.class, int.class, long.class, long.class));
    private static final MethodHandle READ = C.bind("read", -1,
        methodType(long.class, int.class, long.class, long.class));
    private static final MethodHandle WRITE = C.bind("write", -1,
        methodType(long.class, int.class, long.class, long.class));
    private static final MethodHandle PPOLL = C.bind("ppoll", -1,
        methodType(int.class, long.class, long.class, long.class, long.class));
    private static final MethodHandle MLOCK = C.bind("mlock", -1, methodType(int.class, long.class, long.class));
    private static final MethodHandle MUNLOCK = C.bind("munlock", -1, methodType(int.class, long.class, long.class));
    private static final MethodHandle PREAD = C.bind("pread", -1,
        methodType(long.class, int.class, long.class, long.class, long.class));

    /** For JMH. */
    public FfmCalls() {
        // Fields are set above.
    }

    @Override
    int geteuid() throws Throwable {
        return (int) GETEUID.invokeExact();
    }

    @Override
    int ioctl(final int fd, final long request, final long address) throws Throwable {
        return (int) IOCTL.invokeExact(fd, request, address);
    }

    @Override
    long read(final int fd, final long address, final long length) throws Throwable {
        return (long) READ.invokeExact(fd, address, length);
    }

    @Override
    long write(final int fd, final long address, final long length) throws Throwable {
        return (long) WRITE.invokeExact(fd, address, length);
    }

    @Override
    int ppoll(final long fds, final long count, final long timeout, final long signalMask) throws Throwable {
        return (int) PPOLL.invokeExact(fds, count, timeout, signalMask);
    }

    @Override
    int mlock(final long address, final long length) throws Throwable {
        return (int) MLOCK.invokeExact(address, length);
    }

    @Override
    int munlock(final long address, final long length) throws Throwable {
        return (int) MUNLOCK.invokeExact(address, length);
    }

    @Override
    long pread(final int fd, final long address, final long length, final long position) throws Throwable {
        return (long) PREAD.invokeExact(fd, address, length, position);
    }
}
