/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.base.Undo;
import io.rdma4j.driver.dma.DmaPages;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.verbs.pvrdma.device.PageDirectory;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.function.BooleanSupplier;

/** The pages of a ring and the directory by which the device finds them. */
final class RingMemory implements AutoCloseable {
    /** Where the elements of a CQ or SRQ begin, behind the state page. */
    static final int ELEMENTS_OFFSET = RingGeometry.ELEMENTS_OFFSET;

    private final ClosedRings closedRings;
    private final DmaPages pages;
    private final PageDirectory directory;

    private RingMemory(final ClosedRings closedRings, final DmaPages pages, final PageDirectory directory) {
        this.closedRings = closedRings;
        this.pages = pages;
        this.directory = directory;
    }

    static RingMemory allocate(final PvrdmaContext context, final int pages) {
        context.closedRings.clearOld();
        try (Undo undo = new Undo()) {
            final DmaPages memory = context.device.arena().allocate(pages);
            undo.add(memory::close);
            final PageDirectory directory = PageDirectory.of(context.device.arena(), memory);
            undo.forget();
            return new RingMemory(context.closedRings, memory, directory);
        }
    }

    UnsafeBuffer buffer() {
        return pages.buffer();
    }

    long pdirDma() {
        return directory.pdirDma();
    }

    int pages() {
        return pages.pages();
    }

    /** Where the device sees the first page. */
    long iova() {
        return pages.iova();
    }

    /** Bytes. */
    int length() {
        return pages.length();
    }

    /** The device gave it up, or never had it, and no thread of the application knows it. */
    @Override
    public void close() {
        close(() -> false);
    }

    /**
     * The device gave it up.
     *
     * @param inUse whether a thread that posts or polls may still write here: it found the queue open before it closed.
     */
    void close(final BooleanSupplier inUse) {
        directory.close();
        closedRings.bury(pages, inUse);
    }
}
