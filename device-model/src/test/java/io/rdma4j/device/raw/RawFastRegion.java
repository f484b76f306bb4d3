/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.raw;

import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.WrOpcode;

/** A region for fast registration, and a page list for it that may be changed. */
public final class RawFastRegion {
    public final int handle;
    public int lkey;
    public int rkey;
    public final long pdir;
    private final DmaMemory table;

    RawFastRegion(RawDriver driver, int handle, int lkey, int rkey) {
        this.handle = handle;
        this.lkey = lkey;
        this.rkey = rkey;
        final DmaMemory directory = driver.page();
        table = driver.page();
        directory.buffer().putLong(0, table.iova());
        pdir = directory.iova();
    }

    /** Writes the page list. */
    public void list(long... iovas) {
        for (int i = 0; i < iovas.length; i++) {
            table.buffer().putLong(i * Pdir.ENTRY_LENGTH, iovas[i]);
        }
    }

    /** Has a queue pair give it the pages listed, with the next keys; the completion is still to be polled. */
    public void register(RawQp by, long iova, int length, int pages, int access) {
        final int low = rkey + 1 & 0xff;
        rkey = rkey & ~0xff | low;
        lkey = lkey & ~0xff | low;
        by.post(w -> w.send(91, WrOpcode.PVRDMA_WR_FAST_REG_MR, SendFlags.PVRDMA_SEND_SIGNALED)
            .fastRegister(rkey, iova, pdir, pages, length, access));
    }

    public void invalidate(RawQp by) {
        by.post(w -> w.send(92, WrOpcode.PVRDMA_WR_LOCAL_INV, SendFlags.PVRDMA_SEND_SIGNALED).invalidate(rkey));
    }
}
