/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static io.rdma4j.driver.pci.DmaDomain.PAGE_SIZE;

import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.DmaMapping;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;

import org.agrona.collections.LongArrayList;

/**
 * Pages of this process that a device can reach until this is closed, numbered in the order in which they were asked
 * for: a range without gaps, or a list in any order, where a page may also come several times. Pages of a list that are
 * neighbours in memory and have the same owner are mapped together, and each only once. Thread-safe.
 */
public final class PageMappings implements AutoCloseable {
    private final List<DmaMapping> mappings;
    private final int pages;
    private final IntToLongFunction iovaOf;

    private PageMappings(final List<DmaMapping> mappings, final long pages, final IntToLongFunction iovaOf) {
        this.mappings = mappings;
        this.pages = Math.toIntExact(pages);
        this.iovaOf = iovaOf;
    }

    /**
     * Maps every page that a range touches.
     *
     * @param domain  does the mapping.
     * @param address first byte, any alignment.
     * @param length  bytes, above 0.
     * @param owner   what keeps the memory alive, held until this is closed; may be null.
     * @return the pages; the caller owns them.
     * @throws io.rdma4j.RdmaException as {@link DmaDomain#map}.
     */
    public static PageMappings ofRange(
        final DmaDomain domain, final long address, final long length, final Object owner) {
        return ofRange(domain.map(address, length, owner));
    }

    /**
     * Makes every page that a range touches reachable, whatever is mapped there, now and later.
     *
     * @param domain  does the mapping.
     * @param address first byte, any alignment.
     * @param length  bytes, above 0.
     * @return the pages; the caller owns them.
     * @throws io.rdma4j.RdmaException as {@link DmaDomain#mapOnDemand}.
     */
    public static PageMappings onDemand(final DmaDomain domain, final long address, final long length) {
        return ofRange(domain.mapOnDemand(address, length));
    }

    private static PageMappings ofRange(final DmaMapping mapping) {
        return new PageMappings(List.of(mapping), mapping.length() / PAGE_SIZE,
            page -> mapping.iova((long) page * PAGE_SIZE));
    }

    /**
     * Maps pages in any order.
     *
     * @param domain    does the mapping.
     * @param pages     how many, at least 1.
     * @param addressOf where this process sees a page, from page 0; a multiple of the page size.
     * @param ownerOf   what keeps a page alive, held until this is closed; may give null.
     * @return the pages; the caller owns them.
     * @throws io.rdma4j.RdmaException as {@link DmaDomain#map}; nothing stays mapped then.
     */
    public static PageMappings ofPages(
        final DmaDomain domain, final int pages, final IntToLongFunction addressOf,
        final IntFunction<Object> ownerOf) {
        return ofPages(domain::map, pages, addressOf, ownerOf);
    }

    /**
     * Makes pages in any order reachable, whatever is mapped there, now and later.
     *
     * @param domain    does the mapping.
     * @param pages     how many, at least 1.
     * @param addressOf where this process sees a page, from page 0; a multiple of the page size.
     * @return the pages; the caller owns them.
     * @throws io.rdma4j.RdmaException as {@link DmaDomain#mapOnDemand}; nothing stays mapped then.
     */
    public static PageMappings ofPagesOnDemand(
        final DmaDomain domain, final int pages, final IntToLongFunction addressOf) {
        return ofPages((address, length, owner) -> domain.mapOnDemand(address, length), pages, addressOf, page -> null);
    }

    /** How a run of pages is mapped. */
    private interface Mapper {
        DmaMapping map(long address, long length, Object owner);
    }

    private static PageMappings ofPages(
        final Mapper mapper, final int pages, final IntToLongFunction addressOf, final IntFunction<Object> ownerOf) {
        final IdentityHashMap<Object, Owned> byOwner = new IdentityHashMap<>();
        final Owned[] ownedBy = new Owned[pages];
        for (int page = 0; page < pages; page++) {
            ownedBy[page] = byOwner.computeIfAbsent(ownerOf.apply(page), Owned::new);
            ownedBy[page].wanted.addLong(addressOf.applyAsLong(page));
        }
        final List<DmaMapping> mappings = new ArrayList<>();
        try (Undo undo = new Undo()) {
            undo.add(() -> Cleanup.all(mappings, DmaMapping::close));
            byOwner.values().forEach(owned -> owned.map(mapper, mappings));
            undo.forget();
        }
        final long[] iovas = new long[pages];
        Arrays.setAll(iovas, page -> ownedBy[page].iovaOf(addressOf.applyAsLong(page)));
        return new PageMappings(List.copyOf(mappings), pages, page -> iovas[page]);
    }

    /** What one owner has of the pages: neighbours make a run, and each run is one mapping. */
    private static final class Owned {
        private final Object owner;
        private final LongArrayList wanted = new LongArrayList();
        private final List<DmaMapping> runs = new ArrayList<>();
        private long[] starts;

        Owned(final Object owner) {
            this.owner = owner;
        }

        void map(final Mapper mapper, final List<DmaMapping> all) {
            final long[] sorted = wanted.toLongArray();
            Arrays.sort(sorted);
            int first = 0;
            for (int i = 1; i <= sorted.length; i++) {
                if (i == sorted.length || sorted[i] - sorted[i - 1] > PAGE_SIZE) {
                    final DmaMapping run =
                        mapper.map(sorted[first], sorted[i - 1] - sorted[first] + PAGE_SIZE, owner);
                    runs.add(run);
                    all.add(run);
                    first = i;
                }
            }
            starts = runs.stream().mapToLong(DmaMapping::pageAddress).toArray();
        }

        long iovaOf(final long address) {
            final int found = Arrays.binarySearch(starts, address);
            final DmaMapping run = runs.get(found >= 0 ? found : -found - 2);
            return run.iova(address - run.pageAddress());
        }
    }

    /**
     * How many pages there are, each counted as often as it was asked for.
     *
     * @return at least 1.
     */
    public int pages() {
        return pages;
    }

    /**
     * Where the device sees a page.
     *
     * @param page which, from 0 to {@link #pages()} - 1.
     * @return the bus address of its first byte.
     */
    public long iova(final int page) {
        return iovaOf.applyAsLong(page);
    }

    /**
     * Whether a range lies in these pages.
     *
     * @param address first byte, page-aligned.
     * @param length  bytes, whole pages.
     * @return true if all of its pages are here.
     */
    public boolean hold(final long address, final long length) {
        long at = address;
        final long end = address + length;
        while (at < end) {
            final DmaMapping holder = holder(at);
            if (holder == null) {
                return false;
            }
            at = holder.pageAddress() + holder.length();
        }
        return true;
    }

    private DmaMapping holder(final long address) {
        for (final DmaMapping mapping : mappings) {
            if (address >= mapping.pageAddress() && address < mapping.pageAddress() + mapping.length()) {
                return mapping;
            }
        }
        return null;
    }

    /**
     * Makes the device reach the pages that are behind some addresses now.
     *
     * @param address first byte of what changed, page-aligned; what is not in these pages is left out.
     * @param length  bytes, whole pages.
     * @param write   whether the device must be able to write there.
     * @throws RuntimeException the first refusal, as {@link DmaMapping#refresh}, with others suppressed; what can be
     *                          refreshed is.
     */
    public void refresh(final long address, final long length, final boolean write) {
        Cleanup.all(mappings, mapping -> {
            final long from = Math.max(address, mapping.pageAddress());
            final long to = Math.min(address + length, mapping.pageAddress() + mapping.length());
            if (from < to) {
                mapping.refresh(from, to - from, write);
            }
        });
    }

    /**
     * Takes the device's access away until {@link #resume}. When this returns no access is under way.
     *
     * @throws RuntimeException the first refusal, as {@link DmaMapping#suspend}, with others suppressed.
     */
    public void suspend() {
        Cleanup.all(mappings, DmaMapping::suspend);
    }

    /**
     * Gives the device access again to pages on demand; of others {@link #refresh} does that.
     *
     * @throws RuntimeException the first refusal, as {@link DmaMapping#refresh}, with others suppressed.
     */
    public void resume() {
        Cleanup.all(mappings, mapping -> mapping.refresh(mapping.pageAddress(), mapping.length(), false));
    }

    /**
     * Whether the device's access by this ended, as {@link DmaMapping#isReleased} has it.
     *
     * @return false as long as this is open, and after a {@link #close()} that failed.
     */
    public boolean isReleased() {
        return mappings.stream().allMatch(DmaMapping::isReleased);
    }

    /**
     * Ends the device's access, as {@link DmaMapping#close} does. Harmless when called again.
     *
     * @throws RuntimeException the first refusal, with others suppressed; everything that can be unmapped is.
     */
    @Override
    public void close() {
        Cleanup.all(mappings, DmaMapping::close);
    }

    @Override
    public String toString() {
        return "PageMappings[pages=" + pages + " mappings=" + mappings.size() + "]";
    }
}
