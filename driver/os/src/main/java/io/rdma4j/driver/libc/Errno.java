/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

/** The errnos that this package treats specially and {@link io.rdma4j.RdmaException} does not list. */
final class Errno {
    /** A signal came before anything was done. */
    static final int EINTR = 4;
    static final int EBADF = 9;
    static final int ENOSYS = 38;
    static final int ECONNABORTED = 103;

    private Errno() {
    }
}
