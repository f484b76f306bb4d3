/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static io.rdma4j.driver.pci.DmaDomain.PAGE_SIZE;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.Libc;

import java.util.List;

/**
 * Keeps pages of this process in memory, with a count per page: regions may overlap, lie in each other and be closed in
 * any order; a page is locked when the first comes and unlocked when the last goes. {@code mlock} itself does not
 * count: one {@code munlock} ends any number of them, so all who pin memory of a process go through {@link #process()}.
 *
 * <p>For devices whose IOMMU does not pin what it maps. Thread-safe. A page's counts change only while its range is
 * held, from the decision what to lock until that is done: else one thread could be told that a page is locked which
 * another has not locked yet, or unlock one that another has just locked. Threads with other pages do not wait.
 */
public final class PagePins {
    private static final PagePins PROCESS = new PagePins(new Locker() {
        @Override
        public void lock(final long address, final long length) {
            Libc.mlock(address, length);
        }

        @Override
        public void unlock(final long address, final long length) {
            Libc.munlock(address, length);
        }
    }, MemlockLimit.process());

    private final Locker locker;
    private final MemlockLimit limit;
    private final RangeLock ranges = new RangeLock();
    private final RangeCounts counts = new RangeCounts();

    /** What locks pages. */
    interface Locker {
        void lock(long address, long length);

        void unlock(long address, long length);
    }

    PagePins(final Locker locker, final MemlockLimit limit) {
        this.locker = locker;
        this.limit = limit;
    }

    /**
     * The counts of this process.
     *
     * @return the same object each time.
     */
    public static PagePins process() {
        return PROCESS;
    }

    /**
     * Pins every page of a range: reads it in and keeps it from being paged out. Pages that are pinned are locked once
     * more, which changes nothing unless they were mapped anew: a lock goes with the mapping that it was taken on.
     *
     * @param address first byte, page-aligned.
     * @param length  bytes, whole pages.
     * @throws RdmaException ENOMEM if the limit on locked memory forbids it, with the numbers and what to do; ENOMEM or
     *                       EFAULT if a part of it is not mapped. Nothing is pinned then.
     */
    public void pin(final long address, final long length) {
        requirePages(address, length);
        final long end = address + length;
        final RangeLock.Held held = ranges.hold(address, end);
        try {
            lock(address, length, runsOf(0, address, end));
            add(address, end, 1);
        } finally {
            held.release();
        }
    }

    private void lock(final long address, final long length, final List<RangeCounts.Run> unpinned) {
        final long bytes = unpinned.stream().mapToLong(RangeCounts.Run::length).sum();
        if (bytes > 0) {
            limit.require("lock memory", null, bytes);
        }
        try (Undo undo = new Undo()) {
            // A lock that fails half-way may leave the pages before the failure locked.
            unpinned.forEach(run -> undo.add(() -> unlock(run)));
            locker.lock(address, length);
            undo.forget();
        }
    }

    /**
     * Locks once more what is pinned already, because other pages may be behind the addresses. How often each page is
     * pinned stays.
     *
     * @param address first byte, page-aligned.
     * @param length  bytes, whole pages, all pinned.
     * @throws RdmaException as {@link #pin}; the pins count on, so that {@link #unpin} is due as before.
     * @throws IllegalArgumentException if a page of it is not pinned.
     */
    public void repin(final long address, final long length) {
        requirePages(address, length);
        final RangeLock.Held held = ranges.hold(address, address + length);
        try {
            synchronized (counts) {
                requirePinned(address, address + length);
            }
            locker.lock(address, length);
        } finally {
            held.release();
        }
    }

    private void requirePinned(final long start, final long end) {
        if (counts.minimum(start, end) < 1) {
            throw new IllegalArgumentException(String.format(
                "pages of 0x%x..0x%x are not pinned", start, end - 1));
        }
    }

    /**
     * Takes one pin off every page of a range.
     *
     * @param address as given to {@link #pin}.
     * @param length  as given to {@link #pin}.
     * @throws IllegalArgumentException if a page of it is not pinned.
     */
    public void unpin(final long address, final long length) {
        requirePages(address, length);
        final long end = address + length;
        final RangeLock.Held held = ranges.hold(address, end);
        try {
            uncount(address, end).forEach(this::unlock);
        } finally {
            held.release();
        }
    }

    /** Gives what nobody pins any more. */
    private List<RangeCounts.Run> uncount(final long start, final long end) {
        synchronized (counts) {
            requirePinned(start, end);
            final List<RangeCounts.Run> last = counts.runsOf(1, start, end);
            counts.add(start, end, -1);
            return last;
        }
    }

    /** Memory that the application unmapped too early is not locked any more, which is what is wanted. */
    private void unlock(final RangeCounts.Run run) {
        try {
            locker.unlock(run.start(), run.length());
        } catch (final RdmaException whole) {
            // The kernel stops at the first gap; the pages behind it are to be unlocked, too.
            for (long page = run.start(); page < run.end(); page += PAGE_SIZE) {
                unlockPage(page);
            }
        }
    }

    private void unlockPage(final long page) {
        try {
            locker.unlock(page, PAGE_SIZE);
        } catch (final RdmaException e) {
            if (e.errno() != RdmaException.ENOMEM) {
                throw e;
            }
        }
    }

    private static void requirePages(final long address, final long length) {
        if (address % PAGE_SIZE != 0 || length <= 0 || length % PAGE_SIZE != 0) {
            throw new IllegalArgumentException(String.format("whole pages are pinned, not 0x%x + %d", address, length));
        }
    }

    private List<RangeCounts.Run> runsOf(final int count, final long start, final long end) {
        synchronized (counts) {
            return counts.runsOf(count, start, end);
        }
    }

    private void add(final long start, final long end, final int delta) {
        synchronized (counts) {
            counts.add(start, end, delta);
        }
    }

    /**
     * How often a page is pinned.
     *
     * @param address of a byte in it.
     * @return 0 if it is not.
     */
    public int count(final long address) {
        synchronized (counts) {
            return counts.countAt(address);
        }
    }

    /**
     * Bytes that are pinned, each page counted once. For leak checks and counters.
     *
     * @return bytes, a multiple of the page size.
     */
    public long pinnedBytes() {
        synchronized (counts) {
            return counts.countedBytes();
        }
    }

    @Override
    public String toString() {
        return "PagePins[" + pinnedBytes() + " bytes]";
    }
}
