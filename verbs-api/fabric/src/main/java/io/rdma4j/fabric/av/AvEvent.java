/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.ConnectionRequest;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;

/**
 * An insertion ended, or one of its addresses failed.
 *
 * @param fid           the vector.
 * @param context       of the insertion; may be null.
 * @param data          how many were inserted; of errors, the index of the address that was not.
 * @param errno         0 for the end.
 * @param providerError what is wrong with the address; empty for the end.
 */
record AvEvent(AddressVector fid, Object context, long data, int errno, String providerError) implements EventEntry {
    static AvEvent complete(final AddressVector vector, final Object context, final int inserted) {
        return new AvEvent(vector, context, inserted, FiErrno.FI_SUCCESS, "");
    }

    static AvEvent failed(
        final AddressVector vector, final Object context, final int index, final Problem problem) {
        return new AvEvent(vector, context, index, problem.errno(), problem.text());
    }

    @Override
    public FabricEvent event() {
        return FabricEvent.AV_COMPLETE;
    }

    @Override
    public MemoryRegion region() {
        return null;
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
