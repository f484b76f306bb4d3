/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.event.FabricCounter;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** A region: its states, and what is bound to it. Control operations go one at a time; questions go past them. */
final class FabricRegion implements PendingRegion, LocalDescriptor {
    private static final long[] NO_RANGES = {};

    private final Regions regions;
    private final RegionPlan plan;
    private final boolean kept;
    /** Whether its key is its own, and not that of a region whose part it is. */
    private final boolean ownsKey;
    private final boolean isPart;
    /** Whose address its memory is named by; null for its own. */
    private final FabricRegion first;
    private final long accessBits;
    private final ControlGate gate = new ControlGate();
    private final List<FabricCounter> counters = new ArrayList<>();

    private volatile RegionState state = RegionState.PENDING;
    private volatile Registration pending;
    /** Whose authorization key it has; null where keys do not come through vectors. */
    private final AddressVector keyVector;
    private volatile RegionBody body;
    private Endpoint endpoint;

    FabricRegion(final Regions regions, final RegionPlan plan, final AddressVector keyVector) {
        this(regions, plan, keyVector, false, null);
    }

    private FabricRegion(
        final Regions regions, final RegionPlan plan, final AddressVector keyVector, final boolean isPart,
        final FabricRegion first) {
        this.regions = regions;
        this.keyVector = keyVector;
        this.plan = plan;
        this.kept = plan.buffers() == null || plan.buffers().isKept();
        this.isPart = isPart;
        this.first = first;
        ownsKey = plan.hasOwnKey() && !isPart;
        accessBits = MrAccess.bits(plan.access());
    }

    /** A part of a region, null before the first one. A dma-buf is mapped for each, and named as the first. */
    static FabricRegion part(
        final Regions regions, final RegionPlan plan, final AddressVector keyVector, final FabricRegion first) {
        return new FabricRegion(regions, plan, keyVector, true, first);
    }

    RegionBody body() {
        return body;
    }

    Regions regions() {
        return regions;
    }

    RegionPlan plan() {
        return plan;
    }

    boolean ownsKey() {
        return ownsKey;
    }

    @Override
    public void activate() {
        regions.activate(this);
    }

    @Override
    public void cancel() {
        regions.cancelled(this);
    }

    /** Registers it with the device. What fails is given back by the caller. */
    void open() {
        final RegionBody made = RegionBody.open(regions, plan, first == null ? plan.address() : first.address());
        body = made;
        // Volatile: who sees the state sees the body with its keys.
        state = made.isExposed() ? RegionState.ENABLED : RegionState.DISABLED;
    }

    /** It could not be registered: there is nothing to close. */
    void fail() {
        state = RegionState.FAILED;
        letGo();
    }

    /** The application may keep a closed region, and give up the memory. Parts have theirs in common. */
    void letGo() {
        if (!isPart) {
            plan.letGo();
            if (body != null) {
                body.memory().buffers().letGo();
            }
        }
    }

    /** The region whose part it is could not be registered. */
    void giveUp() {
        if (state == RegionState.PENDING) {
            cancel();
        } else if (state != RegionState.FAILED) {
            close();
        }
    }

    @Override
    public void setPending(final Registration registration) {
        pending = registration;
    }

    @Override
    public Domain domain() {
        return regions.domain();
    }

    @Override
    public long address() {
        final RegionBody now = body;
        return now == null ? plan.address() : now.memory().address();
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
        return state == RegionState.ENABLED && plan.isRemote() && !plan.rules().raw
            ? body.devices().fabricKey() : KEY_NOTAVAIL;
    }

    @Override
    public int rawKeySize() {
        return RawKey.LENGTH;
    }

    @Override
    public long rawAttributes(final byte[] rawKey) {
        final String operation = "get raw key";
        Refusals.notNull(operation, "rawKey", rawKey);
        if (rawKey.length < RawKey.LENGTH) {
            throw Refusals.of(FiErrno.FI_ETOOSMALL, operation, "room for %d bytes, %d are needed", rawKey.length,
                RawKey.LENGTH).hint("rawKeySize() tells how many").build();
        }
        // One at a time with a refresh, which must not change a key that was told.
        whileOpen(operation, () -> {
            if (state != RegionState.ENABLED) {
                throw Refusals.of(FiErrno.FI_EOPBADSTATE, operation, "%s has no key", this).hint("enable it first")
                    .build();
            }
            body.devices().writeRawKey(rawKey);
        });
        return plan.base();
    }

    private void requireOpen(final String operation, final RegionState now) {
        if (now == RegionState.CLOSED) {
            throw Refusals.closed(operation, this).build();
        }
    }

    @Override
    public Object context() {
        return plan.context();
    }

    @Override
    public boolean isEnabled() {
        return state == RegionState.ENABLED;
    }

    @Override
    public void bind(final Counter counter) {
        onCounter(counter, () -> {
            body.count((FabricCounter) counter);
            counters.add((FabricCounter) counter);
        });
    }

    /** Refuses what bind() would, and binds nothing. */
    void requireBindable(final Counter counter) {
        onCounter(counter, () -> { });
    }

    private void onCounter(final Counter counter, final Runnable work) {
        final String operation = "bind counter";
        Refusals.notNull(operation, "counter", counter);
        whileOpen(operation, () -> {
            if (counter.domain() != regions.domain() || !(counter instanceof FabricCounter)) {
                throw Refusals.of(FiErrno.FI_EDOMAIN, operation, "%s belongs to another domain", counter).build();
            }
            if (counter.isClosed()) {
                throw Refusals.closed(operation, counter).build();
            }
            requireCountable(operation);
            if (counters.contains(counter)) {
                throw Refusals.of(FiErrno.FI_EBUSY, operation, "%s is bound to %s already", counter, this).build();
            }
            work.run();
        });
    }

    private void requireCountable(final String operation) {
        final RegionRules rules = plan.rules();
        if (!rules.counts) {
            throw Refusals.of(FiErrno.FI_ENOSYS, operation, "accesses are not counted: %s", RegionRules.WHY_NO_COUNTS)
                .build();
        }
        if (state != RegionState.ENABLED && state != RegionState.DISABLED) {
            throw badState(operation).build();
        }
        if (rules.rmaEvent && !plan.waitsForCounters()) {
            throw badState(operation).hint("register it with MrFlag.RMA_EVENT: mr_mode has RMA_EVENT").build();
        }
        // One that waits for its pages was enabled, too.
        if (plan.waitsForEnable() && !body.waitsForEnable()) {
            throw badState(operation).hint("bind before enable(): mr_mode has RMA_EVENT or ENDPOINT").build();
        }
    }

    private FabricException.Builder badState(final String operation) {
        return Refusals.of(FiErrno.FI_EOPBADSTATE, operation, "%s", this);
    }

    @Override
    public void bind(final Endpoint toBind) {
        final String operation = "bind endpoint";
        Refusals.notNull(operation, "endpoint", toBind);
        whileOpen(operation, () -> {
            if (!plan.rules().endpoint) {
                throw Refusals.invalid(operation, "regions of this domain belong to no endpoint")
                    .hint("mr_mode has no ENDPOINT, and they need none").build();
            }
            if (toBind.domain() != regions.domain() || !(toBind instanceof EndpointRealm)) {
                throw Refusals.of(FiErrno.FI_EDOMAIN, operation, "%s belongs to another domain", toBind).build();
            }
            requireOpen(operation, toBind);
            if (endpoint != null) {
                throw Refusals.of(FiErrno.FI_EBUSY, operation, "%s is bound to %s", this, nameOf(endpoint)).build();
            }
            if (state != RegionState.DISABLED) {
                throw badState(operation).build();
            }
            requireVector(operation, toBind);
            regions.requireSameAuthKey(operation, plan, ((EndpointRealm) toBind).realm());
            attach(operation, toBind);
        });
    }

    private void requireVector(final String operation, final Endpoint toBind) {
        if (keyVector != null && toBind instanceof AddressedEndpoint
            && ((AddressedEndpoint) toBind).addressVector() != keyVector) {
            throw Refusals.invalid(operation, "the region's key is of %s, the endpoint has another vector", keyVector)
                .build();
        }
    }

    /** Looks twice: an endpoint that closes after the second look finds the region, and unbinds it. */
    private void attach(final String operation, final Endpoint toBind) {
        regions.bound(toBind, this);
        try (Undo undo = new Undo()) {
            undo.add(() -> regions.unbound(toBind, this));
            requireOpen(operation, toBind);
            undo.forget();
        }
        endpoint = toBind;
    }

    private static void requireOpen(final String operation, final Endpoint toBind) {
        if (toBind.isClosed()) {
            throw Refusals.closed(operation, toBind).build();
        }
    }

    boolean isBoundToEndpoint() {
        return look(() -> endpoint != null);
    }

    private boolean look(final BooleanSupplier question) {
        gate.enter("look at region", this);
        try {
            return question.getAsBoolean();
        } finally {
            gate.leave();
        }
    }

    boolean waitsForEnable() {
        return look(() -> body != null && body.waitsForEnable());
    }

    boolean isBoundTo(final Counter counter) {
        return look(() -> counters.contains(counter));
    }

    /** One that is being closed holds nothing up. */
    private boolean isBound() {
        return endpoint != null && !endpoint.isClosed();
    }

    @Override
    public void enable() {
        final String operation = "enable region";
        whileOpen(operation, () -> {
            if (state != RegionState.DISABLED || !body.waitsForEnable()) {
                throw badState(operation).hint("only a disabled region can be enabled, once").build();
            }
            if (plan.rules().endpoint && endpoint == null) {
                throw badState(operation).hint("bind it to an endpoint first: mr_mode has ENDPOINT").build();
            }
            onDevice(operation, () -> body.enable(endpoint == null ? null : ((EndpointRealm) endpoint).realm()));
            state = body.isExposed() ? RegionState.ENABLED : RegionState.DISABLED;
        });
    }

    /** The endpoint is gone: nobody reaches the memory through it. */
    void endpointClosed(final Endpoint gone) {
        gate.enter("close endpoint", this);
        try {
            if (endpoint != gone) {
                return;
            }
            endpoint = null;
            if (state != RegionState.CLOSED) {
                state = RegionState.DISABLED;
                onDevice("close endpoint", body::disable);
            }
        } finally {
            gate.leave();
        }
    }

    @Override
    public void refresh() {
        refresh(NO_RANGES);
    }

    @Override
    public void refresh(final long... ranges) {
        onPages(ranges, () -> body.refresh(ranges));
    }

    /** The steps of a refresh, for parts, which take each one together: see {@link RegionBody}. */
    void keepOut(final long... ranges) {
        onPages(ranges, () -> body.keepOut());
    }

    void follow(final long... ranges) {
        onPages(ranges, () -> body.follow(ranges));
    }

    void letIn() {
        onPages(NO_RANGES, () -> body.letIn());
    }

    private void onPages(final long[] ranges, final Runnable work) {
        final String operation = "refresh region";
        Refusals.notNull(operation, "ranges", ranges);
        whileOpen(operation, () -> {
            requireRefresh(operation);
            requireInside(operation, ranges);
            if (plan.rules().mmuNotify) {
                state = RegionState.DISABLED;
            }
            try {
                onDevice(operation, work);
            } finally {
                state = body.isExposed() ? RegionState.ENABLED : RegionState.DISABLED;
            }
        });
    }

    private void requireRefresh(final String operation) {
        if (state != RegionState.ENABLED && state != RegionState.DISABLED) {
            throw badState(operation).build();
        }
        final RegionRules rules = plan.rules();
        if (!rules.refreshes && !rules.mmuNotify && !body.devices().isOnDemand()) {
            throw Refusals.of(FiErrno.FI_ENOSYS, operation, "%s: %s", this, rules.whyNoRefresh)
                .hint("close it and register anew").build();
        }
        if (!rules.refreshes && !body.devices().isOnDemand() && body.hasKeyToKeep()) {
            throw Refusals.of(FiErrno.FI_ENOSYS, operation, "%s: peers were told a key that would change: %s", this,
                rules.whyNoRefresh).hint("close it and register anew").build();
        }
    }

    private void requireInside(final String operation, final long[] ranges) {
        if (ranges.length % 2 != 0) {
            throw Refusals.invalid(operation, "%d numbers are no pairs of address and length", ranges.length).build();
        }
        for (int i = 0; i < ranges.length; i += 2) {
            if (ranges[i + 1] < 1 || body.memory().offsetOf(ranges[i], ranges[i + 1]) < 0) {
                throw Refusals.invalid(operation, "0x%x+%d is not inside of a buffer of %s", ranges[i], ranges[i + 1],
                    this).build();
            }
        }
    }

    @Override
    public void flush() {
        final String operation = "flush region";
        whileOpen(operation, () -> {
            requireFiles(operation);
            body.memory().flush(operation);
        });
    }

    @Override
    public void flush(final long address, final long bytes) {
        final String operation = "flush region";
        whileOpen(operation, () -> {
            requireFiles(operation);
            requireInside(operation, new long[] {address, bytes});
            body.memory().flush(operation, address, bytes);
        });
    }

    private void requireFiles(final String operation) {
        if (body == null || !body.memory().hasFiles()) {
            throw badState(operation).hint("register it with MrFlag.RMA_PMEM").build();
        }
    }

    private void onDevice(final String operation, final Runnable work) {
        try {
            work.run();
        } catch (final RdmaException e) {
            throw FabricException.from(operation, e);
        }
    }

    private void whileOpen(final String operation, final Runnable work) {
        gate.enter(operation, this);
        try {
            requireOpen(operation, state);
            work.run();
        } finally {
            gate.leave();
        }
    }

    @Override
    public boolean isClosed() {
        return state == RegionState.CLOSED;
    }

    @Override
    public void close() {
        final Registration registration = pending;
        if (gate.isOwn() || registration != null && registration.isOwn()) {
            // An owner of the memory that is told of the end, and closes what is being closed, or fails half-way.
            return;
        }
        if (registration != null) {
            registration.cancelOrAwait();
        }
        gate.enter("close region", this);
        try {
            if (state != RegionState.CLOSED) {
                requireUnbound();
                final RegionState last = state;
                state = RegionState.CLOSED;
                onDevice("close region", () -> regions.closed(this, last, body));
            }
        } finally {
            gate.leave();
        }
    }

    /** Whether this thread is at work on it. */
    boolean isInside() {
        return gate.isOwn();
    }

    /** Refuses what close() would, and leaves it open. */
    void requireClosable() {
        gate.enter("close region", this);
        try {
            if (state != RegionState.CLOSED) {
                requireUnbound();
            }
        } finally {
            gate.leave();
        }
    }

    private void requireUnbound() {
        counters.removeIf(FabricCounter::isClosed);
        final boolean bound = isBound();
        if (bound || !counters.isEmpty()) {
            final List<String> names = new ArrayList<>();
            if (bound) {
                names.add(nameOf(endpoint));
            }
            counters.forEach(counter -> names.add(counter.toString()));
            throw Refusals.of(FiErrno.FI_EBUSY, "close region", "%s is bound to %s", this, String.join(" and ", names))
                .hint("close these first").build();
        }
    }

    private static String nameOf(final Endpoint endpoint) {
        return "endpoint " + endpoint.address();
    }

    @Override
    public Realm realm() {
        return state == RegionState.ENABLED ? body.devices().keys().realm() : null;
    }

    @Override
    public boolean isUsable() {
        return state == RegionState.ENABLED;
    }

    /** A dma-buf is kept mapped. */
    @Override
    public boolean isKept() {
        return kept;
    }

    @Override
    public int lkey(final long address, final long bytes) {
        final RegionBody now = body;
        return now == null ? 0 : now.lkey(address, bytes);
    }

    @Override
    public long deviceAddress(final long address, final long bytes) {
        final RegionBody now = body;
        return now == null ? -1 : now.deviceAddress(address, bytes);
    }

    @Override
    public long processAddress(final long address) {
        final RegionBody now = body;
        return now == null ? address : now.memory().registered(address);
    }

    @Override
    public boolean allows(final long bits) {
        return (accessBits & bits) == bits;
    }

    @Override
    public String toString() {
        return "region " + plan + ", " + state.name().toLowerCase(Locale.ROOT);
    }
}
