/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.pvrdma.device.MemoryRegistration;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.RegionChecks;

import java.util.Set;

/**
 * What a region shall be: nothing is left to a default, and it is checked as far as that is possible without the
 * device.
 *
 * @param operation what is asked for, in words.
 * @param source    where the bytes are.
 * @param length    how many.
 * @param iova      how work requests name them.
 * @param access    rights besides local read; unmodifiable.
 */
record RegionRequest(String operation, RegionSource source, long length, IovaRule iova, Set<AccessFlag> access) {
    /** A new region. */
    static RegionRequest of(final PvrdmaContext context, final MrOptions options) {
        final Set<AccessFlag> access = options.accessFlags() == null ? Set.of() : options.accessFlags();
        return new RegionRequest(RegionChecks.REGISTER,
            source(context, RegionChecks.REGISTER, options).with(isOnDemand(access)), options.length(),
            IovaRule.of(options, IovaRule.OWN), access);
    }

    /** A region of memory that another one has. */
    static RegionRequest shared(
        final PvrdmaContext context, final RegionMemory memory, final long iova, final AccessFlag... access) {
        return new RegionRequest(RegionChecks.SHARED, memory.source(), memory.length(), IovaRule.chosen(iova),
            RegionChecks.sharedRights(context, access));
    }

    /** A region with something changed. */
    static RegionRequest changed(final RegionState old, final MrOptions changes) {
        final RegionMemory memory = old.memory();
        final Set<AccessFlag> access = changes.accessFlags() == null ? old.access() : changes.accessFlags();
        return new RegionRequest(RegionChecks.REREGISTER,
            (changes.hasMemory() ? source(old.pd().context, RegionChecks.REREGISTER, changes) : memory.source())
                .with(isOnDemand(access)),
            changes.hasLength() ? changes.length() : memory.length(),
            IovaRule.of(changes, old.iova()),
            access);
    }

    private static RegionSource source(
        final PvrdmaContext context, final String operation, final MrOptions options) {
        if (options.dmaBuf() >= 0) {
            throw Errors.unsupported(operation, context, Feature.DMA_BUFS);
        }
        if (options.isAllMemory()) {
            throw Errors.unsupported(operation, context, Feature.ALL_MEMORY);
        }
        return options.pages() == null
            ? new RangeSource(options.address(), options.owner(), options.isReadOnly(), false)
            : new ListSource(options.pages(), options.offset());
    }

    private static boolean isOnDemand(final Set<AccessFlag> access) {
        return access.contains(AccessFlag.ON_DEMAND);
    }

    /** Refuses what no device could take, and memory that is not there. */
    RegionRequest check(final PvrdmaContext context) {
        RegionChecks.checkRights(operation, context, access);
        checkOnDemand(context);
        RegionChecks.checkLength(operation, context, length);
        source.check(operation, context, length, access.contains(AccessFlag.LOCAL_WRITE));
        iova.check(operation, context, source.firstByte(), length);
        return this;
    }

    private void checkOnDemand(final PvrdmaContext context) {
        final boolean wanted = isOnDemand(access);
        if (wanted && !context.supports(Feature.ON_DEMAND_PAGING)) {
            throw Errors.unsupported(operation, context, Feature.ON_DEMAND_PAGING);
        }
        RegionChecks.checkSameDemand(operation, context, wanted, source.onDemand());
    }

    /** Whether this is about memory that is mapped already. */
    boolean isOf(final RegionMemory memory) {
        return memory.source() == source && memory.length() == length;
    }

    /** Makes the memory known to the device. */
    MemoryRegistration register(final PvrdmaPd pd, final RegionMemory memory) {
        return pd.context.device.register(pd.handle, memory.pages(), iova.start(source.firstByte()),
            AccessFlag.requiredBits(access) | iova.accessBit());
    }
}
