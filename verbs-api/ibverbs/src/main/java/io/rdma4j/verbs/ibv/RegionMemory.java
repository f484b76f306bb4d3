/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.RegionChecks;

import java.util.Locale;
import java.util.Set;

/**
 * Where the bytes of a region are. Immutable.
 *
 * @param kind     what the first byte is counted in.
 * @param first    the first byte.
 * @param length   bytes.
 * @param dmaBuf   file descriptor of a dma-buf.
 * @param keeper   keeps the memory mapped.
 * @param readOnly whether it must not be written.
 */
record RegionMemory(Kind kind, long first, long length, int dmaBuf, Keeper keeper, boolean readOnly) {
    private static final Set<AccessFlag> NOT_OF_DMA_BUFS = Set.of(AccessFlag.ON_DEMAND, AccessFlag.MW_BIND);

    /** The kinds. */
    enum Kind {
        /** Addresses of this process. */
        RANGE,
        /** All of them. */
        ALL,
        /** Bytes of a dma-buf. */
        DMA_BUF
    }

    static RegionMemory of(final IbvContext context, final String operation, final MrOptions options) {
        if (options.pages() != null) {
            throw Errors.unsupported(operation, context, Feature.PAGE_LISTS);
        }
        final Kind kind = options.isAllMemory() ? Kind.ALL : options.dmaBuf() >= 0 ? Kind.DMA_BUF : Kind.RANGE;
        return new RegionMemory(kind, options.address(), options.length(), options.dmaBuf(),
            new Keeper(options.owner()), options.isReadOnly());
    }

    /** A part of it from the first byte on, or more. */
    RegionMemory withLength(final long bytes) {
        return new RegionMemory(kind == Kind.ALL ? Kind.RANGE : kind, first, bytes, dmaBuf, keeper, readOnly);
    }

    /** For a region that has other memory until now: whoever keeps both is told once, at the end. */
    RegionMemory after(final RegionMemory last) {
        return keeper.owner != last.keeper.owner ? this
            : new RegionMemory(kind, first, length, dmaBuf, last.keeper, readOnly);
    }

    void check(final IbvContext context, final String operation, final Set<AccessFlag> access) {
        if (kind == Kind.ALL) {
            checkAll(context, operation, access);
            return;
        }
        RegionChecks.checkLength(operation, context, length);
        RegionChecks.checkRange(operation, context, first, length, keeper.owner);
        RegionChecks.checkWritable(operation, context, readOnly && access.contains(AccessFlag.LOCAL_WRITE),
            keeper.owner);
        if (keeper.owner instanceof PinnedMemory
            && (!(keeper.owner instanceof IbvMemory) || ((IbvMemory) keeper.owner).context != context)) {
            throw Errors.invalid(operation, context, "%s belongs to another device", keeper.owner);
        }
        if (kind == Kind.DMA_BUF) {
            checkDmaBuf(context, operation, access);
        }
    }

    private static void checkAll(final IbvContext context, final String operation, final Set<AccessFlag> access) {
        if (!context.supports(Feature.ALL_MEMORY)) {
            throw Errors.unsupported(operation, context, Feature.ALL_MEMORY);
        }
        if (!access.contains(AccessFlag.ON_DEMAND)) {
            throw RdmaException.of(operation).device(context.address())
                .detail("all memory with %s: it cannot all be pinned", access).errno(RdmaException.EINVAL)
                .hint("add ON_DEMAND").build();
        }
    }

    private static void checkDmaBuf(final IbvContext context, final String operation, final Set<AccessFlag> access) {
        if (!context.supports(Feature.DMA_BUFS)) {
            throw Errors.unsupported(operation, context, Feature.DMA_BUFS);
        }
        if (access.stream().anyMatch(NOT_OF_DMA_BUFS::contains)) {
            throw Errors.invalid(operation, context, "a dma-buf with %s: it can have neither ON_DEMAND nor MW_BIND",
                access);
        }
    }

    /** As the library takes it. */
    long size() {
        return kind == Kind.ALL ? -1 : length;
    }

    @Override
    public String toString() {
        return switch (kind) {
            case ALL -> "all memory";
            case DMA_BUF -> String.format("dma-buf fd %d, %d+%d", dmaBuf, first, length);
            default -> String.format(Locale.ROOT, "0x%x+%d", first, length);
        };
    }
}
