/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump.walk;

import io.rdma4j.driver.sysfs.PageMap;

/**
 * Pages that follow each other in a page directory, and are alike.
 *
 * @param first    number of the first one.
 * @param count    how many.
 * @param kind     what the entries are.
 * @param iova     the entry of the first page; each next one is a page higher. Where a table cannot be read: its
 *                 address, as the entry above says it.
 * @param physical where the first page is in the machine's memory, and each next one a page higher; or what a
 *                 {@link PageMap} says instead.
 */
public record PageRun(long first, long count, Kind kind, long iova, long physical) {
    /** What entries are. */
    public enum Kind {
        /** Addresses of pages. */
        PAGES,
        /** 0: no page. */
        NONE,
        /** No address of a page. */
        INVALID,
        /** The table that should have them cannot be read. */
        UNREADABLE
    }

    /**
     * The number of the last page.
     *
     * @return at least {@link #first()}.
     */
    public long last() {
        return first + count - 1;
    }
}
