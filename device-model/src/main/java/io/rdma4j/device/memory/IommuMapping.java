/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.memory;

import io.rdma4j.driver.dma.HostBlock;
import io.rdma4j.driver.dma.PageKind;
import io.rdma4j.driver.memory.MemoryHold;
import io.rdma4j.driver.pci.SharedFile;

/**
 * A range of IOVAs that stands for a range of host memory. Ends when it is unmapped, and never begins again. Only one
 * that is suspended can be resumed.
 *
 * <p>One on demand stands for addresses at which there may be no memory: whatever is done there is done by
 * {@link PagedMemory}, and by nothing else. So is memory of the program that may vanish: see {@link MemoryHold}.
 */
final class IommuMapping {
    /** Of {@link #shared}: other processes do not find it. */
    static final long NOT_SHARED = -1;

    private final long iova;
    private final long address;
    private final long length;
    private final boolean onDemand;
    /** Where it begins in the file in which this process shares ordinary pages; else {@link #NOT_SHARED}. */
    private final long shared;
    /** Keeps the memory from being collected as long as the device may reach it. */
    @SuppressWarnings("unused")
    private Object owner;
    private volatile boolean live = true;
    /** What keeps the memory for the device; null if that is the owner, or it is on demand. */
    private volatile MemoryHold hold;
    private volatile boolean revoked;
    /** Guarded by the IOMMU. */
    private boolean ended;

    IommuMapping(long iova, long address, long length, Object owner) {
        this(iova, address, length, owner, false);
    }

    private IommuMapping(long iova, long address, long length, Object owner, boolean onDemand) {
        this.iova = iova;
        this.address = address;
        this.length = length;
        this.owner = owner;
        this.onDemand = onDemand;
        this.shared = owner instanceof HostBlock block && block.pages() == PageKind.KB4
            ? block.shared().map(SharedFile::offset).orElse(NOT_SHARED) : NOT_SHARED;
    }

    static IommuMapping onDemand(long iova, long address, long length) {
        return new IommuMapping(iova, address, length, null, true);
    }

    /** Of memory that nobody keeps for the device but this. */
    static IommuMapping held(long iova, long length, Object owner, MemoryHold hold) {
        final IommuMapping made = new IommuMapping(iova, hold.address(), length, owner);
        made.hold = hold;
        return made;
    }

    boolean isOnDemand() {
        return onDemand;
    }

    /** Whether pages of it may be missing, so that only {@link PagedMemory} may touch them. */
    boolean mayFault() {
        final MemoryHold held = hold;
        return onDemand || held != null && held.mayFault();
    }

    /** Null if the owner keeps the memory, or nobody. */
    MemoryHold hold() {
        return hold;
    }

    /** Whether changes of the memory are told, late enough that one has to wait until all is quiet. */
    boolean isWatched() {
        final MemoryHold held = hold;
        return held != null && held.isWatched();
    }

    long iova() {
        return iova;
    }

    long length() {
        return length;
    }

    boolean isLive() {
        return live;
    }

    void end() {
        ended = true;
        live = false;
    }

    /** Until {@link #resume} nothing is reached by this. */
    void suspend() {
        live = false;
    }

    /** Under the IOMMU's lock, as is {@link #revoke}. */
    void resume() {
        final MemoryHold held = hold;
        revoked = held != null && !held.intact();
        live = !ended && !revoked;
    }

    /** The program took the memory away. True if it could be reached until now. */
    boolean revoke() {
        final boolean was = live;
        revoked = true;
        live = false;
        return was;
    }

    boolean isRevoked() {
        return revoked;
    }

    /** After the grace period: nothing reaches the memory any more, though some cache may still hold this object. */
    void letGo() {
        owner = null;
        final MemoryHold held = hold;
        hold = null;
        if (held != null) {
            held.close();
        }
    }

    boolean contains(long other) {
        return Long.compareUnsigned(other - iova, length) < 0;
    }

    long host(long other) {
        return address + (other - iova);
    }

    /** Where a host address of it is in the file in which this process shares ordinary pages; or NOT_SHARED. */
    long shared(long host) {
        return shared == NOT_SHARED ? NOT_SHARED : shared + (host - address);
    }

    /** Bytes from some IOVA to the end of the mapping. */
    long rest(long other) {
        return length - (other - iova);
    }

    @Override
    public String toString() {
        return String.format("iova 0x%x..0x%x -> 0x%x%s%s", iova, iova + length - 1, address,
            onDemand ? " on demand" : hold == null ? "" : ", " + hold,
            live ? "" : ended ? " (ended)" : revoked ? " (revoked)" : " (suspended)");
    }
}
