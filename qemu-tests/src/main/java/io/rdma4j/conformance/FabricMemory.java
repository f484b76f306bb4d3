/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.verbs.PinnedMemory;

import org.agrona.concurrent.UnsafeBuffer;

/** Memory of a fabric domain, the region over it if there is one, and the patterns that tell where bytes came from. */
final class FabricMemory {
    private final PinnedMemory pinned;
    private final UnsafeBuffer buffer;
    private MemoryRegion region;

    private FabricMemory(final PinnedMemory pinned) {
        this.pinned = pinned;
        this.buffer = pinned.buffer();
    }

    /** Memory that nobody registered. */
    static FabricMemory of(final ConformanceEnv env, final Domain domain, final int length) {
        return new FabricMemory(env.own(domain.allocate(length)));
    }

    /** Registers all of it, in a domain without modes in which regions begin disabled. */
    FabricMemory registered(
        final ConformanceEnv env, final Domain domain, final long requestedKey, final MrAccess... access) {
        region = env.own(domain.register(
            new MrAttributes().buffer(pinned).access(access).requestedKey(requestedKey)));
        return this;
    }

    MemoryRegion region() {
        return region;
    }

    PinnedMemory pinned() {
        return pinned;
    }

    UnsafeBuffer buffer() {
        return buffer;
    }

    long at(final int offset) {
        return pinned.address() + offset;
    }

    /** How peers name a byte of it. */
    long remote(final int offset) {
        return region.base() + offset;
    }

    FabricMemory fill(final int seed, final int offset, final int length) {
        buffer.putBytes(offset, Memory.patternOf(seed, length));
        return this;
    }

    FabricMemory guard() {
        buffer.setMemory(0, buffer.capacity(), Memory.GUARD);
        return this;
    }

    void expectPattern(final int seed, final int offset, final int length, final String what) {
        Memory.expectPattern(buffer, seed, offset, length, what);
    }

    /** Nothing was written here since {@link #guard}. */
    void expectGuard(final int from, final int to, final String what) {
        Memory.expectGuard(buffer, from, to, what);
    }

    /** The pattern stands at this place, and nothing was written around it. */
    void expectOnly(final int seed, final int offset, final int length, final String what) {
        expectPattern(seed, offset, length, what);
        expectGuard(offset - 64, offset, "before " + what);
        expectGuard(offset + length, offset + length + 64, "behind " + what);
    }
}
