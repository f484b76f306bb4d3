/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump.walk;

import io.rdma4j.hw.pvrdma.Pdir;

import java.util.ArrayList;
import java.util.List;

/** Puts pages that follow each other together. For one thread. */
public final class PageRuns {
    /** Memory of which no two pages follow each other would else make a list that nobody reads to its end. */
    public static final int MAX = 4096;

    private final List<PageRun> runs = new ArrayList<>();
    private final boolean physical;
    private PageRun open;
    private long leftOut;

    /**
     * An empty list.
     *
     * @param physical whether pages must follow each other also in the machine's memory.
     */
    PageRuns(final boolean physical) {
        this.physical = physical;
    }

    /** Adds the page after the last one, or several that are all alike and have no address. */
    void add(final PageRun next) {
        if (open != null && follows(open, next)) {
            open = new PageRun(open.first(), open.count() + next.count(), open.kind(), open.iova(), open.physical());
            return;
        }
        end();
        open = next;
    }

    private boolean follows(final PageRun last, final PageRun next) {
        if (last.kind() != next.kind() || next.kind() == PageRun.Kind.INVALID) {
            return false;
        }
        if (next.kind() != PageRun.Kind.PAGES) {
            return next.iova() == last.iova();
        }
        final long bytes = last.count() * Pdir.PAGE_SIZE;
        return next.iova() == last.iova() + bytes
            && (!physical || next.physical() == (last.physical() < 0 ? last.physical() : last.physical() + bytes));
    }

    /** No more pages will come. */
    void end() {
        if (open == null) {
            return;
        }
        if (runs.size() < MAX) {
            runs.add(open);
        } else {
            leftOut += open.count();
        }
        open = null;
    }

    /**
     * What was put together.
     *
     * @return at most {@value #MAX}, by page.
     */
    public List<PageRun> list() {
        return List.copyOf(runs);
    }

    /**
     * Pages behind the last run.
     *
     * @return how many had no room.
     */
    public long leftOut() {
        return leftOut;
    }
}
