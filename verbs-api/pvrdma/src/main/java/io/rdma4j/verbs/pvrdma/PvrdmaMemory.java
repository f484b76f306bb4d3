/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.spi.Errors;

import java.util.ArrayList;
import java.util.List;

import org.agrona.concurrent.UnsafeBuffer;

/** Memory of the device's DMA domain. */
final class PvrdmaMemory extends PvrdmaObject implements PinnedMemory {
    private final DmaMemory memory;
    private final List<Object> holders = new ArrayList<>();

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

    /** Adds what it must stay open for, which is told by its {@code toString()}. */
    synchronized void attach(final String operation, final Object holder) {
        requireOpen(operation);
        holders.add(holder);
    }

    synchronized void detach(final Object holder) {
        holders.remove(holder);
    }

    @Override
    synchronized void leave() {
        if (!holders.isEmpty()) {
            throw Errors.error(RdmaException.EBUSY, "close pinned memory", context, "%s is registered by %s", this,
                holders);
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
