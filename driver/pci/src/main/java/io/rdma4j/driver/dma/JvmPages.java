/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.DmaDomain;

import java.nio.ByteBuffer;

import org.agrona.BufferUtil;

/** Direct buffers of the JVM: need no system call, and so work everywhere. Count against MaxDirectMemorySize. */
final class JvmPages implements PageSource {
    static final JvmPages INSTANCE = new JvmPages();

    private final SharedPages shared;

    private JvmPages() {
        this(SharedPages.PROCESS);
    }

    /** For tests: with another file, or one that cannot be had. */
    JvmPages(final SharedPages shared) {
        this.shared = shared;
    }

    /**
     * Of a file; where there are no such files, or it is as long as all direct buffers may be, direct buffers all the
     * same: those say when it is too much.
     */
    @Override
    public HostBlock allocateShared(final PageKind kind, final int length) {
        return shared.usedBytes() + length > Runtime.getRuntime().maxMemory() ? allocate(kind, length)
            : shared.allocateOr(length, bytes -> allocate(kind, bytes));
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
