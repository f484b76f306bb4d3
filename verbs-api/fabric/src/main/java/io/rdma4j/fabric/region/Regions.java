/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.fabric.event.FabricEventQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.RdmaContext;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

/** The regions of a domain, with what they share: realms, keys, event cells. Thread-safe. */
public final class Regions {
    private final Domain domain;
    private final RegionRules rules;
    private final RegionChecks checks;
    private final KeyVectors keyVectors;
    private final OpenObjects open;
    private final Realms realms;
    private final Realm defaultRealm;
    private final KeyNames keys;
    private final EventCells cells;
    private final MappedKeys mapped = new MappedKeys();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicReference<AsyncRegistrar> registrar = new AtomicReference<>();
    private final IdentityHashMap<Endpoint, Set<FabricRegion>> bound = new IdentityHashMap<>();

    /**
     * Opens the default realm.
     *
     * @param domain  as the application sees it.
     * @param context the device.
     * @param info    what was negotiated.
     * @param pds     makes the protection domain of a realm.
     * @param caches  makes the cache of a realm.
     * @param open    what of the domain is open.
     * @throws FabricException FI_ENOMEM if the device has no room.
     */
    public Regions(
        final Domain domain, final RdmaContext context, final FabricInfo info, final Supplier<PdLease> pds,
        final Function<ProtectionDomain, RegistrationCache> caches, final OpenObjects open) {
        this.domain = domain;
        this.open = open;
        rules = new RegionRules(info, context);
        checks = new RegionChecks(rules, new HmemChecks(Path.of("/dev")), PageSizes.ofThisMachine());
        keyVectors = new KeyVectors(this, rules);
        realms = new Realms(domain, pds, rules, caches);
        keys = new KeyNames(rules.keyBytes);
        cells = new EventCells(context);
        defaultRealm = realms.open(null);
    }

    Domain domain() {
        return domain;
    }

    Realms realms() {
        return realms;
    }

    EventCells cells() {
        return cells;
    }

    /**
     * The realm of the domain's own authorization key.
     *
     * @return open as long as this.
     */
    public Realm defaultRealm() {
        return defaultRealm;
    }

    /**
     * A realm for an endpoint.
     *
     * @param authKey null for the domain's key.
     * @return to be released.
     */
    public Realm openRealm(final byte[] authKey) {
        return rules.endpoint ? realms.openOwn(authKey) : realms.open(authKey);
    }

    /**
     * Raw keys that were mapped.
     *
     * @return of this domain.
     */
    public MappedKeys mappedKeys() {
        return mapped;
    }

    /**
     * See {@link Domain#register(MrAttributes)}.
     *
     * @param attributes what to register.
     * @return the region.
     */
    public MemoryRegion register(final MrAttributes attributes) {
        open.requireOpen(Refusals.REGISTER);
        final RegionPlan checked = checks.check(attributes);
        keyVectors.check(attributes);
        if (!rules.avAuthKeys) {
            return register(checked, null);
        }
        final List<byte[]> authKeys = keyVectors.of(attributes);
        if (authKeys.size() == 1) {
            return register(checked.withAuthKey(authKeys.get(0)), attributes.keyVector());
        }
        return begin(KeyringRegion.enter(this, checked, attributes.keyVector(), authKeys));
    }

    private MemoryRegion register(final RegionPlan plan, final AddressVector keyVector) {
        final FabricRegion region = new FabricRegion(this, plan, keyVector);
        enter(region);
        return begin(region);
    }

    private MemoryRegion begin(final PendingRegion region) {
        final AsyncRegistrar worker = registrar.get();
        if (worker == null) {
            region.activate();
        } else {
            worker.submit(region);
        }
        return region;
    }

    void takeName(final RegionPlan plan) {
        if (plan.hasOwnKey()) {
            keys.take(plan.key());
        }
    }

    void giveNameBack(final RegionPlan plan) {
        if (plan.hasOwnKey()) {
            keys.giveBack(plan.key());
        }
    }

    /** Takes what a region has while it is not closed: a place, and its key. */
    void enter(final FabricRegion region) {
        open.add(Refusals.REGISTER, "region", region);
        try (Undo undo = new Undo()) {
            undo.add(() -> open.remove(region));
            if (count.incrementAndGet() > rules.mrCount) {
                count.decrementAndGet();
                throw Refusals.of(FiErrno.FI_ENOMR, Refusals.REGISTER, "the domain has %d regions, mr_cnt",
                    rules.mrCount).hint("close regions, or open the domain with a larger mr_cnt").build();
            }
            if (region.ownsKey()) {
                takeKey(region);
            }
            undo.forget();
        }
    }

    private void takeKey(final FabricRegion region) {
        try {
            keys.take(region.plan().key());
        } catch (final FabricException e) {
            count.decrementAndGet();
            throw e;
        }
    }

    private void leave(final FabricRegion region) {
        if (region.ownsKey()) {
            keys.giveBack(region.plan().key());
        }
        count.decrementAndGet();
        open.remove(region);
    }

    /** Registers with the device; no lock is held. */
    void activate(final FabricRegion region) {
        try (Undo undo = new Undo()) {
            undo.add(() -> cancelled(region));
            region.open();
            undo.forget();
        } catch (final RdmaException e) {
            throw FabricException.from(Refusals.REGISTER, e);
        }
    }

    /** It will not be registered. */
    void cancelled(final FabricRegion region) {
        region.fail();
        leave(region);
    }

    /** A region closes: first its body, then others may have its key. */
    void closed(final FabricRegion region, final RegionState last, final RegionBody body) {
        if (last == RegionState.FAILED) {
            return;
        }
        try {
            body.close();
        } finally {
            leave(region);
        }
        try {
            if (body.memory().hasFiles()) {
                // Nobody writes any more: all that peers were told is written is in the files after this.
                body.memory().flush("close region");
            }
        } finally {
            region.letGo();
        }
    }

    void requireSameAuthKey(final String operation, final RegionPlan plan, final Realm realm) {
        if (!Arrays.equals(Realms.digest(realms.effective(plan.authKey())), realm.authDigest())) {
            throw Refusals.invalid(operation, "endpoint and region have different authorization keys").build();
        }
    }

    void bound(final Endpoint endpoint, final FabricRegion region) {
        synchronized (bound) {
            bound.computeIfAbsent(endpoint, any -> ConcurrentHashMap.newKeySet()).add(region);
        }
    }

    void unbound(final Endpoint endpoint, final FabricRegion region) {
        synchronized (bound) {
            bound.computeIfPresent(endpoint, (any, regions) -> {
                regions.remove(region);
                return regions.isEmpty() ? null : regions;
            });
        }
    }

    /**
     * An endpoint was closed.
     *
     * @param endpoint its regions are disabled, and bound no more.
     */
    public void endpointClosed(final Endpoint endpoint) {
        final Set<FabricRegion> regions;
        synchronized (bound) {
            regions = bound.remove(endpoint);
        }
        if (regions != null) {
            Cleanup.all(regions, region -> region.endpointClosed(endpoint));
        }
    }

    /**
     * See {@link Domain#mapRaw}.
     *
     * @param base   as there.
     * @param rawKey as there.
     * @return a mapped key.
     */
    public long mapRaw(final long base, final byte[] rawKey) {
        open.requireOpen("map raw key");
        return mapped.map(RawKey.read(base, rawKey));
    }

    /**
     * See {@link Domain#unmapKey}.
     *
     * @param key a mapped key.
     */
    public void unmapKey(final long key) {
        open.requireOpen("unmap key");
        mapped.unmap(key);
    }

    /**
     * See {@link Domain#bind}.
     *
     * @param queue where events go.
     */
    public void bind(final FabricEventQueue queue) {
        bind(queue, () -> new AsyncRegistrar(queue));
    }

    void bind(final FabricEventQueue queue, final Supplier<AsyncRegistrar> worker) {
        final AsyncRegistrar made = worker.get();
        queue.bind();
        if (!registrar.compareAndSet(null, made)) {
            queue.unbind();
            throw Refusals.of(FiErrno.FI_EBUSY, "bind event queue", "the domain reports to a queue already").build();
        }
        try (Undo undo = new Undo()) {
            undo.add(() -> end(made));
            // Behind it: who closes the domain after this look finds the registrar.
            open.requireOpen("bind event queue");
            undo.forget();
        }
    }

    /** Once, whoever comes first. */
    private void end(final AsyncRegistrar worker) {
        if (worker != null && registrar.compareAndSet(worker, null)) {
            worker.close();
        }
    }

    /**
     * What keeps the domain open beside regions.
     *
     * @return empty if nothing does.
     */
    public String othersOpen() {
        final int size = mapped.size();
        return size == 0 ? "" : size + (size == 1 ? " mapped key" : " mapped keys");
    }

    /** Closes what is shared. Nothing is open any more. */
    public void close() {
        try {
            end(registrar.get());
        } finally {
            try {
                defaultRealm.release();
            } finally {
                cells.close();
            }
        }
    }
}
