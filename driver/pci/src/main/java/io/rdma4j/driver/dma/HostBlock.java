/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.driver.pci.SharedFile;

import java.nio.ByteBuffer;
import java.util.Optional;

import org.agrona.BufferUtil;

/**
 * Memory of this process in whole pages, zeroed and touched. It is given back when nobody holds {@link #memory()} or a
 * slice of it any more; the garbage collector finds that out.
 */
public final class HostBlock {
    private final ByteBuffer memory;
    private final long mappedLength;
    private final PageKind pages;
    private final Runnable retire;
    private final SharedFile shared;

    /**
     * Memory that is there.
     *
     * @param memory       page-aligned, in whole pages of 4 KiB.
     * @param mappedLength bytes from the beginning of the memory to the end of its last page.
     * @param pages        what it consists of.
     * @param retire       told that the memory waits for the garbage collector from now on.
     */
    HostBlock(final ByteBuffer memory, final long mappedLength, final PageKind pages, final Runnable retire) {
        this(memory, mappedLength, pages, retire, null);
    }

    /** Memory that other processes find in a file; null if they do not. */
    HostBlock(
        final ByteBuffer memory, final long mappedLength, final PageKind pages, final Runnable retire,
        final SharedFile shared) {
        this.memory = memory;
        this.mappedLength = mappedLength;
        this.pages = pages;
        this.retire = retire;
        this.shared = shared;
    }

    /**
     * Where other processes find the memory, as long as this one holds it.
     *
     * @return the file, and where in it the first byte is; empty if this process has it for itself.
     */
    public Optional<SharedFile> shared() {
        return Optional.ofNullable(shared);
    }

    /**
     * The bytes.
     *
     * @return a direct buffer; this and its slices keep the memory alive.
     */
    public ByteBuffer memory() {
        return memory;
    }

    /**
     * First byte.
     *
     * @return an address that is a multiple of the page size of {@link #pages()}.
     */
    public long address() {
        return BufferUtil.address(memory);
    }

    /**
     * Size of all pages, of which {@link #memory()} may not use the last one wholly.
     *
     * @return bytes, whole pages of {@link #pages()}.
     */
    public long mappedLength() {
        return mappedLength;
    }

    /**
     * What it consists of.
     *
     * @return the kind that was found, not the one that was asked for.
     */
    public PageKind pages() {
        return pages;
    }

    /** Says that only late readers and writers may still use it: when pages run short it is worth collecting. */
    void retire() {
        retire.run();
    }

    @Override
    public String toString() {
        return String.format("HostBlock[0x%x + %d, %s]", address(), mappedLength, pages);
    }
}
