/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_DEVICE_CTL_ACTIVATE;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_DEVICE_CTL_RESET;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_CTL;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_DSRHIGH;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_DSRLOW;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_ERR;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_IMR;
import static io.rdma4j.hw.pvrdma.Bar1.PVRDMA_REG_VERSION;
import static io.rdma4j.hw.pvrdma.Dsr.*;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.driver.dma.DmaArena;
import io.rdma4j.driver.dma.DmaPages;
import io.rdma4j.driver.jfr.DeviceSpan;
import io.rdma4j.driver.jfr.Flight;
import io.rdma4j.driver.live.LiveDevice;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.InterruptVector;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Cqne;
import io.rdma4j.hw.pvrdma.DeviceMode;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.Eqe;
import io.rdma4j.hw.pvrdma.GidType;
import io.rdma4j.hw.pvrdma.GosInfo;
import io.rdma4j.verbs.pvrdma.live.DeviceKind;
import io.rdma4j.verbs.pvrdma.trace.DeviceTrace;
import io.rdma4j.verbs.pvrdma.trace.Traces;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes the device from power-on to work, and back: the initialisation of the device specification as a list of steps
 * in its order, each with its undo. Everything that exists only while the device works is a field here.
 */
final class Bringup {
    private static final System.Logger LOG = System.getLogger(Bringup.class.getPackageName());
    private static final long PAGE_SHIFT = 12;
    /** The kernel only tries for the locks that a reset needs; who has them has them for milliseconds. */
    private static final int RESET_TRIES = 20;
    private static final int ASYNC_EVENTS = 0;
    private static final int COMPLETION_NOTICES = 1;
    private static final long RESET_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    final PciDevice pci;
    final PvrdmaOptions options;
    final FailureLatch latch;
    final Steps steps = new Steps();

    LiveDevice live;
    DriverCounters counters;
    DeviceEntry entry;
    Bar registers;
    Bar uar;
    int version;
    DeviceProfile profile;
    DmaArena arena;
    DmaPages sharedRegion;
    Dsr dsr;
    CommandChannel channel;
    PvrdmaCommands commands;
    AsyncEvents asyncEvents;
    NotificationRing notifications;
    DeviceCaps caps;
    DeviceLimits limits;
    DeviceTrace trace = DeviceTrace.NONE;
    GidTable gids;
    Journal journal = Journal.none("the device was not looked at");
    volatile boolean closing;

    private boolean wasReset;
    private DmaPages commandSlot;
    private DmaPages responseSlot;
    private EventRing asyncRing;
    private EventRing notificationRing;
    private LiveEntry asyncEntry;
    private LiveEntry notificationEntry;

    Bringup(final PciDevice pci, final PvrdmaOptions options) {
        this.pci = pci;
        this.options = options;
        this.latch = new FailureLatch(pci.address());
        steps
            .add("publish what others may see", this::publish, () -> live.close())
            .add("identify the function", this::identify)
            .add("reset the function, where the platform can", this::resetFunction)
            .add("enable memory decoding and bus mastering", this::enableFunction, this::disableBusMaster)
            .add("map registers and doorbells", this::mapBars)
            .add("read VERSION", this::readVersion)
            .add("open the journal of live objects", this::openJournal, () -> journal.close())
            .add("make the page arena", this::makeArena, () -> arena.close())
            .add("allocate the shared region", this::allocateSharedRegion, () -> sharedRegion.close())
            .add("allocate the command slot", () -> commandSlot = arena.allocate(1), () -> commandSlot.close())
            .add("allocate the response slot", () -> responseSlot = arena.allocate(1), () -> responseSlot.close())
            .add("build the asynchronous event ring", this::buildAsyncRing, this::closeAsyncRing)
            .add("build the completion notification ring", this::buildNotificationRing, this::closeNotificationRing)
            .add("hand over the shared region", this::handOverSharedRegion, this::resetDevice)
            .add("check the capabilities", this::checkCapabilities)
            .add("begin the trace", this::beginTrace, () -> trace.close())
            .add("enable interrupts", this::enableInterrupts, () -> pci.interrupts().disable())
            .add("make commands and the GID table", this::makeCommands)
            .add("unmask interrupts", () -> mask(Bar1.IMR_NONE_MASKED), () -> mask(Bar1.IMR_ALL_MASKED))
            .add("activate", this::activate, this::releaseObjects)
            .add("destroy what an earlier process left", this::endLeftovers);
    }

    /** Runs all steps; those before one that fails are undone. */
    void run() {
        final DeviceSpan span = Flight.openDevice();
        boolean done = false;
        try {
            steps.run();
            done = true;
        } finally {
            span.end(pci.address(), profile == null ? "" : profile.name(), version, done);
        }
    }

    /** Undoes all steps; gives back what went wrong. */
    Cleanup undo() {
        final DeviceSpan span = Flight.closeDevice();
        boolean done = false;
        try {
            final Cleanup cleanup = steps.undo();
            done = !cleanup.hasFailed();
            return cleanup;
        } finally {
            span.end(pci.address(), profile.name(), version, done);
        }
    }

    private RdmaException.Builder refused(final int errno) {
        return RdmaException.of("open device").device(pci.address()).errno(errno);
    }

    private void publish() {
        live = LiveDevice.open(pci.address().toString());
        counters = new DriverCounters(live);
        entry = new DeviceEntry(live);
        latch.onFailure(this::failed);
        pci.publishCounters(live);
    }

    private void failed() {
        entry.failed(latch.reason());
        if (asyncEvents != null) {
            asyncEvents.deviceFatal();
        }
    }

    private void identify() {
        final int vendor = pci.config().read(PciConfig.VENDOR_ID_OFFSET, 2);
        final int device = pci.config().read(PciConfig.DEVICE_ID_OFFSET, 2);
        if (vendor != Bar1.PVRDMA_VENDOR_ID || device != Bar1.PVRDMA_DEVICE_ID) {
            throw refused(RdmaException.ENODEV)
                .detail("PCI id %04x:%04x, the pvrdma device is %04x:%04x", vendor, device, Bar1.PVRDMA_VENDOR_ID,
                    Bar1.PVRDMA_DEVICE_ID)
                .hint("give the address of a pvrdma function")
                .build();
        }
    }

    /**
     * While the function is no bus master: a device that an earlier owner left at work forgets where its memory was
     * before it can reach any. A platform that cannot or will not reset it is no reason to refuse the device.
     */
    private void resetFunction() {
        try {
            wasReset = tryReset();
            counters.functionResets.getAndAdd(wasReset ? 1 : 0);
        } catch (final RdmaException e) {
            counters.functionResetsRefused.increment();
            LOG.log(System.Logger.Level.WARNING, pci.address() + ": the function is used without a reset, which was"
                + " refused: " + e.getMessage());
        }
    }

    private boolean tryReset() {
        for (int tries = 1; ; tries++) {
            try {
                return pci.reset();
            } catch (final RdmaException e) {
                if (e.errno() != RdmaException.EAGAIN || tries == RESET_TRIES) {
                    throw e;
                }
                LockSupport.parkNanos(RESET_PAUSE_NANOS);
            }
        }
    }

    /** Before the shared region is handed over: the device reads it while it executes that register write. */
    private void enableFunction() {
        final int command = pci.config().read(PciConfig.COMMAND_OFFSET, 2);
        pci.config().write(PciConfig.COMMAND_OFFSET, 2, command | PciConfig.MEMORY | PciConfig.BUS_MASTER);
    }

    private void disableBusMaster() {
        final int command = pci.config().read(PciConfig.COMMAND_OFFSET, 2);
        pci.config().write(PciConfig.COMMAND_OFFSET, 2, command & ~PciConfig.BUS_MASTER);
    }

    private void mapBars() {
        registers = requireBar(Bar1.REG_BAR, Bar1.LENGTH, "registers");
        uar = requireBar(Bar1.UAR_BAR, 1L << PAGE_SHIFT, "doorbells");
    }

    private Bar requireBar(final int index, final long size, final String what) {
        final Bar bar = pci.bar(index);
        if (bar.size() < size) {
            throw refused(RdmaException.ENODEV)
                .detail("BAR%d (%s) has %d bytes, %d are needed", index, what, bar.size(), size)
                .build();
        }
        return bar;
    }

    private void readVersion() {
        version = registers.readInt(PVRDMA_REG_VERSION);
        if (version < Bar1.PVRDMA_ROCEV1_VERSION || version > Bar1.DRIVER_VERSION) {
            throw refused(RdmaException.EOPNOTSUPP)
                .detail("device VERSION is %d, this driver knows %d to %d", Integer.toUnsignedLong(version),
                    Bar1.PVRDMA_ROCEV1_VERSION, Bar1.DRIVER_VERSION)
                .build();
        }
        entry.set(DeviceKind.VERSION, version);
        profile = DeviceProfile.find(pci.config().read(PciConfig.SUBSYSTEM_VENDOR_ID_OFFSET, 2),
            pci.config().read(PciConfig.SUBSYSTEM_ID_OFFSET, 2), version);
    }

    /** Early: who finds it locked must not touch the device. */
    private void openJournal() {
        if (!profile.has(Quirk.RESET_KEEPS_OBJECTS)) {
            journal = Journal.none("the device gives up everything in a reset");
        } else if (pci.persistentName().isEmpty()) {
            journal = Journal.none("the device ends with this process");
        } else {
            journal = Journal.open(options.stateFolder(), pci.persistentName().get(), version, counters);
        }
    }

    private void makeArena() {
        pci.dma().onReachable(live.counter("reachable bytes")::set);
        arena = new DmaArena(pci.dma(), live);
    }

    /** Zero throughout: a device may combine its capabilities with what it finds there. */
    private void allocateSharedRegion() {
        sharedRegion = arena.allocate(1);
        dsr = new Dsr().wrap(sharedRegion.buffer(), 0);
        dsr.set(DRIVER_VERSION, Bar1.DRIVER_VERSION).set(GOS_INFO, GosInfo.LINUX_64);
        final long uarPage = uar.busAddress() >>> PAGE_SHIFT;
        entry.set(DeviceKind.UAR_PFN, uarPage);
        if (version >= Bar1.PVRDMA_PPN64_VERSION) {
            dsr.set(UAR_PFN64, uarPage);
        } else {
            dsr.uarPfn((int) uarPage);
        }
    }

    private void buildAsyncRing() {
        asyncRing = EventRing.allocate(arena, "asynchronous events", options.eventRingPages(), Eqe.LENGTH);
        asyncEntry = asyncRing.publish(live, ASYNC_EVENTS);
        asyncEvents = new AsyncEvents(asyncRing, new EventWaiter(asyncRing, this::isStopped), latch, counters);
    }

    private void closeAsyncRing() {
        asyncEntry.close();
        asyncRing.close();
    }

    private void buildNotificationRing() {
        notificationRing = EventRing.allocate(arena, "completion notices", options.eventRingPages(), Cqne.LENGTH);
        notificationEntry = notificationRing.publish(live, COMPLETION_NOTICES);
        notifications = new NotificationRing(notificationRing, new EventWaiter(notificationRing, this::isStopped),
            latch, counters);
        notifications.namesCqs(!profile.has(Quirk.NOTIFY_EVERY_CQE));
    }

    private void closeNotificationRing() {
        notificationEntry.close();
        notificationRing.close();
    }

    private boolean isStopped() {
        return closing || latch.failed();
    }

    private void handOverSharedRegion() {
        dsr.set(CMD_SLOT_DMA, commandSlot.iova()).set(RESP_SLOT_DMA, responseSlot.iova())
            .set(ASYNC_RING_PAGES_NUM_PAGES, asyncRing.numPages()).set(ASYNC_RING_PAGES_PDIR_DMA, asyncRing.pdirDma())
            .set(CQ_RING_PAGES_NUM_PAGES, notificationRing.numPages())
            .set(CQ_RING_PAGES_PDIR_DMA, notificationRing.pdirDma());
        final long address = sharedRegion.iova();
        entry.set(DeviceKind.DSR_IOVA, address);
        entry.set(DeviceKind.CMD_SLOT_IOVA, commandSlot.iova());
        entry.set(DeviceKind.RESP_SLOT_IOVA, responseSlot.iova());
        registers.writeInt(PVRDMA_REG_DSRLOW, (int) address);
        registers.writeInt(PVRDMA_REG_DSRHIGH, (int) (address >>> Integer.SIZE));
        // A read comes back only after the writes before it arrived: the capabilities are filled in now.
        registers.readInt(PVRDMA_REG_ERR);
    }

    private void resetDevice() {
        control(PVRDMA_DEVICE_CTL_RESET);
    }

    private void control(final int value) {
        registers.writeInt(PVRDMA_REG_CTL, value);
        entry.set(DeviceKind.CTL, value);
    }

    private void mask(final int value) {
        registers.writeInt(PVRDMA_REG_IMR, value);
        entry.set(DeviceKind.IMR, Integer.toUnsignedLong(value));
    }

    private void checkCapabilities() {
        caps = DeviceCaps.of(dsr.get(CAPS), version, profile);
        if (caps.gidTypes() == 0) {
            throw refused(RdmaException.EIO)
                .detail("the device did not fill in its capabilities: gid_types is 0")
                .hint("the device could not read the shared region: check that DMA works")
                .build();
        }
        if (caps.mode() != DeviceMode.PVRDMA_DEVICE_MODE_ROCE) {
            throw refused(RdmaException.EOPNOTSUPP)
                .detail("device mode is %s, only ROCE is supported", DeviceMode.NAMES.of(caps.mode()))
                .build();
        }
        final boolean v1 = caps.gidTypes() == GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V1;
        final boolean v2 = caps.gidTypes() == GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V2;
        if (!v1 && !(v2 && version >= Bar1.PVRDMA_ROCEV2_VERSION)) {
            throw refused(RdmaException.EOPNOTSUPP)
                .detail("gid_types is 0x%x (%s) at VERSION %d; RoCE v1, or from VERSION 18 on RoCE v2, is supported",
                    caps.gidTypes(), GidType.NAMES.of(caps.gidTypes()), version)
                .build();
        }
        limits = new DeviceLimits(caps, profile);
        live.describe(profile.name() + " VERSION=" + version + " fw=" + caps.firmwareVersion());
    }

    private void beginTrace() {
        final Caps told = dsr.get(CAPS);
        trace = Traces.open(pci.address().toString(), version, told.buffer(), told.offset(), Caps.LAYOUT.length());
    }

    private void enableInterrupts() {
        channel = new CommandChannel(registers, commandSlot.buffer(), responseSlot.buffer(),
            options.responseTimeoutNanos(), latch, counters, new CommandHistory(live, entry), pci.address());
        channel.observer(options.commandObserver());
        channel.trace(trace);
        channel.journal(journal);
        final int wanted = Math.min(options.interruptVectors(), pci.interrupts().available());
        final int granted = wanted == 0 ? 0 : pci.interrupts().enable(wanted);
        entry.set(DeviceKind.VECTORS, granted);
        channel.responseVector(vector(Bar1.PVRDMA_INTR_VECTOR_RESPONSE, granted));
        asyncEvents.waiter().vector(vector(Bar1.PVRDMA_INTR_VECTOR_ASYNC, granted));
        notifications.waiter().vector(vector(Bar1.PVRDMA_INTR_VECTOR_CQ, granted));
    }

    private InterruptVector vector(final int index, final int granted) {
        return index < granted ? pci.interrupts().vector(index) : null;
    }

    private void makeCommands() {
        commands = new PvrdmaCommands(channel, latch, limits, profile, version, pci.address());
        gids = new GidTable(commands, limits.gidTableLength(), version, caps.gidTypes(), profile, live,
            pci.address());
    }

    private void endLeftovers() {
        final Leftovers leftovers = new Leftovers(journal, channel, uar, counters, pci.address());
        if (wasReset) {
            leftovers.forgetOfOthers();
        } else if (leftovers.destroyOfOthers()) {
            commands.tellFirstQp(leftovers::firstQpMade);
        }
    }

    private void releaseObjects() {
        channel.refuseNew();
        commands.close();
        gids.unbindAll();
        new Leftovers(journal, channel, uar, counters, pci.address()).destroyOwn();
        channel.close();
    }

    private void activate() {
        control(PVRDMA_DEVICE_CTL_ACTIVATE);
        final int err = registers.readInt(PVRDMA_REG_ERR);
        entry.err(err);
        if (err != 0) {
            throw refused(RdmaException.EIO)
                .detail("ERR is 0x%x after ACTIVATE", err)
                .hint("the device's host may have logged why")
                .build();
        }
    }
}
