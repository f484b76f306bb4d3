/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

/**
 * A region as the data path sees it: what {@code desc} stands for. Lock-free; what changes while a region is refreshed
 * or closed is published by one volatile store, and each method loads once.
 */
public interface LocalDescriptor {
    /**
     * Whose keys these are.
     *
     * @return the realm; null while the region is not usable.
     */
    Realm realm();

    /**
     * The part that is for some realm, of a region that has one for each authorization key.
     *
     * @param asked a realm.
     * @return this if there are no parts, or none for it.
     */
    default LocalDescriptor in(final Realm asked) {
        return this;
    }

    /**
     * Whether it can be used now.
     *
     * @return false while it is pending, disabled or closed.
     */
    boolean isUsable();

    /**
     * The local key. A region whose buffers lie apart has several at the device.
     *
     * @param address first byte, in this process.
     * @param length  bytes, 0 or more.
     * @return as work requests that name these bytes have it; what it was last if the region is not usable any more.
     */
    int lkey(long address, long length);

    /**
     * How the device names memory of this region.
     *
     * @param address first byte, in this process.
     * @param length  bytes, 0 or more.
     * @return the address for work requests; -1 if the bytes are not all inside of one buffer of the region.
     */
    long deviceAddress(long address, long length);

    /**
     * Where a thread of this process reaches memory of this region: a dma-buf is mapped for it, and the program may
     * name it by an address at which this process has nothing, or something else.
     *
     * @param address inside of the region, as the program names it.
     * @return an address of this process.
     */
    long processAddress(long address);

    /**
     * Whether it may be used so.
     *
     * @param accessBits bits of {@link io.rdma4j.fabric.MrAccess}.
     * @return true if the region has all of them.
     */
    boolean allows(long accessBits);

    /**
     * Whether this process may copy from and to it by itself.
     *
     * @return false if the memory may be taken away, or come later: the kernel has to copy.
     */
    boolean isKept();
}
