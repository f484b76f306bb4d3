/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.calls;

import com.sun.jna.Library;
import com.sun.jna.Native;

/** JNA's interface mapping: a proxy of an interface. */
public class JnaInterfaceCalls extends NativeCallBenchmark {
    private static final C LIBRARY = Native.load(null, C.class);

    /** For JMH. */
    public JnaInterfaceCalls() {
        // Fields are set above.
    }

    /** The functions. */
    interface C extends Library {
        int geteuid();

        int ioctl(int fd, long request, long address);

        long read(int fd, long address, long length);

        long write(int fd, long address, long length);

        int ppoll(long fds, long count, long timeout, long signalMask);

        int mlock(long address, long length);

        int munlock(long address, long length);

        long pread(int fd, long address, long length, long position);
    }

    @Override
    int geteuid() {
        return LIBRARY.geteuid();
    }

    @Override
    int ioctl(final int fd, final long request, final long address) {
        return LIBRARY.ioctl(fd, request, address);
    }

    @Override
    long read(final int fd, final long address, final long length) {
        return LIBRARY.read(fd, address, length);
    }

    @Override
    long write(final int fd, final long address, final long length) {
        return LIBRARY.write(fd, address, length);
    }

    @Override
    int ppoll(final long fds, final long count, final long timeout, final long signalMask) {
        return LIBRARY.ppoll(fds, count, timeout, signalMask);
    }

    @Override
    int mlock(final long address, final long length) {
        return LIBRARY.mlock(address, length);
    }

    @Override
    int munlock(final long address, final long length) {
        return LIBRARY.munlock(address, length);
    }

    @Override
    long pread(final int fd, final long address, final long length, final long position) {
        return LIBRARY.pread(fd, address, length, position);
    }
}
