/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import io.rdma4j.RdmaException;
import java.io.IOException;

/** What {@link LoadingTest} runs; prints what happens. */
public final class ChildJvm {
    private static final long PAGE = 4096;

    private ChildJvm() {
    }

    public static void main(final String[] args) throws IOException {
        switch (args[0]) {
            case "calls":
                attempt("1: ", Libc::geteuid);
                attempt("2: ", () -> Libc.open("/dev/null", LibcConstants.O_RDWR));
                attempt("3: ", () -> MappedMemory.anonymous(PAGE));
                attempt("4: ", Libc::pageSize);
                attempt("5: ", EventFd::create);
                break;
            case "constants":
                final IoctlRequest request = new IoctlRequest("FIONREAD", 0x541B, Integer.BYTES, false);
                System.out.printf("O_RDWR %d, nofollow %d, %s %#x%n", LibcConstants.O_RDWR, LibcConstants.O_NOFOLLOW,
                    request.name(), request.number());
                break;
            case "mlock":
                mlock();
                break;
            default:
                throw new IllegalArgumentException(args[0]);
        }
    }

    private static void mlock() throws IOException {
        System.out.println("limit " + Libc.getrlimit(LibcConstants.RLIMIT_MEMLOCK).soft());
        try (MappedMemory memory = MappedMemory.anonymous(1 << 20)) {
            attempt("within the limit: ", () -> Libc.mlock(memory.address(), PAGE));
            attempt("beyond: ", () -> Libc.mlock(memory.address(), memory.length()));
            System.out.println("VmLck " + ProcSelf.status("VmLck"));
        }
    }

    private static void attempt(final String label, final Runnable call) {
        try {
            call.run();
            System.out.println(label + "ok");
        } catch (final RdmaException e) {
            System.out.println(label + e.getMessage());
        }
    }
}
