/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.pvrdma.device.MemoryRegistration;
import io.rdma4j.verbs.spi.Errors;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
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
    static final String OPERATION = "register memory";
    static final String SHARED = "register shared memory";
    static final String REREGISTER = "reregister memory";
    static final String REFRESH = "refresh region";

    /** A new region. */
    static RegionRequest of(final PvrdmaContext context, final MrOptions options) {
        if (!options.hasMemory()) {
            throw RdmaException.of(OPERATION)
                .device(context.address())
                .detail("%s names no memory", options)
                .errno(RdmaException.EINVAL)
                .hint("use memory(...), buffer(...) or pages(...)")
                .build();
        }
        final Set<AccessFlag> access = options.accessFlags() == null ? Set.of() : options.accessFlags();
        return new RegionRequest(OPERATION, source(options).with(isOnDemand(access)), options.length(),
            IovaRule.of(options, IovaRule.OWN), access);
    }

    /** A region of memory that another one has. */
    static RegionRequest shared(
        final PvrdmaContext context, final RegionMemory memory, final long iova, final AccessFlag... access) {
        return new RegionRequest(SHARED, memory.source(), memory.length(), IovaRule.chosen(iova),
            rights(context, access));
    }

    /** A region with something changed. */
    static RegionRequest changed(final RegionState old, final MrOptions changes) {
        final RegionMemory memory = old.memory();
        final Set<AccessFlag> access = changes.accessFlags() == null ? old.access() : changes.accessFlags();
        return new RegionRequest(REREGISTER,
            (changes.hasMemory() ? source(changes) : memory.source()).with(isOnDemand(access)),
            changes.hasLength() ? changes.length() : memory.length(),
            IovaRule.of(changes, old.iova()),
            access);
    }

    private static RegionSource source(final MrOptions options) {
        return options.pages() == null
            ? new RangeSource(options.address(), options.owner(), options.isReadOnly(), false)
            : new ListSource(options.pages(), options.offset());
    }

    private static boolean isOnDemand(final Set<AccessFlag> access) {
        return access.contains(AccessFlag.ON_DEMAND);
    }

    private static Set<AccessFlag> rights(final PvrdmaContext context, final AccessFlag... access) {
        Errors.notNull(access, SHARED, context, "access");
        Arrays.asList(access).forEach(flag -> Errors.notNull(flag, SHARED, context, "an access flag"));
        final EnumSet<AccessFlag> rights = EnumSet.noneOf(AccessFlag.class);
        Collections.addAll(rights, access);
        return Collections.unmodifiableSet(rights);
    }

    /** Refuses what no device could take, and memory that is not there. */
    RegionRequest check(final PvrdmaContext context) {
        checkRights(context);
        checkOnDemand(context);
        checkLength(context);
        source.check(operation, context, length, access.contains(AccessFlag.LOCAL_WRITE));
        iova.check(operation, context, source.firstByte(), length);
        return this;
    }

    private void checkRights(final PvrdmaContext context) {
        if (!access.contains(AccessFlag.LOCAL_WRITE)
            && (access.contains(AccessFlag.REMOTE_WRITE) || access.contains(AccessFlag.REMOTE_ATOMIC))) {
            throw RdmaException.of(operation)
                .device(context.address())
                .detail("%s without LOCAL_WRITE", access)
                .errno(RdmaException.EINVAL)
                .hint("add LOCAL_WRITE")
                .build();
        }
    }

    private void checkOnDemand(final PvrdmaContext context) {
        final boolean wanted = isOnDemand(access);
        if (wanted && !context.supports(Feature.ON_DEMAND_PAGING)) {
            throw Errors.unsupported(operation, context, Feature.ON_DEMAND_PAGING);
        }
        if (wanted != source.onDemand()) {
            throw Errors.invalid(operation, context, wanted
                ? "the region that this one shares memory with is not ON_DEMAND, so this one cannot be"
                : "the region that this one shares memory with is ON_DEMAND, so this one has to be, too");
        }
    }

    private void checkLength(final PvrdmaContext context) {
        final long maxLength = context.attributes().maxMrSize();
        if (length < 1 || length > maxLength) {
            throw RdmaException.of(operation)
                .device(context.address())
                .detail("length is %d, allowed are 1 to %d bytes", length, maxLength)
                .errno(RdmaException.EINVAL)
                .hint(length < 1 ? null : tooLong(context))
                .build();
        }
    }

    private static String tooLong(final PvrdmaContext context) {
        return "register it in parts: " + (context.supports(Feature.LARGE_REGIONS)
            ? "max_mr_size is the device's" : context.whyNot(Feature.LARGE_REGIONS));
    }

    /** Whether this is about memory that is mapped already. */
    boolean isOf(final RegionMemory memory) {
        return memory.source() == source && memory.length() == length;
    }

    /** Makes the memory known to the device. */
    MemoryRegistration register(final PvrdmaPd pd, final RegionMemory memory) {
        return pd.context.device.register(pd.handle, memory.pages(), iova.start(source.firstByte()),
            AccessFlag.bits(access) | iova.accessBit());
    }
}
