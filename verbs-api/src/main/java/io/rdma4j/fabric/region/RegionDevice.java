/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;

/**
 * A region at the device: registered, exposed to peers, hidden from them, closed; and what the directory of its realm
 * tells of it. Used by one thread at a time; {@link #keys()} by all.
 */
final class RegionDevice {
    private final RegionPlan plan;
    private final RegionRules rules;
    private final Pieces pieces;
    private final long base;
    private final EventCell cell;

    private MemoryRegion region;
    private Realm realm;
    private boolean exposed;
    private boolean rawKeyGiven;
    private boolean unmapped;
    private volatile Keys keys;

    /** What the device calls it; immutable, so that the data path sees all of it at one moment. */
    record Keys(Realm realm, int lkey, int rkey, long iova) {
    }

    /** Of a region that is not counted, the cell is null. */
    RegionDevice(final RegionPlan plan, final Pieces pieces, final long base, final EventCell cell) {
        this.plan = plan;
        this.pieces = pieces;
        this.base = base;
        this.cell = cell;
        rules = plan.rules();
    }

    /** Registers it, for peers of the realm or only for local use. */
    void register(final Realm home, final boolean exposing) {
        requireMapped();
        final MemoryRegion made = home.pd().register(describe().access(rights(exposing)));
        region = made;
        realm = home;
        exposed = exposing;
        boolean done = false;
        try {
            requirePages(made);
            if (exposing) {
                openCell();
            }
            publish(exposing);
            done = true;
        } finally {
            if (!done) {
                region = null;
                made.close();
            }
        }
    }

    /** What was at these addresses is gone, and something else may be there now. */
    private void requireMapped() {
        if (unmapped) {
            throw Refusals.of(FiErrno.FI_EOPBADSTATE, Refusals.REGISTER,
                "the dma-buf is not mapped any more: its registration had to be ended to take the peers' rights away")
                .hint("close the region and register the dma-buf anew").build();
        }
    }

    /** Who tells of changed pages has them there at first; on demand the device did not look. */
    private void requirePages(final MemoryRegion made) {
        if (rules.mmuNotify && isOnDemand()) {
            pieces.list().forEach(piece -> made.refresh(piece.address(), piece.length()));
        }
    }

    /** By which addresses peers name it: a directory translates, so that only keys of the device depend on it. */
    private MrOptions describe() {
        final MrOptions options = pieces.describe();
        if (!rules.provKey || !rules.hasMemory || base == pieces.address()) {
            return options;
        }
        return rules.virtAddr ? options.iova(base) : options.zeroBased();
    }

    private AccessFlag[] rights(final boolean exposing) {
        return plan.verbsRights(exposing, isOnDemand());
    }

    /** Whether pages may be missing. Those of a dma-buf are mapped by this library, and stay. */
    boolean isOnDemand() {
        return rules.onDemand && plan.dmabuf() == null;
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

    /** The same by registering anew, where keys of the device may change because peers do not have them. */
    void replacePages() {
        region.reregister(describe());
        publish(false);
    }

    /** Whether peers name it by a key of the device, which must stay: their key is one, or a raw key has it inside. */
    boolean peersHaveDeviceKey() {
        return rawKeyGiven || plan.isRemote() && rules.provKey;
    }

    /** All that a peer needs. */
    void writeRawKey(final byte[] rawKey) {
        rawKeyGiven = true;
        RawKey.write(entry(), rawKey);
    }

    boolean isRegistered() {
        return region != null;
    }

    boolean isOpenAtDevice() {
        return region != null && !region.isClosed();
    }

    /** Lets peers of a realm reach it, as far as the plan says. */
    void expose(final Realm target) {
        if (region == null) {
            register(target, true);
            return;
        }
        move(target, true);
        openCell();
        publish(true);
    }

    /** No peer reaches it any more when this returns; those that look up the application's key see it disabled. */
    void hide(final Realm home) {
        if (rules.provKey) {
            unlist();
        } else {
            list(false);
        }
        if (cell != null) {
            cell.hide();
        }
        try {
            move(home, false);
            publish(false);
        } catch (final RdmaException e) {
            giveUp(home);
        }
    }

    /** Where the rights cannot be taken away, as when the memory is not mapped any more, the registration is ended. */
    private void giveUp(final Realm home) {
        final MemoryRegion last = region;
        unlist();
        region = null;
        realm = home;
        exposed = false;
        // A dma-buf is mapped as long as it is registered.
        unmapped = plan.dmabuf() != null;
        last.close();
        list(false);
    }

    private void move(final Realm target, final boolean exposing) {
        if (target != realm) {
            unlist();
        }
        if (plan.isRemote() && exposing != exposed || target != realm) {
            // The same pages, not pinned again; the old keys are dead when this returns.
            region.reregister(new MrOptions().access(rights(exposing)).pd(target.pd()));
            realm = target;
        }
        exposed = exposing;
    }

    private void openCell() {
        if (cell != null && cell.region() == null) {
            cell.open(realm);
        }
    }

    private void publish(final boolean live) {
        // Volatile: who sees the region enabled sees these keys.
        keys = new Keys(realm, region.lkey(), peersKey(), region.iova());
        list(live);
    }

    /** Where peers reach no memory their key is only a name, and the device's may be the same for all regions. */
    private int peersKey() {
        if (!region.hasRkey()) {
            return 0;
        }
        return rules.hasMemory ? region.rkey() : region.lkey();
    }

    /** With keys of the provider peers look up cells, and why they were refused. */
    private void list(final boolean live) {
        if (plan.hasOwnKey() || live && plan.isRemote()) {
            realm.directory().put(entry(), live);
        }
    }

    private void unlist() {
        if (keys != null && plan.isRemote()) {
            realm.directory().remove(fabricKey());
        }
    }

    /** How peers call it. */
    long fabricKey() {
        return plan.hasOwnKey() ? plan.key() : Integer.toUnsignedLong(keys.rkey);
    }

    DirectoryEntry entry() {
        final Keys now = keys;
        final MemoryRegion counter = cell == null ? null : cell.region();
        return new DirectoryEntry(fabricKey(), now.rkey, now.iova, pieces.length(), base, plan.directoryRights(),
            counter == null ? 0 : counter.rkey(), counter == null ? 0 : counter.iova());
    }

    /** What the device calls it; null before it was registered. */
    Keys keys() {
        return keys;
    }

    /** Neither peers nor the device reach the memory any more when this returns. */
    void close() {
        unlist();
        try {
            if (region != null) {
                region.close();
            }
        } finally {
            if (cell != null) {
                cell.close();
            }
        }
    }
}
