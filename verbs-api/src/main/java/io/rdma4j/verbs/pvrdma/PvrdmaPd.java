/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pvrdma.MemoryRegistration;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.SharedReceiveQueue;

import java.nio.ByteBuffer;
import java.util.List;

import org.agrona.DirectBuffer;

/** A protection domain and what was made in it. */
final class PvrdmaPd extends PvrdmaObject implements ProtectionDomain {
    final int handle;
    private final Children<PvrdmaQp> qps = new Children<>();
    private final Children<PvrdmaSrq> srqs = new Children<>();
    private final Children<PvrdmaAh> ahs = new Children<>();
    private final Children<PvrdmaMr> regions = new Children<>();

    PvrdmaPd(final PvrdmaContext context, final int handle) {
        super(context);
        this.handle = handle;
    }

    @Override
    public RdmaContext context() {
        return context;
    }

    @Override
    public MemoryRegion register(final long address, final long length, final AccessFlag... access) {
        return register(address, length, null, access);
    }

    @Override
    public MemoryRegion register(
        final long address, final long length, final Object owner, final AccessFlag... access) {
        return register(RegionRequest.of(context, address, length, owner, access));
    }

    @Override
    public MemoryRegion register(final ByteBuffer buffer, final AccessFlag... access) {
        return register(RegionRequest.of(context, buffer, access));
    }

    @Override
    public MemoryRegion register(final DirectBuffer buffer, final AccessFlag... access) {
        return register(RegionRequest.of(context, buffer, access));
    }

    @Override
    public MemoryRegion register(final PinnedMemory memory, final AccessFlag... access) {
        Errors.notNull(memory, RegionRequest.OPERATION, context, "memory");
        if (!(memory instanceof PvrdmaMemory) || ((PvrdmaMemory) memory).context != context) {
            throw Errors.invalid(RegionRequest.OPERATION, context, "%s belongs to another device", memory);
        }
        final PvrdmaMemory own = (PvrdmaMemory) memory;
        own.requireOpen(RegionRequest.OPERATION);
        return register(RegionRequest.of(context, own, access));
    }

    private MemoryRegion register(final RegionRequest request) {
        requireOpen(RegionRequest.OPERATION);
        request.check(context);
        context.requireWorking(RegionRequest.OPERATION);
        final MemoryRegistration registration = context.device.register(
            handle, request.address(), request.length(), AccessFlag.bits(request.access()), request.mappedFor());
        final PvrdmaMr region = new PvrdmaMr(this, request, registration);
        if (request.owner() instanceof PvrdmaMemory) {
            attach((PvrdmaMemory) request.owner(), region);
        }
        return regions.add(RegionRequest.OPERATION, this, region);
    }

    private static void attach(final PvrdmaMemory memory, final PvrdmaMr region) {
        try {
            memory.attach(region);
        } catch (final RdmaException e) {
            region.close();
            throw e;
        }
    }

    @Override
    public QueuePair createQp(final QpOptions options) {
        requireOpen(QpFactory.OPERATION);
        return qps.add(QpFactory.OPERATION, this, QpFactory.create(this, options));
    }

    @Override
    public SharedReceiveQueue createSrq(final int maxWr, final int maxSge) {
        final String operation = "create SRQ";
        requireOpen(operation);
        if (context.attributes().maxSrq() == 0) {
            throw Errors.error(RdmaException.EOPNOTSUPP, operation, context, "the device has no shared receive queues");
        }
        Errors.inRange(maxSge, 1, context.attributes().maxSrqSge(), operation, context, "maxSge");
        Errors.inRange(maxWr, 1, context.attributes().maxSrqWr(maxSge), operation, context, "maxWr");
        context.requireWorking(operation);
        return srqs.add(operation, this, newSrq(RingGeometry.powerOfTwo(maxWr), maxSge));
    }

    private PvrdmaSrq newSrq(final int count, final int maxSge) {
        try (Undo undo = new Undo()) {
            final RingMemory memory = RingMemory.allocate(context, RingGeometry.srqPages(count, maxSge));
            undo.addIfGood(memory::close);
            final int srqHandle =
                context.device.commands().createSrq(handle, memory.pdirDma(), count, maxSge, memory.pages());
            undo.add(() -> context.device.commands().destroySrq(srqHandle));
            final PvrdmaSrq srq = new PvrdmaSrq(this, srqHandle, new io.rdma4j.queues.SharedReceiveQueue(
                memory.buffer(), RingState.RX_OFFSET, RingMemory.ELEMENTS_OFFSET, count, maxSge, context.doorbell,
                srqHandle), memory);
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
    void destroy() {
        final Cleanup cleanup = new Cleanup();
        closeQps(cleanup);
        closeSrqs(cleanup);
        ahs.closeAll(cleanup);
        regions.closeAll(cleanup);
        cleanup
            .run(() -> context.whileWorking(() -> context.device.commands().destroyPd(handle)))
            .run(() -> context.forget(this))
            .throwIfFailed();
    }

    String dump() {
        return this + " qps=" + qps.size() + " srqs=" + srqs.size() + " ahs=" + ahs.size() + " regions="
            + regions.list();
    }

    @Override
    public String toString() {
        return "PD " + handle;
    }
}
