/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.memory.BufferOwners;
import io.rdma4j.driver.memory.ProcessMaps;
import io.rdma4j.fabric.CacheStatistics;
import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.HmemIface;
import io.rdma4j.fabric.MemoryMonitor;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.fabric.live.CacheKind;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.spi.ObjectPublisher;
import io.rdma4j.verbs.spi.RegionChecks;
import io.rdma4j.verbs.spi.RegionOwner;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;

/**
 * The registration cache of one protection domain. Thread-safe.
 *
 * <p>A hit is a lookup in an index that needs no lock, and a compare-and-set. A miss is: the claim is made known, the
 * memory is watched, room is made, the memory is registered with no lock held, and the entry becomes known, if the
 * memory has not changed meanwhile.
 */
public final class RegionCache implements RegistrationCache, AutoCloseable {
    private static final String ACQUIRE = "acquire cached region";
    /** Memory that changes faster than it can be registered is not worth keeping. */
    private static final int ATTEMPTS = 3;
    private static final Cleaner CLEANER = Cleaner.create();

    private final Counters counters = new Counters();
    private final CacheTotals totals = new CacheTotals();
    private final ObjectPublisher publisher;
    private final Ticks ticks = new Ticks();
    private final CacheEntries entries;
    private final EntryIndex index;
    private final Adoptions adoptions = new Adoptions();
    /** Memory of its domain, which is where it is until it is closed; other caches know it, too. */
    private final Adoptions allocated;
    private final DeferredDeregistration deferred;
    private final EntryRegistrar registrar;
    private final Watcher watcher;
    private final BooleanSupplier canBeOnDemand;
    private final EntryCheck check;
    private final String monitorName;
    private final ProtectionDomain pd;
    private final Map<HmemIface, Boolean> monitorsEnabled;
    private final Entry.EntryOwner ofEntries = new OfEntries();
    private volatile boolean closed;

    /**
     * Makes one.
     *
     * @param allocated     pinned memory that it knows by its addresses.
     * @param canBeOnDemand whether the device can look behind addresses at each access.
     */
    RegionCache(
        final ProtectionDomain pd, final CacheSettings settings, final Adoptions allocated,
        final BooleanSupplier canBeOnDemand) {
        final long maxBytes = settings.maxBytes();
        final MemoryMonitor monitor = settings.monitor();
        this.pd = pd;
        this.allocated = allocated;
        this.canBeOnDemand = canBeOnDemand;
        this.monitorsEnabled = settings.monitorsEnabled();
        final long maxCount = settings.maxCount(() -> pd.context().attributes().maxMr());
        this.publisher = ObjectPublisher.of(pd.context());
        this.entries = new CacheEntries(maxCount, maxBytes, counters);
        this.index = entries.index;
        this.deferred = new DeferredDeregistration(this::closeEntry);
        this.registrar = new EntryRegistrar(pd);
        this.monitorName = monitor == null ? CacheSettings.DISABLED : monitor.name();
        this.watcher = monitor == null || maxCount == 0 ? null : new Watcher(monitor, this::changed, counters);
        this.check = watcher == null ? EntryCheck.SHUT : watcher;
        if (watcher != null) {
            watcher.start();
        }
        totals.publishAs(publisher.publish(CacheKind.KIND, maxCount, maxBytes));
        RegionRoom.enter(this);
    }

    /** What entries need of the cache. */
    private final class OfEntries implements Entry.EntryOwner {
        @Override
        public long tick() {
            return ticks.next();
        }

        @Override
        public void hits(final long more) {
            totals.hits(more);
        }

        @Override
        public void returned(final Entry entry) {
            entries.idle.returned(entry);
        }

        @Override
        public void ownerGone(final Entry entry) {
            deferred.bury(entries.drop(entry));
            show();
        }

        @Override
        public void close(final Entry entry) {
            closeEntry(entry);
        }
    }

    @Override
    public CachedRegion acquire(final long address, final long length, final int access) {
        return acquire(address, length, null, access);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Before an entry is taken that has no owner it is asked whether it is quiet ({@link Entry#takeFor}). Memory
     * with an owner is not watched.
     */
    @Override
    public CachedRegion acquire(final long address, final long length, final Object owner, final int access) {
        if (access != 0 && isReadOnly(owner)) {
            throw readOnly(owner, access);
        }
        final Object root = owner == null ? null : BufferOwners.rootOf(owner);
        if (length > 0) {
            final Entry entry = index.take(address, length, access, root, check);
            if (entry != null) {
                return entry;
            }
        }
        try {
            return miss(Range.of(ACQUIRE, address, length), root, access);
        } finally {
            show();
            Reference.reachabilityFence(owner);
        }
    }

    /** A view that Java does not let be written to. Its memory may be registered for writing, by another view. */
    private static boolean isReadOnly(final Object owner) {
        final Object under = owner instanceof DirectBuffer ? ((DirectBuffer) owner).byteBuffer() : owner;
        return under instanceof Buffer && ((Buffer) under).isReadOnly();
    }

    private static FabricException readOnly(final Object owner, final int access) {
        requireLocal(access);
        return FabricException.of(ACQUIRE).detail("%s is read-only, LOCAL_WRITE is asked for", owner)
            .errno(FiErrno.FI_EFAULT).hint("name the buffer that it is a view of").build();
    }

    private void show() {
        totals.show(entries, counters);
    }

    private CachedRegion miss(final Range range, final Object named, final int access) {
        requireLocal(access);
        requireOpen();
        // First all that changed is told, then what it retired is closed: who registers the addresses before that joins
        // the old mapping, with the old pages.
        final boolean quiet = watcher == null || watcher.awaitQuiet();
        deferred.drain();
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            final Claim claim = claim(range, named, access);
            if (watcher == null || claim.root == null && !quiet) {
                break;
            }
            final Entry entry = entries.take(claim);
            final Entry made = entry == null ? widened(claim) : entry;
            if (made != null) {
                return made;
            }
        }
        return uncached(claim(range, named, access));
    }

    /** Anew for each attempt: what changed the memory may have changed whose it is. */
    private Claim claim(final Range range, final Object named, final int access) {
        final Object pinned = allocated.ownerOf(range);
        final Object known = pinned == null ? adoptions.ownerOf(range) : pinned;
        // Nothing else is at the addresses of pinned memory that is open.
        final Object root = named == null || known instanceof PinnedMemory ? known : named;
        return new Claim(range, root, access, root != null && root == known);
    }

    /** What lies in an entry that lacks rights is registered with all of that entry, if all of it can have them. */
    private Entry widened(final Claim claim) {
        final Range wide = entries.widest(claim);
        if (!wide.equals(claim.range)) {
            try {
                return new Miss(new Claim(wide, claim.root, claim.access, claim.isAdopted), claim).run();
            } catch (final FabricException e) {
                // Not all of it can have the rights, or there is no room for all of it: what was asked for may do.
            }
        }
        return new Miss(claim, claim).run();
    }

    private static void requireLocal(final int access) {
        if ((access & ~AccessFlag.LOCAL_WRITE.bit()) != 0) {
            throw FabricException.of(ACQUIRE)
                .detail("access is 0x%x, possible are 0 and LOCAL_WRITE: cached regions have no keys for peers", access)
                .errno(FiErrno.FI_EINVAL).hint("register a region for peers with Domain.register").build();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw FabricException.of(ACQUIRE).detail("the cache is closed").errno(FiErrno.FI_EBADFD).build();
        }
    }

    private Entry uncached(final Claim claim) {
        // For one use pages will do.
        claim.onDemand = false;
        final MemoryRegion region = registerAs(claim, claim.access);
        counters.misses.increment();
        counters.uncached.increment();
        return new Entry(ofEntries, region, claim, claim.access, false);
    }

    private MemoryRegion registerAs(final Claim claim, final int access) {
        return claim.onDemand ? registrar.registerOnDemand(claim.range, access)
            : registrar.register(claim.range, access, isKept(claim));
    }

    /** Any other owner is taken at its word for what is cached; not so that a broken word would end the process. */
    private static boolean isKept(final Claim claim) {
        return claim.root instanceof RegionOwner
            || RegionChecks.holds(claim.root, claim.range.start(), claim.range.length());
    }

    /** One attempt to register something and keep it. */
    private final class Miss {
        private final Claim claim;
        /** What is needed, where nothing can be kept. */
        private final Claim asked;
        private boolean kept;

        Miss(final Claim claim, final Claim asked) {
            this.claim = claim;
            this.asked = asked;
        }

        /** In use by the caller; null if it is to be tried again. */
        Entry run() {
            entries.begin(claim);
            try {
                final boolean canKeep = isVouchedFor() && entries.makeRoom(claim);
                closeAll(claim.toClose);
                return canKeep ? registered() : uncached(asked);
            } finally {
                end();
            }
        }

        /** By an owner or the monitor, neither of which learns that a file was cut off; or nobody needs to. */
        private boolean isVouchedFor() {
            claim.subscribed = claim.root == null && watcher.subscribe(claim.range);
            if ((claim.root != null || claim.subscribed) && !mayBeCutOff()) {
                return true;
            }
            if (claim.subscribed) {
                claim.subscribed = false;
                watcher.unsubscribe(claim.range);
            }
            claim.onDemand = canBeOnDemand.getAsBoolean();
            return claim.onDemand;
        }

        /** Asked when the range is watched: nobody maps a file there unnoticed from then on. */
        private boolean mayBeCutOff() {
            return !(claim.root instanceof PinnedMemory) && BufferOwners.mayBeFile(claim.root)
                && ProcessMaps.hasFile(claim.range.start(), claim.range.length());
        }

        private void end() {
            entries.end(claim);
            if (claim.subscribed && !kept) {
                watcher.unsubscribe(claim.range);
            }
            closeAll(claim.toClose);
        }

        private Entry registered() {
            final int rights = claim.access | entries.rightsOfReplaced(claim);
            final Entry entry = register(rights);
            if (claim.subscribed) {
                entry.subscribed();
            }
            if (claim.root != null) {
                // Not from a claim, which holds the owner, as would then the cleaner.
                entry.endsWith(claim.root, CLEANER);
            }
            return switch (entries.publish(claim, entry, ticks.next())) {
                case KEPT -> {
                    kept = true;
                    counters.misses.increment();
                    publisher.cached(entry.region());
                    yield entry;
                }
                case OVERTAKEN -> {
                    discard(entry);
                    yield claim.winner;
                }
                case CHANGED -> {
                    counters.retries.increment();
                    discard(entry);
                    yield null;
                }
                default -> notKept(entry);
            };
        }

        private Entry register(final int rights) {
            try {
                return entry(registerAs(claim, rights), rights);
            } catch (final FabricException e) {
                if (rights == claim.access || e.errno() != RdmaException.EFAULT) {
                    throw e;
                }
            }
            // Not all of it can have the rights of what it replaces.
            return entry(registerAs(claim, claim.access), claim.access);
        }

        private Entry entry(final MemoryRegion region, final int rights) {
            return new Entry(ofEntries, region, claim, rights, true);
        }

        private void discard(final Entry entry) {
            kept = claim.subscribed;
            entry.retire();
            entry.release();
        }

        private Entry notKept(final Entry entry) {
            kept = claim.subscribed;
            entry.retire();
            counters.misses.increment();
            counters.uncached.increment();
            return entry;
        }
    }

    /** Whatever the monitor says: a range that makes no sense is taken as large as it can be meant. */
    private void changed(final long address, final long length) {
        counters.notifications.increment();
        final long start = Math.max(address, 0);
        final long end = length > Long.MAX_VALUE - start || length <= 0 ? Long.MAX_VALUE : start + length;
        final Range range = new Range(start, end);
        adoptions.forget(range);
        deferred.bury(entries.change(range));
        show();
    }

    private void closeAll(final List<Entry> entries) {
        entries.forEach(this::closeEntry);
        entries.clear();
    }

    private void closeEntry(final Entry entry) {
        if (entry.isSubscribed()) {
            watcher.unsubscribe(entry.range());
        }
        if (entry.closeRegion() != null) {
            counters.closeFailures.increment();
        }
    }

    @Override
    public void invalidate(final long address, final long length) {
        final Range range = Range.of("invalidate cached regions", address, length);
        adoptions.forget(range);
        counters.notifications.increment();
        closeAll(entries.change(range));
        deferred.drain();
        show();
    }

    @Override
    public void adopt(final long address, final long length, final Object owner) {
        final String operation = "adopt memory";
        final Range range = Range.of(operation, address, length);
        final Object root = owner == null ? null : BufferOwners.rootOf(owner);
        if (root == null) {
            throw FabricException.of(operation).detail("%s owns no memory", owner).errno(FiErrno.FI_EINVAL).build();
        }
        adoptions.add(range, root);
        closeAll(entries.adopted(range, root));
        show();
    }

    @Override
    public void flush() {
        closeAll(entries.evict(Long.MAX_VALUE));
        deferred.drain();
        show();
    }

    /**
     * Deregisters up to so many idle entries, and what waits for that. Closing waits for this: others call it, too.
     *
     * @return whether there was something.
     */
    boolean giveWay(final long most) {
        final boolean some = deferred.drain(() -> entries.evict(most));
        show();
        return some;
    }

    /** Where it registers. */
    RdmaContext device() {
        return pd.context();
    }

    @Override
    public boolean isEnabled() {
        return watcher != null;
    }

    /**
     * The monitor's name.
     *
     * @return such as {@code userfaultfd}.
     */
    public String monitorName() {
        return monitorName;
    }

    /**
     * Whether a monitor for memory of accelerators might be used, if there were one.
     *
     * @param iface CUDA, ROCR or ZE; others have none.
     * @return as configured.
     */
    public boolean isMonitorEnabled(final HmemIface iface) {
        return monitorsEnabled.getOrDefault(iface, false);
    }

    @Override
    public CacheStatistics statistics() {
        return new CacheStatistics(entries.hits(), counters.misses.sum(), counters.uncached.sum(),
            counters.evictions.sum(), counters.replacements.sum(), counters.invalidations.sum(),
            counters.notifications.sum(), counters.retries.sum(), counters.monitorFailures.sum(),
            counters.closeFailures.sum(), entries.count(), entries.bytes(), entries.inUse());
    }

    CacheEntries entries() {
        return entries;
    }

    /**
     * Ends it: what is idle is deregistered, what is in use at its last release. Harmless when called again. To be
     * called before the protection domain is closed.
     */
    @Override
    public void close() {
        closed = true;
        RegionRoom.leave(this);
        final List<Entry> inUse = new ArrayList<>();
        closeAll(entries.close(inUse));
        // One that is never released holds its memory: the cleaner must not hold it, and with it the device.
        inUse.forEach(Entry::forgetFarewell);
        deferred.drain();
        if (watcher != null) {
            watcher.stop();
        }
        totals.close();
    }

    @Override
    public String toString() {
        return "registration cache of " + pd + (closed ? ", closed" : "") + ", monitor " + monitorName + ", "
            + statistics();
    }
}
