/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.verbs.MemoryRegion;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a region is at the device: mostly one region there; several, in order, where its buffers lie so that no one list
 * of pages holds them. And what the directory of its realm tells of it. Used by one thread at a time; questions of the
 * data path by all.
 */
final class RegionDevices {
    private static final AtomicInteger NAMES = new AtomicInteger();
    static final long[] ALL = {};

    private final RegionPlan plan;
    private final RegionRules rules;
    private final RegionBuffers buffers;
    private final long base;
    private final EventCell cell;
    private final RegionDevice first;
    /** The first one, too. */
    private final RegionDevice[] all;

    /** What peers call it if it is in pieces and the application does not choose. */
    private final long name;

    private Realm realm;
    /** Of several, while peers may look them up; else null. */
    private PieceTable table;
    private boolean rawKeyGiven;

    /** Of a region that is not counted, the cell is null. */
    RegionDevices(final RegionPlan plan, final RegionBuffers buffers, final long base, final EventCell cell) {
        this.plan = plan;
        this.buffers = buffers;
        this.base = base;
        this.cell = cell;
        rules = plan.rules();
        final List<RegionBuffers> runs = buffers.runs();
        all = new RegionDevice[runs.size()];
        for (int i = 0; i < all.length; i++) {
            // Of several, none is named to peers by its own address.
            all[i] = new RegionDevice(plan, runs.get(i), all.length == 1 ? base : runs.get(i).address());
        }
        first = all[0];
        name = all.length == 1 ? 0 : DirectoryLayout.nameOf(Integer.toUnsignedLong(NAMES.incrementAndGet()));
    }

    /** The same, and all pages have to be there. */
    void register(final Realm home, final boolean exposing) {
        register(home, exposing, ALL);
    }

    /**
     * Registers it, for peers of the realm or only for local use. Of a region on demand only the pages of some ranges
     * have to be there, each an address and a length; all of them if there are no ranges.
     */
    void register(final Realm home, final boolean exposing, final long[] ranges) {
        try (Undo undo = new Undo()) {
            undo.add(this::unregister);
            for (final RegionDevice device : all) {
                device.register(home, exposing);
            }
            if (rules.mmuNotify && isOnDemand()) {
                // Who tells of changed pages has them there at first; on demand the device did not look.
                refresh(ranges);
            }
            for (final RegionDevice device : all) {
                device.publish();
            }
            realm = home;
            if (exposing) {
                openCell();
            }
            list(exposing);
            undo.forget();
        }
    }

    private void unregister() {
        closeTable();
        hideCell();
        for (final RegionDevice device : all) {
            device.unregister();
        }
    }

    boolean isOnDemand() {
        return first.isOnDemand();
    }

    /** Of a region on demand: nobody reaches the memory until {@link #resume}, and keys stay. */
    private void suspend() {
        for (final RegionDevice device : all) {
            device.suspend();
        }
    }

    void resume() {
        for (final RegionDevice device : all) {
            device.resume();
        }
    }

    /** Has it follow the pages that are behind some ranges now, all of it if there are none; keys stay. */
    void refresh(final long[] ranges) {
        if (ranges.length == 0) {
            buffers.list().forEach(piece -> refresh(piece.address(), piece.length()));
        }
        for (int i = 0; i < ranges.length; i += 2) {
            refresh(ranges[i], ranges[i + 1]);
        }
    }

    private void refresh(final long address, final long length) {
        for (final RegionDevice device : all) {
            // Buffers may overlap: each region at the device has pages of its own.
            if (device.buffers().offsetOf(address, length) >= 0) {
                device.refresh(address, length);
            }
        }
    }

    /** The same by registering anew, where keys of the device may change because peers do not have them. */
    void replacePages() {
        for (final RegionDevice device : all) {
            device.replacePages();
        }
    }

    /** Whether peers name it by a key of the device, which must stay: their key is one, or a raw key has it inside. */
    boolean peersHaveDeviceKey() {
        return rawKeyGiven || plan.isRemote() && rules.provKey && all.length == 1;
    }

    /** All that a peer needs. */
    void writeRawKey(final byte[] rawKey) {
        // Without remote rights it is a name of something that no peer may touch.
        rawKeyGiven |= plan.isRemote();
        RawKey.write(entry(), rawKey);
    }

    boolean isRegistered() {
        return first.isRegistered();
    }

    /** Lets peers of a realm reach it, as far as the plan says. */
    void expose(final Realm target) {
        if (!isRegistered()) {
            register(target, true);
            return;
        }
        move(target, true);
        openCell();
        list(true);
    }

    /** What peers have looked up names nothing any more, and nobody looks it up. */
    private void conceal() {
        if (rules.provKey) {
            unlist();
        } else {
            list(false);
        }
        closeTable();
    }

    /**
     * For a while. Keys of the device would change if it were hidden: those that peers have, and the one by which
     * receives of this side were posted. Of pages on demand they stay, with nothing behind them until {@link #resume},
     * and so does the cell's: what it would count is refused. Of others peers with a key of the device may come through
     * meanwhile.
     */
    void keepOut(final Realm home) {
        final boolean keysStay = isOnDemand() && plan.isRemote();
        if (keysStay) {
            suspend();
        }
        if (!peersHaveDeviceKey()) {
            if (keysStay) {
                conceal();
            } else {
                hide(home);
            }
        }
    }

    /** No peer reaches it any more when this returns; those that look up the application's key see it disabled. */
    void hide(final Realm home) {
        conceal();
        hideCell();
        try {
            move(home, false);
        } catch (final RdmaException e) {
            giveUp(home);
        }
    }

    private void hideCell() {
        if (cell != null) {
            cell.hide();
        }
    }

    private void giveUp(final Realm home) {
        realm = home;
        for (final RegionDevice device : all) {
            device.giveUp(home);
        }
    }

    private void move(final Realm target, final boolean exposing) {
        if (target != realm) {
            unlist();
        }
        for (final RegionDevice device : all) {
            device.move(target, exposing);
        }
        realm = target;
    }

    private void openCell() {
        if (cell != null && cell.region() == null) {
            cell.open(realm);
        }
    }

    /** With keys of the provider peers look up cells, and why they were refused. */
    private void list(final boolean live) {
        if (plan.hasOwnKey() || live && plan.isRemote()) {
            if (live) {
                openTable();
            }
            realm.directory().put(entry(), live);
        }
    }

    /** One that is there is still right: before the device has other keys it is closed. */
    private void openTable() {
        if (all.length > 1 && realm.directory().isReadable() && table == null) {
            table = PieceTable.open(realm, entry(), all);
        }
    }

    private void closeTable() {
        final PieceTable last = table;
        table = null;
        if (last != null) {
            last.close();
        }
    }

    private void unlist() {
        if (realm != null && plan.isRemote()) {
            realm.directory().remove(fabricKey());
        }
    }

    /** How peers call it. */
    long fabricKey() {
        if (plan.hasOwnKey()) {
            return plan.key();
        }
        return all.length == 1 ? Integer.toUnsignedLong(keys().rkey()) : name;
    }

    DirectoryEntry entry() {
        final RegionDevice.Keys now = keys();
        final MemoryRegion counter = cell == null ? null : cell.region();
        final int access =
            plan.directoryRights() | (table == null ? 0 : table.size() << DirectoryLayout.PIECES_SHIFT);
        return new DirectoryEntry(fabricKey(), table == null ? now.rkey() : table.rkey(),
            table == null ? now.iova() : table.iova(), buffers.length(), base, access,
            counter == null ? 0 : counter.rkey(), counter == null ? 0 : counter.iova());
    }

    /** What the device calls it, or the first part of it; null before it was registered. */
    RegionDevice.Keys keys() {
        return first.keys();
    }

    /** On the data path: the local key of some bytes; 0 for bytes that are not in one buffer. */
    int lkey(final long address, final long bytes) {
        final RegionDevice device = all.length == 1 ? first : of(address, bytes);
        final RegionDevice.Keys keys = device == null ? null : device.keys();
        return keys == null ? 0 : keys.lkey();
    }

    /** On the data path: where some bytes are; -1 for bytes that are not in one buffer. Reads the keys once. */
    long deviceAddress(final long address, final long bytes) {
        final RegionDevice device = all.length == 1 ? first : of(address, bytes);
        final RegionDevice.Keys keys = device == null ? null : device.keys();
        final long offset = device == null ? -1 : device.buffers().offsetOf(address, bytes);
        return offset < 0 || keys == null ? -1 : keys.iova() + offset;
    }

    private RegionDevice of(final long address, final long bytes) {
        for (final RegionDevice device : all) {
            if (device.buffers().offsetOf(address, bytes) >= 0) {
                return device;
            }
        }
        return null;
    }

    /** Neither peers nor the device reach the memory any more when this returns. */
    void close() {
        unlist();
        try {
            closeTable();
            closeFrom(0);
        } finally {
            if (cell != null) {
                cell.close();
            }
        }
    }

    /** One that cannot be closed keeps no other one open. */
    private void closeFrom(final int index) {
        if (index < all.length) {
            try {
                all[index].close();
            } finally {
                closeFrom(index + 1);
            }
        }
    }
}
