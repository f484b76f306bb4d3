/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.memory;

/**
 * A range of IOVAs that stands for a range of host memory. Ends when it is unmapped, and never begins again. Only one
 * that is suspended can be resumed.
 *
 * <p>One on demand stands for addresses at which there may be no memory: whatever is done there is done by
 * {@link PagedMemory}, and by nothing else.
 */
final class IommuMapping {
    private final long iova;
    private final long address;
    private final long length;
    private final boolean onDemand;
    /** Keeps the memory from being collected as long as the device may reach it. */
    @SuppressWarnings("unused")
    private Object owner;
    private volatile boolean live = true;
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
    }

    static IommuMapping onDemand(long iova, long address, long length) {
        return new IommuMapping(iova, address, length, null, true);
    }

    boolean isOnDemand() {
        return onDemand;
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

    void resume() {
        live = !ended;
    }

    /** After the grace period: nothing reaches the memory any more, though some cache may still hold this object. */
    void letGo() {
        owner = null;
    }

    boolean contains(long other) {
        return Long.compareUnsigned(other - iova, length) < 0;
    }

    long host(long other) {
        return address + (other - iova);
    }

    /** Bytes from some IOVA to the end of the mapping. */
    long rest(long other) {
        return length - (other - iova);
    }

    @Override
    public String toString() {
        return String.format("iova 0x%x..0x%x -> 0x%x%s%s", iova, iova + length - 1, address,
            onDemand ? " on demand" : "", live ? "" : ended ? " (ended)" : " (suspended)");
    }
}
