/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.live.Publication;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.verbs.FastRegion;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.live.MrKind;
import io.rdma4j.verbs.pvrdma.device.MrKeys;
import io.rdma4j.verbs.spi.Errors;

/** A region for fast registration: the device's part of it, and the pages it was given last. */
final class PvrdmaFastRegion extends PvrdmaObject implements FastRegion {
    final PvrdmaPd pd;
    private final int maxPages;
    private final MrKeys keys;
    private volatile int rkey;
    private volatile FastPages pages;
    private final Publication publication;

    PvrdmaFastRegion(final PvrdmaPd pd, final int maxPages, final MrKeys keys) {
        super(pd.context);
        this.pd = pd;
        this.maxPages = maxPages;
        this.keys = keys;
        this.rkey = keys.rkey();
        publication = Publication.of(context.device.live(), MrKind.KIND, keys.handle(), this::describe);
        publication.changed();
    }

    private void describe(final LiveEntry entry) {
        final FastPages now = pages;
        RegionDescription.writeKeys(entry, pd, lkey(), rkey);
        entry.set(MrKind.ADDRESS, now == null ? 0 : now.address())
            .set(MrKind.LENGTH, now == null ? 0 : now.length())
            .set(MrKind.PDIR_DMA, now == null ? 0 : now.pdirDma())
            .set(MrKind.PAGES, now == null ? 0 : now.count())
            .set(MrKind.FLAGS, MrKind.PAGE_LIST | MrKind.FAST);
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public int maxPages() {
        return maxPages;
    }

    @Override
    public synchronized void map(final PageList list, final int offset, final long length) {
        final String operation = "map fast region";
        requireOpen(operation);
        Errors.notNull(list, operation, context, "list of pages");
        Errors.inRange(length, 1, (long) maxPages * Pdir.PAGE_SIZE, operation, context, "length");
        final ListSource source = new ListSource(list, offset);
        Errors.inRange(source.pages(), 1, maxPages, operation, context, "number of pages");
        context.requireWorking(operation);
        final FastPages next = FastPages.map(context, operation, source, length, this, pages);
        if (pages != null && !pages.take()) {
            final RdmaException busy = inQueue(operation);
            new Cleanup().run(next::abandon).addTo(busy);
            throw busy;
        }
        replace(next);
    }

    private RdmaException inQueue(final String operation) {
        return Errors.error(RdmaException.EBUSY, operation, context,
            "a registration of %s is in a queue and has not completed, as far as was polled", this);
    }

    /** Of pages that were taken away from posters. */
    private void replace(final FastPages next) {
        final FastPages last = pages;
        pages = next;
        publication.changed();
        if (last != null) {
            last.close();
        }
    }

    @Override
    public synchronized void unmap() {
        final String operation = "unmap fast region";
        requireOpen(operation);
        if (pages != null) {
            if (!pages.take()) {
                throw inQueue(operation);
            }
            replace(null);
        }
    }

    /** What a registration would register; null if there is nothing. */
    FastPages pages() {
        return pages;
    }

    /** Poster: a registration with this key is in its queue. */
    void registered(final int newKey) {
        rkey = newKey;
        publication.changed();
    }

    @Override
    public int lkey() {
        return Keys.withVariable(keys.lkey(), rkey);
    }

    @Override
    public int rkey() {
        return rkey;
    }

    @Override
    public int nextKey() {
        return Keys.next(rkey);
    }

    @Override
    synchronized void destroy() {
        final FastPages last = pages;
        final Cleanup cleanup = new Cleanup()
            .run(publication::end)
            .run(() -> context.whileWorking(() -> context.device.commands().destroyMr(keys.handle())));
        if (last != null) {
            cleanup.run(last::close);
        }
        cleanup.run(() -> pd.forget(this)).throwIfFailed();
    }

    @Override
    public String toString() {
        return String.format("fast MR of %d pages, rkey=0x%x", maxPages, rkey);
    }
}
