/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.DmaDomain;

import java.nio.ByteBuffer;

import org.agrona.BufferUtil;

/** Direct buffers of the JVM: needs no system call, and so works everywhere. Counts against MaxDirectMemorySize. */
final class JvmPages implements PageSource {
    static final JvmPages INSTANCE = new JvmPages();

    private JvmPages() {
    }

    @Override
    public HostBlock allocate(final PageKind kind, final int length) {
        try {
            final ByteBuffer memory = ByteBuffer.allocateDirect(length + DmaDomain.PAGE_SIZE);
            final int skip = (int) (-BufferUtil.address(memory) & DmaDomain.PAGE_SIZE - 1);
            return new HostBlock(memory.slice(skip, length), length, PageKind.KB4, () -> { });
        } catch (final OutOfMemoryError e) {
            throw RdmaException.of("allocate DMA memory")
                .detail("%d bytes of direct memory: %s", length, e.getMessage())
                .errno(RdmaException.ENOMEM)
                .hint("raise -XX:MaxDirectMemorySize")
                .cause(e)
                .build();
        }
    }

    @Override
    public String advice(final PageKind kind, final long length) {
        return "raise -XX:MaxDirectMemorySize";
    }

    @Override
    public long retiredBytes(final PageKind kind) {
        return 0;
    }

    @Override
    public long retiredEver(final PageKind kind) {
        return 0;
    }

    @Override
    public long freeBytes(final PageKind kind) {
        return Long.MAX_VALUE;
    }
}
