/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.memory.ProcessMaps;
import io.rdma4j.verbs.pvrdma.device.PvrdmaDevice;
import io.rdma4j.verbs.pvrdma.device.RegionPages;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.RegionChecks;

import java.util.Collection;
import java.util.List;

/**
 * A range of addresses of this process.
 *
 * @param firstByte its address.
 * @param owner     keeps the memory mapped; may be null.
 * @param readOnly  whether it was given as a buffer that must not be written.
 * @param onDemand  whether it is the addresses that count, and not the pages which are there now.
 */
record RangeSource(long firstByte, Object owner, boolean readOnly, boolean onDemand) implements RegionSource {
    @Override
    public RangeSource with(final boolean demand) {
        return demand == onDemand ? this : new RangeSource(firstByte, owner, readOnly, demand);
    }

    @Override
    public Collection<Object> owners() {
        return owner == null ? List.of() : List.of(owner);
    }

    @Override
    public void check(
        final String operation, final PvrdmaContext context, final long length, final boolean write) {
        RegionChecks.checkRange(operation, context, firstByte, length, owner);
        RegionSource.requireForeign(operation, context, firstByte, length);
        RegionChecks.checkWritable(operation, context, readOnly && write, owner);
        final String hole = onDemand || RegionSource.isKnown(owner, firstByte, length)
            ? null : ProcessMaps.firstHole(firstByte, length, write);
        if (hole != null) {
            throw Errors.error(RdmaException.EFAULT, operation, context, "0x%x+%d: %s", firstByte, length, hole);
        }
    }

    @Override
    public RegionPages map(final PvrdmaDevice device, final long length) {
        return onDemand ? device.mapOnDemand(firstByte, length)
            : device.mapRange(firstByte, length, RegionSource.mappedFor(owner, firstByte, length));
    }
}
