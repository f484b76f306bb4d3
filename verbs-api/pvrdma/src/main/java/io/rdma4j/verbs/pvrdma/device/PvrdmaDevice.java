/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.dma.DmaArena;
import io.rdma4j.driver.dma.PageMappings;
import io.rdma4j.driver.live.LivePublisher;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.ExtensionFlags;
import io.rdma4j.verbs.pvrdma.trace.DeviceTrace;

import java.nio.ByteOrder;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;

/**
 * An opened, initialised pvrdma device. It owns its {@link PciDevice}: closing it gives the function back.
 *
 * <p>When the device breaks its own rules (a response that does not come, an index that is not one) it is given up:
 * {@link #failed()} is true from then on, commands are refused at once, and everything can still be closed.
 *
 * <p>Thread-safe. No thread is started: who wants events asks for them.
 */
public final class PvrdmaDevice implements AutoCloseable {
    /**
     * What the listener of asynchronous events is told as type when some were lost, because nobody took them for so
     * long that the device had no room left. No type of the device.
     */
    public static final int EVENTS_LOST = -1;
    private static final int ALL_ONES = -1;

    private final Bringup bringup;
    private final AtomicBoolean closed = new AtomicBoolean();

    private PvrdmaDevice(final Bringup bringup) {
        this.bringup = bringup;
    }

    /**
     * Opens the device at an address.
     *
     * @param address as {@link PciDevices#open} takes it.
     * @return the device; the caller owns it.
     * @throws RdmaException as {@link PciDevices#open} and {@link #open(PciDevice, PvrdmaOptions)}.
     */
    public static PvrdmaDevice open(final DeviceAddress address) {
        return open(PciDevices.open(address));
    }

    /**
     * Initialises a device, with the options that Linux would use.
     *
     * @param pci the function; it belongs to the result from now on, and is closed if this fails.
     * @return the device; the caller owns it.
     * @throws RdmaException as {@link #open(PciDevice, PvrdmaOptions)}.
     */
    public static PvrdmaDevice open(final PciDevice pci) {
        return open(pci, new PvrdmaOptions());
    }

    /**
     * Initialises a device. If a step fails, those before it are undone.
     *
     * @param pci     the function; it belongs to the result from now on, and is closed if this fails.
     * @param options copied.
     * @return the device; the caller owns it.
     * @throws RdmaException ENODEV if it is another device, EBUSY if another process uses it, EOPNOTSUPP if its
     *                       VERSION, mode or GID types are not supported or this host is big endian, EIO if it does
     *                       not start, ENOMEM if memory is exhausted.
     */
    public static PvrdmaDevice open(final PciDevice pci, final PvrdmaOptions options) {
        final Bringup bringup = new Bringup(pci, options.copy());
        try (Undo undo = new Undo()) {
            undo.add(pci::close);
            requireLittleEndian(pci);
            bringup.run();
            undo.forget();
        }
        final PvrdmaDevice result = new PvrdmaDevice(bringup);
        bringup.latch.stateDump(result::dumpState);
        pci.onLoss(result::lost);
        return result;
    }

    /**
     * The system takes the device away. One that is merely unbound still takes commands: it is told to give up its
     * objects when it is closed, which is what the system waits for.
     */
    private void lost(final String reason) {
        if (!bringup.closing) {
            bringup.latch.fail(reason, "close the device: the system waits for that; open it again when it is back",
                !isThere());
        }
    }

    private boolean isThere() {
        try {
            return bringup.registers.readInt(Bar1.PVRDMA_REG_VERSION) != ALL_ONES;
        } catch (final RuntimeException | InternalError e) {
            // The JVM's word for a bus error, which a mapped window is when the function does not decode it any more.
            return false;
        }
    }

    private static void requireLittleEndian(final PciDevice pci) {
        if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            throw RdmaException.of("open device")
                .device(pci.address())
                .detail("the queues are shared in little endian, this host is big endian")
                .errno(RdmaException.EOPNOTSUPP)
                .build();
        }
    }

    /**
     * The address that the device was opened by.
     *
     * @return never null.
     */
    public DeviceAddress address() {
        return bringup.pci.address();
    }

    /**
     * The PCI function.
     *
     * @return the same object each time; it stays this device's.
     */
    public PciDevice pci() {
        return bringup.pci;
    }

    /**
     * The VERSION register, by which layouts are chosen.
     *
     * @return 17 to 20.
     */
    public int version() {
        return bringup.version;
    }

    /**
     * What the device said about itself.
     *
     * @return a copy, the gaps filled.
     */
    public DeviceCaps caps() {
        return bringup.caps;
    }

    /**
     * What the device can really do.
     *
     * @return the same object each time.
     */
    public DeviceLimits limits() {
        return bringup.limits;
    }

    /**
     * Which implementation of the device this is.
     *
     * @return the entry of the table that fits.
     */
    public DeviceProfile profile() {
        return bringup.profile;
    }

    /**
     * What the device does differently.
     *
     * @return an unmodifiable set.
     */
    public Set<Quirk> quirks() {
        return bringup.profile.quirks();
    }

    /**
     * Whether the device has a quirk.
     *
     * @param quirk which.
     * @return true if it has.
     */
    public boolean has(final Quirk quirk) {
        return bringup.profile.has(quirk);
    }

    /**
     * Whether the device has an extension of the pvrdma interface.
     *
     * @param flag one of {@link io.rdma4j.hw.pvrdma.ExtensionFlags}.
     * @return true if it is a device of this project and says so.
     */
    public boolean hasExtension(final int flag) {
        return bringup.limits.hasExtension(flag);
    }

    /**
     * How the device reaches memory.
     *
     * @return the same object each time.
     */
    public DmaDomain dma() {
        return bringup.pci.dma();
    }

    /**
     * Pages for rings and directories. What is taken must be given back before the device is closed.
     *
     * @return the same object each time.
     */
    public DmaArena arena() {
        return bringup.arena;
    }

    /**
     * The doorbells: BAR2, of which page 0 is used.
     *
     * @return the same object each time.
     */
    public Bar uar() {
        return bringup.uar;
    }

    /**
     * The addresses of the device.
     *
     * @return the same object each time.
     */
    public GidTable gids() {
        return bringup.gids;
    }

    /**
     * The commands.
     *
     * @return the same object each time.
     */
    public PvrdmaCommands commands() {
        return bringup.commands;
    }

    /**
     * What exchanges commands with the device; for observers and recorded scripts.
     *
     * @return the same object each time.
     */
    public CommandChannel channel() {
        return bringup.channel;
    }

    /**
     * Which armed CQs have something.
     *
     * @return the same object each time.
     */
    public NotificationRing notifications() {
        return bringup.notifications;
    }

    /**
     * Registers memory: maps it, builds its page directory, and makes it known to the device.
     *
     * @param pd     handle of the protection domain.
     * @param memory first byte, any alignment.
     * @param length bytes, 1 to {@link DeviceLimits#maxMrSize()}.
     * @param access {@link io.rdma4j.hw.pvrdma.AccessFlags}, passed on as they are.
     * @param owner  what keeps the memory alive; held until the registration is closed; may be null.
     * @return the registration; the caller owns it.
     * @throws RdmaException EINVAL for a range that is empty, wraps or is too long, or an unknown PD; ENOMEM if a limit
     *                       is reached; or as the IOMMU or the device say. Nothing stays mapped then.
     */
    public MemoryRegistration register(
        final int pd, final long memory, final long length, final int access, final Object owner) {
        try (RegionPages pages = mapRange(memory, length, owner)) {
            return register(pd, pages, memory, access);
        }
    }

    /**
     * Maps a range of memory and builds its page directory, for {@link #register(int, RegionPages, long, int)}.
     *
     * @param memory first byte, any alignment.
     * @param length bytes, 1 to {@link DeviceLimits#maxMrSize()}.
     * @param owner  what keeps the memory alive; held until it is unmapped; may be null.
     * @return the pages; the caller closes them.
     * @throws RdmaException EINVAL for a range that is empty, wraps or is too long; or as the IOMMU says.
     */
    public RegionPages mapRange(final long memory, final long length, final Object owner) {
        MemoryRegistration.requireRange(memory, length, bringup.limits, has(Quirk.MR_WHOLE_PAGES), address());
        bringup.latch.check("register memory");
        return RegionPages.list(bringup.arena, memory, length,
            PageMappings.ofRange(dma(), memory, length, owner));
    }

    /**
     * Makes a range of addresses reachable, whatever is mapped there, and builds its page directory. For a registration
     * with {@link io.rdma4j.hw.pvrdma.AccessFlags#PVRDMA_ACCESS_ON_DEMAND}, and for no other.
     *
     * @param memory first byte, any alignment.
     * @param length bytes, 1 to {@link DeviceLimits#maxMrSize()}.
     * @return the pages; the caller closes them.
     * @throws RdmaException EINVAL for a range that is empty, wraps or is too long; EOPNOTSUPP if the device has no
     *                       such regions; or as the IOMMU says.
     */
    public RegionPages mapOnDemand(final long memory, final long length) {
        requireOnDemand();
        MemoryRegistration.requireRange(memory, length, bringup.limits, has(Quirk.MR_WHOLE_PAGES), address());
        bringup.latch.check("register memory");
        return RegionPages.list(bringup.arena, memory, length, PageMappings.onDemand(dma(), memory, length));
    }

    private void requireOnDemand() {
        final int flag = ExtensionFlags.RDMA4J_EXT_ON_DEMAND_PAGING;
        if (!bringup.limits.hasExtension(flag)) {
            throw RdmaException.of("register memory").device(address()).errno(RdmaException.EOPNOTSUPP)
                .detail("the device has no extension %s", ExtensionFlags.NAMES.of(flag)).build();
        }
    }

    /**
     * Maps pages in any order and builds their page directory.
     *
     * @param count     how many pages; as many as offset and length need.
     * @param addressOf where this process sees a page, from page 0; a multiple of the page size.
     * @param ownerOf   what keeps a page alive; held until it is unmapped; may give null.
     * @param offset    first byte in the first page.
     * @param length    bytes, 1 to {@link DeviceLimits#maxMrSize()}.
     * @return the pages; the caller closes them.
     * @throws RdmaException EINVAL if the numbers do not fit; or as the IOMMU says. Nothing stays mapped then.
     */
    public RegionPages mapPages(
        final int count, final IntToLongFunction addressOf, final IntFunction<Object> ownerOf, final int offset,
        final long length) {
        MemoryRegistration.requireList(
            count, offset, length, bringup.limits, has(Quirk.MR_WHOLE_PAGES), address());
        bringup.latch.check("register memory");
        return RegionPages.list(bringup.arena, addressOf.applyAsLong(0) + offset, length,
            PageMappings.ofPages(dma(), count, addressOf, ownerOf));
    }

    /**
     * As {@link #mapOnDemand}, for pages in any order.
     *
     * @param count     how many pages; as many as offset and length need.
     * @param addressOf where this process sees a page, from page 0; a multiple of the page size.
     * @param offset    first byte in the first page.
     * @param length    bytes, 1 to {@link DeviceLimits#maxMrSize()}.
     * @return the pages; the caller closes them.
     * @throws RdmaException as {@link #mapOnDemand}.
     */
    public RegionPages mapPagesOnDemand(
        final int count, final IntToLongFunction addressOf, final int offset, final long length) {
        requireOnDemand();
        MemoryRegistration.requireList(
            count, offset, length, bringup.limits, has(Quirk.MR_WHOLE_PAGES), address());
        bringup.latch.check("register memory");
        return RegionPages.list(bringup.arena, addressOf.applyAsLong(0) + offset, length,
            PageMappings.ofPagesOnDemand(dma(), count, addressOf));
    }

    /**
     * Makes a region of memory that is mapped already, and may be so for other regions.
     *
     * @param pd     handle of the protection domain.
     * @param pages  the memory; stays mapped until the registration and whoever else uses it are closed.
     * @param iova   how work requests name the first byte; its place in the page is that of the first byte. With
     *               {@link io.rdma4j.hw.pvrdma.AccessFlags#PVRDMA_ZERO_BASED} only that counts.
     * @param access {@link io.rdma4j.hw.pvrdma.AccessFlags}, passed on as they are.
     * @return the registration; the caller owns it.
     * @throws RdmaException EINVAL for an IOVA that wraps or has another place in its page, or an unknown PD; ENOMEM if
     *                       a limit is reached; EBADFD if the memory was unmapped; or as the device says.
     */
    public MemoryRegistration register(
        final int pd, final RegionPages pages, final long iova, final int access) {
        final boolean wholePages = has(Quirk.MR_WHOLE_PAGES);
        MemoryRegistration.requireIova(pages, iova, wholePages, address());
        bringup.latch.check("register memory");
        return MemoryRegistration.create(bringup.commands, wholePages, pd, pages, iova, access);
    }

    /**
     * Sets who is told of asynchronous events, by {@link #pollAsyncEvents()} and, once, when the device fails.
     *
     * @param listener null for nobody.
     */
    public void onAsyncEvent(final AsyncEventListener listener) {
        bringup.asyncEvents.listener(listener);
    }

    /**
     * How long a command may take, and so whoever else has to do with the device.
     *
     * @return nanoseconds.
     */
    public long responseTimeoutNanos() {
        return bringup.channel.timeoutNanos();
    }

    /**
     * Takes the events that are there and hands them to the listener set with {@link #onAsyncEvent}. Where some were
     * lost that is told first, as {@link #EVENTS_LOST}.
     *
     * @return how many.
     */
    public int pollAsyncEvents() {
        return bringup.closing ? 0 : bringup.asyncEvents.poll();
    }

    /**
     * Takes the events that are there. Where some were lost that is told first, as {@link #EVENTS_LOST}.
     *
     * @param handler gets them.
     * @return how many.
     */
    public int pollAsyncEvents(final AsyncEventListener handler) {
        return bringup.closing ? 0 : bringup.asyncEvents.poll(handler);
    }

    /**
     * Waits for asynchronous events. One thread at a time waits, others queue up behind it.
     *
     * @param timeoutNanos longest wait.
     * @return true if there may be events; false if the time passed, the thread was interrupted, or the device failed
     *         or was closed.
     */
    public boolean awaitAsyncEvents(final long timeoutNanos) {
        return !bringup.closing && bringup.asyncEvents.waiter().await(timeoutNanos);
    }

    /**
     * Waits for completion notices. One thread at a time waits, others queue up behind it.
     *
     * @param timeoutNanos longest wait.
     * @return true if there may be notices; false if the time passed, the thread was interrupted, or the device failed
     *         or was closed.
     */
    public boolean awaitCompletionEvents(final long timeoutNanos) {
        return !bringup.closing && bringup.notifications.waiter().await(timeoutNanos);
    }

    /**
     * Returns when all that this thread wrote to registers and doorbells is with the device: a read comes back only
     * after the writes before it. A device that cannot be read fails.
     */
    public void awaitWrites() {
        try {
            bringup.registers.readInt(Bar1.PVRDMA_REG_VERSION);
        } catch (final RdmaException | InternalError e) {
            if (!bringup.closing) {
                bringup.latch.failDeaf("its registers cannot be read: " + e.getMessage());
            }
        }
    }

    /**
     * Whether the device was given up.
     *
     * @return true after a failure that only closing and opening again can mend.
     */
    public boolean failed() {
        return bringup.latch.failed();
    }

    /**
     * Whether commands may still reach the device: a failed one that takes them can be told to destroy its objects.
     *
     * @return false after a lost response, after the device was removed, and after a failed device refused to destroy
     *         an object.
     */
    public boolean takesCommands() {
        return !bringup.latch.isDeaf();
    }

    /**
     * Why the device was given up.
     *
     * @return the first reason, or null.
     */
    public String failure() {
        return bringup.latch.reason();
    }

    /**
     * What can be done about it.
     *
     * @return one sentence, or null as long as the device works.
     */
    public String failureHint() {
        return bringup.latch.hint();
    }

    /**
     * Gives the device up: its queues cannot be trusted any more. The first reason counts. Commands are refused from
     * now on; the listener of asynchronous events is told.
     *
     * @param reason what was seen.
     */
    public void fail(final String reason) {
        bringup.latch.fail(reason);
    }

    /** Where it is written down what the device holds. */
    Journal journal() {
        return bringup.journal;
    }

    /**
     * Counters of the control path, by label.
     *
     * @return a copy.
     */
    public Map<String, Long> counters() {
        return bringup.counters.snapshot();
    }

    /**
     * What publishes the device to other processes.
     *
     * @return the same object each time; it stays this device's.
     */
    public LivePublisher live() {
        return bringup.live;
    }

    /**
     * Where it is written down what goes to the device and comes from it.
     *
     * @return the same object each time; it stays this device's.
     */
    public DeviceTrace trace() {
        return bringup.trace;
    }

    /**
     * Everything that helps to understand a failure: registers, shared region, rings, counters, objects, memory, the
     * last commands.
     *
     * @return several lines.
     */
    public String dumpState() {
        return new StateDump(bringup).text(toString(), closed.get());
    }

    /**
     * Destroys what is left in the device, resets it, and gives memory and function back. Harmless when called again.
     * A failed device is asked until it refuses or loses a response, so that this never waits long.
     *
     * @throws RdmaException if something could not be undone; everything else is, and nothing more can be done.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        bringup.closing = true;
        bringup.entry.closing();
        final Cleanup cleanup;
        try {
            cleanup = bringup.undo();
        } finally {
            bringup.pci.close();
        }
        if (!failed()) {
            cleanup.throwIfFailed();
        }
    }

    @Override
    public String toString() {
        return String.format("PvrdmaDevice[%s %s VERSION=%d fw=%s%s%s]", address(), bringup.profile.name(), version(),
            bringup.caps.firmwareVersion(), failed() ? " FAILED" : "", closed.get() ? " closed" : "");
    }
}
