/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

/**
 * The huge pages of one size, as {@code /sys/kernel/mm/hugepages} counts them.
 *
 * @param pageSize bytes of a page.
 * @param total    pages in the pool.
 * @param free     pages that nobody uses.
 * @param reserved pages of the free ones that somebody was promised.
 * @param surplus  pages beyond what was asked for, given back as soon as they are free.
 */
public record HugePagePool(long pageSize, long total, long free, long reserved, long surplus) {
    /**
     * Pages that can be had now.
     *
     * @return free pages that nobody was promised.
     */
    public long available() {
        return Math.max(0, free - reserved);
    }
}
