/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.CommandError;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.memory.EmulatedIommu;
import io.rdma4j.device.memory.PageTable;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.MrFlags;
import io.rdma4j.hw.pvrdma.Pdir;

import java.security.SecureRandom;

/** The memory regions of a device, by handle and by key. */
public final class Regions {
    private static final int REMOTE = AccessFlags.PVRDMA_ACCESS_REMOTE_READ | AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE
        | AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC;
    private static final int REMOTE_CHANGE = AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE
        | AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC;
    private static final int QEMU_RKEY = -1;

    private final EngineContext context;
    private final EmulatedIommu iommu;
    private final SecureRandom random = new SecureRandom();
    private final KeyCipher locals = new KeyCipher(random);
    private final KeyCipher remotes = new KeyCipher(random);
    private final ObjectTable<MemoryRegion> table;

    Regions(EngineContext context) {
        this.context = context;
        this.iommu = context.iommu();
        this.table = context.table("memory region", context.limits().maxMr(), random.nextInt());
    }

    /**
     * Creates a region.
     *
     * @param request what the driver asks for.
     * @param pd      its protection domain.
     * @return its names.
     */
    MrKeys create(MrRequest request, ProtectionDomain pd) {
        checkAccess(request.access());
        final PageTable pages = pages(request);
        final int handle = table.allocate();
        final MrKeys keys = keys(handle, request.access());
        table.put(handle, new MemoryRegion(keys, pd, request.start(), effectiveLength(request), request.access(),
            pages));
        pd.use();
        return keys;
    }

    private static long effectiveLength(MrRequest request) {
        return request.isDma() ? Long.MAX_VALUE : request.length();
    }

    private void checkAccess(int access) {
        if ((access & REMOTE_CHANGE) != 0 && (access & AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE) == 0) {
            throw CommandError.invalid("access %s: remote write and remote atomic need local write",
                AccessFlags.name(access));
        }
        if ((access & ~0x7f) != 0 || (access & AccessFlags.PVRDMA_ACCESS_ON_DEMAND) != 0) {
            throw CommandError.invalid("access 0x%x: on demand and unknown bits are not supported", access);
        }
    }

    private PageTable pages(MrRequest request) {
        if (request.isDma()) {
            if ((request.access() & ~AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE) != 0) {
                throw CommandError.invalid("a region of all DMA memory has local rights only");
            }
            return PageTable.direct(iommu);
        }
        if (request.flags() != 0) {
            throw new CommandError(request.flags() == MrFlags.PVRDMA_MR_FLAG_FRMR ? CommandError.EOPNOTSUPP
                : CommandError.EINVAL, "region flags 0x" + Integer.toHexString(request.flags()) + " are not supported");
        }
        checkRange(request);
        return PageTable.walk(iommu, request.pdir(), request.pages());
    }

    private void checkRange(MrRequest request) {
        final long length = request.length();
        if (length <= 0 || length > context.limits().maxMrSize()
            || Long.compareUnsigned(request.start() + (length - 1), request.start()) < 0) {
            throw CommandError.invalid("start 0x%x length 0x%x: a region has 1 to 0x%x bytes and does not wrap around",
                request.start(), length, context.limits().maxMrSize());
        }
        final long spanned = context.has(Quirk.WHOLE_PAGES) ? Pdir.pagesSpanned(0, length)
            : Pdir.pagesSpanned(request.start(), length);
        if (request.pages() != spanned || request.pages() != Pdir.pagesSpanned(request.start(), length)) {
            throw CommandError.invalid("start 0x%x length 0x%x touches %d pages, not %d", request.start(), length,
                spanned,
                request.pages());
        }
    }

    private MrKeys keys(int handle, int access) {
        if (context.has(Quirk.NO_RKEY)) {
            return new MrKeys(handle, context.has(Quirk.PLAIN_HANDLES) ? handle : lkey(handle), QEMU_RKEY);
        }
        return new MrKeys(handle, lkey(handle), (access & REMOTE) == 0 ? 0 : remotes.key(handle, random.nextInt(255)
            + 1));
    }

    private int lkey(int handle) {
        return locals.key(handle, random.nextInt(255) + 1);
    }

    /**
     * Ends a region: when this returns, no access to it is under way, nor will one begin.
     *
     * @param handle of the region.
     */
    public void destroy(int handle) {
        final MemoryRegion region = table.get(handle);
        if (region == null && context.has(Quirk.PLAIN_HANDLES)) {
            return;
        }
        table.require(handle).end();
        context.quiesce();
        region.pd().letGo();
        table.release(handle);
    }

    MemoryRegion byLkey(int key) {
        final MemoryRegion region = context.has(Quirk.PLAIN_HANDLES) ? table.get(key) : table.get(locals.number(key));
        return region == null || region.lkey() != key ? null : region;
    }

    MemoryRegion byRkey(int key) {
        final MemoryRegion region = key == 0 ? null : table.get(remotes.number(key));
        return region == null || region.rkey() != key ? null : region;
    }

    /**
     * {@return how many regions there are}
     */
    public int size() {
        return table.size();
    }

    ObjectTable<MemoryRegion> table() {
        return table;
    }
}
