/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.memory;

import io.rdma4j.device.common.CommandError;
import io.rdma4j.hw.pvrdma.Pdir;

/** Reads page addresses out of a page directory, in order, each once. */
final class DirectoryWalk {
    private final EmulatedIommu iommu;
    private final long root;
    private long directory;
    private long table;

    /**
     * A walk at its beginning.
     *
     * @param iommu translates.
     * @param pdir  IOVA of the directory, or of the root page if there are many pages.
     * @param pages how many.
     */
    DirectoryWalk(EmulatedIommu iommu, long pdir, int pages) {
        this.iommu = iommu;
        final long first = translate(pdir, "page directory");
        this.root = Pdir.isLarge(pages) ? first : 0;
        this.directory = first;
    }

    /**
     * The IOVA of a page; pages are asked for from 0 on, without a gap.
     *
     * @throws DmaFault     if a directory or table is not mapped.
     * @throws CommandError EINVAL if an entry is 0 or not page-aligned.
     */
    long page(int i) {
        if (Pdir.tableIndex(i) == 0) {
            if (root != 0 && Pdir.dirIndex(i) == 0) {
                directory = translate(PageTable.entry(root, Pdir.rootIndex(i)), "page directory");
            }
            table = translate(PageTable.entry(directory, Pdir.dirIndex(i)), "page table");
        }
        return aligned(PageTable.entry(table, Pdir.tableIndex(i)), "page");
    }

    private long translate(long iova, String what) {
        return iommu.translate(aligned(iova, what), Pdir.PAGE_SIZE);
    }

    private long aligned(long iova, String what) {
        if (iommu.isNowhere(iova, Pdir.PAGE_SIZE)) {
            throw CommandError.invalid("a %s is at iova 0x%x: it must be page-aligned, and 0 only if that is mapped",
                what, iova);
        }
        return iova;
    }
}
