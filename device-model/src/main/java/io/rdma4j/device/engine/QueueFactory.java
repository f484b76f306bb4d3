/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.CommandError;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Limits;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.memory.PageTable;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.SrqAttrMask;
import io.rdma4j.queues.WqeConsumer;

import org.agrona.concurrent.UnsafeBuffer;

/** Completion queues and shared receive queues. */
public final class QueueFactory {
    /** Of the heap, for each page of a ring: its address, a buffer and where that is. */
    private static final int WORDS_A_PAGE = 8;
    /** For each request that is sent in packets: what has been told of it. */
    private static final int WORDS_A_SEND = 3;

    private final EngineContext context;
    private final Protection protection;
    private final ObjectTable<CompletionQueue> cqs;
    private final ObjectTable<SharedReceiveQueue> srqs;

    QueueFactory(EngineContext context, Protection protection) {
        this.context = context;
        this.protection = protection;
        this.cqs = context.queueTable("completion queue", context.limits().maxCq());
        this.srqs = context.queueTable("shared receive queue", context.limits().maxSrq());
    }

    /**
     * Creates a completion queue.
     *
     * @param owner   handle of its user context, 0 for the driver.
     * @param entries a power of two.
     * @param pdir    IOVA of the page directory.
     * @param pages   that it lists, state page included.
     * @return its handle.
     */
    public int createCq(int owner, int entries, long pdir, int pages) {
        protection.requireContext(owner);
        requireCqSizes(entries, pages);
        return context.room().taking(words(pages, 0, 0), () -> {
            final PageTable table = PageTable.walk(context.iommu(), pdir, pages);
            return cqs.add(handle -> new CompletionQueue(context, handle, owner, entries, table));
        });
    }

    private void requireCqSizes(int entries, int pages) {
        requireCount("cqe", entries, context.limits().maxCqe());
        requirePages("cq", pages, 1 + RingGeometry.pagesFor(entries, Cqe.LENGTH));
    }

    /**
     * What rings take of the heap, about.
     *
     * @param pages  that the driver lists, used or not: each is looked up.
     * @param copied those of work requests, which some devices take out of the ring at once.
     * @param sends  requests of a send queue.
     */
    long words(int pages, int copied, int sends) {
        return (long) pages * WORDS_A_PAGE
            + (context.has(Quirk.EARLY_CONS_HEAD) ? (long) copied * Pdir.PAGE_SIZE / Long.BYTES : 0)
            + (context.wire() == null ? 0 : (long) sends * WORDS_A_SEND);
    }

    /**
     * Moves a completion queue to other memory.
     *
     * @param handle  its handle.
     * @param entries a power of two, not less than what is pending.
     * @param pdir    IOVA of the new page directory.
     * @param pages   that it lists, state page included.
     */
    public void resizeCq(int handle, int entries, long pdir, int pages) {
        final CompletionQueue cq = cqs.require(handle);
        requireCqSizes(entries, pages);
        final long before = words(cq);
        context.room().taking(words(pages, 0, 0), () -> {
            if (!cq.resize(PageTable.walk(context.iommu(), pdir, pages), entries)) {
                throw CommandError.invalid("%d entries are too few, or the queue has failed: %s", entries, cq);
            }
            return cq;
        });
        context.room().give(before);
    }

    private long words(CompletionQueue cq) {
        return words(cq.pages().pages(), 0, 0);
    }

    /**
     * Destroys a completion queue that no queue pair uses.
     *
     * @param handle its handle.
     */
    public void destroyCq(int handle) {
        final CompletionQueue cq = cqs.require(handle);
        if (cq.isUsed()) {
            throw new CommandError(CommandError.EBUSY, "completion queue 0x" + Integer.toHexString(handle)
                + " is in use");
        }
        end(cq);
    }

    private void end(CompletionQueue cq) {
        cq.end();
        cqs.release(cq.handle());
        context.room().give(words(cq));
    }

    CompletionQueue cq(int handle) {
        return cqs.get(handle);
    }

    CompletionQueue requireCq(int handle) {
        return cqs.require(handle);
    }

    /**
     * Creates a shared receive queue.
     *
     * @param pdHandle its protection domain.
     * @param wrs      receives that it holds, a power of two.
     * @param maxSge   of a receive.
     * @param pdir     IOVA of the page directory.
     * @param pages    that it lists, state page included.
     * @return its handle.
     */
    public int createSrq(int pdHandle, int wrs, int maxSge, long pdir, int pages) {
        final ProtectionDomain pd = protection.pd(pdHandle);
        requireCount("srq max_wr", wrs, context.limits().maxSrqWr());
        requireSge(maxSge);
        final int used = RingGeometry.pagesFor(wrs, RqWqe.stride(maxSge));
        requirePages("srq", pages, 1 + used);
        return context.room().taking(words(pages, pages, 0), () -> {
            final PageTable table = PageTable.walk(context.iommu(), pdir, pages);
            return createSrq(pd, wrs, maxSge, table, table.buffers(1, used));
        });
    }

    private int createSrq(ProtectionDomain pd, int wrs, int maxSge, PageTable table, UnsafeBuffer[] pages) {
        final WqeConsumer ring =
            new WqeConsumer(table.buffer(0), RingState.RX_OFFSET, pages, wrs, RqWqe.stride(maxSge));
        final int made = srqs.add(handle -> new SharedReceiveQueue(context, handle, pd,
            new ReceiveQueue(context, pd, workQueue(ring, RqWqe.stride(maxSge), RqWqe.SGE_OFFSET), table, maxSge)));
        pd.use();
        return made;
    }

    WqeQueue workQueue(WqeConsumer ring, int stride, int sgeOffset) {
        return new WqeQueue(ring, stride, context.has(Quirk.EARLY_CONS_HEAD),
            context.has(Quirk.SCRIBBLES_SGES) ? sgeOffset : 0);
    }

    /**
     * Changes a shared receive queue.
     *
     * @param handle its handle.
     * @param mask   which attributes; only the limit can be changed.
     * @param limit  below how many receives an event is wanted, 0 for none.
     */
    public void modifySrq(int handle, int mask, int limit) {
        final SharedReceiveQueue srq = srqs.require(handle);
        if (mask != SrqAttrMask.PVRDMA_SRQ_LIMIT || limit < 0 || limit > srq.receives().count()
            || limit == 0 && context.has(Quirk.SRQ_SWAP)) {
            throw CommandError.invalid("srq attributes 0x%x limit %d of %d", mask, limit, srq.receives().count());
        }
        srq.arm(limit);
    }

    /**
     * {@return receives that the queue holds, SGEs of each, and its limit}
     *
     * @param handle its handle
     */
    public SrqState querySrq(int handle) {
        final SharedReceiveQueue srq = srqs.require(handle);
        return new SrqState(srq.receives().count(), srq.receives().maxSge(), srq.limit());
    }

    /**
     * Destroys a shared receive queue that no queue pair uses.
     *
     * @param handle its handle.
     */
    public void destroySrq(int handle) {
        final SharedReceiveQueue srq = srqs.require(handle);
        if (srq.isUsed()) {
            throw new CommandError(CommandError.EBUSY, "shared receive queue 0x" + Integer.toHexString(handle)
                + " is in use");
        }
        srq.pd().letGo();
        end(srq);
    }

    private void end(SharedReceiveQueue srq) {
        srq.receives().lock().lock();
        srq.receives().release();
        srq.receives().lock().unlock();
        srqs.release(srq.handle());
        context.room().give(words(srq.receives().pages(), srq.receives().pages(), 0));
    }

    SharedReceiveQueue srq(int handle) {
        return srqs.get(handle);
    }

    SharedReceiveQueue requireSrq(int handle) {
        return srqs.require(handle);
    }

    void requireCount(String what, int count, int max) {
        if (count < 1 || count > max || Integer.bitCount(count) != 1) {
            countCrash();
            throw CommandError.invalid("%s %d: must be a power of two, 1 to %d", what, count, max);
        }
    }

    void requireSge(int sge) {
        if (sge < 1 || sge > context.limits().maxSge()) {
            throw CommandError.invalid("max_sge %d: must be 1 to %d", sge, context.limits().maxSge());
        }
    }

    void requirePages(String what, int pages, int needed) {
        if (pages < needed) {
            countCrash();
            throw CommandError.invalid("%s: %d pages given, %d needed", what, pages, needed);
        }
        if (pages > Pdir.MAX_PAGES) {
            throw CommandError.invalid("%s: %d pages given, a directory reaches %d", what, pages, Pdir.MAX_PAGES);
        }
        if (context.has(Quirk.FEW_RING_PAGES) && pages > Limits.FEW_RING_PAGES) {
            throw CommandError.invalid("%s: %d pages given, at most %d", what, pages, Limits.FEW_RING_PAGES);
        }
    }

    private void countCrash() {
        context.counters().increment(Counter.WOULD_HANG_QEMU);
    }

    void quiesce() {
        srqs.forEach(srq -> srq.receives().lock().pass());
        cqs.forEach(cq -> cq.lock().pass());
    }

    void reset() {
        srqs.snapshot().forEach(this::end);
        cqs.snapshot().forEach(this::end);
    }

    /**
     * For tests: makes the producer index of a completion queue one that cannot be.
     *
     * @param handle of the queue.
     */
    public void corruptCqIndex(int handle) {
        cqs.require(handle).corruptIndex();
    }

    String describe() {
        final StringBuilder text = new StringBuilder();
        cqs.forEach(cq -> text.append("  ").append(cq).append('\n'));
        srqs.forEach(srq -> text.append("  ").append(srq).append('\n'));
        return text.toString();
    }
}
