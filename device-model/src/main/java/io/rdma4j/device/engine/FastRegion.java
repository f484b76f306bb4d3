/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.memory.PageTable;
import io.rdma4j.device.memory.Revocation;
import io.rdma4j.hw.pvrdma.Pdir;

/** A region without pages of its own: work requests give it some, and take them away again. */
final class FastRegion extends MemoryRegion {
    private final PageTable table;

    /**
     * One without pages.
     *
     * @param keys  its names.
     * @param pd    its protection domain.
     * @param table refillable.
     */
    FastRegion(MrKeys keys, ProtectionDomain pd, PageTable table) {
        super(keys, pd, new Revocation());
        this.table = table;
    }

    @Override
    long release() {
        return table.release();
    }

    /** Pages at most. */
    int maxPages() {
        return table.pages();
    }

    /**
     * Gives it pages, if it has none.
     *
     * @param key    of which the low byte counts.
     * @param first  address of the first byte; its place in its page is that of the byte in the first page listed.
     * @param bytes  above 0, at most what the pages hold from there.
     * @param rights checked access flags.
     * @param pdir   IOVA of a directory of the pages.
     * @param count  pages, 1 to {@link #maxPages()}.
     * @return false if it has some, or the pages cannot be found.
     */
    boolean fill(int key, long first, long bytes, int rights, long pdir, int count) {
        final int lease = revocation().lease();
        final int busy = Revocation.isFree(lease) ? revocation().claim(lease) : 0;
        if (busy == 0) {
            return false;
        }
        if (!table.refill(pdir, count)) {
            revocation().free(busy);
            return false;
        }
        choose(key);
        show(first, bytes, first & Pdir.PAGE_SIZE - 1, rights, table);
        return revocation().live(busy);
    }
}
