/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.edu;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;

/**
 * Makes one thread another user. The system call changes the calling thread only, while the C library's function would
 * change them all; and a second JVM, which could not read the first one's class path, is not needed.
 */
final class ThreadUser {
    /** Nobody, on all Linux systems. */
    static final int NOBODY = 65_534;

    private static final long SYS_SETRESUID = 117;
    private static final long UNCHANGED = -1;
    private static final Function SYSCALL = NativeLibrary.getProcess().getFunction("syscall");

    private ThreadUser() {
    }

    /** Runs something as a user without any privilege; root again afterwards. */
    static void run(final int user, final Runnable action) {
        set(user);
        try {
            action.run();
        } finally {
            set(0);
        }
    }

    private static void set(final long user) {
        if (SYSCALL.invokeLong(new Object[] {SYS_SETRESUID, UNCHANGED, user, UNCHANGED}) != 0) {
            throw new IllegalStateException("this thread cannot become user " + user);
        }
    }
}
