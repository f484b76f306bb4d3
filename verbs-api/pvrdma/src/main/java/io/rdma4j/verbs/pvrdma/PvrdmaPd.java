/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.live.Publication;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.FastRegion;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WindowType;
import io.rdma4j.verbs.live.PdKind;
import io.rdma4j.verbs.live.SrqKind;
import io.rdma4j.verbs.pvrdma.device.MrKeys;
import io.rdma4j.verbs.pvrdma.device.MwKeys;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.QpRanges;
import io.rdma4j.verbs.spi.RegionChecks;

import java.util.List;
import java.util.function.Supplier;


/** A protection domain and what was made in it. */
final class PvrdmaPd extends PvrdmaObject implements ProtectionDomain {
    final int handle;
    private final Children<PvrdmaQp> qps = new Children<>();
    private final Children<PvrdmaSrq> srqs = new Children<>();
    private final Children<PvrdmaAh> ahs = new Children<>();
    private final Children<PvrdmaMr> regions = new Children<>();
    private final Children<PvrdmaFastRegion> fastRegions = new Children<>();
    private final Children<PvrdmaWindow> windows = new Children<>();
    private final PendingChildren pending = new PendingChildren(this);
    private final Publication publication;

    PvrdmaPd(final PvrdmaContext context, final int handle) {
        super(context);
        this.handle = handle;
        publication = Publication.of(context.device.live(), PdKind.KIND, handle, Publication.NO_ATTRIBUTES);
        publication.changed();
    }

    @Override
    public RdmaContext context() {
        return context;
    }

    @Override
    public MemoryRegion register(final MrOptions options) {
        final String operation = RegionChecks.REGISTER;
        requireOpen(operation);
        RegionChecks.requireNew(options, this);
        final RegionRequest request = RegionRequest.of(context, options).check(context);
        context.requireWorking(operation);
        try (RegionMemory.Use use = RegionMemory.map(context, request)) {
            return newRegion(request, use.memory());
        }
    }

    @Override
    public MemoryRegion registerShared(final MemoryRegion existing, final long iova, final AccessFlag... access) {
        final String operation = RegionChecks.SHARED;
        requireOpen(operation);
        Errors.notNull(existing, operation, context, "region");
        if (!(existing instanceof PvrdmaMr) || ((PvrdmaMr) existing).context != context) {
            throw Errors.invalid(operation, context, "%s belongs to another device", existing);
        }
        try (RegionMemory.Use use = ((PvrdmaMr) existing).share(operation)) {
            final RegionRequest request =
                RegionRequest.shared(context, use.memory(), iova, access).check(context);
            context.requireWorking(operation);
            return newRegion(request, use.memory());
        }
    }

    private PvrdmaMr newRegion(final RegionRequest request, final RegionMemory memory) {
        return make(request.operation(),
            () -> regions.add(request.operation(), this, PvrdmaMr.create(this, request, memory)));
    }

    /** Makes something in this domain, which is not destroyed meanwhile. */
    <T> T make(final String operation, final Supplier<T> maker) {
        return pending.during(operation, maker);
    }

    /** Takes over a region from another domain, in {@link #make}. */
    void adopt(final PvrdmaMr region) {
        regions.tryAdd(region);
    }

    @Override
    public QueuePair createQp(final QpOptions options) {
        requireOpen(QpFactory.OPERATION);
        return make(QpFactory.OPERATION, () -> {
            final PvrdmaQp qp = qps.add(QpFactory.OPERATION, this, QpFactory.create(this, options));
            if (context.isFailed()) {
                // Whoever told all QPs may not have seen this one.
                qp.shutGates(ReturnCode.DEVICE_FAILED);
            }
            return qp;
        });
    }

    @Override
    public SharedReceiveQueue createSrq(final int maxWr, final int maxSge) {
        final String operation = QpRanges.CREATE_SHARED;
        requireOpen(operation);
        QpRanges.checkSharedSizes(maxWr, maxSge, context);
        context.requireWorking(operation);
        return make(operation, () -> {
            final PvrdmaSrq srq = srqs.add(operation, this, newSrq(RingGeometry.powerOfTwo(maxWr), maxSge));
            if (context.isFailed()) {
                // As above.
                srq.fail();
            }
            return srq;
        });
    }

    private PvrdmaSrq newSrq(final int count, final int maxSge) {
        try (Undo undo = new Undo()) {
            final RingMemory memory = RingMemory.allocate(context, RingGeometry.srqPages(count, maxSge));
            undo.addIfGood(memory::close);
            final int srqHandle =
                context.device.commands().createSrq(handle, memory.pdirDma(), count, maxSge, memory.pages());
            undo.add(() -> context.device.commands().destroySrq(srqHandle));
            final LiveEntry entry = context.device.live().add(SrqKind.KIND, srqHandle);
            undo.add(entry::close);
            final PvrdmaSrq srq = new PvrdmaSrq(this, srqHandle, new io.rdma4j.queues.SharedReceiveQueue(
                memory.buffer(), RingState.RX_OFFSET, RingMemory.ELEMENTS_OFFSET, count, maxSge, context.doorbell,
                srqHandle, QpDescription.sharedTotals(entry)), memory, entry);
            context.fetchEventsOfFormer();
            context.srqs.put(srqHandle, srq);
            undo.forget();
            return srq;
        }
    }

    @Override
    public AddressHandle createAh(final AhAttributes attributes) {
        final String operation = "create AH";
        requireOpen(operation);
        synchronized (context.gidUse) {
            Addresses.check(attributes, operation, context);
            context.countAh();
            return ahs.add(operation, this, new PvrdmaAh(this, attributes));
        }
    }

    @Override
    public MemoryWindow allocateWindow(final WindowType type) {
        final String operation = "allocate window";
        requireOpen(operation);
        Errors.notNull(type, operation, context, "type");
        requireFeature(operation, type.feature());
        context.requireWorking(operation);
        return make(operation, () -> {
            final MwKeys keys = context.device.commands().createMw(handle, type == WindowType.TYPE_1 ? 1 : 2);
            return windows.add(operation, this, new PvrdmaWindow(this, type, keys));
        });
    }

    @Override
    public FastRegion allocateFastRegion(final int maxPages) {
        final String operation = "allocate fast region";
        requireOpen(operation);
        requireFeature(operation, Feature.FAST_REGISTRATION);
        Errors.inRange(maxPages, 1, context.device.limits().maxFastRegPages(), operation, context, "maxPages");
        context.requireWorking(operation);
        return make(operation, () -> {
            final MrKeys keys = context.device.commands().createFastRegion(handle, maxPages);
            return fastRegions.add(operation, this, new PvrdmaFastRegion(this, maxPages, keys));
        });
    }

    private void requireFeature(final String operation, final Feature feature) {
        if (!context.supports(feature)) {
            throw Errors.unsupported(operation, context, feature);
        }
    }

    List<PvrdmaQp> qps() {
        return qps.list();
    }

    List<PvrdmaAh> ahs() {
        return ahs.list();
    }

    List<PvrdmaSrq> srqs() {
        return srqs.list();
    }

    void forget(final PvrdmaQp qp) {
        qps.remove(qp);
    }

    void forget(final PvrdmaSrq srq) {
        srqs.remove(srq);
    }

    void forget(final PvrdmaMr region) {
        regions.remove(region);
    }

    void forget(final PvrdmaFastRegion region) {
        fastRegions.remove(region);
    }

    void forget(final PvrdmaWindow window) {
        windows.remove(window);
    }

    void forget(final PvrdmaAh ah) {
        ahs.remove(ah);
        context.uncountAh();
    }

    /** The first steps of closing: QPs use what is closed next. */
    void closeQps(final Cleanup cleanup) {
        qps.closeAll(cleanup);
    }

    void closeSrqs(final Cleanup cleanup) {
        srqs.closeAll(cleanup);
    }

    @Override
    boolean hasEvents() {
        return true;
    }

    @Override
    public boolean covers(final Object element) {
        return element instanceof PvrdmaQp && ((PvrdmaQp) element).pd == this
            || element instanceof PvrdmaSrq && ((PvrdmaSrq) element).pd == this;
    }

    @Override
    void destroy() {
        final Cleanup cleanup = new Cleanup().run(pending::close);
        closeQps(cleanup);
        closeSrqs(cleanup);
        ahs.closeAll(cleanup);
        windows.closeAll(cleanup);
        fastRegions.closeAll(cleanup);
        regions.closeAll(cleanup, region -> region.closeIn(this));
        cleanup
            .run(publication::end)
            .run(() -> context.whileWorking(() -> context.device.commands().destroyPd(handle)))
            .run(() -> context.forget(this))
            .throwIfFailed();
    }

    String dump() {
        return this + " qps=" + qps.size() + " srqs=" + srqs.size() + " ahs=" + ahs.size() + " regions="
            + regions.list() + " fastRegions=" + fastRegions.list() + " windows=" + windows.list();
    }

    @Override
    public String toString() {
        return "PD " + handle;
    }
}
