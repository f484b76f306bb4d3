/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.calls;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/** JNA's direct mapping: native methods that JNA binds. */
public class JnaDirectCalls extends NativeCallBenchmark {
    static {
        Native.register(JnaDirectCalls.class, NativeLibrary.getProcess());
    }

    /** For JMH. */
    public JnaDirectCalls() {
        // Fields are set above.
    }

    @Override
    native int geteuid();

    @Override
    native int ioctl(int fd, long request, long address);

    @Override
    native long read(int fd, long address, long length);

    @Override
    native long write(int fd, long address, long length);

    @Override
    native int ppoll(long fds, long count, long timeout, long signalMask);

    @Override
    native int mlock(long address, long length);

    @Override
    native int munlock(long address, long length);

    @Override
    native long pread(int fd, long address, long length, long position);
}
