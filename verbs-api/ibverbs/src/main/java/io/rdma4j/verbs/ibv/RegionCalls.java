/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.spi.RegionChecks;
import org.agrona.concurrent.UnsafeBuffer;

/** The library's ways to register memory. Not every version has all; a driver may lack what the library has. */
final class RegionCalls {
    private static final int ENOSYS = 38;
    private static final int EPROTONOSUPPORT = 93;
    private static final int PREFETCH = 0;
    private static final int PREFETCH_WRITE = 1;
    private static final int FLUSH = 1;
    /** An element names 32 bits of bytes. */
    private static final long MOST_AT_ONCE = 1L << 30;
    private static final long PAGE = 4096;

    private final IbvContext context;
    private final long regMrIova;
    private final long regDmaBuf;
    private final long adviseMr;

    RegionCalls(final IbvContext context) {
        this.context = context;
        regMrIova = context.library.find("ibv_reg_mr_iova2");
        regDmaBuf = context.library.find("ibv_reg_dmabuf_mr");
        adviseMr = ContextCheck.extended(context.pointer, Abi.VerbsContext.ADVISE_MR);
    }

    boolean hasIova() {
        return regMrIova != 0;
    }

    /** Null if dma-bufs can be registered. Nothing tells, so a descriptor that is none is tried. */
    String whyNoDmaBufs() {
        if (regDmaBuf == 0) {
            return "this libibverbs has no ibv_reg_dmabuf_mr, which came with rdma-core 34";
        }
        final String operation = "look for dma-bufs";
        final long pd =
            context.requireObject(context.library.allocPd(context.pointer), operation, "ibv_alloc_pd");
        final long mr = context.library.call(regDmaBuf, pd, 0L, PAGE, 0L, -1, 0);
        final int errno = mr == 0 ? context.library.errno() : context.library.deregMr(mr);
        context.require(context.library.deallocPd(pd), operation, "ibv_dealloc_pd");
        return errno != RdmaException.EOPNOTSUPP && errno != ENOSYS && errno != EPROTONOSUPPORT ? null
            : "the device's driver takes no dma-bufs (ibv_reg_dmabuf_mr says " + RdmaException.errnoName(errno) + ')';
    }

    /** Registers; 0 if that is refused. */
    long register(final IbvPd pd, final RegionRequest request) {
        final RegionMemory memory = request.memory();
        final int access = AccessFlag.bits(request.access());
        final int required = AccessFlag.requiredBits(request.access());
        if (memory.kind() == RegionMemory.Kind.DMA_BUF) {
            return context.library.call(regDmaBuf, pd.pointer, memory.first(), memory.length(), request.iova(),
                memory.dmaBuf(), access);
        }
        // Kernels before 5.7 know no optional flags: this function leaves them out there.
        return request.iova() == memory.first() && (access == required || regMrIova == 0)
            ? context.library.regMr(pd.pointer, memory.first(), memory.size(), required)
            : context.library.call(regMrIova, pd.pointer, memory.first(), memory.size(), request.iova(), access);
    }

    /** Has the device know pages of a region on demand. One that takes no advice finds them when they are touched. */
    void prefetch(final IbvPd pd, final int lkey, final long iova, final long length, final boolean write) {
        final UnsafeBuffer sge = Struct.allocate(Abi.Sge.LENGTH);
        int errno = adviseMr == 0 ? ENOSYS : 0;
        for (long done = 0; done < length && errno == 0; done += MOST_AT_ONCE) {
            sge.putLong(Abi.Sge.ADDR, iova + done);
            sge.putInt(Abi.Sge.SIZE, (int) Math.min(length - done, MOST_AT_ONCE));
            sge.putInt(Abi.Sge.LKEY, lkey);
            errno = context.library.callInt(adviseMr, pd.pointer, write ? PREFETCH_WRITE : PREFETCH, FLUSH,
                sge.addressOffset(), 1);
        }
        Struct.keep(sge);
        if (errno != RdmaException.EOPNOTSUPP && errno != ENOSYS) {
            context.require(errno, RegionChecks.REFRESH, "ibv_advise_mr");
        }
    }
}
