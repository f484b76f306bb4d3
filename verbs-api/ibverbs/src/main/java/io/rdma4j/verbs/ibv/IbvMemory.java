/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.spi.Errors;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Whole pages outside of the heap. They are pinned when they are registered. */
final class IbvMemory extends IbvObject implements PinnedMemory {
    private static final int PAGE = 4096;

    private final ByteBuffer memory;
    private final long address;
    private final int length;
    private final List<Object> holders = new ArrayList<>();

    IbvMemory(final IbvContext context, final int length) {
        super(context);
        this.length = length;
        try {
            memory = ByteBuffer.allocateDirect(length + PAGE).alignedSlice(PAGE).limit(length);
        } catch (final OutOfMemoryError e) {
            throw RdmaException.of("allocate pinned memory").device(context.address())
                .detail("%d bytes: %s", length, e.getMessage()).errno(RdmaException.ENOMEM)
                .hint("raise -XX:MaxDirectMemorySize").build();
        }
        address = BufferUtil.address(memory);
        context.reachable.addAndGet(length);
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public UnsafeBuffer buffer(final int offset, final int bytes) {
        if (offset < 0 || bytes < 0 || (long) offset + bytes > length) {
            throw new IndexOutOfBoundsException("bytes " + offset + " + " + bytes + " of " + length);
        }
        return new UnsafeBuffer(memory, offset, bytes);
    }

    @Override
    public UnsafeBuffer buffer() {
        return buffer(0, length);
    }

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
        context.reachable.addAndGet(-length);
        context.forget(this);
    }

    @Override
    public String toString() {
        return String.format("memory 0x%x+%d", address, length);
    }
}
