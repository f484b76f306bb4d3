/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.memory.EmulatedIommu;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * What the short way asks of an ordinary region over one piece of host memory, in one cache line for each: beside
 * thousands of regions a look at the objects would be four lines of each that no near cache has. What is not in here is
 * asked of {@link Regions}. Real devices have such a table too, and call it that of memory protection.
 *
 * <p>Lines are written by commands, and read under a queue's lock that the grace period passes through. Who sees a key
 * (acquire) sees the rest of its line (release, after it). A line that was {@linkplain #remove removed} is not written
 * anew before the grace period is over: who saw its key reads that region to the end.
 */
final class PlainRegions {
    private static final VarHandle PIECES = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int LKEY = 0;
    private static final int RKEY = 4;
    private static final int PD = 8;
    private static final int ACCESS = 12;
    private static final int START = 16;
    private static final int LENGTH = 24;
    private static final int HOST = 32;
    /** Of the translations, when it was last checked that they hold. */
    private static final int GENERATION = 40;
    private static final int NUMBER = 48;
    /** Whether changes of some of the memory are told. */
    private static final int WATCHED = 52;
    private static final int LINE = BitUtil.CACHE_LINE_LENGTH;
    /** Lines come in pieces of 8 KiB: most devices have few regions. */
    private static final int PIECE_SHIFT = 7;
    private static final int PIECE_MASK = (1 << PIECE_SHIFT) - 1;

    private final EmulatedIommu iommu;
    private final ObjectTable<MemoryRegion> regions;
    /** Where each piece begins; {@link #none} as long as it has no lines. */
    private final long[] pieces;
    /** It stays as long as somebody knows it. */
    private final ByteBuffer[] memory;
    private final ByteBuffer nothing = BufferUtil.allocateDirectAligned(LINE, LINE);
    private final long none = BufferUtil.address(nothing);

    PlainRegions(EmulatedIommu iommu, ObjectTable<MemoryRegion> regions) {
        this.iommu = iommu;
        this.regions = regions;
        this.memory = new ByteBuffer[(regions.slots() >>> PIECE_SHIFT) + 1];
        this.pieces = new long[memory.length];
        Arrays.fill(pieces, none);
    }

    /** The line of no region: every access by it is refused. */
    long none() {
        return none;
    }

    /** Makes a line for a region, if it is of the kind that has one. By one command at a time. */
    void put(MemoryRegion region, long generation) {
        if (region.host() == 0) {
            return;
        }
        final long line = lineFor(regions.slot(region.handle()));
        UnsafeApi.putInt(line + PD, region.pd().handle());
        UnsafeApi.putInt(line + ACCESS, region.access());
        UnsafeApi.putLong(line + START, region.start());
        UnsafeApi.putLong(line + LENGTH, region.length());
        UnsafeApi.putLong(line + HOST, region.host());
        UnsafeApi.putLong(line + GENERATION, generation);
        UnsafeApi.putInt(line + NUMBER, region.handle());
        UnsafeApi.putInt(line + WATCHED, region.pages().isWatched() ? 1 : 0);
        UnsafeApi.putIntRelease(null, line + LKEY, region.lkey());
        UnsafeApi.putIntRelease(null, line + RKEY, region.rkey());
    }

    private long lineFor(int slot) {
        final int piece = slot >>> PIECE_SHIFT;
        if (memory[piece] == null) {
            memory[piece] = BufferUtil.allocateDirectAligned(LINE << PIECE_SHIFT, LINE);
            PIECES.setRelease(pieces, piece, BufferUtil.address(memory[piece]));
        }
        return pieces[piece] + (long) (slot & PIECE_MASK) * LINE;
    }

    /** Before the grace period of a region that ends: from then on its line refuses every access. */
    void remove(int number) {
        final long line = line(number);
        UnsafeApi.putIntRelease(null, line + LKEY, 0);
        UnsafeApi.putIntRelease(null, line + RKEY, 0);
    }

    private long line(int number) {
        final int slot = regions.slot(number);
        final long piece = (long) PIECES.getAcquire(pieces, slot >>> PIECE_SHIFT);
        return piece == none ? none : piece + (long) (slot & PIECE_MASK) * LINE;
    }

    /** The line of the region with a number, if it has this local key; else {@link #none}. */
    long byLkey(int number, int key) {
        final long line = line(number);
        return hasLkey(line, key) ? line : none;
    }

    /** The line of the region with a number, if it has this remote key; else {@link #none}. */
    long byRkey(int number, int key) {
        final long line = line(number);
        return hasRkey(line, key) ? line : none;
    }

    /** Whether a line is that of the region with this local key; no region's is 0. */
    static boolean hasLkey(long line, int key) {
        return UnsafeApi.getIntAcquire(null, line + LKEY) == key && key != 0;
    }

    /** Whether a line is that of the region with this remote key; a region that is not for peers has 0. */
    static boolean hasRkey(long line, int key) {
        return UnsafeApi.getIntAcquire(null, line + RKEY) == key && key != 0;
    }

    /**
     * Where bytes are in this process, if that is easily said: 0 does not say that they cannot be reached, but that all
     * is to be asked. What is returned stays reachable until the caller's lock is given back.
     *
     * @param line    whose key was looked at under the same lock; or {@link #none}.
     * @param pd      handle of the protection domain.
     * @param address of the first byte.
     * @param bytes   not negative.
     * @param rights  what the region must allow.
     * @return an address, or 0.
     */
    long host(long line, int pd, long address, long bytes, int rights) {
        final long host = UnsafeApi.getLong(line + HOST);
        final long from = address - UnsafeApi.getLong(line + START);
        final long rest = UnsafeApi.getLong(line + LENGTH) - bytes;
        // None of the three is negative: so the first two are in range, and their difference does not overflow.
        return host != 0 && UnsafeApi.getInt(line + PD) == pd && (UnsafeApi.getInt(line + ACCESS) & rights) == rights
            && (from | rest | rest - from) >= 0 && isCurrent(line) ? host + from : 0;
    }

    private boolean isCurrent(long line) {
        return (UnsafeApi.getInt(line + WATCHED) == 0 || iommu.awaitQuiet())
            && (UnsafeApi.getLong(line + GENERATION) == iommu.generation() || check(line));
    }

    /** A generation that is stale, by whoever checks at the same time, only means another check. */
    private boolean check(long line) {
        final long generation = iommu.generation();
        final MemoryRegion region = regions.get(UnsafeApi.getInt(line + NUMBER));
        final boolean current = region != null && region.pages().isCurrent();
        if (current) {
            UnsafeApi.putLong(line + GENERATION, generation);
        }
        return current;
    }
}
