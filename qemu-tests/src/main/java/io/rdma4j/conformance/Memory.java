/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;

import java.util.Arrays;

import org.agrona.concurrent.UnsafeBuffer;

/** Memory of a device with a region over it, and the patterns that tell where bytes came from. */
final class Memory {
    /** What memory holds that nothing may have written to. */
    static final byte GUARD = (byte) 0xa5;

    private final PinnedMemory pinned;
    private final MemoryRegion region;
    private final UnsafeBuffer buffer;

    private Memory(final PinnedMemory pinned, final MemoryRegion region) {
        this.pinned = pinned;
        this.region = region;
        this.buffer = pinned.buffer();
    }

    /** Allocates memory and registers all of it for local use, and for peers as far as these rights go. */
    static Memory of(
        final ConformanceEnv env, final ProtectionDomain pd, final int length, final AccessFlag... remote) {
        final PinnedMemory pinned = env.own(pd.context().allocate(length));
        return new Memory(pinned, env.own(pd.register(pinned, withLocalWrite(remote))));
    }

    private static AccessFlag[] withLocalWrite(final AccessFlag... remote) {
        final AccessFlag[] all = Arrays.copyOf(remote, remote.length + 1);
        all[remote.length] = AccessFlag.LOCAL_WRITE;
        return all;
    }

    /** Registers a part of this memory once more, also in another domain. */
    MemoryRegion part(
        final ConformanceEnv env, final ProtectionDomain pd, final int offset, final int length) {
        return env.own(pd.register(pinned.address() + offset, length, AccessFlag.LOCAL_WRITE));
    }

    /** Registers a part of this memory with exactly these rights. */
    MemoryRegion allowing(
        final ConformanceEnv env, final ProtectionDomain pd, final int offset, final int length,
        final AccessFlag... access) {
        return env.own(pd.register(pinned.address() + offset, length, access));
    }

    PinnedMemory pinned() {
        return pinned;
    }

    MemoryRegion region() {
        return region;
    }

    UnsafeBuffer buffer() {
        return buffer;
    }

    long at(final int offset) {
        return pinned.address() + offset;
    }

    int lkey() {
        return region.lkey();
    }

    int rkey() {
        return region.rkey();
    }

    /** The byte that a pattern has at a place. */
    static byte pattern(final int seed, final int index) {
        return (byte) ((seed + index) * 0x9e37_79b1 >>> 23);
    }

    /** All of a pattern. Compared and copied as arrays: byte by byte it was a fifth of the time of the suite. */
    static byte[] patternOf(final int seed, final int length) {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = pattern(seed, i);
        }
        return bytes;
    }

    Memory fill(final int seed, final int offset, final int length) {
        buffer.putBytes(offset, patternOf(seed, length));
        return this;
    }

    Memory guard() {
        buffer.setMemory(0, buffer.capacity(), GUARD);
        return this;
    }

    /** The pattern stands here, as far as it goes. */
    void expectPattern(final int seed, final int offset, final int length, final String what) {
        expectPattern(buffer, seed, offset, length, what);
    }

    static void expectPattern(
        final UnsafeBuffer buffer, final int seed, final int offset, final int length, final String what) {
        expectBytes(buffer, patternOf(seed, length), offset, what);
    }

    /** These bytes stand here. */
    void expectBytes(final byte[] expected, final int offset, final String what) {
        expectBytes(buffer, expected, offset, what);
    }

    static void expectBytes(
        final UnsafeBuffer buffer, final byte[] expected, final int offset, final String what) {
        final byte[] found = bytes(buffer, offset, expected.length);
        final int at = Arrays.mismatch(found, expected);
        if (at >= 0) {
            throw new AssertionError(String.format("%s: byte %d of %d is 0x%02x, expected 0x%02x", what, at,
                expected.length, found[at], expected[at]));
        }
    }

    private static byte[] bytes(final UnsafeBuffer buffer, final int offset, final int length) {
        final byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        return bytes;
    }

    /** Nothing was written here since {@link #guard}. */
    void expectGuard(final int from, final int to, final String what) {
        expectGuard(buffer, from, to, what);
    }

    static void expectGuard(final UnsafeBuffer buffer, final int from, final int to, final String what) {
        final int first = Math.max(0, from);
        final byte[] found = bytes(buffer, first, Math.max(0, Math.min(to, buffer.capacity()) - first));
        for (int i = 0; i < found.length; i++) {
            if (found[i] != GUARD) {
                throw new AssertionError(String.format(
                    "%s: byte %d was overwritten with 0x%02x", what, first + i, found[i]));
            }
        }
    }
}
