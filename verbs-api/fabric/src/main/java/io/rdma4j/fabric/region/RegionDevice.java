/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.cache.RegionRoom;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;

/**
 * One region at the device: registered, moved to a realm, with rights for peers or without, closed. Used by one thread
 * at a time; {@link #keys()} by all.
 */
final class RegionDevice {
    private final RegionPlan plan;
    private final RegionRules rules;
    private final RegionBuffers buffers;
    private final long base;

    private MemoryRegion region;
    private Realm realm;
    private boolean exposed;
    private boolean unmapped;
    private volatile Keys keys;

    /** What the device calls it; immutable, so that the data path sees all of it at one moment. */
    record Keys(Realm realm, int lkey, int rkey, long iova) {
    }

    /** Of one run of buffers. */
    RegionDevice(final RegionPlan plan, final RegionBuffers buffers, final long base) {
        this.plan = plan;
        this.buffers = buffers;
        this.base = base;
        rules = plan.rules();
    }

    /** Registers it, for peers of the realm or only for local use; {@link #publish} is to follow. */
    void register(final Realm home, final boolean exposing) {
        requireMapped();
        region = RegionRoom.register(home.pd(), describe().access(rights(exposing)));
        realm = home;
        exposed = exposing;
    }

    /** What was at these addresses is gone, and something else may be there now. */
    private void requireMapped() {
        if (unmapped) {
            throw Refusals.of(FiErrno.FI_EOPBADSTATE, Refusals.REGISTER,
                "the dma-buf is not mapped any more: its registration had to be ended to take the peers' rights away")
                .hint("close the region and register the dma-buf anew").build();
        }
    }

    /** By which addresses peers name it: a directory translates, so that only keys of the device depend on it. */
    private MrOptions describe() {
        final MrOptions options = buffers.describe();
        if (!rules.provKey || !rules.hasMemory || base == buffers.address()) {
            return options;
        }
        return rules.virtAddr ? options.iova(base) : options.zeroBased();
    }

    private AccessFlag[] rights(final boolean exposing) {
        return plan.verbsRights(exposing, isOnDemand());
    }

    /**
     * Whether pages may be missing. Those of a dma-buf are mapped by this library, and stay; so do those of memory that
     * a device has allocated, unless the application tells of changed pages itself.
     */
    boolean isOnDemand() {
        return rules.onDemand && plan.dmabuf() == null && (rules.mmuNotify || !plan.buffers().isPinned());
    }

    /** Of a region on demand: nobody reaches the memory until {@link #resume}, and keys stay. */
    void suspend() {
        region.suspend();
    }

    void resume() {
        region.resume();
    }

    /** Has it follow the pages that are behind some of its addresses now; keys stay. */
    void refresh(final long address, final long length) {
        region.refresh(address, length);
    }

    /**
     * The same by registering anew, where keys of the device may change because peers do not have them; {@link #move}
     * is to follow.
     */
    void replacePages() {
        RegionRoom.reregister(region, describe());
    }

    boolean isRegistered() {
        return region != null;
    }

    /** Where the rights cannot be taken away, as when the memory is not mapped any more, the registration is ended. */
    void giveUp(final Realm home) {
        final MemoryRegion last = region;
        region = null;
        realm = home;
        exposed = false;
        // A dma-buf is mapped as long as it is registered.
        unmapped = plan.dmabuf() != null;
        if (last != null) {
            last.close();
        }
    }

    /** It was registered together with others, which could not be. */
    void unregister() {
        final MemoryRegion last = region;
        region = null;
        if (last != null) {
            last.close();
        }
    }

    /** Old keys are dead when this returns, if rights or realm are others. */
    void move(final Realm target, final boolean exposing) {
        if (plan.isRemote() && exposing != exposed || target != realm) {
            // The same pages, not pinned again; the old keys are dead when this returns.
            RegionRoom.reregister(region, new MrOptions().access(rights(exposing)).pd(target.pd()));
            realm = target;
        }
        exposed = exposing;
        publish();
    }

    /** The data path finds its keys. */
    void publish() {
        // Volatile: who sees the region enabled sees these keys.
        keys = new Keys(realm, region.lkey(), peersKey(), region.iova());
    }

    /** Where peers reach no memory their key is only a name, and the device's may be the same for all regions. */
    private int peersKey() {
        if (!region.hasRkey()) {
            return 0;
        }
        return rules.hasMemory ? region.rkey() : region.lkey();
    }

    RegionBuffers buffers() {
        return buffers;
    }

    /** What the device calls it; null before it was registered. */
    Keys keys() {
        return keys;
    }

    /** Neither peers nor the device reach the memory any more when this returns. */
    void close() {
        if (region != null) {
            region.close();
        }
    }
}
