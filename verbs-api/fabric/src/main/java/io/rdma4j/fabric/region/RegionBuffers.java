/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.spi.RegionChecks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The buffers of a region, in order (struct iovec): one range without a gap. The device translates by pages, so it has
 * as one region only a run of buffers of which all but the first begin on a page, and all but the last end on one; a
 * device without {@link io.rdma4j.verbs.Feature#PAGE_LISTS} has each by itself. Those that touch each other and have
 * the same owner count as one. Immutable, but that the owners can be let go of.
 */
final class RegionBuffers {
    private static final int PAGE = PageList.PAGE_SIZE;
    /** The pages of several buffers are listed one by one, before anybody knows whether they are there. */
    private static final long MOST_LISTED = 16L << 30;

    /** Not volatile: with owners or without, it says the same of the memory. */
    private List<MrAttributes.Piece> list;
    /** More than one, or empty: then it is a run itself. */
    private final List<RegionBuffers> runs;
    private final long length;
    private final boolean isPinned;
    private final boolean isKept;

    private RegionBuffers(final List<MrAttributes.Piece> list, final List<RegionBuffers> runs) {
        this.list = list;
        this.runs = runs;
        length = list.stream().mapToLong(MrAttributes.Piece::length).reduce(0, RegionBuffers::sum);
        isPinned = list.stream().allMatch(piece -> piece.owner() instanceof PinnedMemory);
        isKept = list.stream().allMatch(RegionBuffers::isKept);
    }

    /** Not so if the owner learns that the region is closed: then the memory may go while it is being copied. */
    private static boolean isKept(final MrAttributes.Piece piece) {
        return LocalMemory.keeps(piece.owner())
            && RegionChecks.holds(piece.owner(), piece.address(), piece.length());
    }

    /** The buffers of a request, checked for what can be known without looking at the memory. */
    static RegionBuffers of(final List<MrAttributes.Piece> buffers, final RegionRules rules) {
        if (buffers.isEmpty()) {
            throw Refusals.invalid(Refusals.REGISTER, "no buffer is given").hint("use MrAttributes.buffer").build();
        }
        if (buffers.size() > rules.iovLimit) {
            throw Refusals.invalid(Refusals.REGISTER, "%d buffers, mr_iov_limit is %d", buffers.size(), rules.iovLimit)
                .hint("register them as several regions").build();
        }
        for (int i = 0; i < buffers.size(); i++) {
            check(i, buffers.get(i));
        }
        final List<MrAttributes.Piece> merged = merge(buffers);
        return new RegionBuffers(merged, split(merged, rules.pageLists));
    }

    /** One range. */
    static RegionBuffers of(final long address, final long bytes, final Object owner) {
        return new RegionBuffers(List.of(new MrAttributes.Piece(address, bytes, owner)), List.of());
    }

    private static void check(final int i, final MrAttributes.Piece piece) {
        if (piece.length() < 1) {
            throw Refusals.invalid(Refusals.REGISTER, "buffer %d has %d bytes, must be above 0", i, piece.length())
                .hint("a window without bytes needs no region").build();
        }
        if (Long.compareUnsigned(piece.address() + piece.length() - 1, piece.address()) < 0) {
            throw Refusals.invalid(Refusals.REGISTER, "buffer %d, 0x%x+%d, wraps around", i, piece.address(),
                piece.length()).build();
        }
    }

    private static long sum(final long a, final long b) {
        if (a + b < 0) {
            throw Refusals.invalid(Refusals.REGISTER, "the buffers have more than 2^63 bytes").build();
        }
        return a + b;
    }

    private static List<MrAttributes.Piece> merge(final List<MrAttributes.Piece> buffers) {
        final List<MrAttributes.Piece> merged = new ArrayList<>();
        for (final MrAttributes.Piece next : buffers) {
            final MrAttributes.Piece last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
            if (last != null && last.owner() == next.owner() && last.address() + last.length() == next.address()) {
                merged.set(merged.size() - 1,
                    new MrAttributes.Piece(last.address(), sum(last.length(), next.length()), last.owner()));
            } else {
                merged.add(next);
            }
        }
        return List.copyOf(merged);
    }

    /** As few runs as there can be. */
    private static List<RegionBuffers> split(final List<MrAttributes.Piece> list, final boolean pageLists) {
        final List<RegionBuffers> runs = new ArrayList<>();
        int first = 0;
        for (int i = 1; i <= list.size(); i++) {
            if (i == list.size() || !pageLists || !isOnPages(list.get(i - 1), list.get(i))) {
                runs.add(new RegionBuffers(list.subList(first, i), List.of()));
                first = i;
            }
        }
        return runs.size() == 1 ? List.of() : List.copyOf(runs);
    }

    private static boolean isOnPages(final MrAttributes.Piece last, final MrAttributes.Piece next) {
        return (last.address() + last.length()) % PAGE == 0 && next.address() % PAGE == 0;
    }

    /** Refuses several buffers whose list of pages would be as long as memory is large. */
    void checkLength(final long most) {
        runs.forEach(run -> run.checkLength(most));
        final long allowed = Math.min(most, MOST_LISTED);
        if (runs.isEmpty() && list.size() > 1 && length > allowed) {
            throw Refusals.invalid(Refusals.REGISTER, "%s: the length is %d, allowed are 1 to %d bytes", this, length,
                allowed).hint("register them as several regions").build();
        }
    }

    /** The region is closed: what keeps the memory may go. */
    void letGo() {
        list = list.stream().map(piece -> new MrAttributes.Piece(piece.address(), piece.length(), null)).toList();
        runs.forEach(RegionBuffers::letGo);
    }

    /** What the device can have as one region each, in order. */
    List<RegionBuffers> runs() {
        return runs.isEmpty() ? List.of(this) : runs;
    }

    long address() {
        return list.get(0).address();
    }

    /** Whether all of it is memory of a device, whose pages are there and stay. */
    boolean isPinned() {
        return isPinned;
    }

    /** Whether all of it is surely there until the region is closed. */
    boolean isKept() {
        return isKept;
    }

    long length() {
        return length;
    }

    int size() {
        return list.size();
    }

    /** Where memory of a piece is in the region, in bytes from its begin; -1 if it is not inside of one piece. */
    long offsetOf(final long address, final long bytes) {
        final List<MrAttributes.Piece> all = list;
        long before = 0;
        for (int i = 0; i < all.size(); i++) {
            final MrAttributes.Piece piece = all.get(i);
            final long inside = address - piece.address();
            if (inside >= 0 && bytes >= 0 && inside <= piece.length() && bytes <= piece.length() - inside) {
                return before + inside;
            }
            before += piece.length();
        }
        return -1;
    }

    /** Names the memory of one run to the device. */
    MrOptions describe() {
        final MrAttributes.Piece first = list.get(0);
        if (list.size() == 1) {
            return new MrOptions().memory(first.address(), first.length(), first.owner());
        }
        final PageList pages = new PageList();
        for (final MrAttributes.Piece piece : list) {
            final long end = piece.address() + piece.length();
            for (long page = piece.address() & -PAGE; page - end < 0; page += PAGE) {
                pages.add(page, piece.owner());
            }
        }
        return new MrOptions().pages(pages, (int) (first.address() & PAGE - 1), length);
    }

    List<MrAttributes.Piece> list() {
        return list;
    }

    @Override
    public String toString() {
        return list.size() == 1 ? String.format(Locale.ROOT, "0x%x+%d", address(), length)
            : String.format("%d buffers from 0x%x, %d bytes", list.size(), address(), length);
    }
}
