/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.base.Undo;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MrAccess;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A region that peers with several authorization keys reach (FI_AV_AUTH_KEY): the same memory, registered once in the
 * realm of each key, under one name. So the device itself keeps out who has none of the keys. For local use the first
 * one counts. Control operations go one at a time, to one part after the other; one that fails in the middle is told,
 * and can be repeated.
 */
final class KeyringRegion implements PendingRegion, LocalDescriptor {
    private final Regions regions;
    private final RegionPlan plan;
    private final List<FabricRegion> parts = new ArrayList<>();
    /** Before those of the parts, never behind one. */
    private final ControlGate gate = new ControlGate();
    private volatile Registration pending;
    /** All parts are; before, those that are there already are nobody's. */
    private volatile boolean isRegistered;
    private boolean hasLeft;

    private KeyringRegion(final Regions regions, final RegionPlan plan) {
        this.regions = regions;
        this.plan = plan;
    }

    /** Takes a place in the domain for each key. */
    static KeyringRegion enter(
        final Regions regions, final RegionPlan plan, final AddressVector vector, final List<byte[]> keys) {
        requireOneName(plan, keys);
        final KeyringRegion region = new KeyringRegion(regions, plan);
        regions.takeName(plan);
        try (Undo undo = new Undo()) {
            undo.add(region::cancel);
            for (final byte[] key : keys) {
                final FabricRegion first = region.parts.isEmpty() ? null : region.first();
                final FabricRegion part = FabricRegion.part(regions, plan.withAuthKey(key), vector, first);
                regions.enter(part);
                region.parts.add(part);
            }
            undo.forget();
            return region;
        }
    }

    /** In the realm of each key. */
    @Override
    public void activate() {
        inTurn(Refusals.REGISTER, () -> {
            try (Undo undo = new Undo()) {
                undo.add(this::cancel);
                parts.forEach(FabricRegion::activate);
                undo.forget();
            }
            isRegistered = true;
        });
    }

    @Override
    public void cancel() {
        onEach(parts, FabricRegion::giveUp);
        leave();
    }

    @Override
    public void setPending(final Registration registration) {
        pending = registration;
    }

    private static void requireOneName(final RegionPlan plan, final List<byte[]> keys) {
        if (plan.isRemote() && (plan.rules().provKey || plan.rules().raw)) {
            throw Refusals.of(FiErrno.FI_ENOSYS, Refusals.REGISTER,
                "%d authorization keys: the device has a key of its own for each, mr_mode is %s", keys.size(),
                plan.rules().info.mrMode())
                .hint("register once for each authorization key, with MrFlag.AUTH_KEY").build();
        }
    }

    private FabricRegion first() {
        return parts.get(0);
    }

    @Override
    public Domain domain() {
        return regions.domain();
    }

    @Override
    public long address() {
        return first().address();
    }

    @Override
    public long length() {
        return plan.length();
    }

    @Override
    public Set<MrAccess> access() {
        return plan.access();
    }

    @Override
    public long base() {
        return plan.base();
    }

    @Override
    public long key() {
        for (final FabricRegion part : parts) {
            if (isRegistered && part.isEnabled()) {
                return part.key();
            }
        }
        return KEY_NOTAVAIL;
    }

    @Override
    public int rawKeySize() {
        return RawKey.LENGTH;
    }

    @Override
    public long rawAttributes(final byte[] rawKey) {
        throw Refusals.of(FiErrno.FI_ENOSYS, "get raw key", "%s has one for each authorization key", this)
            .hint("register once for each authorization key, with MrFlag.AUTH_KEY").build();
    }

    @Override
    public Object context() {
        return plan.context();
    }

    @Override
    public boolean isEnabled() {
        return isRegistered && parts.stream().anyMatch(FabricRegion::isEnabled);
    }

    @Override
    public void bind(final Counter counter) {
        inTurn("bind counter", () -> {
            final List<FabricRegion> rest = rest(part -> !part.isBoundTo(counter));
            // First, so that a counter that is refused is bound to no part.
            rest.forEach(part -> part.requireBindable(counter));
            rest.forEach(part -> part.bind(counter));
        });
    }

    private void inTurn(final String operation, final Runnable work) {
        gate.enter(operation, this);
        try {
            work.run();
        } finally {
            gate.leave();
        }
    }

    /** What failed in the middle goes on with the rest; without one the parts refuse it. */
    private List<FabricRegion> rest(final Predicate<FabricRegion> isLeft) {
        final List<FabricRegion> rest = parts.stream().filter(isLeft).toList();
        return rest.isEmpty() ? parts : rest;
    }

    /** The part of the endpoint's own authorization key. */
    @Override
    public void bind(final Endpoint endpoint) {
        final String operation = "bind endpoint";
        Refusals.notNull(operation, "endpoint", endpoint);
        inTurn(operation, () -> {
            if (parts.stream().anyMatch(FabricRegion::isBoundToEndpoint)) {
                throw Refusals.of(FiErrno.FI_EBUSY, operation, "%s is bound to an endpoint", this).build();
            }
            bindOne(endpoint);
        });
    }

    private void bindOne(final Endpoint endpoint) {
        FabricException last = null;
        for (final FabricRegion part : parts) {
            try {
                part.bind(endpoint);
                return;
            } catch (final FabricException e) {
                last = e;
            }
        }
        throw last;
    }

    @Override
    public void enable() {
        inTurn("enable region", () -> partsToEnable().forEach(FabricRegion::enable));
    }

    /** Parts for other keys than the endpoint's stay disabled. */
    private List<FabricRegion> partsToEnable() {
        if (!plan.rules().endpoint) {
            return rest(FabricRegion::waitsForEnable);
        }
        FabricRegion bound = first();
        for (final FabricRegion part : parts) {
            bound = part.isBoundToEndpoint() ? part : bound;
        }
        return List.of(bound);
    }

    @Override
    public void refresh() {
        refresh(RegionDevices.ALL);
    }

    /** All parts take each step before one takes the next: the same pages are behind them. */
    @Override
    public void refresh(final long... ranges) {
        inTurn("refresh region", () -> {
            onEach(parts, part -> part.keepOut(ranges));
            try {
                onEach(parts, part -> part.follow(ranges));
                onEach(parts, FabricRegion::letIn);
            } catch (final FabricException e) {
                keepAllOut(e, ranges);
                throw e;
            }
        });
    }

    /** Also those that were let in: what fails for one part has failed for the region. */
    private void keepAllOut(final FabricException failure, final long[] ranges) {
        try {
            onEach(parts, part -> part.keepOut(ranges));
        } catch (final FabricException e) {
            failure.addSuppressed(e);
        }
    }

    @Override
    public void flush() {
        first().flush();
    }

    @Override
    public void flush(final long address, final long length) {
        first().flush(address, length);
    }

    @Override
    public boolean isClosed() {
        return parts.stream().allMatch(FabricRegion::isClosed);
    }

    @Override
    public void close() {
        if (gate.isOwn() || parts.stream().anyMatch(FabricRegion::isInside)) {
            // An owner of the memory that is told of the end, and closes what is being closed.
            return;
        }
        final Registration registration = pending;
        if (registration != null) {
            registration.cancelOrAwait();
        }
        inTurn("close region", () -> {
            // First, so that a region that cannot be closed is as it was.
            parts.forEach(FabricRegion::requireClosable);
            try {
                // All that can be closed are.
                onEach(parts, FabricRegion::close);
            } finally {
                // Also where the last flush failed.
                if (isClosed()) {
                    leave();
                }
            }
        });
    }

    private void leave() {
        if (!hasLeft) {
            hasLeft = true;
            plan.letGo();
            regions.giveNameBack(plan);
        }
    }

    /** Also where some of them fail; the first failure is told. */
    private static void onEach(final List<FabricRegion> parts, final Consumer<FabricRegion> operation) {
        final List<FabricException> failures = new ArrayList<>();
        for (final FabricRegion part : parts) {
            try {
                operation.accept(part);
            } catch (final FabricException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    @Override
    public LocalDescriptor in(final Realm asked) {
        for (int i = 0; i < parts.size(); i++) {
            if (parts.get(i).realm() == asked) {
                return parts.get(i);
            }
        }
        return first();
    }

    @Override
    public Realm realm() {
        return first().realm();
    }

    @Override
    public boolean isUsable() {
        return first().isUsable();
    }

    @Override
    public boolean isKept() {
        return first().isKept();
    }

    @Override
    public int lkey(final long address, final long length) {
        return first().lkey(address, length);
    }

    @Override
    public long deviceAddress(final long address, final long length) {
        return first().deviceAddress(address, length);
    }

    @Override
    public long processAddress(final long address) {
        return first().processAddress(address);
    }

    @Override
    public boolean allows(final long accessBits) {
        return first().allows(accessBits);
    }

    @Override
    public String toString() {
        final String state = isClosed() ? ", closed" : isRegistered ? "" : ", not registered";
        return "region " + plan + " for " + parts.size() + " authorization keys" + state;
    }
}
