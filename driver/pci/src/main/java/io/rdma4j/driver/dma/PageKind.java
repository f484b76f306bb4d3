/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.driver.pci.DmaDomain;

/** Where pages of this process can come from. */
public enum PageKind {
    /** Hugepages of 1 GiB, reserved by the administrator. */
    GB1("1 GiB hugepages", 1L << 30),
    /** Hugepages of 2 MiB, reserved by the administrator. */
    MB2("2 MiB hugepages", 1L << 21),
    /** Ordinary memory, aligned so that the kernel can put 2 MiB pages under it, and asked to. */
    THP("transparent hugepages", 1L << 21),
    /** Ordinary pages. */
    KB4("4 KiB pages", DmaDomain.PAGE_SIZE);

    private final String text;
    private final long pageSize;

    PageKind(final String text, final long pageSize) {
        this.text = text;
        this.pageSize = pageSize;
    }

    /**
     * Size and alignment of a page.
     *
     * @return bytes, a power of two.
     */
    public long pageSize() {
        return pageSize;
    }

    /**
     * A length in whole pages of this kind.
     *
     * @param bytes above 0.
     * @return bytes, rounded up.
     */
    public long roundUp(final long bytes) {
        return (bytes + pageSize - 1) & -pageSize;
    }

    @Override
    public String toString() {
        return text;
    }
}
