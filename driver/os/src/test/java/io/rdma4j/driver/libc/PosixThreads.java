/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** What the tests need of the C library and the driver does not: signals to a thread, and pipes. */
@SuppressWarnings("checkstyle:MethodName") // C's names.
final class PosixThreads {
    /** The signal with which the JDK interrupts threads in system calls; its handler does nothing. */
    private static final int SIGNAL = 62;

    static {
        Native.register(PosixThreads.class, NativeLibrary.getProcess());
    }

    private PosixThreads() {
    }

    static native long pthread_self();

    static native int pthread_kill(long thread, int signal);

    private static native int pipe(long fds);

    /** Sends the calling JVM's own harmless signal. It must have a handler, for else it ends the process. */
    static void interrupt(final long thread) {
        pthread_kill(thread, SIGNAL);
    }

    /** The JDK installs the handler when its channels are first used. */
    static void needSignalHandler() throws Exception {
        Class.forName("sun.nio.ch.NativeThread");
        assumeTrue((ProcSelf.signalsCaught() & 1L << SIGNAL - 1) != 0, "this JVM has no handler for signal " + SIGNAL);
    }

    /** A pipe: what is read from, and what is written to. */
    static Fd[] newPipe() {
        final UnsafeBuffer fds = new UnsafeBuffer(ByteBuffer.allocateDirect(2 * Integer.BYTES));
        if (pipe(fds.addressOffset()) < 0) {
            throw new IllegalStateException("pipe: errno " + Native.getLastError());
        }
        return new Fd[] {Fd.of(fds.getInt(0), "pipe, out"), Fd.of(fds.getInt(Integer.BYTES), "pipe, in")};
    }
}
