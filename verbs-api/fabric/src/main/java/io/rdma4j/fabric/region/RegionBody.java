/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.event.FabricCounter;

/**
 * What a region has while it is registered: memory, realm, device, event cell. Exposed to peers unless it waits for
 * something. Changed by one thread at a time; {@link #deviceAddress} is for all.
 */
final class RegionBody {
    private final RegionRules rules;
    private final RegionMemory memory;
    private final Realm realm;
    private final EventCell cell;
    private final RegionDevices devices;
    /** Where peers find it: the realm of an endpoint that it is bound to, else its own. */
    private Realm target;
    private boolean waitsForEnable;
    private boolean waitsForPages;
    /** A refresh with FI_MR_MMU_NOTIFY has begun, and not come to its end. */
    private boolean refreshing;
    /** Nor had one before it: what that was of is not known any more. */
    private boolean refreshesAll;

    private RegionBody(
        final RegionPlan plan, final RegionMemory memory, final Realm realm, final EventCell cell) {
        this.memory = memory;
        this.realm = realm;
        this.cell = cell;
        rules = plan.rules();
        devices = new RegionDevices(plan, memory.buffers(), plan.base(), cell);
        target = realm;
        waitsForEnable = plan.waitsForEnable();
    }

    /** Makes it, and registers it unless pages are missing that may come later (checklist 19, 28). */
    static RegionBody open(final Regions regions, final RegionPlan plan, final long named) {
        final RegionMemory memory = RegionMemory.open(plan, named);
        try (Undo undo = new Undo()) {
            undo.add(memory::abandon);
            final Realm realm = regions.realms().open(plan.authKey());
            final RegionBody body = new RegionBody(plan, memory, realm, regions.cells().cellOf(plan, realm));
            // Closing it gives the memory back, too.
            undo.forget();
            undo.add(body::close);
            body.register();
            undo.forget();
            return body;
        }
    }

    private void register() {
        try {
            devices.register(target, !waitsForEnable);
            waitsForPages = false;
        } catch (final RdmaException e) {
            if (!rules.mmuNotify || e.errno() != RdmaException.EFAULT) {
                throw memory.explain(e);
            }
            waitsForPages = true;
        }
    }

    boolean isExposed() {
        return !waitsForEnable && !waitsForPages;
    }

    boolean waitsForEnable() {
        return waitsForEnable;
    }

    /** Exposes it to peers of a realm; null for its own. */
    void enable(final Realm ofEndpoint) {
        target = ofEndpoint == null ? realm : ofEndpoint;
        if (!waitsForPages) {
            expose();
        }
        waitsForEnable = false;
    }

    private void expose() {
        try (Undo undo = new Undo()) {
            undo.add(() -> devices.hide(realm));
            devices.expose(target);
            undo.forget();
        }
    }

    /**
     * Back to waiting for {@link #enable}. One whose refresh failed is not exposed, and may be in the endpoint's realm
     * all the same.
     */
    void disable() {
        if (devices.isRegistered() && !waitsForEnable) {
            devices.hide(realm);
        }
        target = realm;
        waitsForEnable = true;
    }

    /**
     * Other pages may be behind it; the whole region if there are no ranges. With FI_MR_MMU_NOTIFY nobody reaches it
     * meanwhile, nor afterwards if that fails (checklist 45); else it stays enabled.
     */
    void refresh(final long[] ranges) {
        keepOut();
        follow(ranges);
        letIn();
    }

    /** The first step of a refresh with FI_MR_MMU_NOTIFY: nobody reaches it. */
    void keepOut() {
        if (!rules.mmuNotify) {
            return;
        }
        refreshesAll = refreshing;
        refreshing = true;
        if (isExposed()) {
            devices.keepOut(realm);
            waitsForPages = true;
        }
    }

    /** The second one: it has the pages that are there now. */
    void follow(final long[] ranges) {
        if (!devices.isRegistered()) {
            registerLate(ranges);
        } else if (!rules.mmuNotify) {
            refreshInPlace(ranges);
        } else {
            waitsForPages = true;
            replace(refreshesAll ? RegionDevices.ALL : ranges);
        }
    }

    /** Now the pages must be there: those of the ranges, where the others may come later. */
    private void registerLate(final long[] ranges) {
        devices.register(target, !waitsForEnable, registered(ranges));
        waitsForPages = false;
        refreshing = false;
    }

    /** The last one: as it was before, unless an endpoint that was closed in between had it given up. */
    void letIn() {
        if (!waitsForPages || !devices.isRegistered()) {
            return;
        }
        if (devices.isOnDemand()) {
            devices.resume();
        }
        if (!waitsForEnable) {
            expose();
        }
        waitsForPages = false;
        refreshing = false;
    }

    private void replace(final long[] ranges) {
        try (Undo undo = new Undo()) {
            if (devices.peersHaveDeviceKey() && !waitsForEnable && !devices.isOnDemand()) {
                undo.add(this::takeAway);
            }
            if (rules.refreshes || devices.isOnDemand()) {
                refreshInPlace(ranges);
            } else {
                devices.replacePages();
            }
            undo.forget();
        }
    }

    /**
     * Peers have a key of the device, so that nothing may be behind it any more. Of one buffer that can be had with the
     * key: a refresh of all of it fails, too, and leaves nothing. Otherwise the key goes.
     */
    private void takeAway() {
        if (memory.buffers().size() == 1) {
            try {
                refreshInPlace(RegionDevices.ALL);
            } catch (final RdmaException e) {
                return;
            }
        }
        devices.hide(realm);
    }

    private void refreshInPlace(final long[] ranges) {
        devices.refresh(registered(ranges));
    }

    /** Where the ranges are registered. */
    private long[] registered(final long[] ranges) {
        final long[] there = ranges.clone();
        for (int i = 0; i < there.length; i += 2) {
            there[i] = memory.registered(ranges[i]);
        }
        return there;
    }

    void count(final FabricCounter counter) {
        if (cell != null) {
            counter.count(cell);
        }
    }

    /** Whether a registration anew would make a key worthless that peers have. */
    boolean hasKeyToKeep() {
        return !waitsForEnable && devices.isRegistered() && devices.peersHaveDeviceKey();
    }

    RegionDevices devices() {
        return devices;
    }

    RegionMemory memory() {
        return memory;
    }

    /** On the data path: see {@link RegionDevices#deviceAddress}. */
    long deviceAddress(final long address, final long bytes) {
        return devices.deviceAddress(memory.registered(address), bytes);
    }

    int lkey(final long address, final long bytes) {
        return devices.lkey(memory.registered(address), bytes);
    }

    /** What peers wrote is in the files, if that was asked for, and nobody reaches the memory any more. */
    void close() {
        try {
            devices.close();
            if (!devices.isRegistered()) {
                memory.abandon();
            }
        } finally {
            realm.release();
        }
    }
}
