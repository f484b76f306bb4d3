/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.queues.SendQueue;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.FastRegion;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WindowType;
import io.rdma4j.verbs.pvrdma.device.MemoryRegistration;
import io.rdma4j.verbs.spi.RegionChecks;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Set;

/**
 * Posting of what changes the meaning of a key: bindings of windows and fast registrations. What is certain and cheap
 * is checked here, so that a mistake costs a return code and not the connection.
 */
final class KeyPath {
    private static final int NEEDS_LOCAL_WRITE = AccessFlag.REMOTE_WRITE.bit() | AccessFlag.REMOTE_ATOMIC.bit();
    /** The program gives none: of a window of type 1 the driver chooses it. */
    private static final int NO_KEY = 0;

    private final SendPath path;
    private final SendQueue queue;
    private final UnsafeBuffer wqes;
    private final PvrdmaPd pd;

    /** How many requests were written before this one and are not kept. */
    private int ahead;

    KeyPath(final SendPath path, final PvrdmaPd pd) {
        this.path = path;
        this.queue = path.queue;
        this.wqes = queue.buffer();
        this.pd = pd;
    }

    /** Of a request without elements. */
    int enqueue(final SendRequest request, final int opcode, final int before) {
        ahead = before;
        return opcode == WrOpcode.PVRDMA_WR_BIND_MW ? enqueueBinding(request) : enqueueRegistration(request);
    }

    /** Each field is read once: what is checked is what is written. */
    private int enqueueBinding(final SendRequest request) {
        final MemoryWindow window = request.window();
        final int newKey = request.newKey();
        final long length = request.length();
        // A window of type 2 is freed by invalidating it, not by binding it to nothing.
        final int refusal = length == 0 ? ReturnCode.INVALID_REQUEST : objection(window, WindowType.TYPE_2);
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        final PvrdmaWindow own = (PvrdmaWindow) window;
        return Keys.areOfOne(newKey, own.rkey()) ? bind(request.wrId(), path.flags(request.flags()), own, newKey,
            request.region(), request.iova(), length, request.access()) : ReturnCode.INVALID_REQUEST;
    }

    int bindWindow(
        final long wrId, final MemoryWindow window, final MemoryRegion region, final long iova, final long length,
        final AccessFlag... flags) {
        ahead = 0;
        final int access = RegionChecks.windowRights(flags);
        final int refusal = access == RegionChecks.NO_RIGHTS ? ReturnCode.INVALID_REQUEST
            : objection(window, WindowType.TYPE_1);
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        return bind(wrId, path.flags(SendRequest.SIGNALED), (PvrdmaWindow) window, NO_KEY, region, iova, length,
            access);
    }

    private int objection(final MemoryWindow window, final WindowType type) {
        if (window == null) {
            return ReturnCode.INVALID_REQUEST;
        }
        if (!(window instanceof PvrdmaWindow) || ((PvrdmaWindow) window).pd != pd) {
            return ReturnCode.FOREIGN_OBJECT;
        }
        return window.isClosed() || window.type() != type ? ReturnCode.INVALID_REQUEST : ReturnCode.OK;
    }

    private int bind(
        final long wrId, final int flags, final PvrdmaWindow window, final int newKey, final MemoryRegion region,
        final long iova, final long length, final int access) {
        if (length == 0) {
            return write(wrId, flags, window, newKey, 0, iova, length, access);
        }
        if (region == null || region.isClosed()) {
            return ReturnCode.INVALID_REQUEST;
        }
        if (!(region instanceof PvrdmaMr)) {
            return ReturnCode.FOREIGN_OBJECT;
        }
        final RegionState now = ((PvrdmaMr) region).state();
        if (now.pd() != pd) {
            return ReturnCode.FOREIGN_OBJECT;
        }
        return allows(now.access(), access) && isInside(now.registration(), iova, length)
            ? write(wrId, flags, window, newKey, now.registration().lkey(), iova, length, access)
            : ReturnCode.INVALID_REQUEST;
    }

    private static boolean allows(final Set<AccessFlag> region, final int access) {
        return region.contains(AccessFlag.MW_BIND)
            && ((access & NEEDS_LOCAL_WRITE) == 0 || region.contains(AccessFlag.LOCAL_WRITE));
    }

    private static boolean isInside(final MemoryRegistration region, final long iova, final long length) {
        final long offset = iova - region.iova();
        return offset >= 0 && length > 0 && offset < region.length() && length <= region.length() - offset;
    }

    private int write(
        final long wrId, final int flags, final PvrdmaWindow window, final int givenKey, final int lkey,
        final long iova, final long length, final int access) {
        final int wqe = path.claim(ahead, wrId, WrOpcode.PVRDMA_WR_BIND_MW, flags, 0, 0);
        if (wqe < 0) {
            return path.notClaimed(wqe);
        }
        // Not before it is certain that this is posted: a key has 256 values, and comes back when they are used up.
        final int newKey = window.type() == WindowType.TYPE_1 ? window.choose() : givenKey;
        SqWqe.bindAddr(wqes, wqe, iova);
        SqWqe.bindLength(wqes, wqe, length);
        SqWqe.bindMwRkey(wqes, wqe, window.rkey());
        SqWqe.bindNewRkey(wqes, wqe, newKey);
        SqWqe.bindMrLkey(wqes, wqe, lkey);
        SqWqe.bindAccess(wqes, wqe, access);
        window.bound(newKey);
        return ReturnCode.OK;
    }

    private int enqueueRegistration(final SendRequest request) {
        final FastRegion region = request.fastRegion();
        if (region == null) {
            return ReturnCode.INVALID_REQUEST;
        }
        if (!(region instanceof PvrdmaFastRegion) || ((PvrdmaFastRegion) region).pd != pd) {
            return ReturnCode.FOREIGN_OBJECT;
        }
        final PvrdmaFastRegion own = (PvrdmaFastRegion) region;
        final FastPages pages = own.pages();
        if (own.isClosed() || pages == null || !pages.beginPost(path)) {
            return ReturnCode.INVALID_REQUEST;
        }
        try {
            return register(request, own, pages);
        } finally {
            pages.endPost();
        }
    }

    /** Windows are bound to regions that commands register, and only those can be on demand. */
    private static boolean isRegistrable(final int access) {
        return (access & (AccessFlag.MW_BIND.bit() | AccessFlag.ON_DEMAND.bit())) == 0
            && ((access & NEEDS_LOCAL_WRITE) == 0 || (access & AccessFlag.LOCAL_WRITE.bit()) != 0);
    }

    private int register(final SendRequest request, final PvrdmaFastRegion region, final FastPages pages) {
        final int newKey = request.newKey();
        final long iova = request.iova();
        final int access = request.access();
        if (!isRegistrable(access) || !pages.allows(access) || !pages.fits(iova)
            || !Keys.areOfOne(newKey, region.rkey())) {
            return ReturnCode.INVALID_REQUEST;
        }
        final int flags = path.flags(request.flags());
        final int wqe = path.claim(ahead, request.wrId(), WrOpcode.PVRDMA_WR_FAST_REG_MR, flags, 0, 0);
        if (wqe < 0) {
            return path.notClaimed(wqe);
        }
        SqWqe.fastRegIovaStart(wqes, wqe, iova);
        SqWqe.fastRegPlPdirDma(wqes, wqe, pages.pdirDma());
        SqWqe.fastRegPageShift(wqes, wqe, Pdir.PAGE_SHIFT);
        SqWqe.fastRegPageListLen(wqes, wqe, pages.count());
        SqWqe.fastRegLength(wqes, wqe, pages.length());
        SqWqe.fastRegAccess(wqes, wqe, access);
        SqWqe.fastRegRkey(wqes, wqe, newKey);
        pages.postedAs(path, queue.sequence() + ahead);
        region.registered(newKey);
        return ReturnCode.OK;
    }
}
