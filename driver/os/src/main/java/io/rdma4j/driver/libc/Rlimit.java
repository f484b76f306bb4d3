/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

/**
 * A limit of the process, as {@code struct rlimit} has it.
 *
 * @param soft what is enforced; {@link LibcConstants#RLIM_INFINITY} for no limit
 * @param hard how far the process may raise the soft limit by itself
 */
public record Rlimit(long soft, long hard) {
    /**
     * Whether nothing is enforced.
     *
     * @return true if the soft limit is infinite
     */
    public boolean isUnlimited() {
        return soft == LibcConstants.RLIM_INFINITY;
    }

    /**
     * Whether an amount is within the soft limit.
     *
     * @param amount what is wanted, not negative
     * @return true if so
     */
    public boolean allows(final long amount) {
        // The kernel's numbers are unsigned, which also makes infinity the largest of them.
        return Long.compareUnsigned(amount, soft) <= 0;
    }
}
