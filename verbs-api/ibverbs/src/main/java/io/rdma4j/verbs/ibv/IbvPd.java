/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.base.Cleanup;
import io.rdma4j.driver.live.Publication;
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
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.QpRanges;
import io.rdma4j.verbs.spi.RegionChecks;

import java.util.List;
import java.util.function.Supplier;

/** A protection domain. */
final class IbvPd extends IbvObject implements ProtectionDomain {
    final long pointer;
    final ClosedHandles closedHandles = new ClosedHandles(this);
    final int number;
    private final Children<IbvQp> qps = new Children<>();
    private final Children<IbvSrq> srqs = new Children<>();
    private final Children<IbvAh> ahs = new Children<>();
    private final Children<IbvMr> regions = new Children<>();
    private final Children<IbvWindow> windows = new Children<>();
    /** What failed when its children were closed. */
    private Cleanup failed;

    IbvPd(final IbvContext context, final long pointer) {
        super(context);
        this.pointer = pointer;
        this.number = context.nextNumber();
        publish(PdKind.KIND, number, Publication.NO_ATTRIBUTES);
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
        return regions.add(operation, context, this, () -> IbvMr.create(this, request));
    }

    @Override
    public MemoryRegion registerShared(final MemoryRegion existing, final long iova, final AccessFlag... access) {
        final String operation = RegionChecks.SHARED;
        requireOpen(operation);
        Errors.notNull(existing, operation, context, "region");
        if (!(existing instanceof IbvMr) || ((IbvMr) existing).context != context) {
            throw Errors.invalid(operation, context, "%s belongs to another device", existing);
        }
        return regions.add(operation, context, this, () -> ((IbvMr) existing).share(this, iova, access));
    }

    void adopt(final String operation, final Supplier<IbvMr> registration) {
        regions.add(operation, context, this, registration);
    }

    @Override
    public QueuePair createQp(final QpOptions options) {
        requireOpen(QpFactory.OPERATION);
        final IbvQp qp = qps.add(QpFactory.OPERATION, context, this, () -> QpFactory.create(this, options));
        if (context.isFailed()) {
            // Whoever told all QPs may not have seen this one.
            qp.shutGates(ReturnCode.DEVICE_FAILED);
        }
        return qp;
    }

    @Override
    public SharedReceiveQueue createSrq(final int maxWr, final int maxSge) {
        final String operation = QpRanges.CREATE_SHARED;
        requireOpen(operation);
        QpRanges.checkSharedSizes(maxWr, maxSge, context);
        context.requireWorking(operation);
        final IbvSrq srq = srqs.add(operation, context, this,
            () -> IbvSrq.create(this, IbvAttributes.roundUp(maxWr), maxSge));
        if (context.isFailed()) {
            // Whoever told all SRQs may not have seen this one.
            srq.fail();
        }
        return srq;
    }

    @Override
    public AddressHandle createAh(final AhAttributes attributes) {
        final String operation = "create AH";
        requireOpen(operation);
        Ways.check(attributes, operation, context);
        context.requireWorking(operation);
        closedHandles.sweep();
        return ahs.add(operation, context, this, () -> IbvAh.create(this, attributes, operation));
    }

    @Override
    public MemoryWindow allocateWindow(final WindowType type) {
        final String operation = "allocate window";
        requireOpen(operation);
        Errors.notNull(type, operation, context, "type");
        if (!context.supports(type.feature())) {
            throw Errors.unsupported(operation, context, type.feature());
        }
        context.requireWorking(operation);
        return windows.add(operation, context, this, () -> IbvWindow.create(this, type, operation));
    }

    @Override
    public FastRegion allocateFastRegion(final int maxPages) {
        final String operation = "allocate fast region";
        requireOpen(operation);
        throw Errors.unsupported(operation, context, Feature.FAST_REGISTRATION);
    }

    List<IbvQp> qps() {
        return qps.list();
    }

    List<IbvSrq> srqs() {
        return srqs.list();
    }

    void forget(final IbvQp qp) {
        qps.remove(qp);
    }

    void forget(final IbvSrq srq) {
        srqs.remove(srq);
    }

    void forget(final IbvMr region) {
        regions.remove(region);
    }

    void forget(final IbvWindow window) {
        windows.remove(window);
    }

    void forget(final IbvAh ah) {
        ahs.remove(ah);
    }

    /** Its regions; not those that have moved to another domain meanwhile. */
    void closeRegions(final Cleanup cleanup) {
        regions.closeAll(cleanup, context, this, region -> region.closeIn(this));
    }

    void closeQps(final Cleanup cleanup) {
        qps.closeAll(cleanup, context, this);
    }

    @Override
    boolean hasEvents() {
        return true;
    }

    @Override
    public boolean covers(final Object element) {
        return element instanceof IbvQp && ((IbvQp) element).pd == this
            || element instanceof IbvSrq && ((IbvSrq) element).pd == this;
    }

    @Override
    void awaitOthers() {
        final Cleanup cleanup = new Cleanup();
        final int timeouts = context.timeouts();
        closeQps(cleanup);
        srqs.closeAll(cleanup, context, this);
        ahs.closeAll(cleanup, context, this);
        windows.closeAll(cleanup, context, this);
        closeRegions(cleanup);
        cleanup.run(closedHandles::sweep);
        if (context.timeouts() != timeouts) {
            // A thread is in the library with one of them.
            cleanup.throwIfFailed();
        }
        failed = cleanup;
    }

    @Override
    void destroy() {
        failed
            .run(() -> context.destroyed(context.library.deallocPd(pointer), "close PD", "ibv_dealloc_pd"))
            .run(this::forgetThis)
            .throwIfFailed();
    }

    /** Regions that the device refused to end are ended with it. */
    private void forgetThis() {
        if (regions.size() == 0) {
            context.forget(this);
        }
    }

    String dump() {
        return this + " qps=" + qps.size() + " srqs=" + srqs.size() + " ahs=" + ahs.size() + " regions="
            + regions.list() + " windows=" + windows.list();
    }

    @Override
    public String toString() {
        return "PD " + number;
    }
}
