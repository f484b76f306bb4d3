/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WindowType;
import io.rdma4j.verbs.spi.RegionChecks;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Binding of memory windows. The library follows the addresses of window and region while it is posted to, so both are
 * held open meanwhile; these requests go down one by one.
 */
final class Bindings {
    private static final int NEEDS_LOCAL_WRITE = AccessFlag.REMOTE_WRITE.bit() | AccessFlag.REMOTE_ATOMIC.bit();

    private final SendPath path;
    private final IbvPd pd;
    /** A region whose keys are 0, for a library that reads one also where there need be none. */
    private final UnsafeBuffer noRegion = Struct.allocate(Abi.SendWr.LENGTH);
    private final UnsafeBuffer bind = Struct.allocate(Abi.MwBind.LENGTH);

    Bindings(final SendPath path, final IbvPd pd) {
        this.path = path;
        this.pd = pd;
    }

    /** Posts what is in the list already, then this request alone; the list is empty then. */
    int enqueue(final SendRequest request) {
        final MemoryWindow window = request.window();
        final long length = request.length();
        final int refusal = length == 0 ? ReturnCode.INVALID_REQUEST : objection(window, WindowType.TYPE_2);
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        // Read once: what was checked is what is written, also if another thread changes the request meanwhile.
        final IbvWindow own = (IbvWindow) window;
        final MemoryRegion region = request.region();
        final int newKey = request.newKey();
        final long iova = request.iova();
        final int access = request.access();
        final int other = own.hasKey(newKey) ? objection(own.pd, region, iova, length, access)
            : ReturnCode.INVALID_REQUEST;
        return other != ReturnCode.OK ? other : hold(own, (IbvMr) region,
            () -> place(request, own, newKey, (IbvMr) region, iova, length, access));
    }

    private interface Held {
        int run();
    }

    private int hold(final IbvWindow window, final IbvMr region, final Held action) {
        if (!window.users.begin(window)) {
            return ReturnCode.INVALID_REQUEST;
        }
        try {
            if (region != null && !region.users.begin(region)) {
                return ReturnCode.INVALID_REQUEST;
            }
            try {
                return action.run();
            } finally {
                if (region != null) {
                    region.users.end();
                }
            }
        } finally {
            window.users.end();
        }
    }

    private int place(final SendRequest request, final IbvWindow window, final int newKey, final IbvMr region,
        final long iova, final long length, final int access) {
        final int seq = path.nextSequence();
        final long at = path.claim(request.wrId(), 0);
        if (at < 0) {
            return (int) at;
        }
        path.work.describe(seq, SendOpcode.BIND_MW, iova, newKey);
        UnsafeApi.putInt(at + Abi.SendWr.OPCODE, Opcodes.BIND_MW);
        UnsafeApi.putInt(at + Abi.SendWr.SEND_FLAGS, request.flags());
        UnsafeApi.putInt(at + Abi.SendWr.NUM_SGE, 0);
        UnsafeApi.putLong(at + Abi.SendWr.BIND_MW_MW, window.pointer);
        UnsafeApi.putInt(at + Abi.SendWr.BIND_MW_RKEY, newKey);
        UnsafeApi.putLong(at + Abi.SendWr.BIND_MW_BIND_INFO_MR, region.pointer());
        UnsafeApi.putLong(at + Abi.SendWr.BIND_MW_BIND_INFO_ADDR, iova);
        UnsafeApi.putLong(at + Abi.SendWr.BIND_MW_BIND_INFO_LENGTH, length);
        UnsafeApi.putInt(at + Abi.SendWr.BIND_MW_BIND_INFO_MW_ACCESS_FLAGS, access);
        path.commit(at);
        final int code = path.submitHeld();
        if (code == ReturnCode.OK) {
            window.key(newKey);
        }
        return code;
    }

    /** A window of type 1: the library makes the request, and chooses the key. */
    int bindWindow(
        final long qp, final long wrId, final MemoryWindow window, final MemoryRegion region, final long iova,
        final long length, final AccessFlag... flags) {
        final int access = RegionChecks.windowRights(flags);
        final int refusal = access == RegionChecks.NO_RIGHTS ? ReturnCode.INVALID_REQUEST
            : objection(window, WindowType.TYPE_1);
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        final IbvWindow own = (IbvWindow) window;
        final int other = length == 0 ? ReturnCode.OK : objection(own.pd, region, iova, length, access);
        if (other != ReturnCode.OK) {
            return other;
        }
        final IbvMr bound = length == 0 ? null : (IbvMr) region;
        return hold(own, bound, () -> bind(qp, wrId, own, bound, iova, length, access));
    }

    private int bind(final long qp, final long wrId, final IbvWindow window, final IbvMr region, final long iova,
        final long length, final int access) {
        if (!path.work.hasRoom(0)) {
            return ReturnCode.QUEUE_FULL;
        }
        bind.putLong(Abi.MwBind.WR_ID, path.wireOfNext());
        bind.putInt(Abi.MwBind.SEND_FLAGS, SendRequest.SIGNALED);
        bind.putLong(Abi.MwBind.BIND_INFO_MR, region != null ? region.pointer()
            : pd.context.traits.bindsWithoutRegion ? 0 : noRegion.addressOffset());
        bind.putLong(Abi.MwBind.BIND_INFO_ADDR, iova);
        bind.putLong(Abi.MwBind.BIND_INFO_LENGTH, length);
        bind.putInt(Abi.MwBind.BIND_INFO_MW_ACCESS_FLAGS, access);
        path.work.describe(path.nextSequence(), wrId, 0);
        path.work.describe(path.nextSequence(), SendOpcode.BIND_MW, iova, window.rkey());
        path.work.publish(1);
        final int errno = pd.context.library.callInt(pd.context.member(Abi.Context.OPS_BIND_MW), qp, window.pointer,
            bind.addressOffset());
        if (errno != 0) {
            path.work.takeBack(1);
            return path.code(Math.abs(errno));
        }
        window.adoptKey();
        return ReturnCode.OK;
    }

    private int objection(final MemoryWindow window, final WindowType type) {
        if (window == null) {
            return ReturnCode.INVALID_REQUEST;
        }
        if (!(window instanceof IbvWindow) || ((IbvWindow) window).pd != pd) {
            return ReturnCode.FOREIGN_OBJECT;
        }
        return window.isClosed() || window.type() != type ? ReturnCode.INVALID_REQUEST : ReturnCode.OK;
    }

    private static int objection(
        final IbvPd pd, final MemoryRegion region, final long iova, final long length, final int access) {
        if (region == null) {
            return ReturnCode.INVALID_REQUEST;
        }
        if (!(region instanceof IbvMr) || region.pd() != pd) {
            return ReturnCode.FOREIGN_OBJECT;
        }
        final int rights = AccessFlag.bits(region.access());
        final long offset = iova - region.iova();
        final boolean fits = !region.isClosed() && (rights & AccessFlag.MW_BIND.bit()) != 0
            && ((access & NEEDS_LOCAL_WRITE) == 0 || (rights & AccessFlag.LOCAL_WRITE.bit()) != 0)
            && offset >= 0 && length >= 0 && offset <= region.length() && length <= region.length() - offset;
        return fits ? ReturnCode.OK : ReturnCode.INVALID_REQUEST;
    }
}
