/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.RegionChecks;

/**
 * How work requests name the first byte of a region.
 *
 * @param kind  as it lies in this process, by another address, or by 0.
 * @param value the other address.
 */
record IovaRule(Kind kind, long value) {
    static final IovaRule OWN = new IovaRule(Kind.OWN, 0);
    private static final IovaRule ZERO_BASED = new IovaRule(Kind.ZERO_BASED, 0);
    private static final long PAGE_MASK = DmaDomain.PAGE_SIZE - 1;

    /** The ways. */
    enum Kind {
        OWN, CHOSEN, ZERO_BASED
    }

    static IovaRule chosen(final long iova) {
        return new IovaRule(Kind.CHOSEN, iova);
    }

    static IovaRule of(final MrOptions options, final IovaRule otherwise) {
        return options.isZeroBased() ? ZERO_BASED : options.hasIova() ? chosen(options.iova()) : otherwise;
    }

    /** What the device is told; of a zero-based region only its place in the page counts. */
    long start(final long firstByte) {
        return kind == Kind.CHOSEN ? value : kind == Kind.OWN ? firstByte : firstByte & PAGE_MASK;
    }

    int accessBit() {
        return kind == Kind.ZERO_BASED ? AccessFlags.PVRDMA_ZERO_BASED : 0;
    }

    void check(final String operation, final PvrdmaContext context, final long firstByte, final long length) {
        if (kind == Kind.ZERO_BASED && !context.supports(Feature.ZERO_BASED)) {
            throw Errors.unsupported(operation, context, Feature.ZERO_BASED);
        }
        if (kind == Kind.CHOSEN) {
            RegionChecks.checkIova(operation, context, firstByte, value, length);
        }
    }
}
