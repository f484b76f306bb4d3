/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.MrFlag;

/** The memory of a region: buffers, or a dma-buf that is mapped for it; and the files behind, if they matter. */
final class RegionMemory {
    private final RegionPlan plan;
    private final DmaBufMemory dmabuf;
    private final RegionBuffers buffers;
    private final Persistence persistence;
    /** From the application's view of the memory to the one that is registered. */
    private final long shift;

    private RegionMemory(final RegionPlan plan, final DmaBufMemory dmabuf, final long named) {
        this.plan = plan;
        this.dmabuf = dmabuf;
        buffers = dmabuf == null ? plan.buffers() : dmabuf.buffers();
        shift = named == 0 ? 0 : buffers.address() - named;
        persistence = plan.flags().contains(MrFlag.RMA_PMEM) ? persistence() : null;
    }

    /** Maps what is to be mapped. By which address the application names it; 0 for where it comes to lie. */
    static RegionMemory open(final RegionPlan plan, final long named) {
        if (plan.dmabuf() == null) {
            return new RegionMemory(plan, null, named);
        }
        final DmaBufMemory dmabuf = DmaBufMemory.open(plan.dmabuf(), plan.isWritten());
        try (Undo undo = new Undo()) {
            undo.add(dmabuf::close);
            final RegionMemory memory = new RegionMemory(plan, dmabuf, named);
            undo.forget();
            return memory;
        }
    }

    private Persistence persistence() {
        try {
            return new Persistence(buffers, plan.rules().storesByProcessor);
        } catch (final RdmaException e) {
            throw FabricException.from(Refusals.REGISTER, e);
        }
    }

    RegionBuffers buffers() {
        return buffers;
    }

    /** As the application sees it. */
    long address() {
        return buffers.address() - shift;
    }

    long offsetOf(final long address, final long bytes) {
        return buffers.offsetOf(address + shift, bytes);
    }

    /** From an address of the application to the one that is registered. */
    long registered(final long address) {
        return address + shift;
    }

    RdmaException explain(final RdmaException refusal) {
        return dmabuf == null ? refusal : dmabuf.explain(refusal);
    }

    boolean hasFiles() {
        return persistence != null;
    }

    void flush(final String operation, final long address, final long bytes) {
        try {
            persistence.flush(registered(address), bytes);
        } catch (final RdmaException e) {
            throw FabricException.from(operation, e);
        }
    }

    void flush(final String operation) {
        try {
            persistence.flush();
        } catch (final RdmaException e) {
            throw FabricException.from(operation, e);
        }
    }

    /** It was never registered: the device knows nothing of it. */
    void abandon() {
        if (dmabuf != null) {
            dmabuf.close();
        }
    }
}
