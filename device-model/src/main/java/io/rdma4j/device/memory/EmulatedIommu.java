/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.memory;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.driver.dma.HostBlock;
import io.rdma4j.driver.dma.Iommu;
import io.rdma4j.driver.libc.FaultableMemory;
import io.rdma4j.driver.memory.BufferOwners;
import io.rdma4j.driver.memory.MappingWatch;
import io.rdma4j.driver.memory.MemoryHold;
import io.rdma4j.driver.memory.Presence;
import io.rdma4j.driver.pci.DmaDomain;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The device's own address translation, as an IOMMU in front of it would do. IOVAs never equal the process' addresses,
 * so that a driver that mixes them up is found out.
 *
 * <p>What the device keeps of a translation is valid as long as {@link #generation()} does not change, or as long as
 * the mapping behind it lives. {@link #unmap} ends the mapping, changes the generation and then waits for the grace
 * period: when it returns, no access of the device to that memory is under way, and none will begin.
 */
public final class EmulatedIommu implements Iommu {
    private static final long PAGE_MASK = DmaDomain.PAGE_SIZE - 1;
    /** Each page has its place in the cache of {@link #cached}, as each may be a mapping of its own. */
    private static final int CACHE_SHIFT = 12;
    private static final int CACHE_SLOTS = 1024;
    /** As long as it can take until everybody was told of a change of watched memory, on a machine that is busy. */
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Counters counters;
    private final TreeMap<Long, IommuMapping> mappings = new TreeMap<>();
    private final AtomicReferenceArray<IommuMapping> cache = new AtomicReferenceArray<>(CACHE_SLOTS);
    private volatile long generation = 1;
    private volatile boolean busMaster;
    private volatile Runnable gracePeriod = () -> { };
    /** Of memory that nobody keeps for the device; null as long as there was none. Written under the lock. */
    private volatile MappingWatch watch;
    private boolean closed;

    /**
     * Without mappings, and refusing every access until the function becomes bus master.
     *
     * @param counters counts faults.
     */
    public EmulatedIommu(Counters counters) {
        this.counters = counters;
    }

    /**
     * Says how to wait until everything that the device has begun is over.
     *
     * @param wait called without a lock held.
     */
    public void gracePeriod(Runnable wait) {
        gracePeriod = wait;
    }

    /**
     * Refuses pages that are mapped but not there, as those behind the end of a file: the kernel's IOMMU would bring
     * them in, or not map them, and here an access would be a signal. What the program may take away later is held:
     * see {@link MemoryHold}.
     */
    @Override
    public void map(long iova, long address, long length, Object owner) {
        final String missing = Presence.firstUnbacked(address, length, false);
        if (missing != null) {
            throw RdmaException.of("map memory").detail("%s", missing).errno(RdmaException.EFAULT).build();
        }
        final MemoryHold hold = hold(address, length, owner);
        if (hold == null) {
            enter(iova, address, length, new IommuMapping(iova, address, length, owner));
            return;
        }
        try (Undo undo = new Undo()) {
            undo.add(hold::close);
            enterHeld(iova, address, length, IommuMapping.held(iova, length, owner, hold));
            undo.forget();
        }
    }

    /** Null for what the owner keeps, and nobody can cut off. */
    private MemoryHold hold(long address, long length, Object owner) {
        if (owner == null) {
            return MemoryHold.of(address, length, watch(), this::revokeLost);
        }
        return owner instanceof HostBlock || !BufferOwners.mayBeFile(BufferOwners.rootOf(owner)) ? null
            : MemoryHold.ofKept(address, length);
    }

    /** Nobody is told of what happened to the memory before it was entered. */
    private void enterHeld(long iova, long address, long length, IommuMapping entered) {
        enter(iova, address, length, entered);
        bringIn(entered.hold(), length);
        revokeLost(entered.hold());
    }

    /** The second mapping has no pages yet; if there is none, they were looked at before. */
    private static void bringIn(MemoryHold hold, long length) {
        Presence.firstUnbacked(hold.address(), length, false);
    }

    private MappingWatch watch() {
        synchronized (mappings) {
            if (closed) {
                throw RdmaException.of("map memory").detail("the device is closed").errno(RdmaException.EBADFD).build();
            }
            if (watch == null) {
                watch = MappingWatch.open();
            }
            return watch;
        }
    }

    /** On the thread that tells of changes: no access has to be waited for, as none can do harm. */
    private void revokeLost(MemoryHold hold) {
        synchronized (mappings) {
            if (hold.intact()) {
                return;
            }
            for (IommuMapping mapping : mappings.values()) {
                if (mapping.hold() == hold && mapping.revoke()) {
                    generation++;
                    counters.record(Counter.MEMORY_REVOKED, "%s", mapping);
                }
            }
        }
    }

    /**
     * Waits until everybody was told of changes that watched memory has gone through; mostly there are none.
     *
     * @return false if that takes too long.
     */
    public boolean awaitQuiet() {
        final MappingWatch watching = watch;
        return watching == null || watching.quiet() || watching.awaitQuiet(QUIET_NANOS);
    }

    @Override
    public boolean mapsOnDemand() {
        return FaultableMemory.isAvailable();
    }

    @Override
    public void mapOnDemand(long iova, long address, long length) {
        if (!mapsOnDemand()) {
            throw RdmaException.of("map memory on demand").errno(RdmaException.EOPNOTSUPP)
                .detail("this system does not let the process call process_vm_readv on itself").build();
        }
        enter(iova, address, length, IommuMapping.onDemand(iova, address, length));
    }

    /**
     * Maps memory of which no page can vanish before it is unmapped: nothing is looked at or brought in. It is another
     * machine's, which knows no page that is not to be used.
     *
     * @param iova    page-aligned, 0 too.
     * @param address where it is in this process, page-aligned.
     * @param length  bytes, whole pages.
     */
    public void mapLasting(long iova, long address, long length) {
        insert(iova, address, length, new IommuMapping(iova, address, length, null));
    }

    private void enter(long iova, long address, long length, IommuMapping entered) {
        if (iova == 0) {
            throw new IllegalArgumentException("a mapping is not at iova 0, where a driver may have forgotten one");
        }
        insert(iova, address, length, entered);
    }

    private void insert(long iova, long address, long length, IommuMapping entered) {
        if (length <= 0 || ((iova | address | length) & PAGE_MASK) != 0 || iova + length < iova) {
            throw new IllegalArgumentException(String.format(
                "a mapping is in whole pages: iova 0x%x address 0x%x length 0x%x", iova, address, length));
        }
        synchronized (mappings) {
            final Map.Entry<Long, IommuMapping> before = mappings.floorEntry(iova + length - 1);
            if (before != null && before.getKey() + before.getValue().length() > iova) {
                throw new IllegalArgumentException(String.format(
                    "iova 0x%x..0x%x overlaps %s", iova, iova + length - 1, before.getValue()));
            }
            mappings.put(iova, entered);
        }
    }

    @Override
    public boolean refreshes() {
        return true;
    }

    @Override
    public boolean storesByProcessor() {
        return true;
    }

    /**
     * There is no gap: an access meanwhile finds the old pages or the new ones. What has to be found out is whether the
     * new ones are there. If some are not, the mapping is suspended, and when it is resumed, all of it is looked at.
     */
    @Override
    public void refresh(Range mapping, long changed, long bytes, boolean write) {
        final IommuMapping refreshed = require(mapping);
        final boolean wasLive = refreshed.isLive();
        final String missing = refreshed.isOnDemand() ? null : wasLive
            ? Presence.firstMissing(changed, bytes, write)
            : Presence.firstMissing(mapping.address(), mapping.length(), write);
        if (missing != null) {
            suspend(mapping);
            throw RdmaException.of("refresh mapping").object(refreshed).detail("%s", missing)
                .errno(RdmaException.EFAULT).build();
        }
        renew(refreshed, mapping, changed, bytes);
        synchronized (mappings) {
            refreshed.resume();
            generation++;
        }
    }

    private void renew(IommuMapping refreshed, Range mapping, long changed, long bytes) {
        final MemoryHold hold = refreshed.hold();
        if (hold != null) {
            boolean renewed = false;
            try {
                hold.renew(changed, bytes);
                renewed = true;
            } finally {
                if (!renewed) {
                    suspend(mapping);
                }
            }
        }
    }

    private IommuMapping require(Range mapping) {
        synchronized (mappings) {
            final IommuMapping found = mappings.get(mapping.iova());
            if (found == null || found.length() != mapping.length()) {
                throw RdmaException.of("refresh mapping").detail("no mapping is exactly %s", mapping)
                    .errno(RdmaException.EINVAL).build();
            }
            return found;
        }
    }

    /** When this returns, no access of the device to that memory is under way. */
    @Override
    public void suspend(Range mapping) {
        synchronized (mappings) {
            require(mapping).suspend();
            generation++;
        }
        gracePeriod.run();
    }

    /**
     * Ends the mappings in a range.
     *
     * @param iova   first, page-aligned.
     * @param length bytes.
     * @throws RdmaException EINVAL if there is no mapping, or one that is only in part inside.
     */
    @Override
    public void unmap(long iova, long length) {
        final List<IommuMapping> ended;
        synchronized (mappings) {
            final long end = iova + length;
            final Map<Long, IommuMapping> inside = length <= 0 || end < iova ? Map.of() : mappings.subMap(iova, end);
            if (inside.isEmpty() || isWithinOne(iova) || isWithinOne(end)) {
                counters.record(Counter.BAD_UNMAPS, "iova 0x%x length 0x%x", iova, length);
                throw RdmaException.of("unmap").detail("no mapping is exactly at iova 0x%x length 0x%x", iova, length)
                    .errno(RdmaException.EINVAL).build();
            }
            ended = end(inside);
        }
        gracePeriod.run();
        ended.forEach(IommuMapping::letGo);
    }

    /** Whether a mapping would be cut in two there. */
    private boolean isWithinOne(long edge) {
        final Map.Entry<Long, IommuMapping> before = mappings.lowerEntry(edge);
        return before != null && before.getValue().contains(edge);
    }

    private List<IommuMapping> end(Map<Long, IommuMapping> some) {
        final List<IommuMapping> ended = new ArrayList<>(some.values());
        ended.forEach(IommuMapping::end);
        some.clear();
        generation++;
        return ended;
    }

    /** Ends every mapping, as the function goes away. */
    public void unmapAll() {
        final List<IommuMapping> ended;
        synchronized (mappings) {
            ended = end(mappings);
            closed = true;
        }
        gracePeriod.run();
        ended.forEach(IommuMapping::letGo);
        final MappingWatch watching = watch;
        if (watching != null) {
            watching.close();
        }
    }

    /**
     * Lets the device access memory, or stops it.
     *
     * @param enabled whether the function is bus master.
     */
    public void busMaster(boolean enabled) {
        synchronized (mappings) {
            busMaster = enabled;
            generation++;
        }
        if (!enabled) {
            gracePeriod.run();
        }
    }

    /**
     * {@return whether the device may access memory now}
     */
    public boolean isBusMaster() {
        return busMaster;
    }

    /**
     * {@return a number that changes whenever a translation may have ended}
     */
    public long generation() {
        return generation;
    }

    /**
     * Translates an access, once: for the control path.
     *
     * @param iova   first byte.
     * @param length bytes, contiguous in IOVAs and in host memory.
     * @return host address of the first byte.
     * @throws DmaFault if a byte of it is not mapped, and then it is counted.
     */
    public long translate(long iova, long length) {
        final IommuMapping mapping = find(iova);
        if (mapping == null || mapping.rest(iova) < length) {
            throw fault(iova, length);
        }
        return mapping.host(iova);
    }

    /**
     * Whether an address where a page is to be cannot be one: a driver forgot to say where, or says nonsense. 0 is one
     * where something is mapped there, as in a machine whose memory begins at 0.
     *
     * @param iova  the address.
     * @param align a power of two.
     * @return true if it is not aligned, or 0 and nothing is mapped there.
     */
    public boolean isNowhere(long iova, long align) {
        return (iova & align - 1) != 0 || iova == 0 && findAny(0) == null;
    }

    /**
     * Counts an access that was refused.
     *
     * @param iova   first byte.
     * @param length bytes.
     * @return what to throw where a command fails of it.
     */
    public DmaFault fault(long iova, long length) {
        counters.record(busMaster ? Counter.DMA_FAULTS : Counter.DMA_WITHOUT_BUS_MASTER,
            "iova 0x%x length 0x%x", iova, length);
        return new DmaFault(iova, length);
    }

    /**
     * Counts an access to memory that was registered and is not there any more.
     *
     * @param iova   first byte.
     * @param length bytes.
     */
    public void lost(long iova, long length) {
        counters.record(Counter.MEMORY_LOST, "iova 0x%x length 0x%x", iova, length);
    }

    /**
     * The mapping of memory that is there and stays, and holds an IOVA; null if there is none or the device may not
     * access memory.
     */
    IommuMapping find(long iova) {
        final IommuMapping found = findAny(iova);
        return found == null || found.mayFault() ? null : found;
    }

    /** As {@link #find}; also of memory that was there, and may vanish: for regions. */
    IommuMapping findRegistered(long iova) {
        final IommuMapping found = findAny(iova);
        return found == null || found.isOnDemand() ? null : found;
    }

    /** The mapping on demand that holds an IOVA; null if there is none or the device may not access memory. */
    IommuMapping findOnDemand(long iova) {
        final IommuMapping found = findAny(iova);
        return found == null || !found.isOnDemand() ? null : found;
    }

    private IommuMapping findAny(long iova) {
        synchronized (mappings) {
            final Map.Entry<Long, IommuMapping> entry = busMaster ? mappings.floorEntry(iova) : null;
            return entry == null || !entry.getValue().contains(iova) || !entry.getValue().isLive() ? null
                : entry.getValue();
        }
    }

    /**
     * The mapping that holds a range, looked for first where it was found last time: without a lock and without
     * allocation then.
     *
     * @param iova   first byte.
     * @param length bytes, at most a page.
     * @return as {@link #findRegistered}; null also if not all of it is in one mapping.
     */
    IommuMapping cached(long iova, long length) {
        final int slot = (int) (iova >>> CACHE_SHIFT) & CACHE_SLOTS - 1;
        IommuMapping mapping = cache.get(slot);
        if (mapping == null || !mapping.isLive() || !mapping.contains(iova) || !busMaster) {
            mapping = findRegistered(iova);
            if (mapping != null) {
                cache.set(slot, mapping);
            }
        }
        return mapping == null || mapping.rest(iova) < length ? null : mapping;
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder();
        synchronized (mappings) {
            text.append(String.format("iommu: bus master %s, generation %d, %d mappings%n", busMaster ? "on" : "off",
                generation, mappings.size()));
            mappings.values().stream().limit(32).forEach(m -> text.append("  ").append(m).append('\n'));
        }
        return text.toString();
    }
}
