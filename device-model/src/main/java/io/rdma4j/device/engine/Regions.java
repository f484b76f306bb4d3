/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.CommandError;
import io.rdma4j.device.common.Limits;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.memory.EmulatedIommu;
import io.rdma4j.device.memory.PageTable;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.Pdir;

import java.security.SecureRandom;

/** The memory regions and windows of a device, by handle and by key. */
public final class Regions {
    private static final int REMOTE = AccessFlags.PVRDMA_ACCESS_REMOTE_READ | AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE
        | AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC;
    private static final int REMOTE_CHANGE = AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE
        | AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC;
    private static final int KNOWN = AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE | REMOTE | AccessFlags.PVRDMA_ACCESS_MW_BIND
        | AccessFlags.PVRDMA_ZERO_BASED;
    private static final int QEMU_RKEY = -1;
    /** Low bytes of keys that the device chooses are 1 to this. */
    private static final int LOW_BYTES = 255;

    private final EngineContext context;
    private final EmulatedIommu iommu;
    private final SecureRandom random = new SecureRandom();
    private final KeyCipher locals = new KeyCipher(random);
    private final KeyCipher remotes = new KeyCipher(random);
    private final int firstLocalByte = random.nextInt(LOW_BYTES);
    private final int firstRemoteByte = random.nextInt(LOW_BYTES);
    private final ObjectTable<MemoryRegion> table;
    private final PlainRegions plain;
    private int regions;
    private int windows;

    Regions(EngineContext context) {
        this.context = context;
        this.iommu = context.iommu();
        this.table = context.table("memory region", context.limits().maxMr() + context.maxMw(), random.nextInt());
        this.plain = new PlainRegions(iommu, table);
    }

    /**
     * Creates a region.
     *
     * @param request what the driver asks for.
     * @param pd      its protection domain.
     * @return its names.
     */
    MrKeys create(MrRequest request, ProtectionDomain pd) {
        if (regions == context.limits().maxMr()) {
            throw new CommandError(CommandError.ENOMEM, "all " + regions + " memory regions of the device are in use");
        }
        final int onDemand = context.hasOnDemand() ? AccessFlags.PVRDMA_ACCESS_ON_DEMAND : 0;
        if (!isAllowed(request.access() & ~onDemand) || isOnDemand(request) && request.flags() != 0) {
            throw CommandError.invalid("access %s: remote write and remote atomic need local write, on demand needs"
                + " a device that has it and a region of user memory, and unknown bits are not supported",
                AccessFlags.NAMES.of(request.access()));
        }
        final long generation = iommu.generation();
        final PageTable pages = pages(request);
        return context.room().taking(pages.words(), () -> create(request, pd, pages, generation));
    }

    private MrKeys create(MrRequest request, ProtectionDomain pd, PageTable pages, long generation) {
        final int made = table.add(handle -> {
            final MrKeys keys = keys(handle, request.isFast() || (request.access() & REMOTE) != 0);
            final MemoryRegion region = request.isFast() ? new FastRegion(keys, pd, pages)
                : new MemoryRegion(keys, pd, request.start(), effectiveLength(request), request.access(), pages);
            if (!context.hasQuirks()) {
                // Before it is in the table: until then who looks here is sent the long way.
                plain.put(region, generation);
            }
            return region;
        });
        pd.use();
        regions++;
        return keys(table.get(made));
    }

    private static MrKeys keys(MemoryRegion region) {
        return new MrKeys(region.handle(), region.lkey(), region.rkey());
    }

    private static boolean isOnDemand(MrRequest request) {
        return (request.access() & AccessFlags.PVRDMA_ACCESS_ON_DEMAND) != 0;
    }

    private static long effectiveLength(MrRequest request) {
        return request.isDma() ? Long.MAX_VALUE : request.length();
    }

    /** Whether a region may have these rights: who lets peers change memory must be allowed to change it himself. */
    static boolean isAllowed(int access) {
        return (access & ~KNOWN & ~AccessFlags.IB_ACCESS_OPTIONAL) == 0
            && ((access & REMOTE_CHANGE) == 0 || (access & AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE) != 0);
    }

    /** What is asked for, without wishes. */
    private static int required(MrRequest request) {
        return request.access() & ~AccessFlags.IB_ACCESS_OPTIONAL;
    }

    private PageTable pages(MrRequest request) {
        if (request.isDma()) {
            if ((required(request) & ~AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE) != 0) {
                throw CommandError.invalid("a region of all DMA memory has local rights only");
            }
            return PageTable.direct(iommu);
        }
        if (request.isFast()) {
            return noPages(request);
        }
        if (request.flags() != 0) {
            throw CommandError.invalid("region flags 0x%x are not supported", request.flags());
        }
        checkRange(request);
        if (isOnDemand(request)) {
            return PageTable.walkOnDemand(iommu, request.pdir(), request.pages());
        }
        return PageTable.walkRegion(iommu, request.pdir(), request.pages(),
            context.hasExtensions() ? Pdir.LARGE_MAX_PAGES : Pdir.MAX_PAGES);
    }

    private PageTable noPages(MrRequest request) {
        if (context.has(Quirk.ONLY_SEND) || context.has(Quirk.PLAIN_HANDLES)) {
            throw new CommandError(CommandError.EOPNOTSUPP, "fast registration is not supported");
        }
        if (required(request) != 0 || request.pages() < 1 || request.pages() > Limits.MAX_FAST_REG_PAGES) {
            throw CommandError.invalid("a region for fast registration of %d pages with access 0x%x: allowed are 1 to"
                + " %d pages, and no access", request.pages(), request.access(), Limits.MAX_FAST_REG_PAGES);
        }
        return PageTable.refillable(iommu, request.pages());
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
                spanned, request.pages());
        }
    }

    private MrKeys keys(int handle, boolean forPeers) {
        final int lkey = context.has(Quirk.PLAIN_HANDLES) ? handle : key(locals, handle, firstLocalByte);
        if (context.has(Quirk.NO_RKEY)) {
            return new MrKeys(handle, lkey, QEMU_RKEY);
        }
        return new MrKeys(handle, lkey, forPeers ? key(remotes, handle, firstRemoteByte) : 0);
    }

    /** The low byte moves on when a slot has had all its numbers: it takes that much longer to see a key again. */
    private int key(KeyCipher cipher, int handle, int firstByte) {
        return cipher.key(handle, 1 + Integer.remainderUnsigned(firstByte + table.lap(handle), LOW_BYTES));
    }

    /** A local key that is no number's: where handles are plain, 0 is the first region's. */
    private int noLkey() {
        return context.has(Quirk.PLAIN_HANDLES) ? -1 : 0;
    }

    /**
     * Creates a window that shows nothing.
     *
     * @param pd   its protection domain.
     * @param type 1 or 2.
     * @return its names; it has no lkey.
     */
    MrKeys createWindow(ProtectionDomain pd, int type) {
        if (type != 1 && type != 2) {
            throw CommandError.invalid("window type %d, there are 1 and 2", type);
        }
        if (windows == context.maxMw()) {
            throw new CommandError(CommandError.ENOMEM, "all " + windows + " memory windows of the device are in use");
        }
        final int made = table.add(handle ->
            new MemoryWindow(new MrKeys(handle, noLkey(), key(remotes, handle, firstRemoteByte)), pd, type));
        pd.use();
        windows++;
        return keys(table.get(made));
    }

    /**
     * Ends a region, and with it what windows show of it: when this returns, no access to it is under way, nor will one
     * begin.
     *
     * @param handle of the region.
     */
    public void destroy(int handle) {
        final MemoryRegion region = table.get(handle);
        if (region == null && context.has(Quirk.PLAIN_HANDLES)) {
            return;
        }
        if (region == null || region instanceof MemoryWindow) {
            throw CommandError.invalid("there is no memory region 0x%x", handle);
        }
        end(region);
        regions--;
    }

    /**
     * Ends a window: when this returns, no access through it is under way, nor will one begin.
     *
     * @param handle of the window.
     */
    public void destroyWindow(int handle) {
        if (!(table.get(handle) instanceof MemoryWindow)) {
            throw CommandError.invalid("there is no memory window 0x%x", handle);
        }
        end(table.get(handle));
        windows--;
    }

    private void end(MemoryRegion region) {
        region.end();
        plain.remove(region.handle());
        context.quiesce();
        region.pd().letGo();
        table.release(region.handle());
        context.room().give(region.release());
    }

    /** Ends everything. */
    void reset() {
        table.snapshot().forEach(this::end);
        regions = 0;
        windows = 0;
    }

    MemoryRegion byLkey(int key) {
        final MemoryRegion region = context.has(Quirk.PLAIN_HANDLES) ? table.get(key) : table.get(locals.number(key));
        return region == null || region.lkey() != key ? null : region;
    }

    MemoryRegion byRkey(int key) {
        final MemoryRegion region = key == 0 ? null : table.get(remotes.number(key));
        return region == null || region.rkey() != key ? null : region;
    }

    /** What the short way knows of regions; nothing on a device with quirks, where there is none. */
    PlainRegions plain() {
        return plain;
    }

    /** The line of a local key in {@link #plain()}. */
    long lineOfLkey(int key) {
        return plain.byLkey(locals.number(key), key);
    }

    /** The line of a remote key in {@link #plain()}. */
    long lineOfRkey(int key) {
        return plain.byRkey(remotes.number(key), key);
    }

    /** What a key names, whatever its low byte: for those who are about to choose that anew. */
    MemoryRegion byUpperRkey(int key) {
        final MemoryRegion region = table.get(remotes.number(key));
        return region == null || ((region.rkey() ^ key) & ~MemoryRegion.CHOSEN) != 0 ? null : region;
    }

    /**
     * Takes the memory away from a fast region or a window of type 2. When this returns true, no access by its key is
     * under way, nor will one begin.
     *
     * @param key    of it.
     * @param by     the queue pair that executes the request.
     * @param remote whether it is a peer's request: it has no business with a region without remote rights.
     * @return false if the key names nothing of the kind that the queue pair may invalidate now.
     */
    boolean invalidate(int key, QueuePair by, boolean remote) {
        final MemoryRegion region = byRkey(key);
        final int lease = region == null ? 0 : region.lease();
        if (!canInvalidate(region, lease, key, by, remote)) {
            return false;
        }
        final int busy = region.revocation().claim(lease);
        region.revocation().free(busy);
        return busy != 0;
    }

    /** Whether {@link #invalidate} would work now. */
    boolean canInvalidate(int key, QueuePair by, boolean remote) {
        final MemoryRegion region = byRkey(key);
        return canInvalidate(region, region == null ? 0 : region.lease(), key, by, remote);
    }

    private static boolean canInvalidate(MemoryRegion region, int lease, int key, QueuePair by, boolean remote) {
        return region != null && region.revocation() != null && region.isUsable(lease) && region.rkey() == key
            && !(region instanceof MemoryWindow && !((MemoryWindow) region).isType2())
            && region.pd() == by.shape().pd() && region.admits(by) && !(remote && (region.access() & REMOTE) == 0);
    }

    /**
     * {@return how many regions there are}
     */
    public int size() {
        return regions;
    }

    /**
     * {@return how many windows there are}
     */
    public int windows() {
        return windows;
    }

    ObjectTable<MemoryRegion> table() {
        return table;
    }
}
