/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.calls;

import io.rdma4j.driver.libc.Libc;

/** Through the driver's own class: JNA's direct mapping, and arguments checked. */
public class LibcCalls extends NativeCallBenchmark {
    /** For JMH. */
    public LibcCalls() {
        // Fields are set above.
    }

    @Override
    int geteuid() {
        return Libc.geteuid();
    }

    @Override
    int ioctl(final int fd, final long request, final long address) {
        return Libc.ioctl(fd, FIONREAD, argument);
    }

    @Override
    long read(final int fd, final long address, final long length) {
        argument.putLong(0, event.read());
        return WORD;
    }

    @Override
    long write(final int fd, final long address, final long length) {
        event.signal();
        return WORD;
    }

    @Override
    int ppoll(final long fds, final long count, final long timeout, final long signalMask) {
        return Libc.poll(ready, FOREVER);
    }

    @Override
    int mlock(final long address, final long length) {
        Libc.mlock(address, length);
        return 0;
    }

    @Override
    int munlock(final long address, final long length) {
        Libc.munlock(address, length);
        return 0;
    }

    @Override
    long pread(final int fd, final long address, final long length, final long position) {
        return Libc.pread(fd, argument, (int) length, position);
    }
}
