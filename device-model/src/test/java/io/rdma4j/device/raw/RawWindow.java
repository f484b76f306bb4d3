/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.raw;

import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.WrOpcode;

/** A memory window; remembers the key of the last bind that was asked for here. */
public final class RawWindow {
    public final int handle;
    public int rkey;

    RawWindow(int handle, int rkey) {
        this.handle = handle;
        this.rkey = rkey;
    }

    /** Has a queue pair bind it, with the next key; the completion is still to be polled. */
    public void bind(RawQp by, RawRegion region, long address, long length, int access) {
        final int next = rkey & ~0xff | rkey + 1 & 0xff;
        by.post(w -> w.send(90, WrOpcode.PVRDMA_WR_BIND_MW, SendFlags.PVRDMA_SEND_SIGNALED)
            .bind(rkey, next, region == null ? 0 : region.lkey, address, length, access));
        rkey = next;
    }
}
