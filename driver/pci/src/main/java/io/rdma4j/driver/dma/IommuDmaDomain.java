/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.memory.Presence;
import io.rdma4j.driver.memory.ProcessMaps;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.driver.pci.DmaMemory;

import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * DMA memory behind an {@link Iommu}: any memory of the process can be mapped.
 *
 * <p>A mapping that keeps its memory alive is shared: what {@link #allocate} gave out, and direct {@code ByteBuffer}s
 * of the JVM's own memory. A region that lies in such a mapping uses it, and the last user unmaps. One that names an
 * owner of another kind does not use that of a buffer: it would keep the buffer. Small regions of a buffer map the
 * window of {@code 256 KiB} around them, so that a hundred thousand of them in one buffer cost a few mappings. Of other
 * memory, mapped files too, it is not known how long it stays what it is, so each region of it has a mapping of its
 * own.
 *
 * <p>Thread-safe; the IOMMU is called without a lock held. A mapping is found by others only when the IOMMU has it, and
 * is found no more before it is unmapped; two threads that want the same window at the same time may map it twice.
 * {@link #close()} waits for the calls of other threads, so that who closes it may close the IOMMU next.
 */
public final class IommuDmaDomain implements DmaDomain, AutoCloseable {
    private static final String MAP = "map memory for DMA";
    private static final String REFRESH = "refresh mapping";
    /** A call over the largest region takes a second at most; after this something is stuck in the kernel. */
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Iommu iommu;
    private final IovaAllocator iovas;
    private final IovaPolicy policy;
    private final HostMemory host;
    private final Object deviceName;
    private final Map<Long, Mapped> live = new HashMap<>();
    /** What is in here has a user: the last one takes it out in the step in which it leaves. */
    private final Mapped.Index shared = new Mapped.Index();
    /** What threads are mapping (an {@link Extent}) and unmapping (a {@link Mapped}) now; equal ones count twice. */
    private final IdentityHashMap<Object, String> inFlight = new IdentityHashMap<>();
    private final long closeNanos;
    private long reachable;
    private LongConsumer reachableListener = bytes -> { };
    /** Also those that are being made or ended. */
    private int mappings;
    private boolean closed;

    /**
     * Joins an IOMMU and the addresses that it translates, with memory of the JVM.
     *
     * @param iommu      does the mapping.
     * @param iovas      hands out addresses; not shared with anyone else.
     * @param deviceName what errors call the device; its {@code toString()} is used.
     */
    public IommuDmaDomain(final Iommu iommu, final IovaAllocator iovas, final Object deviceName) {
        this(iommu, iovas, IovaPolicy.ALLOCATED, HostMemory.ofJvm(), deviceName);
    }

    /**
     * Joins an IOMMU, the addresses that it translates and a source of memory.
     *
     * @param iommu      does the mapping.
     * @param iovas      hands out addresses; not shared with anyone else.
     * @param policy     which address memory gets.
     * @param host       where {@link #allocate} and {@link #allocateShared} take memory from.
     * @param deviceName what errors call the device; its {@code toString()} is used.
     */
    public IommuDmaDomain(
        final Iommu iommu, final IovaAllocator iovas, final IovaPolicy policy, final HostMemory host,
        final Object deviceName) {
        this(iommu, iovas, policy, host, deviceName, CLOSE_NANOS);
    }

    /** For tests: waits for others as long as it is told. */
    IommuDmaDomain(
        final Iommu iommu, final IovaAllocator iovas, final IovaPolicy policy, final HostMemory host,
        final Object deviceName, final long closeNanos) {
        this.iommu = iommu;
        this.iovas = iovas;
        this.policy = policy;
        this.host = host;
        this.deviceName = deviceName;
        this.closeNanos = closeNanos;
    }

    @Override
    public DmaMemory allocate(final long length) {
        return mapBlock(host.allocate(length, deviceName));
    }

    @Override
    public DmaMemory allocateShared(final long length) {
        return mapBlock(host.allocateShared(length, deviceName));
    }

    private DmaMemory mapBlock(final HostBlock block) {
        try (Undo undo = new Undo()) {
            undo.add(block::retire);
            final Mapped mapping = map(Extent.pages(block.address(), block.mappedLength(), block), true);
            undo.forget();
            return new DmaMemory(block.memory(), mapping.iovasFrom(block.address()), () -> release(mapping),
                block.shared().orElse(null));
        }
    }

    @Override
    public DmaMapping map(final long address, final long length, final Object owner) {
        requireRange(address, length);
        final Extent region = Extent.pages(address, length, owner);
        final Mapped found = join(region);
        return use(region, found == null ? mapForeign(region) : found);
    }

    @Override
    public boolean mapsOnDemand() {
        return iommu.mapsOnDemand();
    }

    @Override
    public DmaMapping mapOnDemand(final long address, final long length) {
        requireRange(address, length);
        final Extent region = Extent.pages(address, length, null);
        takePlace(region);
        try {
            return use(region, mapInPlace(region, false,
                iova -> iommu.mapOnDemand(iova, region.start(), region.length())));
        } finally {
            end(region);
        }
    }

    private void requireRange(final long address, final long length) {
        if (length <= 0 || address < 0 || length > Long.MAX_VALUE - PAGE_SIZE - address) {
            throw refused(MAP, RdmaException.EINVAL)
                .detail("address 0x%x, length %d: the range is empty or wraps", address, length)
                .build();
        }
        if (address < PAGE_SIZE) {
            throw refused(MAP, RdmaException.EFAULT)
                .detail("address 0x%x is in the page of the null pointer", address)
                .build();
        }
    }

    private DmaMapping use(final Extent region, final Mapped mapping) {
        return new DmaMapping(region.start(), region.length(), mapping.iovasFrom(region.start()), region.owner(),
            () -> release(mapping), new Changes(mapping));
    }

    /** What may be done to a mapping while it is there. */
    private final class Changes implements DmaMapping.Refresher {
        private final Mapped mapping;

        Changes(final Mapped mapping) {
            this.mapping = mapping;
        }

        @Override
        public void refresh(final long address, final long length, final boolean write) {
            change(mapping, true, () -> iommu.refresh(mapping.range(), address, length, write));
        }

        @Override
        public void suspend() {
            change(mapping, false, () -> iommu.suspend(mapping.range()));
        }
    }

    private synchronized Mapped join(final Extent region) {
        requireOpen();
        final Mapped found = shared.find(region.start(), region.end());
        if (found == null || !found.isFor(region.owner())) {
            return null;
        }
        found.users++;
        return found;
    }

    private Mapped mapForeign(final Extent region) {
        final Extent whole = Extent.of(region.owner());
        final boolean known = whole != null && whole.contains(region);
        final Extent window = known ? whole.windowOf(region) : region;
        try {
            return map(window, known);
        } catch (final RdmaException e) {
            if (window.equals(region) || !isAboutMemory(e)) {
                throw explained(MAP, e, region);
            }
        }
        // The window is a convenience: its other pages may be taken away, or beyond a limit.
        try {
            return map(region, known);
        } catch (final RdmaException e) {
            throw explained(MAP, e, region);
        }
    }

    private static boolean isAboutMemory(final RdmaException e) {
        return e.errno() == RdmaException.EFAULT || e.errno() == RdmaException.ENOMEM;
    }

    /** The kernel says "bad address"; the application wants to know which, and why. */
    private RdmaException explained(final String operation, final RdmaException e, final Extent region) {
        final boolean isFault = e.errno() == RdmaException.EFAULT;
        final String hole = isAboutMemory(e) ? hole(region, isFault) : null;
        if (hole != null) {
            return fault(operation, e, region, hole,
                "the device needs memory that this process may read and write: map a file read-write, or copy");
        }
        final String file = isFault ? ProcessMaps.firstDiskFile(region.start(), region.length()) : null;
        return file == null ? e
            : fault(operation, e, region, file + "; since Linux 6.5 the kernel does not let devices write to "
            + "files on such file systems", "use a file on tmpfs (/dev/shm) or hugetlbfs, or memory of "
            + "RdmaContext.allocate");
    }

    private static String hole(final Extent region, final boolean write) {
        final String hole = ProcessMaps.firstHole(region.start(), region.length(), write);
        return hole == null ? Presence.firstUnbacked(region.start(), region.length(), false) : hole;
    }

    private RdmaException fault(
        final String operation, final RdmaException e, final Extent region, final String why, final String hint) {
        return refused(operation, RdmaException.EFAULT).detail("%s: %s", region, why).hint(hint).cause(e).build();
    }

    private Mapped map(final Extent memory, final boolean share) {
        if (iommu.isChargedToMemlock()) {
            MemlockLimit.process().require(MAP, deviceName, memory.length());
        }
        takePlace(memory);
        try {
            return mapInPlace(memory, share,
                iova -> iommu.map(iova, memory.start(), memory.length(), memory.owner()));
        } finally {
            end(memory);
        }
    }

    private Mapped mapInPlace(final Extent memory, final boolean share, final LongConsumer call) {
        long iova = 0;
        boolean mapped = false;
        try {
            iova = chooseIova(memory);
            call.accept(iova);
            mapped = true;
        } finally {
            if (!mapped) {
                giveUp(iova);
            }
        }
        final Mapped made = new Mapped(memory, iova, iommu.busAddresses(iova), share);
        if (!enter(made)) {
            unmap(made);
            throw deviceClosed();
        }
        return made;
    }

    private long chooseIova(final Extent memory) {
        return policy == IovaPolicy.VIRTUAL_IF_FREE && !IovaAllocator.isLow(memory.start())
            && iovas.tryTake(memory.start(), memory.length()) ? memory.start()
            : iovas.allocateFor(memory.start(), memory.length());
    }

    private synchronized void takePlace(final Extent memory) {
        requireOpen();
        if (mappings >= iommu.maxMappings()) {
            throw refused(MAP, RdmaException.ENOMEM)
                .detail("%d mappings exist, the IOMMU allows %d", mappings, iommu.maxMappings())
                .hint("register a few large regions instead of many small ones, or take memory from "
                    + "RdmaContext.allocate, where regions share a mapping")
                .build();
        }
        mappings++;
        inFlight.put(memory, "mapping");
    }

    private synchronized void end(final Object operation) {
        inFlight.remove(operation);
        notifyAll();
    }

    private void giveUp(final long iova) {
        if (iova != 0) {
            iovas.free(iova);
        }
        synchronized (this) {
            mappings--;
        }
    }

    private synchronized boolean enter(final Mapped made) {
        if (!closed) {
            live.put(made.iova, made);
            changeReachable(made.length());
            if (made.shareable) {
                shared.add(made);
            }
        }
        return !closed;
    }

    private void release(final Mapped mapping) {
        if (leaveAsUser(mapping)) {
            unmapAndEnd(mapping);
        }
    }

    /**
     * One step: if others found it between "nobody uses it" and "nobody finds it", it would be unmapped under them.
     */
    private synchronized boolean leaveAsUser(final Mapped mapping) {
        return --mapping.users == 0 && leave(mapping);
    }

    /**
     * From here on nobody finds it. Of two who want to unmap it, one gets true. What is being refreshed has a user who
     * unmaps it afterwards if it is not wanted any more.
     */
    private synchronized boolean leave(final Mapped mapping) {
        shared.remove(mapping);
        final boolean left = !mapping.refreshing && live.remove(mapping.iova, mapping);
        if (left) {
            changeReachable(-mapping.length());
            inFlight.put(mapping, "unmapping");
        }
        return left;
    }

    private void unmapAndEnd(final Mapped mapping) {
        try {
            unmap(mapping);
        } finally {
            end(mapping);
        }
    }

    @Override
    public boolean refreshes() {
        return iommu.refreshes();
    }

    @Override
    public boolean storesByProcessor() {
        return iommu.storesByProcessor();
    }

    /**
     * The whole mapping: an IOMMU ends only what it was given as one.
     *
     * @param reachable whether the device reaches it after the call.
     */
    private void change(final Mapped mapping, final boolean reachable, final Runnable call) {
        beginRefresh(mapping);
        boolean reached = false;
        try {
            call.run();
            reached = reachable;
        } catch (final RdmaException e) {
            throw explained(REFRESH, e, new Extent(mapping.start, mapping.end, null));
        } finally {
            if (endRefresh(mapping, reached)) {
                unmapAndEnd(mapping);
            }
        }
    }

    /** As one user more, so that nobody unmaps it; and nobody joins what may be about to lose its pages. */
    private synchronized void beginRefresh(final Mapped mapping) {
        awaitWhile(() -> mapping.refreshing);
        if (mapping.refreshing) {
            throw refused(REFRESH, RdmaException.ETIMEDOUT).detail("another thread has been refreshing %s for %d ms",
                mapping, TimeUnit.NANOSECONDS.toMillis(closeNanos)).build();
        }
        if (closed || live.get(mapping.iova) != mapping) {
            throw refused(REFRESH, RdmaException.EBADFD).detail("%s is not mapped any more", mapping).build();
        }
        mapping.users++;
        mapping.refreshing = true;
        shared.remove(mapping);
        inFlight.put(mapping, "refreshing");
    }

    /** Tells whether it is to be unmapped now: its other users left meanwhile, or the domain is being closed. */
    private synchronized boolean endRefresh(final Mapped mapping, final boolean reached) {
        mapping.refreshing = false;
        end(mapping);
        if (leaveAsUser(mapping)) {
            return true;
        }
        if (closed) {
            return leave(mapping);
        }
        if (reached && mapping.shareable) {
            shared.add(mapping);
        }
        return false;
    }

    private void unmap(final Mapped mapping) {
        try (Undo undo = new Undo()) {
            undo.add(() -> enterAgain(mapping));
            iommu.unmap(mapping.iova, mapping.length());
            undo.forget();
        }
        giveUp(mapping.iova);
        mapping.letGo();
    }

    /**
     * What could not be unmapped is still reachable, and its addresses must not be given out again. It is not shared:
     * what the IOMMU does with it is not known.
     */
    private synchronized void enterAgain(final Mapped mapping) {
        live.put(mapping.iova, mapping);
        changeReachable(mapping.length());
    }

    @Override
    public boolean mapsAnyMemory() {
        return true;
    }

    @Override
    public synchronized long reachableBytes() {
        return reachable;
    }

    @Override
    public synchronized void onReachable(final LongConsumer listener) {
        reachableListener = Objects.requireNonNull(listener, "listener of reachable bytes");
        listener.accept(reachable);
    }

    private void changeReachable(final long bytes) {
        reachable += bytes;
        reachableListener.accept(reachable);
    }

    /**
     * How many mappings the IOMMU has for this. For leak checks and counters.
     *
     * @return the number, which does not depend on how many regions share them.
     */
    public synchronized int mappings() {
        return mappings;
    }

    /**
     * Ends the device's access to everything that is mapped still; closing those objects later is harmless. New
     * allocations and mappings are refused, and those that other threads are making or ending now are waited for: then
     * this does not call the IOMMU any more. Harmless when called again.
     *
     * @throws RdmaException if the IOMMU refused to unmap something, ETIMEDOUT if another thread's call does not end;
     *                       everything else is unmapped nevertheless.
     */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        final Set<Mapped> tried = new HashSet<>();
        final Cleanup cleanup = new Cleanup();
        unmapAll(tried, cleanup);
        cleanup.run(this::awaitOthers);
        // What another thread could not unmap in the meantime is live again.
        unmapAll(tried, cleanup);
        cleanup.throwIfFailed();
    }

    private void unmapAll(final Set<Mapped> tried, final Cleanup cleanup) {
        final Mapped[] left;
        synchronized (this) {
            left = live.values().toArray(new Mapped[0]);
        }
        for (final Mapped mapping : left) {
            cleanup.run(() -> {
                if (!tried.contains(mapping) && leave(mapping)) {
                    tried.add(mapping);
                    unmapAndEnd(mapping);
                }
            });
        }
    }

    private synchronized void awaitOthers() {
        awaitWhile(() -> !inFlight.isEmpty());
        if (!inFlight.isEmpty()) {
            throw stuck();
        }
    }

    /** Until it is over, or the deadline has passed. Whoever holds the monitor gives it up meanwhile. */
    private synchronized void awaitWhile(final BooleanSupplier busy) {
        final long deadline = System.nanoTime() + closeNanos;
        boolean interrupted = false;
        long nanos = closeNanos;
        while (nanos > 0 && busy.getAsBoolean()) {
            try {
                wait(nanos / 1_000_000, (int) (nanos % 1_000_000));
            } catch (final InterruptedException e) {
                // Whoever closes the IOMMU under a running call does worse than to wait a moment longer.
                interrupted = true;
            }
            nanos = deadline - System.nanoTime();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private RdmaException stuck() {
        final StringBuilder calls = new StringBuilder();
        inFlight.forEach((what, verb) -> calls.append(calls.length() == 0 ? "" : ", ").append(verb).append(' ')
            .append(what));
        return refused("close DMA memory", RdmaException.ETIMEDOUT)
            .detail("other threads are at work in the IOMMU for more than %d ms: %s",
                TimeUnit.NANOSECONDS.toMillis(closeNanos), calls)
            .build();
    }

    private void requireOpen() {
        if (closed) {
            throw deviceClosed();
        }
    }

    private RdmaException deviceClosed() {
        return refused(MAP, RdmaException.EBADFD).detail("the device is closed").build();
    }

    private RdmaException.Builder refused(final String operation, final int errno) {
        return RdmaException.of(operation).device(deviceName).errno(errno);
    }

    @Override
    public synchronized String toString() {
        return "IommuDmaDomain[" + deviceName + " reachable=" + reachable + " mappings=" + mappings
            + " inFlight=" + inFlight.size() + " " + iovas + "]";
    }
}
