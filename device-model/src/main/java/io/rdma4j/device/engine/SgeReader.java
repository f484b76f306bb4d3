/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.memory.DmaList;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.queues.Padded;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Turns the SGEs of a WQE into checked memory. Each field is read from the ring once: the driver may change it while
 * the device looks. Belongs to one queue and its lock.
 */
final class SgeReader extends Padded {
    private final EngineContext context;
    private final ProtectionDomain pd;
    private final PlainRegions plain;
    /** Of the key that was found last. */
    private long line;

    SgeReader(EngineContext context, ProtectionDomain pd) {
        this.context = context;
        this.pd = pd;
        this.plain = context.regions().plain();
        this.line = plain.none();
    }

    /**
     * Reads the SGEs of one WQE.
     *
     * @param page   holds the first SGE and all others.
     * @param at     where it begins.
     * @param count  how many, checked before.
     * @param rights what the region must allow.
     * @param into   emptied, then filled.
     * @return a completion status.
     */
    int read(UnsafeBuffer page, int at, int count, int rights, DmaList into) {
        into.clear();
        for (int i = 0; i < count; i++) {
            final int sge = at + i * Sge.LENGTH;
            final long length = Sge.length(page, sge) & 0xffff_ffffL;
            if (length != 0 && !add(Sge.addr(page, sge), length, Sge.lkey(page, sge), rights, into)) {
                context.counters().increment(Counter.LOCAL_PROTECTION);
                return WcStatus.PVRDMA_WC_LOC_PROT_ERR;
            }
        }
        return WcStatus.PVRDMA_WC_SUCCESS;
    }

    private boolean add(long address, long length, int lkey, int rights, DmaList into) {
        final MemoryRegion region = context.regions().byLkey(lkey);
        if (region == null) {
            return false;
        }
        // The key once more: that of a fast region may have changed since, and the lease with it.
        final int lease = region.lease();
        if (!region.isUsable(lease) || region.lkey() != lkey || region.pd() != pd || !region.allows(rights)
            || !region.covers(address, length)) {
            return false;
        }
        if (!region.pages().isCurrent()) {
            region.pages().refused(address, length);
            return false;
        }
        final long offset = region.offset(address);
        into.add(region.pages(), offset, length);
        if (!region.isPlain()) {
            into.guard(region.revocation(), lease);
        }
        return region.pages().reaches(offset, length);
    }

    /**
     * Where the memory of an SGE is in this process, if that is easily said: see {@link PlainRegions#host}.
     *
     * @param rights what the region must allow.
     * @return an address; 0 if all is to be asked, as {@link #read} does.
     */
    long plainHost(long address, long length, int lkey, int rights) {
        if (!PlainRegions.hasLkey(line, lkey)) {
            line = context.regions().lineOfLkey(lkey);
        }
        return plain.host(line, pd.handle(), address, length, rights);
    }
}
