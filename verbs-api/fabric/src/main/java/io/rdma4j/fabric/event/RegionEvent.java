/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import io.rdma4j.fabric.ConnectionRequest;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;

/**
 * A registration ended.
 *
 * @param region        the region.
 * @param context       of the registration; may be null.
 * @param errno         0 if it worked.
 * @param providerError what went wrong; empty if nothing did.
 */
public record RegionEvent(MemoryRegion region, Object context, int errno, String providerError)
    implements EventEntry {
    /**
     * It worked.
     *
     * @param region the region.
     * @return the event.
     */
    public static RegionEvent done(final MemoryRegion region) {
        return new RegionEvent(region, region.context(), FiErrno.FI_SUCCESS, "");
    }

    /**
     * It failed.
     *
     * @param region  the region.
     * @param failure why.
     * @return the event.
     */
    public static RegionEvent failed(final MemoryRegion region, final FabricException failure) {
        return new RegionEvent(region, region.context(), failure.errno(), failure.getMessage());
    }

    @Override
    public FabricEvent event() {
        return FabricEvent.MR_COMPLETE;
    }

    @Override
    public Object fid() {
        return region;
    }

    @Override
    public long data() {
        return 0;
    }

    @Override
    public ConnectionRequest request() {
        return null;
    }

    @Override
    public byte[] privateData() {
        return new byte[0];
    }

    @Override
    public boolean isError() {
        return errno != FiErrno.FI_SUCCESS;
    }
}
