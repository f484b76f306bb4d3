/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.dma;

import io.rdma4j.driver.libc.Rlimit;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Four pages, pinned by counts above locks that do not count: as with mlock, one unlock ends any number of them. */
public final class LockedPages {
    private static final int PAGES = 4;
    private static final long PAGE = 4096;
    private static final long START = 1 << 20;
    private static final MemlockLimit NO_LIMIT =
        new MemlockLimit(Path.of("/none"), Path.of("/none"), () -> new Rlimit(-1, -1));

    private final AtomicIntegerArray locked = new AtomicIntegerArray(PAGES);
    private final PagePins pins = new PagePins(new PagePins.Locker() {
        @Override
        public void lock(final long address, final long length) {
            set(address, length, 1);
        }

        @Override
        public void unlock(final long address, final long length) {
            set(address, length, 0);
        }
    }, NO_LIMIT);

    /** Nothing is locked. */
    public LockedPages() {
        // The fields say so.
    }

    private void set(final long address, final long length, final int value) {
        for (long at = address; at < address + length; at += PAGE) {
            locked.set((int) ((at - START) / PAGE), value);
        }
    }

    /**
     * What registering does.
     *
     * @param first first page.
     * @param count pages.
     * @return whether all of them are locked now.
     */
    public boolean pin(final int first, final int count) {
        pins.pin(START + first * PAGE, count * PAGE);
        return areLocked(first, count);
    }

    /**
     * What closing does.
     *
     * @param first first page.
     * @param count pages.
     */
    public void unpin(final int first, final int count) {
        pins.unpin(START + first * PAGE, count * PAGE);
    }

    /**
     * Whether all pages of a range are locked.
     *
     * @param first first page.
     * @param count pages.
     * @return false if one of them is not.
     */
    public boolean areLocked(final int first, final int count) {
        boolean all = true;
        for (int i = first; i < first + count; i++) {
            all &= locked.get(i) == 1;
        }
        return all;
    }

    /**
     * The locked pages, if the counts say the same.
     *
     * @return one bit for each page, the first is the lowest; -1 if the counts say something else.
     */
    public int mask() {
        int mask = 0;
        for (int i = 0; i < PAGES; i++) {
            mask |= locked.get(i) << i;
            if (locked.get(i) != Math.min(1, pins.count(START + i * PAGE))) {
                return -1;
            }
        }
        return mask;
    }
}
