/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fake;

import io.rdma4j.verbs.PinnedMemory;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;

/** Direct memory. */
final class FakeMemory implements PinnedMemory {
    private final ByteBuffer memory;

    FakeMemory(final int length) {
        memory = ByteBuffer.allocateDirect(length);
    }

    @Override
    public long address() {
        return BufferUtil.address(memory);
    }

    @Override
    public long length() {
        return memory.capacity();
    }

    @Override
    public UnsafeBuffer buffer(final int offset, final int length) {
        return new UnsafeBuffer(memory, offset, length);
    }

    @Override
    public UnsafeBuffer buffer() {
        return new UnsafeBuffer(memory);
    }

    @Override
    public boolean isClosed() {
        return false;
    }

    @Override
    public void close() {
        // Collected with its buffer.
    }
}
