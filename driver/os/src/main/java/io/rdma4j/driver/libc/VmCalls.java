/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/**
 * The two functions that copy memory which may be missing, bound apart from {@link Calls}: a C library without them
 * must not take the others away.
 */
final class VmCalls {
    /** Null where there are none. */
    static final VmCalls BOUND = bind();
    static final int PID = (int) ProcessHandle.current().pid();

    private VmCalls() {
    }

    private static VmCalls bind() {
        if (Calls.unsupported(System.getProperty("os.name", ""), System.getProperty("os.arch", "")) != null) {
            return null;
        }
        try {
            Native.register(VmCalls.class, NativeLibrary.getProcess());
            return new VmCalls();
        } catch (final LinkageError | RuntimeException e) {
            return null; // What JNA throws when it is missing or finds no function.
        }
    }

    @SuppressWarnings("checkstyle:MethodName") // JNA looks for the C function of this name.
    native long process_vm_readv(int pid, long here, long hereCount, long there, long thereCount, long flags);

    @SuppressWarnings("checkstyle:MethodName") // JNA looks for the C function of this name.
    native long process_vm_writev(int pid, long here, long hereCount, long there, long thereCount, long flags);
}
