/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump.walk;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.driver.live.LiveView;
import io.rdma4j.driver.sysfs.PageMap;
import io.rdma4j.hw.pvrdma.Pdir;

import java.util.Optional;
import java.util.function.LongUnaryOperator;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Follows a page directory as the device does: root page if there are so many pages, directory, table, page. Each entry
 * leads where the process that wrote it says, or nowhere.
 */
public final class PageWalk {
    private final LiveView view;
    private final LongUnaryOperator physical;
    private final PageRuns runs;
    private long page;
    private long end;

    private PageWalk(final LiveView view, final LongUnaryOperator physical) {
        this.view = view;
        this.physical = physical;
        runs = new PageRuns(physical != null);
    }

    /**
     * Follows a page directory.
     *
     * @param view     reads the tables.
     * @param pdirDma  where the directory, or its root page, is said to be.
     * @param pages    how many pages it is said to have.
     * @param physical tells where a page is in the machine's memory, by its number; see {@link PageMap}. Null if
     *                 nobody wants to know.
     * @return all pages; of which some may be said to be unreadable.
     */
    public static PageRuns walk(
        final LiveView view, final long pdirDma, final long pages, final LongUnaryOperator physical) {
        final PageWalk walk = new PageWalk(view, physical);
        walk.end = Math.max(0, Math.min(pages, Pdir.LARGE_MAX_PAGES));
        if (Pdir.isLarge((int) walk.end)) {
            walk.root(pdirDma);
        } else {
            walk.directory(pdirDma);
        }
        walk.runs.end();
        return walk.runs;
    }

    private void root(final long iova) {
        final Optional<UnsafeBuffer> root = read(iova);
        while (page < end) {
            if (root.isEmpty()) {
                skip(end - page, iova);
            } else {
                directory(entry(root.get(), Pdir.rootIndex((int) page)));
            }
        }
    }

    private void directory(final long iova) {
        final long last = Math.min(end, page + Pdir.MAX_PAGES);
        final Optional<UnsafeBuffer> directory = read(iova);
        if (directory.isEmpty()) {
            skip(last - page, iova);
        }
        while (page < last) {
            table(entry(directory.get(), Pdir.dirIndex((int) page)));
        }
    }

    private void table(final long iova) {
        final long last = Math.min(end, page + Pdir.ENTRIES);
        final Optional<UnsafeBuffer> table = read(iova);
        if (table.isEmpty()) {
            skip(last - page, iova);
        }
        while (page < last) {
            add(entry(table.get(), Pdir.tableIndex((int) page)));
        }
    }

    private void add(final long iova) {
        final PageRun.Kind kind = iova == 0 ? PageRun.Kind.NONE
            : iova % Pdir.PAGE_SIZE == 0 ? PageRun.Kind.PAGES : PageRun.Kind.INVALID;
        final boolean ask = physical != null && kind == PageRun.Kind.PAGES;
        runs.add(new PageRun(page, 1, kind, iova, ask ? physical.applyAsLong(page) : PageMap.NOT_ASKED));
        page++;
    }

    /** Pages without a table to find them by. */
    private void skip(final long count, final long table) {
        final PageRun.Kind kind = table == 0 ? PageRun.Kind.NONE : PageRun.Kind.UNREADABLE;
        runs.add(new PageRun(page, count, kind, table, PageMap.NOT_ASKED));
        page += count;
    }

    private Optional<UnsafeBuffer> read(final long iova) {
        return iova == 0 || iova % Pdir.PAGE_SIZE != 0 ? Optional.empty()
            : view.read(iova, Pdir.PAGE_SIZE).map(UnsafeBuffer::new);
    }

    private static long entry(final UnsafeBuffer table, final int index) {
        return table.getLong(index * Pdir.ENTRY_LENGTH, LITTLE_ENDIAN);
    }
}
