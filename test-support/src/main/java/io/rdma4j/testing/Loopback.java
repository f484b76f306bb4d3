/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

/** Addresses of this host that no test of another process takes at the same time: all of 127.0.0.0/8 is there. */
public final class Loopback {
    private static final long PID = ProcessHandle.current().pid();
    private static final int BYTE = 0xff;

    private Loopback() {
    }

    /**
     * {@return an address of this process, such as 127.17.4.HOST}
     *
     * @param host 1 to 254
     */
    public static String address(final int host) {
        return "127." + (1 + (PID >> Byte.SIZE) % (BYTE - 1)) + '.' + (PID & BYTE) + '.' + host;
    }
}
