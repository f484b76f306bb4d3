/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Counter;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WcStatus;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Work requests that no peer hears of: they change what keys of this device name. Each field of a WQE is read once.
 * Whatever is wrong with one, it completes with the status that the InfiniBand specification calls "memory management
 * operation error", and nothing has changed.
 */
final class LocalOperations {
    private static final int WINDOW_RIGHTS = AccessFlags.PVRDMA_ACCESS_REMOTE_READ
        | AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE | AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC;
    private static final int CHANGES = AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE
        | AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC;

    private final EngineContext context;
    private final QueuePair qp;
    private final ProtectionDomain pd;

    LocalOperations(EngineContext context, QueuePair qp) {
        this.context = context;
        this.qp = qp;
        this.pd = qp.shape().pd();
    }

    /** FAST_REG_MR: gives a region without pages some. */
    int fastRegister(UnsafeBuffer page, int at) {
        final int key = SqWqe.fastRegRkey(page, at);
        final MemoryRegion found = context.regions().byUpperRkey(key);
        if (!(found instanceof FastRegion) || !isOurs(found)) {
            return refused("fast registration", key);
        }
        return fill((FastRegion) found, key, page, at) ? WcStatus.PVRDMA_WC_SUCCESS
            : refused("fast registration", key);
    }

    private boolean fill(FastRegion region, int key, UnsafeBuffer page, int at) {
        final long first = SqWqe.fastRegIovaStart(page, at);
        final long bytes = SqWqe.fastRegLength(page, at) & 0xffff_ffffL;
        final int rights = SqWqe.fastRegAccess(page, at);
        final int count = SqWqe.fastRegPageListLen(page, at);
        if (SqWqe.fastRegPageShift(page, at) != Pdir.PAGE_SHIFT || count < 1 || count > region.maxPages()) {
            return false;
        }
        if (bytes == 0 || Long.compareUnsigned(first + (bytes - 1), first) < 0
            || Pdir.pagesSpanned(first & Pdir.PAGE_SIZE - 1, bytes) > count) {
            return false;
        }
        if (!Regions.isAllowed(rights) || (rights & AccessFlags.PVRDMA_ACCESS_MW_BIND) != 0) {
            return false;
        }
        return region.fill(key, first, bytes, rights, SqWqe.fastRegPlPdirDma(page, at), count);
    }

    /**
     * BIND_MW: lets a window show a part of a region, or nothing. The low byte of the window's former key does not
     * count: who posted binds that were flushed does not know it.
     */
    int bind(UnsafeBuffer page, int at) {
        final int former = SqWqe.bindMwRkey(page, at);
        final int key = SqWqe.bindNewRkey(page, at);
        final MemoryRegion found = context.regions().byUpperRkey(former);
        if (!(found instanceof MemoryWindow) || !isOurs(found) || ((former ^ key) & ~MemoryRegion.CHOSEN) != 0) {
            return refused("bind", former);
        }
        return bind((MemoryWindow) found, key, page, at) ? WcStatus.PVRDMA_WC_SUCCESS : refused("bind", former);
    }

    private boolean bind(MemoryWindow window, int key, UnsafeBuffer page, int at) {
        final long bytes = SqWqe.bindLength(page, at);
        if (bytes == 0) {
            return window.bind(qp, key, null, 0, 0, 0);
        }
        final long first = SqWqe.bindAddr(page, at);
        final int rights = SqWqe.bindAccess(page, at);
        final MemoryRegion region = context.regions().byLkey(SqWqe.bindMrLkey(page, at));
        return region != null && isOurs(region) && canShow(region, first, bytes, rights)
            && window.bind(qp, key, region, first, bytes, rights);
    }

    /**
     * A fast region cannot be shown: it could lose its pages behind the window's back. Remote rights of the region are
     * not asked for: that only windows let peers in is what they are for.
     */
    private static boolean canShow(MemoryRegion region, long first, long bytes, int rights) {
        final int needed = AccessFlags.PVRDMA_ACCESS_MW_BIND
            | ((rights & CHANGES) != 0 ? AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE : 0);
        return region.revocation() == null && (rights & ~(WINDOW_RIGHTS | AccessFlags.PVRDMA_ZERO_BASED)) == 0
            && region.allows(needed) && region.covers(first, bytes);
    }

    private boolean isOurs(MemoryRegion region) {
        return region.isLive() && region.pd() == pd;
    }

    /** LOCAL_INV, and the second half of RDMA_READ_WITH_INV. */
    int invalidate(int key) {
        return context.regions().invalidate(key, qp, false) ? WcStatus.PVRDMA_WC_SUCCESS : refused("invalidation", key);
    }

    /** Whether {@link #invalidate} would work now. */
    boolean canInvalidate(int key) {
        return context.regions().canInvalidate(key, qp, false);
    }

    /** The one status for all that can be wrong. */
    int refused(String what, int key) {
        context.counters().record(Counter.MEMORY_OPERATIONS_REFUSED, "qp 0x%x: %s of key 0x%x", qp.handle(), what, key);
        return WcStatus.PVRDMA_WC_MW_BIND_ERR;
    }
}
