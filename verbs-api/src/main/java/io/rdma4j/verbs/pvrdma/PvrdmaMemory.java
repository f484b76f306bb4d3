/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.verbs.PinnedMemory;

import java.util.ArrayList;
import java.util.List;

import org.agrona.concurrent.UnsafeBuffer;

/** Memory of the device's DMA domain. */
final class PvrdmaMemory extends PvrdmaObject implements PinnedMemory {
    private final DmaMemory memory;
    private final List<PvrdmaMr> regions = new ArrayList<>();

    PvrdmaMemory(final PvrdmaContext context, final DmaMemory memory) {
        super(context);
        this.memory = memory;
    }

    @Override
    public long address() {
        return memory.address();
    }

    @Override
    public long length() {
        return memory.length();
    }

    @Override
    public UnsafeBuffer buffer(final int offset, final int length) {
        return memory.buffer(offset, length);
    }

    @Override
    public UnsafeBuffer buffer() {
        return memory.buffer();
    }

    /** Adds a region; it must not be closed meanwhile. */
    synchronized void attach(final PvrdmaMr region) {
        requireOpen("register memory");
        regions.add(region);
    }

    synchronized void detach(final PvrdmaMr region) {
        regions.remove(region);
    }

    @Override
    synchronized void leave() {
        if (!regions.isEmpty()) {
            throw Errors.error(RdmaException.EBUSY, "close pinned memory", context, "%s is registered by %s", this,
                regions);
        }
        super.leave();
    }

    @Override
    void destroy() {
        new Cleanup().run(memory::close).run(() -> context.forget(this)).throwIfFailed();
    }

    @Override
    public String toString() {
        return String.format("memory 0x%x+%d", address(), length());
    }
}
