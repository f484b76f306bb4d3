/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.RegionChecks;

import java.util.Set;

/**
 * What to register.
 *
 * @param operation what is asked for, in words.
 * @param memory    where it is.
 * @param iova      how work requests name the first byte.
 * @param chosen    whether that was asked for.
 * @param access    rights besides local read.
 */
record RegionRequest(String operation, RegionMemory memory, long iova, boolean chosen, Set<AccessFlag> access) {
    private static final long PAGE_MASK = 4095;

    static RegionRequest of(final IbvContext context, final MrOptions options) {
        return new RegionRequest(RegionChecks.REGISTER, RegionMemory.of(context, RegionChecks.REGISTER, options),
            options.hasIova() ? options.iova() : options.address(), options.hasIova(),
            options.accessFlags() == null ? Set.of() : options.accessFlags());
    }

    RegionRequest changed(final IbvContext context, final MrOptions changes) {
        final RegionMemory next = changes.hasMemory()
            ? RegionMemory.of(context, RegionChecks.REREGISTER, changes).after(memory)
            : changes.hasLength() ? memory.withLength(changes.length()) : memory;
        return new RegionRequest(RegionChecks.REREGISTER, next,
            changes.hasIova() ? changes.iova() : chosen ? iova : next.first(), chosen || changes.hasIova(),
            changes.accessFlags() == null ? access : changes.accessFlags());
    }

    RegionRequest shared(final IbvContext context, final long other, final AccessFlag... flags) {
        final RegionRequest request = new RegionRequest(RegionChecks.SHARED, memory, other, true,
            RegionChecks.sharedRights(context, flags));
        RegionChecks.checkSameDemand(RegionChecks.SHARED, context, request.isOnDemand(), isOnDemand());
        return request;
    }

    boolean isOnDemand() {
        return access.contains(AccessFlag.ON_DEMAND);
    }

    /** Bytes that the device reaches by it and that stay where they are. */
    long reachable() {
        return isOnDemand() ? 0 : memory.length();
    }

    /** The library trusts its caller: what contradicts itself is refused here. */
    RegionRequest check(final IbvContext context) {
        RegionChecks.checkRights(operation, context, access);
        if (isOnDemand() && !context.supports(Feature.ON_DEMAND_PAGING)) {
            throw Errors.unsupported(operation, context, Feature.ON_DEMAND_PAGING);
        }
        memory.check(context, operation, access);
        if (iova == 0 && (memory.first() & PAGE_MASK) != 0) {
            throw Errors.unsupported(operation, context, Feature.ZERO_BASED);
        }
        RegionChecks.checkIova(operation, context, memory.first(), iova, memory.length());
        return this;
    }
}
