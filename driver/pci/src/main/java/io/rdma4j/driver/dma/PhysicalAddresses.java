/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static io.rdma4j.driver.pci.DmaDomain.PAGE_SIZE;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.memory.Presence;
import io.rdma4j.driver.memory.ProcessMaps;
import io.rdma4j.driver.sysfs.PageMap;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

/**
 * Stands in for the IOMMU where there is none: a device is told where pages are in the machine's memory, and reaches
 * them there, and all others too. Nothing is taken from the device when a mapping ends.
 *
 * <p>Pages must not move while they are mapped. Whoever makes this puts a {@link PinningIommu} in front of it, which
 * keeps pages from being swapped out. That holds hugepages of a pool where they are. Small pages the kernel may move
 * all the same, when it joins free memory or balances it between nodes: so it is looked where they are when they are
 * mapped and once more at the end, and if they are somewhere else then, a warning says so, once. Thread-safe.
 */
public final class PhysicalAddresses implements Iommu {
    /** What is mapped needs an address of its own here, too, which no device is told: any will do. */
    private static final List<IovaAllocator.Range> RANGES =
        List.of(new IovaAllocator.Range(PAGE_SIZE, (1L << 47) - 1));
    private static final System.Logger LOGGER = System.getLogger(PhysicalAddresses.class.getName());
    private static final String OPERATION = "map memory for DMA";
    /** A page that is on its way is not there for a moment. */
    private static final int LOOKS = 5;

    private final ConcurrentMap<Long, Live> live = new ConcurrentHashMap<>();
    private final String name;
    private final Supplier<PageMap> maps;
    private final Consumer<String> log;
    /** Mappings of which a page had moved when they ended. */
    private final AtomicLong moved = new AtomicLong();

    /**
     * Pages of this process, found by {@code /proc/self/pagemap}.
     *
     * @param name what errors call it.
     */
    public PhysicalAddresses(final String name) {
        this(name, () -> PageMap.of(ProcessHandle.current().pid()),
            text -> LOGGER.log(System.Logger.Level.WARNING, text));
    }

    PhysicalAddresses(final String name, final Supplier<PageMap> maps, final Consumer<String> log) {
        this.name = name;
        this.maps = maps;
        this.log = log;
    }

    /**
     * Addresses for an {@link IommuDmaDomain}.
     *
     * @return a new allocator.
     */
    public static IovaAllocator iovas() {
        return new IovaAllocator(RANGES);
    }

    /** Where the pages of a mapping are. */
    private record Frames(long address, long[] pages) {
        long of(final long offset) {
            return pages[Math.toIntExact(offset / PAGE_SIZE)] + offset % PAGE_SIZE;
        }
    }

    /** What keeps the memory alive is held as long as it is mapped; its frames may be asked for longer. */
    private record Live(Frames frames, Object owner) {
    }

    /**
     * A page that is shared until it is written, such as the one of zeros, is written first: else the process would
     * see another one afterwards than the device.
     */
    @Override
    public void map(final long iova, final long address, final long length, final Object owner) {
        final String missing = Presence.firstMissing(address, length, true);
        if (missing != null) {
            throw refused(RdmaException.EFAULT).detail("%s", missing).build();
        }
        final String file = ProcessMaps.firstDiskFile(address, length);
        if (file != null) {
            throw refused(RdmaException.EFAULT).detail("%s: its pages are the file system's", file).build();
        }
        live.put(iova, new Live(new Frames(address, settled(address, length)), owner));
    }

    /** Seen twice at the same places: not while the kernel moves them. */
    private long[] settled(final long address, final long length) {
        long[] before = pages(address, length);
        for (int i = 0; i < LOOKS; i++) {
            final long[] now = pages(address, length);
            if (firstDifference(before, now) < 0 && firstMissing(now) < 0) {
                return now;
            }
            before = now;
        }
        final int missing = firstMissing(before);
        throw refused(RdmaException.EFAULT)
            .detail(missing < 0 ? "some of the %d pages from 0x%x on do not stay where they are"
                : "some of the %d pages from 0x%x on are not in memory", before.length, address)
            .hint("use memory of RdmaContext.allocate, which is in hugepages").build();
    }

    private long[] pages(final long address, final long length) {
        final long[] pages = new long[Math.toIntExact(length / PAGE_SIZE)];
        try (PageMap map = maps.get()) {
            for (int i = 0; i < pages.length; i++) {
                pages[i] = map.physical(address + (long) i * PAGE_SIZE);
            }
            if (map.refusal() != null) {
                throw refused(RdmaException.EPERM).detail("%s", map.refusal())
                    .hint("without an IOMMU the process needs CAP_SYS_RAWIO and CAP_SYS_ADMIN").build();
            }
        }
        return pages;
    }

    private static int firstMissing(final long[] pages) {
        for (int i = 0; i < pages.length; i++) {
            if (pages[i] <= 0) {
                return i;
            }
        }
        return -1;
    }

    private static int firstDifference(final long[] some, final long[] others) {
        for (int i = 0; i < some.length; i++) {
            if (some[i] != others[i]) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public LongUnaryOperator busAddresses(final long iova) {
        return live.get(iova).frames::of;
    }

    @Override
    public void unmap(final long iova, final long length) {
        final Live ended = live.remove(iova);
        if (ended == null) {
            throw RdmaException.of("unmap memory").device(name).detail("nothing is mapped at 0x%x", iova)
                .errno(RdmaException.EIO).build();
        }
        final Frames frames = ended.frames;
        final int page = firstMoved(frames);
        if (page >= 0 && moved.getAndIncrement() == 0) {
            log.accept(String.format("%s: the page at 0x%x is not where it was when the device was told of it, as it "
                + "moved, or was unmapped too early: what the device wrote since then is in memory of somebody else. "
                + "Use hugepages; close a region before its memory is unmapped (said once)", name,
                frames.address + (long) page * PAGE_SIZE));
        }
    }

    /** Nothing is known of pages once the process gave up the right to see where they are; no mapping lives longer. */
    private int firstMoved(final Frames frames) {
        try {
            return firstDifference(frames.pages, pages(frames.address, (long) frames.pages.length * PAGE_SIZE));
        } catch (final RdmaException unseen) {
            return -1;
        }
    }

    private RdmaException.Builder refused(final int errno) {
        return RdmaException.of(OPERATION).device(name).errno(errno);
    }

    @Override
    public String toString() {
        return "PhysicalAddresses[" + live.size() + " mappings" + (moved.get() == 0 ? "" : ", of " + moved
            + " pages had moved") + ']';
    }
}
