/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.memory.DmaBuf;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.verbs.spi.RegionOwner;

/**
 * A dma-buf, mapped into this process so that its pages can be pinned. Mapped until the device does not reach it any
 * more, which may be later than the region's end.
 */
final class DmaBufMemory implements RegionOwner {
    private final DmaBuf buffer;
    private final RegionBuffers buffers;

    private DmaBufMemory(final DmaBuf buffer) {
        this.buffer = buffer;
        buffers = RegionBuffers.of(buffer.address(), buffer.length(), this);
    }

    static DmaBufMemory open(final MrAttributes.DmaBufRange range, final boolean write) {
        final DmaBuf buffer;
        try {
            buffer = DmaBuf.open(range.fd(), range.offset(), range.length());
        } catch (final RdmaException e) {
            throw FabricException.from(Refusals.REGISTER, e);
        }
        if (write && !buffer.isWritable()) {
            buffer.close();
            throw Refusals.of(FiErrno.FI_EACCES, Refusals.REGISTER, "fd %d was exported for reading only", range.fd())
                .hint("ask for SEND, WRITE and REMOTE_READ only, or export it with write permission").build();
        }
        return new DmaBufMemory(buffer);
    }

    RegionBuffers buffers() {
        return buffers;
    }

    /** In words of dma-buf, if it has to do with it. */
    RdmaException explain(final RdmaException refusal) {
        return buffer.explain(refusal);
    }

    @Override
    public void regionClosed() {
        buffer.close();
    }

    /** It was never registered. */
    void close() {
        buffer.close();
    }

    @Override
    public String toString() {
        return buffer.toString();
    }
}
