/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.driver.memory.BufferOwners;
import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.verbs.PinnedMemory;
import org.agrona.DirectBuffer;

/**
 * Where the device finds memory of this process: by the region that the application gives as descriptor, or by the
 * cache. The answer is in the fields until the next question. For the thread that uses the endpoint.
 */
public final class LocalMemory {
    /** From this version on a descriptor is valid or null also without FI_MR_LOCAL (fi_mr; checklist 23). */
    private static final int DESC_COUNTS = 1 << 16 | 22;

    private final Realm realm;
    private final RegistrationCache cache;
    private final boolean descNeeded;
    private final boolean descIgnored;

    private long deviceAddress;
    private long processAddress;
    private int lkey;
    private CachedRegion cached;
    private LocalDescriptor descriptor;
    private boolean keptByDescriptor;

    /**
     * For one endpoint.
     *
     * @param realm of the endpoint.
     * @param info  what was negotiated.
     */
    public LocalMemory(final Realm realm, final FabricInfo info) {
        this.realm = realm;
        this.cache = realm.cache();
        this.descNeeded = info.needs(MrMode.LOCAL);
        // With FI_MR_HMEM it names device memory, of which nothing else tells (fi_mr).
        this.descIgnored = !descNeeded && !info.needs(MrMode.HMEM) && info.apiVersion() < DESC_COUNTS;
    }

    /**
     * Whether some bytes of a buffer have an address that stays.
     *
     * @param buffer may be null, or on the heap.
     * @param offset of the first byte.
     * @param length bytes.
     * @return false also if the buffer does not have them.
     */
    public static boolean isOutsideHeap(final DirectBuffer buffer, final int offset, final int length) {
        return buffer != null && buffer.byteArray() == null && offset >= 0 && length >= 0
            && offset <= buffer.capacity() - length;
    }

    /**
     * Looks memory up.
     *
     * @param address first byte.
     * @param length  bytes.
     * @param desc    covers it; or null.
     * @param owner   what keeps it; or null.
     * @param right   what the descriptor has to allow.
     * @param access  what a registration has to allow: bits of {@link io.rdma4j.verbs.AccessFlag}.
     * @return 0 or a negated errno.
     */
    public int find(
        final long address, final long length, final MemoryRegion desc, final Object owner, final MrAccess right,
        final int access) {
        if (!begin(address, length)) {
            return -FiErrno.FI_EINVAL;
        }
        if (desc != null && !descIgnored) {
            return byDescriptor(address, length, desc, owner, right, access);
        }
        if (descNeeded && length > 0) {
            return -FiErrno.FI_EINVAL;
        }
        return byCache(address, length, owner, access);
    }

    /**
     * Looks memory up whose bytes are copied before the call returns. As the device does not touch it, a descriptor may
     * be missing in every mode; one that is there has to be valid all the same (fi_mr, FI_MR_LOCAL).
     *
     * @param address first byte.
     * @param length  bytes.
     * @param desc    covers it; or null.
     * @param right   what the descriptor has to allow.
     * @return 0 or a negated errno.
     */
    public int findCopied(final long address, final long length, final MemoryRegion desc, final MrAccess right) {
        if (!begin(address, length)) {
            return -FiErrno.FI_EINVAL;
        }
        deviceAddress = 0;
        lkey = 0;
        final int objection = desc == null ? 0 : look(address, length, desc, right);
        if (descriptor != null && length > 0) {
            processAddress = descriptor.processAddress(address);
            keptByDescriptor = descriptor.isKept();
        }
        return descIgnored ? 0 : objection;
    }

    private boolean begin(final long address, final long length) {
        cached = null;
        descriptor = null;
        keptByDescriptor = false;
        processAddress = address;
        return length == 0
            || length > 0 && address != 0 && Long.compareUnsigned(address + (length - 1), address) >= 0;
    }

    /**
     * Looks at a descriptor of memory that the device does not touch itself.
     *
     * @param address first byte.
     * @param length  bytes, above 0.
     * @param desc    covers it; or null.
     * @param right   what the descriptor has to allow.
     * @return 0 or a negated errno.
     */
    public int check(final long address, final long length, final MemoryRegion desc, final MrAccess right) {
        descriptor = null;
        if (desc == null || descIgnored) {
            return descNeeded ? -FiErrno.FI_EINVAL : 0;
        }
        return look(address, length, desc, right);
    }

    /** What a descriptor says; 0 with it and the device's address in the fields, or a negated errno. */
    private int look(final long address, final long length, final MemoryRegion desc, final MrAccess right) {
        if (!(desc instanceof LocalDescriptor)) {
            return -FiErrno.FI_EINVAL;
        }
        if (desc.domain() != realm.domain()) {
            return -FiErrno.FI_EDOMAIN;
        }
        final LocalDescriptor region = ((LocalDescriptor) desc).in(realm);
        if (!region.isUsable()) {
            return -FiErrno.FI_EINVAL;
        }
        if (!region.allows(right.bit())) {
            return -FiErrno.FI_EACCES;
        }
        // Of nothing there is no place.
        deviceAddress = length == 0 ? 0 : region.deviceAddress(address, length);
        descriptor = deviceAddress == -1 ? null : region;
        return deviceAddress == -1 ? -FiErrno.FI_EINVAL : 0;
    }

    private int byDescriptor(
        final long address, final long length, final MemoryRegion desc, final Object owner, final MrAccess right,
        final int access) {
        final int objection = look(address, length, desc, right);
        if (objection != 0) {
            return objection;
        }
        if (length == 0) {
            return byCache(address, 0, owner, access);
        }
        final LocalDescriptor region = descriptor;
        if (region.realm() != realm) {
            descriptor = null;
            // The device knows it under another authorization key only; for local use that is no reason to refuse it.
            // Where this process has it: the program's name of it may lead elsewhere.
            processAddress = region.processAddress(address);
            return descNeeded ? -FiErrno.FI_EDOMAIN : byCache(processAddress, length, owner, access);
        }
        lkey = region.lkey(address, length);
        processAddress = region.processAddress(address);
        keptByDescriptor = region.isKept();
        return 0;
    }

    private int byCache(final long address, final long length, final Object owner, final int access) {
        if (length == 0) {
            deviceAddress = 0;
            lkey = 0;
            return 0;
        }
        if (cache == null) {
            return -FiErrno.FI_EINVAL;
        }
        try {
            cached = owner == null ? cache.acquire(address, length, access)
                : cache.acquire(address, length, owner, access);
        } catch (final FabricException e) {
            return -e.errno();
        }
        deviceAddress = cached.deviceAddress(address);
        lkey = cached.lkey();
        return 0;
    }

    /**
     * Where it is.
     *
     * @return for work requests.
     */
    public long deviceAddress() {
        return deviceAddress;
    }

    /**
     * Where it is for a thread that copies from or to it by itself.
     *
     * @return an address of this process.
     */
    public long processAddress() {
        return processAddress;
    }

    /**
     * By which key.
     *
     * @return for work requests.
     */
    public int lkey() {
        return lkey;
    }

    /**
     * Whether a thread may copy from and to it by itself.
     *
     * @param owner as it was looked up.
     * @return false if the memory may be taken away, or come later: the kernel has to copy.
     */
    public boolean isKept(final Object owner) {
        return keptByDescriptor || keeps(owner);
    }

    static boolean keeps(final Object owner) {
        return owner instanceof PinnedMemory || owner != null && BufferOwners.keeps(owner);
    }

    /**
     * What the cache lent.
     *
     * @return to be released when the operation is over; null for none.
     */
    public CachedRegion cached() {
        return cached;
    }

    /**
     * The descriptor, as far as it counts.
     *
     * @return of several authorization keys the part for this one; null if the cache was asked.
     */
    public LocalDescriptor descriptor() {
        return descriptor;
    }

    /** Gives back what the cache lent: nothing was posted. */
    public void letGo() {
        if (cached != null) {
            final CachedRegion region = cached;
            cached = null;
            region.release();
        }
    }
}
