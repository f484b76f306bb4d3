/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

/**
 * How much memory this process may lock, or pin for a device.
 *
 * @param soft     bytes, {@link #UNLIMITED} without a limit, {@link #UNKNOWN} where the kernel does not tell.
 * @param hard     the most that {@code soft} can be raised to; the same.
 * @param isExempt whether the process has {@code CAP_IPC_LOCK}, for which no limit holds.
 */
public record Memlock(long soft, long hard, boolean isExempt) {
    /** No limit. */
    public static final long UNLIMITED = Long.MAX_VALUE;
    /** Not told. */
    public static final long UNKNOWN = -1;

    /**
     * Whether this much may be locked, by all that the process locks.
     *
     * @param bytes how much.
     * @return false if the limit is known to be lower.
     */
    public boolean allows(final long bytes) {
        return isExempt || soft == UNKNOWN || soft >= bytes;
    }
}
