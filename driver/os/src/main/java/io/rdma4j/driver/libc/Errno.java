/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import io.rdma4j.RdmaException;

/** The errnos that this package treats specially and {@link io.rdma4j.RdmaException} does not list. */
final class Errno {
    /** A signal came before anything was done. */
    static final int EINTR = 4;
    static final int EBADF = 9;
    private static final int ENFILE = 23;
    private static final int EMFILE = 24;
    private static final int ENOSPC = 28;
    static final int ENOSYS = 38;
    static final int ECONNABORTED = 103;

    private Errno() {
    }

    /** What to do about a limit that was met, whatever the call; null where only the caller can know. */
    static String hint(final int errno) {
        return switch (errno) {
            case EMFILE -> "the process has too many files open: raise ulimit -n (LimitNOFILE= of a systemd unit)";
            case ENFILE -> "the system has too many files open: raise fs.file-max";
            case ENOSPC -> "make room on the file system, or in the pool, that the call names";
            case RdmaException.ENOMEM -> "the system has too little memory, or the process too many mappings "
                + "(vm.max_map_count) or more than its limits allow (ulimit -v, the memory limit of a container)";
            default -> null;
        };
    }
}
