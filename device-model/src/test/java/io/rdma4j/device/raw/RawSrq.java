/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.raw;

import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SrqAttrMask;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.HandleRequest;
import io.rdma4j.hw.pvrdma.cmd.ModifySrqRequest;
import io.rdma4j.hw.pvrdma.cmd.QuerySrqResponse;
import io.rdma4j.hw.pvrdma.cmd.SrqAttr;

import org.agrona.concurrent.UnsafeBuffer;

/** A shared receive queue as raw memory. */
public final class RawSrq {
    public final int handle;
    public final RawRing ring;
    private final RawDriver driver;
    private final RawQueue queue;

    RawSrq(RawDriver driver, RawRing ring, int handle, int count, int sge) {
        this.driver = driver;
        this.handle = handle;
        this.ring = ring;
        this.queue = new RawQueue(ring, RingState.RX_OFFSET, 1, count, RqWqe.stride(sge));
    }

    public boolean isFull() {
        return queue.isFull();
    }

    public void receive(long wrId, long address, int length, int lkey) {
        final UnsafeBuffer page = queue.page();
        final int at = queue.offset();
        RqWqe.header(page, at, wrId, 1);
        Sge.set(page, RqWqe.sgeOffset(at, 0), address, length, lkey);
        queue.publish();
        driver.uar.writeInt(Uar.SRQ_OFFSET, Uar.srqRecv(handle));
    }

    public int modifyLimit(int limit) {
        return driver.run(Command.MODIFY_SRQ, b -> {
            final ModifySrqRequest request = new ModifySrqRequest().wrap(b, 0).set(ModifySrqRequest.SRQ_HANDLE, handle)
                .set(ModifySrqRequest.ATTR_MASK, SrqAttrMask.PVRDMA_SRQ_LIMIT);
            request.get(ModifySrqRequest.ATTRS).set(SrqAttr.SRQ_LIMIT, limit);
        });
    }

    public int queryLimit() {
        return new QuerySrqResponse().wrap(driver.ok(Command.QUERY_SRQ, b -> new HandleRequest().wrap(b, 0)
            .set(HandleRequest.HANDLE, handle)), 0).get(QuerySrqResponse.ATTRS).get(SrqAttr.SRQ_LIMIT);
    }
}
